/* The tables of one ruleset, and how they are built.
 *
 * A rank has a key of three bytes (x, y, z). The sums of the five x (mod 256), the five y and the five z (mod 256)
 * together name the ranks of a hand. Sums of bytes are what wide registers are best at, and one table from them to a
 * level holds everything else there is to know: decks, rankings, minor straights and suits differ in the tables alone.
 *
 * Up to 36 cards x and y suffice: level = first[index] with index = y + 128 x, and 2^15 more for five cards of one suit.
 * Larger decks need z and a second step: level = second[first[index] + z], where index = y + 8 x, and 2^11 for one suit.
 * Whatever bytes come in, every index stays inside its table, so a batch may look first and complain later.
 */
#ifndef TURKPOKER_TABLES_H
#define TURKPOKER_TABLES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#define TP_INLINE static __forceinline
#define TP_APART static __declspec(noinline)
#define TP_UNLIKELY(condition) (condition)
#else
#define TP_INLINE static inline __attribute__((always_inline))
/* Loops that compilers make slower by merging them into their callers. */
#define TP_APART static __attribute__((noinline))
#define TP_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)
#endif

/* The numbers of the categories: the order of Category in rulesets.py. */
enum {
    ROYAL_FLUSH, STRAIGHT_FLUSH, MINOR_STRAIGHT_FLUSH, FOUR_OF_A_KIND, FULL_HOUSE, FLUSH,
    THREE_OF_A_KIND, STRAIGHT, MINOR_STRAIGHT, TWO_PAIR, PAIR, HIGH_CARD, CATEGORIES
};

#define NO_DECIDER 15
#define FEW_RANKS 9 /* decks of at most 36 cards */

/* What `first` is indexed by: y in the low bits, then x, then whether all suits are alike. */
#define FEW_Y_BITS 7
#define MANY_Y_BITS 3
#define Y_BITS(many) ((many) ? MANY_Y_BITS : FEW_Y_BITS)
#define SUITED_BIT(many) (Y_BITS(many) + 8)
#define FIRST_SIZE(many) (2u << SUITED_BIT(many))

/* Where the other fields of a card's 64-bit key lie, above the index. Five of each are added without harm to the next. */
#define KEY_Z 19       /* modulo 256, room for the carry */
#define KEY_SUITS 30   /* a field of six bits for each suit: five times seven set its highest bit, less do not */
#define ALL_ONE_SUIT (UINT64_C(0x820820) << KEY_SUITS)
#define KEY_CARDS 56   /* counts cards; a card that is not in the deck counts sixteen */

typedef struct {
    uint64_t card_key[256];
    uint64_t card_bit[256];
    uint64_t mask_key[7][256];    /* of the cards in each byte of a mask, added */
    uint8_t key_of_rank[3][16];   /* x, y in the highest bits of a byte, z; 0 outside the deck */
    uint8_t key_of_card[3][64];
    uint8_t suit_rank[16];        /* of a suit: 0 for the weakest to 3; repeated, for registers */
    uint8_t highest_suit[16];     /* of a set of suits, bit = suit: the rank of the highest */
    uint16_t *first;              /* FIRST_SIZE(many) levels, or places in second */
    uint16_t *second;             /* NULL up to 36 cards */
    uint32_t *decided;            /* with suits, beside the levels: level | 4 * the rank whose suits decide << 16 */
    uint16_t *low_of_level;       /* the low strength of each level */
    uint32_t second_size;
    uint32_t levels;
    uint32_t low_levels;
    uint32_t first_level[CATEGORIES];
    uint32_t levels_of[CATEGORIES];
    uint32_t hands_of[CATEGORIES];
    uint32_t opens_from[13];      /* the lowest strength of a pair of this rank, with any kickers */
    int suits;
    int lowest_rank;
    uint64_t deck;                /* the cards of the deck, bit = id */
} hand_tables;

/* Found by search (a random walk that counts collisions); build_tables refuses keys that collide. Ranks from the deck's
 * lowest; smaller decks use the front of a row. */
