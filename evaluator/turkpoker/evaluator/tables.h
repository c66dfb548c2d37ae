/* The tables of one ruleset, and how they are built.
 *
 * Every rank has a key; the sum of the five keys of a hand names its ranks, and the sum plus `flush_offset` names a
 * hand of one suit. One table from that index to a level holds everything else there is to know: decks, rankings,
 * minor straights and suits differ in the table alone.
 */
#ifndef TURKPOKER_TABLES_H
#define TURKPOKER_TABLES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER)
#define TP_INLINE static __forceinline
#else
#define TP_INLINE static inline __attribute__((always_inline))
#endif

/* The numbers of the categories: the order of Category in rulesets.py. */
enum {
    ROYAL_FLUSH, STRAIGHT_FLUSH, MINOR_STRAIGHT_FLUSH, FOUR_OF_A_KIND, FULL_HOUSE, FLUSH,
    THREE_OF_A_KIND, STRAIGHT, MINOR_STRAIGHT, TWO_PAIR, PAIR, HIGH_CARD, CATEGORIES
};

#define NO_DECIDER 15
/* Bits 32-47 of a card's key count suits, bit 56 and above say "not in this deck". */
#define SUIT_COUNTS_SHIFT 32
#define NOT_IN_DECK_SHIFT 56

typedef struct {
    uint64_t card_key[256];
    uint64_t card_bit[256];
    uint8_t highest_suit[16]; /* of a set of suits (bit = suit): the rank of the highest, 0 to 3 */
    uint32_t flush_offset;
    uint32_t size;            /* entries of level, decider and low_level */
    uint16_t *level;
    uint8_t *decider;         /* four times the rank whose suits break a tie, or 4 * NO_DECIDER */
    uint16_t *low_level;
    uint32_t levels;
    uint32_t low_levels;
    uint32_t first_level[CATEGORIES];
    uint32_t levels_of[CATEGORIES];
    uint32_t hands_of[CATEGORIES];
    uint32_t opens_from[13];  /* the lowest strength of a pair of this rank, with any kickers */
    int suits;
    int lowest_rank;
    uint64_t deck;            /* the cards of the deck, bit = id */
} hand_tables;

/* Sums of five of these, at most four of them alike, are all different. */
static const uint32_t RANK_KEYS[13] = {0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415};

typedef struct {
    uint32_t order, low_order, index, hands;
    uint8_t category, decider, spread;
} hand_class;

static int compare_order(const void *a, const void *b) {
    uint32_t x = ((const hand_class *)a)->order, y = ((const hand_class *)b)->order;
    return (x > y) - (x < y);
}

static int compare_low_order(const void *a, const void *b) {
    uint32_t x = ((const hand_class *)a)->low_order, y = ((const hand_class *)b)->low_order;
    return (x < y) - (x > y);
}

/* Ranks sorted by how often they occur, then by height: r[0..kinds-1]; the shape is 1 (five kinds) to 6 (four alike). */
static int sort_ranks(const int *ranks, int *r, int *kinds) {
    int count[14] = {0}, n = 0, i, k, rank;
    for (i = 0; i < 5; i++) count[ranks[i]]++;
    for (k = 4; k >= 1; k--)
        for (rank = 13; rank >= 0; rank--)
            if (count[rank] == k) r[n++] = rank;
    *kinds = n;
    for (i = n; i < 5; i++) r[i] = 0;
    switch (n) {
    case 5: return 1;
    case 4: return 2;
    case 3: return count[r[0]] == 2 ? 3 : 4;
    default: return count[r[0]] == 3 ? 5 : 6;
    }
}

static void classify(const int *ranks, int flush, int lowest, int minor, const uint8_t *place, hand_class *c) {
    static const uint8_t of_shape[7] = {0, HIGH_CARD, PAIR, TWO_PAIR, THREE_OF_A_KIND, FULL_HOUSE, FOUR_OF_A_KIND};
    static const uint8_t choose4[5] = {1, 4, 6, 4, 1};
    int r[5], low[5], low_sorted[5], kinds, shape, i, k, category;
    uint32_t order, hands = 1;
    shape = sort_ranks(ranks, r, &kinds);
    category = of_shape[shape];
    c->decider = NO_DECIDER;
    if (shape == 1) {
        int run = r[0] - r[4] == 4;
        int minor_run = minor && r[0] == 12 && r[1] == lowest + 3 && r[4] == lowest;
        c->decider = (uint8_t)r[0];
        if (run) {
            category = flush ? (r[0] == 12 ? ROYAL_FLUSH : STRAIGHT_FLUSH) : STRAIGHT;
        } else if (minor_run) {
            category = flush ? MINOR_STRAIGHT_FLUSH : MINOR_STRAIGHT;
            c->decider = (uint8_t)r[1];
        } else if (flush) {
            category = FLUSH;
        }
        hands = flush ? 4 : 1024 - 4;
        c->spread = 4;
    } else {
        int count[13] = {0};
        for (i = 0; i < 5; i++) count[ranks[i]]++;
        for (k = 0; k < 13; k++) hands *= choose4[count[k]];
        c->spread = 1;
        if (shape <= 3) {
            c->decider = (uint8_t)r[0];
            c->spread = 3;
        }
    }
    order = place[category];
    for (i = 0; i < 5; i++) order = order << 4 | (uint32_t)r[i];
    c->order = order;
    c->category = (uint8_t)category;
    c->hands = hands;
    for (i = 0; i < 5; i++) low[i] = ranks[i] == 12 ? 0 : ranks[i] + 1;
    order = (uint32_t)sort_ranks(low, low_sorted, &kinds);
    for (i = 0; i < 5; i++) order = order << 4 | (uint32_t)low_sorted[i];
    c->low_order = order;
}

