# What other compiled modules may use of the evaluator's tables.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "tables.h" nogil:
    ctypedef struct hand_tables:
        uint16_t *second
        uint16_t *low_of_level
        uint32_t levels
        uint32_t low_levels
        uint32_t first_level[12]
        uint32_t levels_of[12]
        uint32_t hands_of[12]
        uint32_t opens_from[13]
        int suits
        int lowest_rank
        uint64_t deck

cdef extern from "kernel_scalar.h" nogil:
    ctypedef struct gathered_hand:
        uint64_t key
        uint64_t cards
        int bad
    gathered_hand gather_cards(const hand_tables *t, uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e)
    gathered_hand gather_mask(const hand_tables *t, uint64_t mask)
    uint32_t strength_of(const hand_tables *t, gathered_hand hand, int many, int suits)

cdef class HandTables:
    cdef hand_tables tables
    cdef readonly object ruleset
    cdef object _strength_otherwise(self, cards)
    cdef gathered_hand _gather(self, cards) except *
    cdef object _complain(self, tuple ids)
    cdef object _batch(self, source, out, int form, threads)
    cdef object _complain_of_row(self, Py_buffer *view, int form, ptrdiff_t n, ptrdiff_t row)
