/* Exact odds of all discards of a hand in one sweep.
 *
 * All hands of the deck are walked in order of strength, once. A hand that shares cards with mine is what one discard can
 * become: it keeps the shared cards and drew the rest. A hand that shares none may be the opponent's. Counters say, for
 * every set of up to four unseen cards, how many opponents' hands met so far hold that set; inclusion and exclusion over
 * the subsets of the drawn cards then tell how many of the weaker ones hold none of them.
 */
#ifndef TURKPOKER_SWEEP_H
#define TURKPOKER_SWEEP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

typedef struct {
    uint8_t card[5]; /* descending ids */
    uint8_t category;
    uint16_t strength;
} sorted_hand;

/* Indexed by the five-bit set of the cards kept, bit = place in the hand. */
typedef struct {
    uint64_t draws;          /* different final hands */
    uint64_t win, tie, loss; /* pairs of a draw and an opponent's hand, each pair as often as the hand weighs */
    uint64_t strength_sum;
    uint64_t categories[CATEGORIES];
} discard_odds;

/* No counter exceeds the weight of all hands, which must fit. */
typedef uint32_t counter;

typedef struct {
    counter none;
    counter one[52], two[1326], three[22100];
    counter *four;
    uint32_t choose2[52], choose3[52], choose4[52]; /* where sets with this highest member begin */
} subset_counters;

static int begin_counters(subset_counters *s, int cards) {
    uint32_t n;
    memset(s, 0, sizeof *s);
    for (n = 0; n < 52; n++) {
        s->choose2[n] = n * (n - 1) / 2;
        s->choose3[n] = n >= 3 ? n * (n - 1) / 2 * (n - 2) / 3 : 0;
        s->choose4[n] = n >= 4 ? n * (n - 1) / 2 * (n - 2) / 3 * (n - 3) / 4 : 0;
    }
    s->choose2[0] = 0;
    n = (uint32_t)cards;
    s->four = (counter *)calloc((size_t)n * (n - 1) / 2 * (n - 2) / 3 * (n - 3) / 4 + 1, sizeof *s->four);
    return s->four ? 0 : -1;
}

/* a > b > c > d > e, numbers of unseen cards. */
TP_INLINE void count_hand(subset_counters *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, counter w) {
    uint32_t a2 = s->choose2[a], b2 = s->choose2[b], c2 = s->choose2[c], d2 = s->choose2[d];
    uint32_t a3 = s->choose3[a], b3 = s->choose3[b], c3 = s->choose3[c];
    uint32_t a4 = s->choose4[a], b4 = s->choose4[b];
    s->none += w;
    s->one[a] += w; s->one[b] += w; s->one[c] += w; s->one[d] += w; s->one[e] += w;
    s->two[a2 + b] += w; s->two[a2 + c] += w; s->two[a2 + d] += w; s->two[a2 + e] += w;
    s->two[b2 + c] += w; s->two[b2 + d] += w; s->two[b2 + e] += w;
    s->two[c2 + d] += w; s->two[c2 + e] += w; s->two[d2 + e] += w;
    s->three[a3 + b2 + c] += w; s->three[a3 + b2 + d] += w; s->three[a3 + b2 + e] += w;
    s->three[a3 + c2 + d] += w; s->three[a3 + c2 + e] += w; s->three[a3 + d2 + e] += w;
    s->three[b3 + c2 + d] += w; s->three[b3 + c2 + e] += w; s->three[b3 + d2 + e] += w;
    s->three[c3 + d2 + e] += w;
    s->four[a4 + b3 + c2 + d] += w; s->four[a4 + b3 + c2 + e] += w; s->four[a4 + b3 + d2 + e] += w;
    s->four[a4 + c3 + d2 + e] += w; s->four[b4 + c3 + d2 + e] += w;
}

TP_INLINE counter without_four(const subset_counters *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t a2 = s->choose2[a], b2 = s->choose2[b], c2 = s->choose2[c], a3 = s->choose3[a], b3 = s->choose3[b];
    return s->none - s->one[a] - s->one[b] - s->one[c] - s->one[d]
        + s->two[a2 + b] + s->two[a2 + c] + s->two[a2 + d] + s->two[b2 + c] + s->two[b2 + d] + s->two[c2 + d]
        - s->three[a3 + b2 + c] - s->three[a3 + b2 + d] - s->three[a3 + c2 + d] - s->three[b3 + c2 + d]
        + s->four[s->choose4[a] + b3 + c2 + d];
}

