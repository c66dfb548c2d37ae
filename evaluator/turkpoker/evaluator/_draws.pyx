# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, auto_pickle=False
"""Compiled core of the draw odds. Use it through ``turkpoker.evaluator``."""

from cpython cimport array
from libc.stdint cimport UINT64_MAX, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import array as _array_module
from math import comb as _comb

from turkpoker.evaluator._kernels cimport (
    HandTables, gather_cards, gather_mask, gathered_hand, hand_tables, strength_of,
)

cdef extern from "sampling.h" nogil:
    ctypedef struct random_state:
        pass
    ctypedef struct card_pool:
        uint8_t card[52]
        uint32_t left
    void seed_random(random_state *r, uint64_t seed)
    uint32_t random_below(random_state *r, uint32_t n)
    uint8_t draw_card(card_pool *pool, random_state *r)
    int usual_discard(const uint8_t *card, int category, int draw_max)

cdef extern from "sweep.h" nogil:
    ctypedef struct sorted_hand:
        uint8_t card[5]
        uint8_t category
        uint16_t strength
    ctypedef struct discard_odds:
        uint64_t draws
        uint64_t win
        uint64_t tie
        uint64_t loss
        uint64_t strength_sum
        uint64_t categories[12]
    ctypedef struct opponent_weights:
        const uint32_t *of_strength
        const uint64_t *masks
        const uint32_t *of_mask
        size_t n
    size_t list_hands(int lowest, uint8_t *rows)
    void sort_hands(const uint8_t *rows, const uint16_t *strengths, size_t n, const uint8_t *category_of,
                    uint32_t levels, uint32_t *at, sorted_hand *sorted)
    uint64_t sweep_discards(const sorted_hand *hands, size_t n, const uint8_t *mine, uint64_t dead, uint64_t deck,
                            int draw_max, const opponent_weights *weights, discard_odds *odds)


cdef class DeckHands:
    """Every hand of an evaluator's deck in order of strength: made once, then swept for each question."""

    cdef sorted_hand *sorted
    cdef size_t n
    cdef uint32_t levels
    cdef uint64_t deck

    def __cinit__(self, HandTables evaluator):
        cdef size_t n = _comb(evaluator.ruleset.deck_size, 5)
        cdef uint32_t levels = evaluator.levels
        cdef uint8_t[::1] rows = bytearray(5 * n)
        cdef const uint16_t[::1] strengths
        cdef const uint8_t[::1] category_of
        cdef uint32_t[::1] at = _array_module.array("I", bytes(4 * (levels + 2)))
        self.n = n
        self.levels = levels
        self.deck = sum(1 << card for card in range(52 - evaluator.ruleset.deck_size, 52))
        category_of = evaluator.category_numbers()
        list_hands(evaluator.tables.lowest_rank, &rows[0])
        strengths = evaluator.strengths(rows.base)
        self.sorted = <sorted_hand *>malloc(n * sizeof(sorted_hand))
        if self.sorted is NULL:
            raise MemoryError()
        with nogil:
            sort_hands(&rows[0], &strengths[0], n, &category_of[0], levels, &at[0], self.sorted)

    def __dealloc__(self):
        free(self.sorted)

    def sweep(self, bytes mine, uint64_t dead, int draw_max, of_strength=None, masks=None, of_mask=None):
        """For each set of kept cards (bit = place in ``mine``) that at most ``draw_max`` discards leave:
        ``(kept, draws, win, tie, loss, strength_sum, hands per category)``, and the opponent's whole weight.

        ``of_strength``: ``array('I')`` of weights by strength, from 0; or ``masks`` (``array('Q')``, ascending) and
        ``of_mask`` (``array('I')``): weights of single hands. Neither: every hand weighs 1.
        The caller has checked the cards, and that no weights add up to 2**32.
        """
        cdef discard_odds odds[32]
        cdef opponent_weights weights
        cdef uint64_t whole
        cdef array.array strength_weights, mask_weights, mask_array
        cdef int kept
        if len(mine) != 5:
            raise ValueError("a hand has five cards")
        weights.of_strength = NULL
        weights.masks = NULL
        weights.of_mask = NULL
        weights.n = 0
        if of_strength is not None:
            strength_weights = of_strength
            if strength_weights.typecode != "I" or len(strength_weights) != self.levels + 1:
                raise ValueError("one weight (array 'I') is needed for each strength, and one for 0")
            weights.of_strength = strength_weights.data.as_uints
        elif masks is not None:
            mask_array = masks
            mask_weights = of_mask
            if mask_array.typecode != "Q" or mask_weights.typecode != "I" or len(mask_array) != len(mask_weights):
                raise ValueError("masks (array 'Q') and weights (array 'I') must be of one length")
            weights.masks = <const uint64_t *>mask_array.data.as_ulonglongs
            weights.of_mask = mask_weights.data.as_uints
            weights.n = len(mask_array)
        cdef const uint8_t *hand = mine
        with nogil:
            whole = sweep_discards(self.sorted, self.n, hand, dead, self.deck, draw_max, &weights, odds)
        if whole == UINT64_MAX:
            raise MemoryError()
        rows = []
        for kept in range(32):
            if odds[kept].draws:
                rows.append((
                    kept, odds[kept].draws, odds[kept].win, odds[kept].tie, odds[kept].loss,
                    odds[kept].strength_sum, [odds[kept].categories[i] for i in range(12)],
                ))
        return rows, whole


