/* Reading small Python ints without a call: what PyLong_AsLong does, inline, for the sizes that cards and masks have. */
#ifndef TURKPOKER_PYTHON_INTS_H
#define TURKPOKER_PYTHON_INTS_H

#include <Python.h>
#include <stdint.h>

#include "tables.h"

/* SIZE_OF: the number of digits of an exact int, negative for a negative one. */
#if defined(PYPY_VERSION) || PY_VERSION_HEX >= 0x030F0000
#define KNOWN_DIGITS 0
#elif PY_VERSION_HEX >= 0x030C0000
#define KNOWN_DIGITS 1
#define DIGITS_OF(o) (((PyLongObject *)(o))->long_value.ob_digit)
/* Two bits of the tag are the sign (0 where it is positive), the third is kept free, the rest is the size. */
#define SIZE_OF(o) \
    ((((PyLongObject *)(o))->long_value.lv_tag & 2) ? -1 : (Py_ssize_t)(((PyLongObject *)(o))->long_value.lv_tag >> 3))
#else
#define KNOWN_DIGITS 1
#define DIGITS_OF(o) (((PyLongObject *)(o))->ob_digit)
#define SIZE_OF(o) Py_SIZE(o)
#endif

/* An exact int of one or two digits (they hold 60 bits) as it is; for any other something with bit 63 set. Where the digits
 * are not known, a call does it. */
TP_INLINE uint64_t mask_of_int(PyObject *o) {
#if KNOWN_DIGITS
    Py_ssize_t size = SIZE_OF(o);
    if (size == 2) return (uint64_t)DIGITS_OF(o)[0] | (uint64_t)DIGITS_OF(o)[1] << PyLong_SHIFT;
    if (size == 1) return DIGITS_OF(o)[0];
    return (uint64_t)1 << 63;
#else
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow || value < 0 ? (uint64_t)1 << 63 : (uint64_t)value;
#endif
}

/* CPython keeps the small ints as one array: where that is so, the place of an int among them is its value, and an id is
 * read without touching the int. find_small_ints looks whether it is so; until then, and where it is not, every int is
 * left to the slow way. */
static uintptr_t first_small_int;
#define INT_SPACING 32

static void find_small_ints(void) {
    long value;
    uintptr_t first = 0;
    for (value = 0; value < 52; value++) {
        PyObject *o = PyLong_FromLong(value);
        if (o == NULL) {
            PyErr_Clear();
            return;
        }
        if (value == 0) first = (uintptr_t)o;
        Py_DECREF(o);
        if ((uintptr_t)o != first + (uintptr_t)value * INT_SPACING) return;
    }
    first_small_int = first;
}

/* An int from 0 to 51 as it is; 255 for anything else, and for ints that are not the shared ones. */
TP_INLINE uint8_t id_of_int(PyObject *o) {
    uintptr_t place = (uintptr_t)o - first_small_int;
    return place < 52 * INT_SPACING ? (uint8_t)(place / INT_SPACING) : 255;
}

#endif
