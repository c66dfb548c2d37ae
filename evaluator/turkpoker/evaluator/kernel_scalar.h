/* One hand at a time, in portable C: the path of machines without wide registers, and of single calls anywhere. */
#ifndef TURKPOKER_KERNEL_SCALAR_H
#define TURKPOKER_KERNEL_SCALAR_H

#include <stddef.h>
#if defined(__SSE2__) || defined(_M_X64)
#define CHECK_BLOCKS 1
#include <emmintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#define CHECK_BLOCKS 1
#include <arm_neon.h>
#endif
#include "tables.h"

typedef struct {
    uint64_t key, cards;
    int bad;
} gathered_hand;

TP_INLINE gathered_hand gather_cards(const hand_tables *t, uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e) {
    gathered_hand hand;
    uint64_t bits[5], once;
    hand.key = (t->card_key[a] + t->card_key[b]) + (t->card_key[c] + t->card_key[d]) + t->card_key[e];
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
    hand.key = ((t->mask_key[0][mask & 255] + t->mask_key[1][mask >> 8 & 255]) +
                (t->mask_key[2][mask >> 16 & 255] + t->mask_key[3][mask >> 24 & 255])) +
               ((t->mask_key[4][mask >> 32 & 255] + t->mask_key[5][mask >> 40 & 255]) +
                t->mask_key[6][mask >> 48 & 255]);
    hand.bad = hand.key >> KEY_CARDS != 5 || mask >> 56 != 0;
    return hand;
}

/* The strength of a hand that was found good; of any other some number, without harm. */
TP_INLINE uint32_t strength_of(const hand_tables *t, gathered_hand hand, int many, int suits) {
    uint64_t key = hand.key;
    uint32_t index = (uint32_t)key & (FIRST_SIZE(many) / 2 - 1), level;
    if (TP_UNLIKELY(key & ALL_ONE_SUIT)) index |= FIRST_SIZE(many) / 2;
    if (many) index = t->first[index] + (uint32_t)(uint8_t)(key >> KEY_Z);
    if (!suits) return many ? t->second[index] : t->first[index];
    level = t->decided[index];
    return (level & 0xffff) + t->highest_suit[hand.cards >> (level >> 16) & 15];
}

/* How the hands of a batch lie. */
enum { AS_ROWS, AS_COLUMNS, AS_MASKS };