static const uint8_t FEW_KEYS[FEW_RANKS][3] = {
    {0, 0, 0}, {208, 13, 0}, {44, 15, 0}, {21, 15, 0}, {222, 2, 0}, {140, 14, 0}, {15, 3, 0}, {215, 4, 0}, {137, 0, 0},
};
static const uint8_t MANY_KEYS[13][3] = {
    {0, 0, 0},    {116, 0, 197}, {107, 1, 81}, {129, 1, 211}, {255, 1, 49},  {200, 0, 85},  {179, 1, 123},
    {3, 0, 212},  {83, 1, 138},  {76, 0, 128}, {74, 1, 237},  {58, 0, 218},  {132, 0, 217},
};

/* All hands of the same ranks that are suited, or are not. */
typedef struct {
    uint32_t order, low_order, place, hands;
    uint16_t level, low_level;
    uint8_t category, decider, spread, z;
} hand_class;

#define MOST_CLASSES (6175 + 1287)

static int compare_order(const void *a, const void *b) {
    uint32_t x = ((const hand_class *)a)->order, y = ((const hand_class *)b)->order;
    return (x > y) - (x < y);
}

static int compare_place(const void *a, const void *b) {
    uint32_t x = ((const hand_class *)a)->place, y = ((const hand_class *)b)->place;
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
    free(t->first);
    free(t->second);
    free(t->decided);
    free(t->low_of_level);
    t->first = t->second = t->low_of_level = NULL;
    t->decided = NULL;
}

static uint32_t list_classes(hand_class *classes, int lowest, int minor, const uint8_t *place, int many) {
    const uint8_t(*keys)[3] = many ? MANY_KEYS : FEW_KEYS;
    uint32_t n = 0;
    int r[5], i, suited;
    for (r[0] = lowest; r[0] < 13; r[0]++)
        for (r[1] = lowest; r[1] <= r[0]; r[1]++)
            for (r[2] = lowest; r[2] <= r[1]; r[2]++)
                for (r[3] = lowest; r[3] <= r[2]; r[3]++)
                    for (r[4] = lowest; r[4] <= r[3]; r[4]++) {
                        int different = r[0] > r[1] && r[1] > r[2] && r[2] > r[3] && r[3] > r[4];
                        uint32_t x = 0, y = 0, z = 0;
                        if (r[0] == r[4]) continue;
                        for (i = 0; i < 5; i++) {
                            x += keys[r[i] - lowest][0];
                            y += keys[r[i] - lowest][1];
                            z += keys[r[i] - lowest][2];
                        }
                        for (suited = 0; suited <= different; suited++) {
                            hand_class *h = &classes[n++];
                            h->place = (x & 255) << Y_BITS(many) | y | (uint32_t)suited << SUITED_BIT(many);
                            h->z = (uint8_t)z;
                            classify(r, suited, lowest, minor, place, h);
                        }
                    }
    return n;
}

/* Levels in order of strength, and what is counted along the way. */
static void number_classes(hand_tables *t, hand_class *classes, uint32_t n) {
    uint32_t level = 1, low_level = 0, i;
    qsort(classes, n, sizeof *classes, compare_low_order);
    for (i = 0; i < n; i++) {
        if (i == 0 || classes[i].low_order != classes[i - 1].low_order) low_level++;
        classes[i].low_level = (uint16_t)low_level;
    }
    t->low_levels = low_level;
    qsort(classes, n, sizeof *classes, compare_order);
    for (i = 0; i < n; i++) {
        hand_class *h = &classes[i];
        if (!t->suits) h->spread = 1;
        if (!t->levels_of[h->category]) t->first_level[h->category] = level;
        t->levels_of[h->category] += h->spread;
        t->hands_of[h->category] += h->hands;
        if (h->category == PAIR && !t->opens_from[h->decider]) t->opens_from[h->decider] = level;
        h->level = (uint16_t)level;
        level += h->spread;
    }
    t->levels = level - 1;
}

/* Lays the rows of `second` (one for each place in `first`) into each other where they leave gaps. */
static int pack_rows(hand_tables *t, hand_class *classes, uint32_t n, uint8_t *taken) {
    uint32_t i, j, k, base, end = 0;
    qsort(classes, n, sizeof *classes, compare_place);
    for (i = 0; i < n; i = j) {
        for (j = i; j < n && classes[j].place == classes[i].place; j++)
            for (k = i; k < j; k++)
                if (classes[k].z == classes[j].z) return -1;
        for (base = 0;; base++) {
            for (k = i; k < j && !taken[base + classes[k].z]; k++) {}
            if (k == j) break;
        }
        t->first[classes[i].place] = (uint16_t)base;
        for (k = i; k < j; k++) {
            taken[base + classes[k].z] = 1;
            classes[k].place = base + classes[k].z;
        }
        if (base > end) end = base;
    }
    t->second_size = end + 256;
    return 0;
}

