/* One hand at a time, in portable C: the path of machines without wide registers, and of single calls anywhere. */
#ifndef TURKPOKER_KERNEL_SCALAR_H
#define TURKPOKER_KERNEL_SCALAR_H

#include <stddef.h>
#include "tables.h"

typedef struct {
    uint64_t key, cards;
    int bad;
} gathered_hand;

TP_INLINE gathered_hand gather_cards(const hand_tables *t, uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e) {
    gathered_hand hand;
    uint64_t bits[5], once;
    hand.key = t->card_key[a] + t->card_key[b] + t->card_key[c] + t->card_key[d] + t->card_key[e];
    bits[0] = t->card_bit[a]; bits[1] = t->card_bit[b]; bits[2] = t->card_bit[c];
    bits[3] = t->card_bit[d]; bits[4] = t->card_bit[e];
    hand.cards = bits[0] | bits[1] | bits[2] | bits[3] | bits[4];
    /* The sum of five single bits equals their union exactly when all are different. */
    once = bits[0] + bits[1] + bits[2] + bits[3] + bits[4];
    hand.bad = hand.key >> KEY_CARDS != 5 || once != hand.cards;
    return hand;
}

TP_INLINE gathered_hand gather_mask(const hand_tables *t, uint64_t mask) {
    gathered_hand hand;
    hand.cards = mask;
    hand.key = t->mask_key[0][mask & 255] + t->mask_key[1][mask >> 8 & 255] + t->mask_key[2][mask >> 16 & 255] +
               t->mask_key[3][mask >> 24 & 255] + t->mask_key[4][mask >> 32 & 255] +
               t->mask_key[5][mask >> 40 & 255] + t->mask_key[6][mask >> 48 & 255];
    hand.bad = hand.key >> KEY_CARDS != 5 || mask >> 52 != 0;
    return hand;
}

/* The strength of a hand that was found good; of any other some number, without harm. */
TP_INLINE uint32_t strength_of(const hand_tables *t, gathered_hand hand, int many, int suits) {
    uint64_t key = hand.key;
    /* A counter of suits that reached five has, with three added, its fourth bit set. */
    uint32_t suited = ((uint32_t)(key >> KEY_SUITS) + 0x3333u) & 0x8888u;
    uint32_t index = (uint32_t)(uint8_t)key | ((uint32_t)(key >> (KEY_Y - 8)) & 0xff00u);
    uint32_t level;
    if (suited) index |= SUITED << 8;
    if (many) index = t->first[index] + (uint32_t)(uint8_t)(key >> KEY_Z);
    if (!suits) return many ? t->second[index] : t->first[index];
    level = t->decided[index];
    return (level & 0xffff) + t->highest_suit[hand.cards >> (level >> 16) & 15];
}

/* How the hands of a batch lie. */
enum { AS_ROWS, AS_COLUMNS, AS_MASKS };

/* From hand `i` on; answers the first bad hand, or n. */
TP_INLINE ptrdiff_t scalar_hands_as(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t i, ptrdiff_t n,
                                    uint16_t *out, int layout, int many, int suits) {
    const uint8_t *cards = (const uint8_t *)hands;
    for (; i < n; i++) {
        gathered_hand hand;
        if (layout == AS_ROWS) {
            const uint8_t *c = cards + 5 * i;
            hand = gather_cards(t, c[0], c[1], c[2], c[3], c[4]);
        } else if (layout == AS_COLUMNS) {
            const uint8_t *c = cards + i;
            hand = gather_cards(t, c[0], c[stride], c[2 * stride], c[3 * stride], c[4 * stride]);
        } else {
            hand = gather_mask(t, ((const uint64_t *)hands)[i]);
        }
        if (hand.bad) break;
        out[i] = (uint16_t)strength_of(t, hand, many, suits);
    }
    return i;
}

static inline ptrdiff_t scalar_hands(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t i, ptrdiff_t n,
                              uint16_t *out, int layout) {
    int many = t->second != NULL, suits = t->suits;
#define SCALAR_VARIANTS(layout) \
    (many ? suits ? scalar_hands_as(t, hands, stride, i, n, out, layout, 1, 1) \
                  : scalar_hands_as(t, hands, stride, i, n, out, layout, 1, 0) \
          : suits ? scalar_hands_as(t, hands, stride, i, n, out, layout, 0, 1) \
                  : scalar_hands_as(t, hands, stride, i, n, out, layout, 0, 0))
    switch (layout) {
    case AS_ROWS: return SCALAR_VARIANTS(AS_ROWS);
    case AS_COLUMNS: return SCALAR_VARIANTS(AS_COLUMNS);
    default: return SCALAR_VARIANTS(AS_MASKS);
    }
}

#endif