/* A hand as one number: from below, a byte for each card that is not mine (the number of an unseen card, descending), then
 * at bit 40 the set of my cards in it. */
typedef uint64_t swept_hand;
#define KEPT_SHIFT 40

/* How many of the hands counted so far hold none of the k drawn cards; `itself`: the weight of the drawn five, if counted. */
TP_INLINE counter without(const subset_counters *s, swept_hand x, int k, counter itself) {
    uint32_t a = x & 255, b = x >> 8 & 255, c = x >> 16 & 255, d = x >> 24 & 255, e = x >> 32 & 255;
    switch (k) {
    case 0: return s->none;
    case 1: return s->none - s->one[a];
    case 2: return s->none - s->one[a] - s->one[b] + s->two[s->choose2[a] + b];
    case 3: {
        uint32_t a2 = s->choose2[a], b2 = s->choose2[b];
        return s->none - s->one[a] - s->one[b] - s->one[c] + s->two[a2 + b] + s->two[a2 + c] + s->two[b2 + c] -
               s->three[s->choose3[a] + b2 + c];
    }
    case 4: return without_four(s, a, b, c, d);
    default: {
        /* The sets with the fifth card: those of the other four, one larger. */
        uint32_t a2 = s->choose2[a], b2 = s->choose2[b], c2 = s->choose2[c], d2 = s->choose2[d];
        uint32_t a3 = s->choose3[a], b3 = s->choose3[b], c3 = s->choose3[c], a4 = s->choose4[a], b4 = s->choose4[b];
        return without_four(s, a, b, c, d) - s->one[e]
            + s->two[a2 + e] + s->two[b2 + e] + s->two[c2 + e] + s->two[d2 + e]
            - s->three[a3 + b2 + e] - s->three[a3 + c2 + e] - s->three[a3 + d2 + e]
            - s->three[b3 + c2 + e] - s->three[b3 + d2 + e] - s->three[c3 + d2 + e]
            + s->four[a4 + b3 + c2 + e] + s->four[a4 + b3 + d2 + e] + s->four[a4 + c3 + d2 + e]
            + s->four[b4 + c3 + d2 + e] - itself;
    }
    }
}

/* The hands of one strength, by the number of cards that are not mine; weights of those that share none with me. */
typedef struct {
    swept_hand *hand[6];
    counter *weight;
    size_t n[6];
    size_t room;
} swept_level;

#define MINE 0x2000
#define UNSEEN 0x4000
#define DEAD 0x8000

/* The weights of the opponent's hands: by strength, or of single hands (masks ascending), or 1 where both are NULL. */
typedef struct {
    const uint32_t *of_strength;
    const uint64_t *masks;
    const uint32_t *of_mask;
    size_t n;
} opponent_weights;

static uint32_t weight_of(const opponent_weights *w, const sorted_hand *h) {
    if (w->of_strength) return w->of_strength[h->strength];
    if (w->masks) {
        uint64_t mask = 0;
        size_t low = 0, high = w->n;
        int i;
        for (i = 0; i < 5; i++) mask |= (uint64_t)1 << h->card[i];
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (w->masks[middle] < mask) low = middle + 1;
            else high = middle;
        }
        return low < w->n && w->masks[low] == mask ? w->of_mask[low] : 0;
    }
    return 1;
}

/* Gives the opponent's hands of a level their weights, in the order in which split_level lists them. */
static void weigh(swept_level *level, const sorted_hand *hands, size_t n, const uint16_t *about,
                  const opponent_weights *weights) {
    counter *weight = level->weight;
    size_t i;
    for (i = 0; i < n; i++) {
        const uint8_t *c = hands[i].card;
        if (about[c[0]] & about[c[1]] & about[c[2]] & about[c[3]] & about[c[4]] & UNSEEN)
            *weight++ = weight_of(weights, &hands[i]);
    }
}

static uint64_t choose(uint64_t n, uint64_t k) {
    uint64_t result = 1, i;
    if (k > n) return 0;
    for (i = 1; i <= k; i++) result = result * (n - k + i) / i;
    return result;
}