cdef inline uint32_t _strength(const hand_tables *t, const uint8_t *card) noexcept nogil:
    return strength_of(t, gather_cards(t, card[0], card[1], card[2], card[3], card[4]), t.second is not NULL, t.suits)


cdef int _discard_by(object policy, uint8_t *card, int draw_max) except -1:
    """The set of places that a policy in Python throws."""
    cdef int i, places = 0
    cards = tuple([card[i] for i in range(5)])
    thrown = tuple(policy(cards))
    for one in thrown:
        if one not in cards or places >> cards.index(one) & 1:
            raise ValueError("a policy must answer some of the five cards it is given, each once")
        places |= 1 << cards.index(one)
    if len(thrown) > draw_max:
        raise ValueError(f"the policy throws {len(thrown)} cards where {draw_max} are the most")
    return places


cdef void _replace(uint8_t *card, int places, card_pool *pool, card_pool *thrown, uint8_t *own, random_state *r) noexcept nogil:
    """Draws for the places; when the stock is out, what others have thrown is shuffled into it."""
    cdef int i, kept = 0
    for i in range(5):
        if places >> i & 1:
            own[kept] = card[i]
            kept += 1
            if pool.left == 0:
                pool[0] = thrown[0]
                thrown.left = 0
            card[i] = draw_card(pool, r)
    for i in range(kept):
        thrown.card[thrown.left] = own[i]
        thrown.left += 1


def sample_showdowns(HandTables evaluator, bytes mine, int thrown_places, bytes unseen, int opponents, int draw_max,
                     uint32_t samples, uint64_t seed, str policy_name, policy, of_strength):
    """Deals and draws at random: ``(losses, [wins, ties with one other, with two others ...], deals refused)``.

    I draw first, then the opponents in turn: by ``policy`` where it is not None, else as ``policy_name`` says
    (``"stand_pat"`` or ``"usual"``). ``of_strength`` (``array('I')``) weighs the opponents' dealt hands. The caller has
    checked the cards, and that the unseen ones suffice.
    """
    cdef const hand_tables *t = &evaluator.tables
    cdef random_state r
    cdef card_pool pool
    cdef card_pool thrown
    cdef uint8_t hand[5]
    cdef uint8_t others[8][5]
    cdef uint8_t own[5]
    cdef uint64_t shared[10]
    cdef uint64_t losses = 0, refused = 0, deals = 0
    cdef uint32_t done, strength, best, heaviest = 0, equals
    cdef const uint32_t *weights = NULL
    cdef const uint8_t[::1] category_of
    cdef array.array weight_array
    cdef int i, k, places, usual = policy_name == "usual", calls = policy is not None
    if opponents < 1 or opponents > 8 or len(mine) != 5 or len(unseen) > 52:
        raise ValueError("1 to 8 opponents")
    cdef const uint8_t *my_cards = mine
    cdef const uint8_t *stock = unseen
    cdef uint32_t unseen_count = len(unseen)
    if of_strength is not None:
        weight_array = of_strength
        if weight_array.typecode != "I" or len(weight_array) != evaluator.levels + 1:
            raise ValueError("one weight (array 'I') is needed for each strength, and one for 0")
        weights = weight_array.data.as_uints
        heaviest = max(weight_array)
        if heaviest == 0:
            raise ValueError("the opponents' range is empty")
    category_of = evaluator.category_numbers()
    for i in range(10):
        shared[i] = 0
    done = 0
    with nogil:
        while done < samples:
            # Every deal has a start of its own, so that all discards meet the same dealt hands.
            seed_random(&r, seed ^ deals * <uint64_t>0xd1342543de82ef95)
            deals += 1
            pool.left = unseen_count
            thrown.left = 0
            for i in range(<int>unseen_count):
                pool.card[i] = stock[i]
            for k in range(opponents):
                for i in range(5):
                    others[k][i] = draw_card(&pool, &r)
            if weights is not NULL:
                places = 0
                for k in range(opponents):
                    if random_below(&r, heaviest) >= weights[_strength(t, others[k])]:
                        places = 1
                if places:
                    refused += 1
                    if refused > 1000 * <uint64_t>samples:
                        break
                    continue
            for i in range(5):
                hand[i] = my_cards[i]
            _replace(hand, thrown_places, &pool, &thrown, own, &r)
            best = 0
            equals = 0
            strength = _strength(t, hand)
            for k in range(opponents):
                places = 0
                if calls:
                    with gil:
                        places = _discard_by(policy, others[k], draw_max)
                elif usual:
                    places = usual_discard(others[k], category_of[_strength(t, others[k])], draw_max)
                _replace(others[k], places, &pool, &thrown, own, &r)
                best = max(best, _strength(t, others[k]))
                equals += _strength(t, others[k]) == strength
            if best > strength:
                losses += 1
            else:
                shared[equals] += 1
            done += 1
    return losses, [shared[i] for i in range(opponents + 1)], refused
