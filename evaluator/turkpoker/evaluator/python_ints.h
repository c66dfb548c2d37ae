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

/* An exact int from 1 to 51 as it is, anything else as 255: 0 is left to the slow way. */
TP_INLINE uint8_t id_of_int(PyObject *o) {
    uint64_t value;
    if (!PyLong_CheckExact(o)) return 255;
    value = mask_of_int(o);
    return value < 52 ? (uint8_t)value : 255;
}

#endif