/* All hands of the deck, five descending ids each. Answers their number. */
static size_t list_hands(int lowest, uint8_t *rows) {
    int a, b, c, d, e, first = 4 * lowest;
    uint8_t *row = rows;
    for (a = first + 4; a < 52; a++)
        for (b = first + 3; b < a; b++)
            for (c = first + 2; c < b; c++)
                for (d = first + 1; d < c; d++)
                    for (e = first; e < d; e++, row += 5) {
                        row[0] = (uint8_t)a; row[1] = (uint8_t)b; row[2] = (uint8_t)c; row[3] = (uint8_t)d;
                        row[4] = (uint8_t)e;
                    }
    return (size_t)(row - rows) / 5;
}

/* Sorts by strength; category_of[strength]; at: room for levels + 2 counters. */
static void sort_hands(const uint8_t *rows, const uint16_t *strengths, size_t n, const uint8_t *category_of,
                       uint32_t levels, uint32_t *at, sorted_hand *sorted) {
    size_t i;
    memset(at, 0, (levels + 2) * sizeof *at);
    for (i = 0; i < n; i++) at[strengths[i] + 1]++;
    for (i = 1; i < levels + 2; i++) at[i] += at[i - 1];
    for (i = 0; i < n; i++) {
        sorted_hand *h = &sorted[at[strengths[i]]++];
        memcpy(h->card, rows + 5 * i, 5);
        h->strength = strengths[i];
        h->category = category_of[strengths[i]];
    }
}

static int make_room(swept_level *level, size_t room) {
    counter *weight;
    int k;
    if (room <= level->room) return 0;
    for (k = 0; k < 6; k++) {
        swept_hand *larger = (swept_hand *)realloc(level->hand[k], (room + 1) * sizeof *larger);
        if (!larger) return -1;
        level->hand[k] = larger;
    }
    weight = (counter *)realloc(level->weight, room * sizeof *weight);
    if (!weight) return -1;
    level->weight = weight;
    level->room = room;
    return 0;
}

/* about[card]: the number of an unseen card, or the place bit << 8 of one of mine, and MINE, UNSEEN or DEAD. */
TP_APART void split_level(swept_level *level, const sorted_hand *hands, size_t n, const uint16_t *about) {
    size_t i;
    int k;
    for (k = 0; k < 6; k++) level->n[k] = 0;
    for (i = 0; i < n; i++) {
        const uint8_t *card = hands[i].card;
        uint32_t a = about[card[0]], b = about[card[1]], c = about[card[2]], d = about[card[3]], e = about[card[4]];
        uint32_t all = a | b | c | d | e, drawn;
        uint64_t x = a & 255;
        /* Without branches: nothing about these cards can be predicted. The lowest byte of one of mine is 0. */
        drawn = a / UNSEEN & 1; x |= (uint64_t)(b & 255) << 8 * drawn;
        drawn += b / UNSEEN & 1; x |= (uint64_t)(c & 255) << 8 * drawn;
        drawn += c / UNSEEN & 1; x |= (uint64_t)(d & 255) << 8 * drawn;
        drawn += d / UNSEEN & 1; x |= (uint64_t)(e & 255) << 8 * drawn;
        drawn += e / UNSEEN & 1;
        /* A hand with a dead card is written where the next one overwrites it. */
        level->hand[drawn][level->n[drawn]] = x | (uint64_t)(all >> 8 & 31) << KEPT_SHIFT;
        level->n[drawn] += !(all & DEAD);
    }
}

/* For every hand that k discards became: the opponent's hands counted so far that it leaves possible. */
TP_INLINE void ask(const subset_counters *s, const swept_level *level, int k, uint64_t *sums) {
    size_t i;
    for (i = 0; i < level->n[k]; i++) {
        swept_hand x = level->hand[k][i];
        sums[x >> KEPT_SHIFT] += without(s, x, k, 0);
    }
}

TP_APART void ask_one_kept(const subset_counters *s, const swept_level *level, uint64_t *sums) { ask(s, level, 4, sums); }
TP_APART void ask_two_kept(const subset_counters *s, const swept_level *level, uint64_t *sums) { ask(s, level, 3, sums); }

TP_APART void ask_all(const subset_counters *s, const swept_level *level, int draw_max, uint64_t *sums) {
    ask(s, level, 0, sums);
    if (draw_max >= 1) ask(s, level, 1, sums);
    if (draw_max >= 2) ask(s, level, 2, sums);
    if (draw_max >= 3) ask_two_kept(s, level, sums);
    if (draw_max >= 4) ask_one_kept(s, level, sums);
}