static int fill_tables(hand_tables *t, hand_class *classes, uint32_t n, int many) {
    uint32_t i, s;
    uint16_t *levels;
    if (many) {
        uint8_t *taken = (uint8_t *)calloc(65536, 1);
        int packed = taken ? pack_rows(t, classes, n, taken) : -1;
        free(taken);
        if (packed) return -1;
        t->second = (uint16_t *)calloc(t->second_size + 1, sizeof *t->second);
    }
    levels = many ? t->second : t->first;
    if (t->suits) t->decided = (uint32_t *)calloc(many ? t->second_size : FIRST_SIZE(0), sizeof *t->decided);
    t->low_of_level = (uint16_t *)calloc(t->levels + 1, sizeof *t->low_of_level);
    if (!levels || !t->low_of_level || (t->suits && !t->decided)) return -1;
    for (i = 0; i < n; i++) {
        hand_class *h = &classes[i];
        if (levels[h->place]) return -1;
        /* The higher of two suits is never the weakest of the four: with pairs, suits count from one. */
        levels[h->place] = (uint16_t)(h->spread == 3 ? h->level - 1 : h->level);
        if (t->suits) {
            uint32_t decider = h->spread > 1 ? h->decider : NO_DECIDER;
            t->decided[h->place] = levels[h->place] | 4 * decider << 16;
        }
        for (s = 0; s < h->spread; s++) t->low_of_level[h->level + s] = h->low_level;
    }
    return 0;
}

/* place[category]: 0 for the weakest category. suit_rank[suit]: 0 for the weakest suit.
 * Answers 0, or -1 without memory (or with keys that collide, which the tests exclude). */
static inline int build_tables(hand_tables *t, int lowest, int minor, int suits, const uint8_t *place, const uint8_t *suit_rank) {
    int many = 13 - lowest > FEW_RANKS, card, i, s, failed = -1;
    const uint8_t(*keys)[3] = many ? MANY_KEYS : FEW_KEYS;
    hand_class *classes = (hand_class *)calloc(MOST_CLASSES, sizeof *classes);
    memset(t, 0, sizeof *t);
    t->lowest_rank = lowest;
    t->suits = suits;
    for (card = 0; card < 256; card++) {
        const uint8_t *key = keys[card >= 4 * lowest && card < 52 ? card / 4 - lowest : 0];
        if (card < 4 * lowest || card >= 52) {
            t->card_key[card] = (uint64_t)16 << KEY_CARDS;
            continue;
        }
        t->card_key[card] = ((uint64_t)key[0] << Y_BITS(many)) + key[1] + ((uint64_t)key[2] << KEY_Z) +
                            ((uint64_t)7 << (KEY_SUITS + 6 * (card & 3))) + ((uint64_t)1 << KEY_CARDS);
        t->card_bit[card] = (uint64_t)1 << card;
        t->deck |= t->card_bit[card];
        t->key_of_card[0][card] = t->key_of_rank[0][card / 4] = key[0];
        t->key_of_card[1][card] = t->key_of_rank[1][card / 4] = (uint8_t)(key[1] << (8 - Y_BITS(many)));
        t->key_of_card[2][card] = t->key_of_rank[2][card / 4] = key[2];
    }
    for (i = 0; i < 7; i++)
        for (s = 1; s < 256; s++)
            for (card = 0; card < 8; card++)
                if (s >> card & 1) t->mask_key[i][s] += t->card_key[8 * i + card];
    for (i = 0; i < 16; i++) {
        t->suit_rank[i] = suit_rank[i & 3];
        for (s = 0; s < 4; s++)
            if (i >> s & 1 && suit_rank[s] > t->highest_suit[i]) t->highest_suit[i] = suit_rank[s];
    }
    t->first = (uint16_t *)calloc(FIRST_SIZE(many) + 1, sizeof *t->first); /* a gather reads two bytes more */
    if (classes && t->first) {
        uint32_t n = list_classes(classes, lowest, minor, place, many);
        number_classes(t, classes, n);
        failed = fill_tables(t, classes, n, many);
    }
    free(classes);
    if (failed) free_tables(t);
    return failed;
}

#endif
