# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, auto_pickle=False
"""Compiled core of the evaluator: tables, single calls, batches. Use it through ``turkpoker.evaluator``."""

from cpython cimport array
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.list cimport PyList_CheckExact, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

import array as _array_module
import sys
from os import environ as _environ
from threading import Thread as _Thread

from turkpoker.evaluator.cards import format_card, parse_cards
from turkpoker.evaluator.rulesets import LOW_QUALIFIERS as _LOW_QUALIFIERS
from turkpoker.evaluator.rulesets import OPENING_REQUIREMENTS as _OPENING_REQUIREMENTS
from turkpoker.evaluator.rulesets import Category, Ruleset

cdef extern from "Python.h":
    # Borrowed references: the holder is alive while they are used.
    PyObject *PyTuple_GET_ITEM(object o, Py_ssize_t i)
    PyObject *PyList_GET_ITEM(object o, Py_ssize_t i)
    PyObject **tuple_items "&PyTuple_GET_ITEM" (object o, Py_ssize_t i)
    bint PyUnicode_CheckExact(object o)
    bint PyUnicode_IS_COMPACT_ASCII(object o)
    void *PyUnicode_1BYTE_DATA(object o)
    Py_ssize_t PyUnicode_GET_LENGTH(object o)

cdef extern from "python_ints.h":
    uint64_t mask_of_int(PyObject *o)
    uint8_t id_of_int(PyObject *o)
    void find_small_ints()

cdef extern from "card_text.h":
    int read_five_cards(const unsigned char *text, ptrdiff_t length, uint8_t *ids)

cdef extern from "tables.h" nogil:
    int build_tables(hand_tables *t, int lowest, int minor, int suits, const uint8_t *place, const uint8_t *suit_rank)
    void free_tables(hand_tables *t)

cdef extern from "kernel_scalar.h" nogil:
    enum:
        AS_ROWS
        AS_COLUMNS
        AS_MASKS

cdef extern from "batch.h" nogil:
    int machine_has(int kernel)
    ptrdiff_t strengths_of_hands(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t n,
                                 uint16_t *out, int layout, int kernel)

cdef extern from "read_write_pass.h" nogil:
    void c_read_write_pass "read_write_pass" (const uint8_t *rows, ptrdiff_t n, uint16_t *out)

cdef list _CATEGORIES = list(Category)
# Fewer hands than this are not worth a thread.
cdef ptrdiff_t _LEAST_SHARE = 16384
cdef array.array _UINT16 = _array_module.array("H")
#: Every strength as an int made once: a single call hands out one of these instead of making another.
cdef tuple _INTS = tuple(range(22621))
cdef PyObject **_int_of = tuple_items(_INTS, 0)


cdef class EmptyCall:
    """For benchmarks: what a method of a compiled class costs that does nothing with its one argument."""

    def call(self, cards, /):
        """Answers its argument."""
        return cards


def read_write_pass(const uint8_t[::1] rows, uint16_t[::1] out):
    """For benchmarks: reads five bytes and writes two for each hand, and does nothing with them.

    Raises:
        ValueError: ``rows`` does not hold five bytes for each entry of ``out``, or one is not such a buffer.
    """
    if rows.shape[0] != 5 * out.shape[0]:
        raise ValueError("five bytes are needed for each entry of out")
    if out.shape[0]:
        with nogil:
            c_read_write_pass(&rows[0], out.shape[0], &out[0])


cdef tuple _KERNEL_NAMES = ("scalar", "avx2", "avx512")
cdef int _kernel = -1


def available_kernels():
    """The names of the batch paths that this machine can run, fastest first."""
    return tuple([name for number, name in reversed(list(enumerate(_KERNEL_NAMES))) if machine_has(number)])


def kernel_name():
    """The name of the batch path in use.

    Raises:
        ValueError: ``TURKPOKER_KERNEL`` asks for a path that this machine does not have.
    """
    return _KERNEL_NAMES[_chosen_kernel()]


def force_kernel(name):
    """Use the named batch path from now on, in the whole process. Meant for tests and measurements.

    Raises:
        ValueError: this machine has no such path.
    """
    global _kernel
    if name not in available_kernels():
        raise ValueError(f"no kernel {name!r} on this machine: choose {', '.join(available_kernels())}")
    _kernel = _KERNEL_NAMES.index(name)


cdef int _chosen_kernel() except -1:
    # A wrong wish is refused where it matters, not by an import that fails.
    if _kernel < 0:
        force_kernel(_environ["TURKPOKER_KERNEL"])
    return _kernel


if not _environ.get("TURKPOKER_KERNEL"):
    force_kernel(available_kernels()[0])
elif _environ["TURKPOKER_KERNEL"] in available_kernels():
    force_kernel(_environ["TURKPOKER_KERNEL"])
find_small_ints()