/* Five new cards: a drawn hand that is itself among those counted must not count against itself. */
TP_APART void ask_none_kept(const subset_counters *s, const swept_level *level, int counted, uint64_t *sums) {
    size_t i;
    for (i = 0; i < level->n[5]; i++) sums[0] += without(s, level->hand[5][i], 5, counted ? level->weight[i] : 0);
}

TP_APART void count_level(subset_counters *s, const swept_level *level) {
    size_t i;
    for (i = 0; i < level->n[5]; i++) {
        swept_hand x = level->hand[5][i];
        count_hand(s, x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24 & 255, x >> 32 & 255, level->weight[i]);
    }
}

TP_APART void note_results(const swept_level *level, int draw_max, const sorted_hand *like, discard_odds *odds) {
    uint32_t hands[32] = {0};
    size_t i;
    int k;
    for (k = 0; k <= draw_max && k < 5; k++)
        for (i = 0; i < level->n[k]; i++) hands[level->hand[k][i] >> KEPT_SHIFT]++;
    if (draw_max >= 5) hands[0] = (uint32_t)level->n[5];
    for (k = 0; k < 32; k++) {
        odds[k].draws += hands[k];
        odds[k].strength_sum += (uint64_t)hands[k] * like->strength;
        odds[k].categories[like->category] += hands[k];
    }
}

static void settle(discard_odds *odds, const uint64_t *weaker, const uint64_t *not_stronger, uint64_t weight,
                   uint64_t unseen, int symmetric) {
    int kept, k;
    for (kept = 0; kept < 32; kept++) {
        discard_odds *o = &odds[kept];
        uint64_t drawn = 5, pairs;
        for (k = 0; k < 5; k++) drawn -= kept >> k & 1;
        if (!o->draws) continue;
        /* Each hand of the opponent leaves the same number of draws. */
        pairs = weight * choose(unseen - 5, drawn);
        /* Five new cards against five are the same from both sides. */
        o->win = drawn == 5 && symmetric ? pairs - not_stronger[kept] : weaker[kept];
        o->tie = not_stronger[kept] - o->win;
        o->loss = pairs - not_stronger[kept];
    }
}

/* mine[5]: the hand; dead: cards seen elsewhere, mine not among them. Answers the weight of all hands the opponent may
 * have, or UINT64_MAX without memory. */
static uint64_t sweep_discards(const sorted_hand *hands, size_t n, const uint8_t *mine, uint64_t dead, uint64_t deck,
                               int draw_max, const opponent_weights *weights, discard_odds *odds) {
    subset_counters *s = (subset_counters *)malloc(sizeof *s);
    swept_level level;
    size_t start, end, i;
    uint16_t about[52];
    int unseen = 0, card, k;
    int even = !weights->of_strength && !weights->masks;
    uint64_t weight = UINT64_MAX, weaker[32] = {0}, not_stronger[32] = {0};
    memset(odds, 0, 32 * sizeof *odds);
    memset(&level, 0, sizeof level);
    for (card = 0; card < 52; card++) about[card] = DEAD;
    for (k = 0; k < 5; k++) about[mine[k]] = (uint16_t)(MINE | 256 << k);
    for (card = 0; card < 52; card++)
        if (deck >> card & 1 && !(dead >> card & 1) && about[card] == DEAD) about[card] = (uint16_t)(UNSEEN | unseen++);
    if (s && begin_counters(s, unseen < 4 ? 4 : unseen) == 0) {
        for (start = 0; start < n; start = end) {
            for (end = start; end < n && hands[end].strength == hands[start].strength; end++) {}
            if (make_room(&level, end - start)) break;
            split_level(&level, hands + start, end - start, about);
            if (even) for (i = 0; i < level.n[5]; i++) level.weight[i] = 1;
            else weigh(&level, hands + start, end - start, about, weights);
            note_results(&level, draw_max, hands + start, odds);
            ask_all(s, &level, draw_max, weaker);
            if (draw_max >= 5 && !even) ask_none_kept(s, &level, 0, weaker);
            count_level(s, &level);
            ask_all(s, &level, draw_max, not_stronger);
            if (draw_max >= 5) ask_none_kept(s, &level, 1, not_stronger);
        }
        if (start >= n) {
            weight = s->none;
            settle(odds, weaker, not_stronger, weight, (uint64_t)unseen, even);
        }
    }
    for (k = 0; k < 6; k++) free(level.hand[k]);
    free(level.weight);
    if (s) free(s->four);
    free(s);
    return weight;
}

#endif