/* From hand `i` on, each looked at before it counts; answers the first bad hand, or n. */
TP_INLINE ptrdiff_t careful_hands(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t i, ptrdiff_t n,
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

/* Results from this many bytes on would push everything else out of the caches. */
#define PAST_CACHES (4 << 20)

TP_INLINE int goes_past_caches(ptrdiff_t n, const uint16_t *out) {
    return n >= PAST_CACHES / 2 && ((uintptr_t)out & 15) == 0;
}

/* Hands that are checked together, sixteen bytes at a time, where every machine of the kind can: SSE2 belongs to x86-64,
 * NEON to 64-bit ARM. Elsewhere each hand is looked at alone. */
#define SCALAR_BLOCK 64

#if defined(CHECK_BLOCKS) && !defined(__aarch64__) && !defined(_M_ARM64)
typedef __m128i sixteen;
TP_INLINE sixteen load16(const uint8_t *from) { return _mm_loadu_si128((const __m128i *)from); }
TP_INLINE sixteen all16(uint8_t value) { return _mm_set1_epi8((char)value); }
TP_INLINE sixteen same16(sixteen a, sixteen b) { return _mm_cmpeq_epi8(a, b); }
TP_INLINE sixteen and16(sixteen a, sixteen b) { return _mm_and_si128(a, b); }
TP_INLINE sixteen or16(sixteen a, sixteen b) { return _mm_or_si128(a, b); }
TP_INLINE sixteen outside16(sixteen a, sixteen low, sixteen high) {
    return _mm_or_si128(_mm_subs_epu8(low, a), _mm_subs_epu8(a, high));
}
TP_INLINE int any16(sixteen a) { return _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xffff; }
#elif defined(CHECK_BLOCKS)
typedef uint8x16_t sixteen;
TP_INLINE sixteen load16(const uint8_t *from) { return vld1q_u8(from); }
TP_INLINE sixteen all16(uint8_t value) { return vdupq_n_u8(value); }
TP_INLINE sixteen same16(sixteen a, sixteen b) { return vceqq_u8(a, b); }
TP_INLINE sixteen and16(sixteen a, sixteen b) { return vandq_u8(a, b); }
TP_INLINE sixteen or16(sixteen a, sixteen b) { return vorrq_u8(a, b); }
TP_INLINE sixteen outside16(sixteen a, sixteen low, sixteen high) {
    return vorrq_u8(vqsubq_u8(low, a), vqsubq_u8(a, high));
}
TP_INLINE int any16(sixteen a) { return vmaxvq_u8(a) != 0; }
#endif

#if defined(CHECK_BLOCKS)
/* Bytes apart by 1, 2, 3, 4 belong to one row where the first of them is not among its last 1, 2, 3, 4. */
#define SIXTEEN_ROWS(a, b, c, d, e) a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, \
    a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, \
    a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e, a, b, c, d, e
static const uint8_t SAME_ROW[4][80] = {
    {SIXTEEN_ROWS(255, 255, 255, 255, 0)},
    {SIXTEEN_ROWS(255, 255, 255, 0, 0)},
    {SIXTEEN_ROWS(255, 255, 0, 0, 0)},
    {SIXTEEN_ROWS(255, 0, 0, 0, 0)},
};

/* Whether a card of 64 rows is repeated or not in the deck. Reads four bytes more. */
TP_INLINE int any_bad_rows(const uint8_t *rows, uint8_t lowest) {
    sixteen low = all16(lowest), high = all16(51), bad = all16(0);
    int group, part, apart;
    for (group = 0; group < SCALAR_BLOCK / 16; group++)
        for (part = 0; part < 5; part++) {
            const uint8_t *from = rows + 80 * group + 16 * part;
            sixteen here = load16(from);
            bad = or16(bad, outside16(here, low, high));
            for (apart = 1; apart < 5; apart++)
                bad = or16(bad, and16(same16(here, load16(from + apart)), load16(SAME_ROW[apart - 1] + 16 * part)));
        }
    return any16(bad);
}

TP_INLINE int any_bad_columns(const uint8_t *cards, ptrdiff_t stride, uint8_t lowest) {
    sixteen low = all16(lowest), high = all16(51), bad = all16(0), c[5];
    int group, i, k;
    for (group = 0; group < SCALAR_BLOCK / 16; group++)
        for (i = 0; i < 5; i++) {
            c[i] = load16(cards + i * stride + 16 * group);
            bad = or16(bad, outside16(c[i], low, high));
            for (k = 0; k < i; k++) bad = or16(bad, same16(c[i], c[k]));
        }
    return any16(bad);
}

#endif

/* A hand that is known to be good. */
TP_INLINE uint32_t quick_strength(const hand_tables *t, const uint8_t *c, ptrdiff_t step, int many, int suits) {
    gathered_hand hand;
    hand.key = t->card_key[c[0]] + t->card_key[c[step]] + t->card_key[c[2 * step]] + t->card_key[c[3 * step]] +
               t->card_key[c[4 * step]];
    hand.cards = 0;
    if (suits)
        hand.cards = t->card_bit[c[0]] | t->card_bit[c[step]] | t->card_bit[c[2 * step]] | t->card_bit[c[3 * step]] |
                     t->card_bit[c[4 * step]];
    return strength_of(t, hand, many, suits);
}

TP_INLINE ptrdiff_t scalar_hands_as(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t i, ptrdiff_t n,
                                    uint16_t *out, int layout, int many, int suits) {
#if defined(CHECK_BLOCKS)
    const uint8_t *cards = (const uint8_t *)hands, lowest = (uint8_t)(4 * t->lowest_rank);
    /* The check of rows reads a little beyond its block, so the last one is left to the careful way. */
    for (; layout != AS_MASKS && n - i > SCALAR_BLOCK; i += SCALAR_BLOCK) {
        int bad = layout == AS_ROWS ? any_bad_rows(cards + 5 * i, lowest) : any_bad_columns(cards + i, stride, lowest);
        ptrdiff_t j;
        if (bad) break; /* the careful way finds the hand */
        for (j = i; j < i + SCALAR_BLOCK; j++)
            out[j] = (uint16_t)(layout == AS_ROWS ? quick_strength(t, cards + 5 * j, 1, many, suits)
                                                  : quick_strength(t, cards + j, stride, many, suits));
    }
#endif
    return careful_hands(t, hands, stride, i, n, out, layout, many, suits);
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