cdef class HandTables:
    """The tables of one ruleset and what is read from them; ``Evaluator`` adds settings and caching."""

    def __cinit__(self, ruleset, *args, **kwargs):
        cdef uint8_t place[12]
        cdef uint8_t suit_rank[4]
        cdef int i
        if not isinstance(ruleset, Ruleset):
            raise ValueError(f"a Ruleset is needed, not {type(ruleset).__name__}")
        for i, category in enumerate(reversed(ruleset.categories)):
            place[_CATEGORIES.index(category)] = i
        for i in range(4):
            suit_rank[i] = 3 - ruleset.suit_order.index("cdsh"[i])
        self.ruleset = ruleset
        if build_tables(&self.tables, ruleset.lowest_rank, ruleset.minor_straights, ruleset.suit_tiebreak,
                        place, suit_rank):
            raise MemoryError()

    def __dealloc__(self):
        free_tables(&self.tables)

    @property
    def levels(self):
        """The number of different strengths: they run from 1 to this."""
        return self.tables.levels

    @property
    def low_levels(self):
        """The number of different low strengths without a qualifier."""
        return self.tables.low_levels

    def strength(self, cards, /):
        """The strength of five cards, 1 to ``levels``; the bigger wins, equal ones tie.

        ``cards`` is text (``"As Kd Qh Jc Tc"``), bytes of five card ids, an int with bit ``id`` set for each
        card, or a sequence of five ids.

        Raises:
            ValueError: not five different cards of the deck; the message says which and why.
        """
        cdef gathered_hand hand
        if not _gather_fast(&self.tables, cards, &hand):
            return self._strength_otherwise(cards)
        return <object>_int_of[strength_of(&self.tables, hand, self.tables.second is not NULL, self.tables.suits)]

    cdef object _strength_otherwise(self, cards):
        # Apart, so that the way of most calls stays short.
        cdef gathered_hand hand = self._gather(cards)
        return _INTS[strength_of(&self.tables, hand, self.tables.second is not NULL, self.tables.suits)]

    cdef gathered_hand _gather(self, cards) except *:
        """Reads every form that is allowed, or says what is wrong."""
        cdef gathered_hand hand
        cdef uint8_t ids[5]
        if (
            PyUnicode_CheckExact(cards) and PyUnicode_IS_COMPACT_ASCII(cards)
            and read_five_cards(<const unsigned char *>PyUnicode_1BYTE_DATA(cards), PyUnicode_GET_LENGTH(cards), ids)
        ):
            hand = gather_cards(&self.tables, ids[0], ids[1], ids[2], ids[3], ids[4])
            if not hand.bad:
                return hand
        found = card_ids(cards)
        if len(found) != 5:
            self._complain(found)
        hand = gather_cards(&self.tables, found[0], found[1], found[2], found[3], found[4])
        if hand.bad:
            self._complain(found)
        return hand

    cdef object _complain(self, tuple ids):
        for card in ids:
            if not self.tables.deck >> <int>card & 1:
                raise ValueError(f"{format_card(card)} is not in the deck of {self.ruleset.deck_size} cards")
        if len(ids) != 5:
            raise ValueError(f"a hand has five cards, not {len(ids)}")
        for place, card in enumerate(ids):
            if card in ids[:place]:
                raise ValueError(f"{format_card(card)} stands twice in the hand")
        raise ValueError("the hand changed while it was read")

    def category(self, strength):
        """The category of one of this evaluator's strengths.

        Raises:
            ValueError: this evaluator has no such strength.
        """
        cdef int i
        cdef uint32_t level
        try:
            wanted = strength.__index__()
        except AttributeError:
            wanted = 0
        if isinstance(strength, bool) or not 1 <= wanted <= self.tables.levels:
            raise ValueError(f"a strength is an int from 1 to {self.tables.levels}, not {strength!r}")
        level = wanted
        for i in range(12):
            if level - self.tables.first_level[i] < self.tables.levels_of[i]:
                return _CATEGORIES[i]
        raise AssertionError("strengths cover all levels")

    def category_numbers(self):
        """The category of each strength as its number in ``Category``, in bytes indexed by strength; entry 0 is 0."""
        numbers = bytearray(self.tables.levels + 1)
        for i in range(12):
            for level in range(self.tables.first_level[i], self.tables.first_level[i] + self.tables.levels_of[i]):
                numbers[level] = i
        return bytes(numbers)

    def frequencies(self):
        """How many of the deck's five-card hands fall into each category: ``{Category: hands}``, strongest first.

        Categories that do not exist without minor straights count 0.
        """
        return {category: self.tables.hands_of[_CATEGORIES.index(category)] for category in self.ruleset.categories}

    def low_strength(self, cards, qualifier="no_qualifier"):
        """The strength of five cards as a low hand, or None when they do not qualify; the bigger is the better low.

        The ace counts one, straights and flushes do not count, fewer matches are better, then lower cards are.
        Suits never matter. ``qualifier`` is ``"no_qualifier"`` (1 to ``low_levels``, every hand qualifies) or
        ``"eight_or_lower"`` (five different ranks, none above eight; the same numbers).

        Raises:
            ValueError: not five different cards of the deck, or no such qualifier.
        """
        cdef gathered_hand hand
        cdef int rank
        if qualifier not in _LOW_QUALIFIERS:
            raise ValueError(f"qualifier must be one of {_LOW_QUALIFIERS}, not {qualifier!r}")
        hand = self._gather(cards)
        if qualifier == "eight_or_lower":
            for rank in range(13):
                nibble = hand.cards >> 4 * rank & 15
                if nibble & (nibble - 1) or (nibble and 6 < rank < 12):
                    return None
        return _INTS[self.tables.low_of_level[
            strength_of(&self.tables, hand, self.tables.second is not NULL, self.tables.suits)
        ]]

    def opens(self, cards, requirement):
        """Whether five cards meet an opening requirement: a pair of that rank or any better category.

        ``requirement`` is ``"none"``, ``"J"``, ``"Q"``, ``"K"`` or ``"A"``. The ranking never changes the answer.

        Raises:
            ValueError: not five different cards of the deck, or no such requirement.
        """
        return self.strength(cards) >= self.opening_strength(requirement)

    def opening_strength(self, requirement):
        """The lowest strength that meets an opening requirement: 1 for ``"none"``, else that of the lowest such pair.

        Raises:
            ValueError: no such requirement.
        """
        if requirement not in _OPENING_REQUIREMENTS:
            raise ValueError(f"requirement must be one of {_OPENING_REQUIREMENTS}, not {requirement!r}")
        return 1 if requirement == "none" else self.tables.opens_from["23456789TJQKA".index(requirement)]

    def strengths(self, rows, out=None, threads=1):
        """The strengths of many hands, a row of five card ids (uint8) each.

        Args:
            rows: any C-contiguous buffer of unsigned bytes, of shape (n, 5) or flat with 5 n entries.
            out: a writable C-contiguous buffer of n uint16 that takes the strengths; made when missing.
            threads: how many threads share a large batch, 1 to 256. The interpreter is free meanwhile.

        Returns:
            ``out``, or a new ``array('H')`` (a numpy array when ``rows`` is one) of n strengths.

        Raises:
            ValueError: wrong shape, type or layout, or a row that is not five different cards of the deck; the
                message names the first such row. What ``out`` then holds is not defined.
        """
        return self._batch(rows, out, AS_ROWS, threads)

    def strengths_columns(self, columns, out=None, threads=1):
        """As ``strengths``, from a buffer of shape (5, n): all first cards, then all second ones, and so on."""
        return self._batch(columns, out, AS_COLUMNS, threads)

    def strengths_masks(self, masks, out=None, threads=1):
        """As ``strengths``, from n uint64 with bit ``id`` set for each of five cards."""
        return self._batch(masks, out, AS_MASKS, threads)

    cdef object _batch(self, source, out, int form, threads):
        cdef Py_buffer view
        cdef Py_buffer result
        cdef ptrdiff_t n, bad
        cdef object target = out
        if type(threads) is not int or not 1 <= threads <= 256:
            raise ValueError(f"threads must be a whole number from 1 to 256, not {threads!r}")
        _get_buffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT, "hands")
        try:
            n = _hands_in(&view, form)
            if out is None:
                target = array.clone(_UINT16, n, False)
            _get_buffer(target, &result, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE, "out")
            try:
                if _format(&result) != "H" or result.len != 2 * n or (result.ndim > 1):
                    raise ValueError(f"out must hold {n} uint16 in one dimension")
                bad = _evaluate(&self.tables, view.buf, n, <uint16_t *>result.buf, form, threads)
                if bad < n:
                    self._complain_of_row(&view, form, n, bad)
            finally:
                PyBuffer_Release(&result)
        finally:
            PyBuffer_Release(&view)
        if out is None and "numpy" in sys.modules and isinstance(source, sys.modules["numpy"].ndarray):
            return sys.modules["numpy"].asarray(target)
        return target

    cdef object _complain_of_row(self, Py_buffer *view, int form, ptrdiff_t n, ptrdiff_t row):
        cdef const uint8_t *ids = <const uint8_t *>view.buf
        name = "column" if form == AS_COLUMNS else "row"
        try:
            if form == AS_ROWS:
                self._complain(card_ids([ids[5 * row + i] for i in range(5)]))
            elif form == AS_COLUMNS:
                self._complain(card_ids([ids[n * i + row] for i in range(5)]))
            else:
                self._complain(card_ids(int((<const uint64_t *>view.buf)[row])))
        except ValueError as error:
            raise ValueError(f"{name} {row}: {error}") from None


include "_batches.pxi"
include "_cards.pxi"