static void free_tables(hand_tables *t) {
    free(t->level);
    free(t->decider);
    free(t->low_level);
    t->level = NULL;
    t->decider = NULL;
    t->low_level = NULL;
}

/* place[category]: 0 for the weakest category. suit_rank[suit]: 0 for the weakest suit. Returns 0, or -1 without memory. */
static int build_tables(hand_tables *t, int lowest, int minor, int suits, const uint8_t *place, const uint8_t *suit_rank) {
    hand_class *classes;
    uint32_t n = 0, level, i;
    int a, b, c, d, e, s, card;
    memset(t, 0, sizeof *t);
    t->lowest_rank = lowest;
    t->suits = suits;
    t->flush_offset = 4 * RANK_KEYS[12 - lowest] + RANK_KEYS[11 - lowest] + 1;
    t->size = 2 * t->flush_offset;
    t->level = (uint16_t *)calloc(t->size, sizeof *t->level);
    t->decider = (uint8_t *)calloc(t->size, 1);
    t->low_level = (uint16_t *)calloc(t->flush_offset, sizeof *t->low_level);
    classes = (hand_class *)calloc(6175 + 1287, sizeof *classes);
    if (!t->level || !t->decider || !t->low_level || !classes) {
        free(classes);
        free_tables(t);
        return -1;
    }
    for (card = 0; card < 256; card++) {
        if (card < 4 * lowest || card > 51) {
            t->card_key[card] = (uint64_t)1 << NOT_IN_DECK_SHIFT;
        } else {
            t->card_key[card] = RANK_KEYS[(card >> 2) - lowest] | (uint64_t)1 << (SUIT_COUNTS_SHIFT + 4 * (card & 3));
            t->card_bit[card] = (uint64_t)1 << card;
            t->deck |= t->card_bit[card];
        }
    }
    for (i = 1; i < 16; i++)
        for (s = 0; s < 4; s++)
            if (i >> s & 1 && suit_rank[s] > t->highest_suit[i]) t->highest_suit[i] = suit_rank[s];

    for (a = lowest; a < 13; a++)
        for (b = lowest; b <= a; b++)
            for (c = lowest; c <= b; c++)
                for (d = lowest; d <= c; d++)
                    for (e = lowest; e <= d; e++) {
                        int ranks[5];
                        uint32_t index;
                        if (a == e) continue;
                        ranks[0] = a; ranks[1] = b; ranks[2] = c; ranks[3] = d; ranks[4] = e;
                        index = RANK_KEYS[a - lowest] + RANK_KEYS[b - lowest] + RANK_KEYS[c - lowest] +
                                RANK_KEYS[d - lowest] + RANK_KEYS[e - lowest];
                        classes[n].index = index;
                        classify(ranks, 0, lowest, minor, place, &classes[n++]);
                        if (a > b && b > c && c > d && d > e) {
                            classes[n].index = index + t->flush_offset;
                            classify(ranks, 1, lowest, minor, place, &classes[n++]);
                        }
                    }

    qsort(classes, n, sizeof *classes, compare_order);
    level = 1;
    for (i = 0; i < n; i++) {
        hand_class *h = &classes[i];
        uint32_t spread = suits ? h->spread : 1;
        uint32_t index = h->index;
        if (!t->levels_of[h->category]) t->first_level[h->category] = level;
        t->levels_of[h->category] += spread;
        t->hands_of[h->category] += h->hands;
        if (h->category == PAIR && !t->opens_from[h->decider]) t->opens_from[h->decider] = level;
        /* The higher of two suits is never the lowest of the four: pairs count from one. */
        t->level[index] = (uint16_t)(spread == 3 ? level - 1 : level);
        t->decider[index] = (uint8_t)(4 * (suits ? h->decider : NO_DECIDER));
        level += spread;
    }
    t->levels = level - 1;

    qsort(classes, n, sizeof *classes, compare_low_order);
    level = 0;
    for (i = 0; i < n; i++) {
        if (i == 0 || classes[i].low_order != classes[i - 1].low_order) level++;
        if (classes[i].index < t->flush_offset) t->low_level[classes[i].index] = (uint16_t)level;
    }
    t->low_levels = level;
    free(classes);
    return 0;
}

#endif
