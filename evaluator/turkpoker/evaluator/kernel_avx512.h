/* Sixty-four hands at a time with AVX-512 (F, BW, VBMI): the plan of kernel_avx2.h with twice the width.
 *
 * vpermb reads a table of 64 bytes for 64 cards at once, so a card goes to its keys without its rank; the tables of levels
 * are read by gathers, and suits are added in registers.
 */
#ifndef TURKPOKER_KERNEL_AVX512_H
#define TURKPOKER_KERNEL_AVX512_H

#if !defined(TURKPOKER_EMULATED_AVX512) /* a test build brings its own intrinsics */
#include <immintrin.h>
#endif
#include "kernel_scalar.h"

#if defined(TURKPOKER_EMULATED_AVX512)
#define AVX512_FUNCTION
#define AVX512_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER) && !defined(__clang__)
#define AVX512_FUNCTION
#define AVX512_INLINE static __forceinline
#else
#define AVX512_TARGET "avx512f,avx512bw,avx512vbmi"
#define AVX512_FUNCTION __attribute__((target(AVX512_TARGET)))
#define AVX512_INLINE static inline __attribute__((always_inline, target(AVX512_TARGET)))
#endif

#define AVX512_STEP 64
#define AVX512_BLOCK 512
#define AVX512_PREFETCH_AHEAD 3072 /* bytes */
#define AVX512_WRITE_AHEAD 1536

typedef struct {
    __m512i x_of_card, y_of_card, z_of_card, suit_rank, smallest, greatest, difference;
} avx512_state;

/* Bits j, j + 5, j + 10 ... of 64. */
#define EVERY_FIFTH_BIT(j) ((__mmask64)(UINT64_C(0x1084210842108421) << (j)))

AVX512_INLINE void avx512_begin(avx512_state *s, const hand_tables *t) {
    int i;
    uint8_t suit_rank[64];
    for (i = 0; i < 64; i++) suit_rank[i] = t->suit_rank[i & 3];
    s->x_of_card = _mm512_loadu_si512(t->key_of_card[0]);
    s->y_of_card = _mm512_loadu_si512(t->key_of_card[1]);
    s->z_of_card = _mm512_loadu_si512(t->key_of_card[2]);
    s->suit_rank = _mm512_loadu_si512(suit_rank);
    s->smallest = s->difference = _mm512_set1_epi8(-1);
    s->greatest = _mm512_setzero_si512();
}

/* Whether a card of the hands since avx512_begin is repeated or not in the deck. */
AVX512_INLINE int avx512_any_bad(const avx512_state *s, const hand_tables *t) {
    __mmask64 bad = _mm512_cmplt_epu8_mask(s->smallest, _mm512_set1_epi8((char)(4 * t->lowest_rank))) |
                    _mm512_cmpgt_epu8_mask(s->greatest, _mm512_set1_epi8(51)) |
                    _mm512_cmpeq_epi8_mask(s->difference, _mm512_setzero_si512());
    return bad != 0;
}

/* 64 = 4 modulo 5, so byte q of column c comes from register (q - c) mod 5. */
AVX512_INLINE __m512i avx512_column(const __m512i v[5], int c, __m512i order) {
    __m512i mixed = v[(5 - c) % 5];
    mixed = _mm512_mask_blend_epi8(EVERY_FIFTH_BIT(1), mixed, v[(6 - c) % 5]);
    mixed = _mm512_mask_blend_epi8(EVERY_FIFTH_BIT(2), mixed, v[(7 - c) % 5]);
    mixed = _mm512_mask_blend_epi8(EVERY_FIFTH_BIT(3), mixed, v[(8 - c) % 5]);
    mixed = _mm512_mask_blend_epi8(EVERY_FIFTH_BIT(4), mixed, v[(9 - c) % 5]);
    return _mm512_permutexvar_epi8(order, mixed);
}

AVX512_INLINE void avx512_rows_to_columns(const uint8_t *rows, const __m512i order[5], __m512i c[5]) {
    __m512i v[5];
    int k;
    for (k = 0; k < 5; k++) v[k] = _mm512_loadu_si512(rows + 64 * k);
    c[0] = avx512_column(v, 0, order[0]);
    c[1] = avx512_column(v, 1, order[1]);
    c[2] = avx512_column(v, 2, order[2]);
    c[3] = avx512_column(v, 3, order[3]);
    c[4] = avx512_column(v, 4, order[4]);
}

AVX512_INLINE __m128i avx512_quarter(__m512i v, int quarter) {
    switch (quarter) {
    case 0: return _mm512_extracti32x4_epi32(v, 0);
    case 1: return _mm512_extracti32x4_epi32(v, 1);
    case 2: return _mm512_extracti32x4_epi32(v, 2);
    default: return _mm512_extracti32x4_epi32(v, 3);
    }
}

/* Sixteen hands: four times the rank whose suits decide, a byte each; `out` takes the levels. */
AVX512_INLINE __m128i avx512_look_up(const hand_tables *t, __m256i first, __m128i z, uint16_t *out, int many, int suits) {
    const __m512i word = _mm512_set1_epi32(0xffff);
    __m512i index = _mm512_cvtepu16_epi32(first);
    __m512i found;
    if (many) {
        /* Gathers fetch four bytes at a two-byte place; the tables are two bytes longer for it. */
        index = _mm512_and_si512(_mm512_i32gather_epi32(index, t->first, 2), word);
        index = _mm512_add_epi32(index, _mm512_cvtepu8_epi32(z));
    }
    if (suits) found = _mm512_i32gather_epi32(index, t->decided, 4);
    else found = _mm512_i32gather_epi32(index, many ? t->second : t->first, 2);
    _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi32_epi16(found));
    return suits ? _mm512_cvtepi32_epi8(_mm512_srli_epi32(found, 16)) : _mm_setzero_si128();
}

AVX512_INLINE void avx512_step(avx512_state *s, const hand_tables *t, const __m512i c[5], uint16_t *out, int many, int suits) {
    const __m512i zero = _mm512_setzero_si512(), suited_bit = _mm512_set1_epi16((short)(1 << SUITED_BIT(many)));
    __m512i x = zero, y = zero, z = zero, other_suits = zero, low, high, index[2], rank = zero;
    __m512i difference = s->difference, smallest = s->smallest, greatest = s->greatest;
    __m512i suited;
    int i, j, q;
    for (i = 0; i < 5; i++) {
        smallest = _mm512_min_epu8(smallest, c[i]);
        greatest = _mm512_max_epu8(greatest, c[i]);
        x = _mm512_add_epi8(x, _mm512_permutexvar_epi8(c[i], s->x_of_card));
        y = _mm512_add_epi8(y, _mm512_permutexvar_epi8(c[i], s->y_of_card));
        if (many) z = _mm512_add_epi8(z, _mm512_permutexvar_epi8(c[i], s->z_of_card));
        for (j = 0; j < i; j++) difference = _mm512_min_epu8(difference, _mm512_xor_si512(c[i], c[j]));
        /* other_suits |= c[0] ^ c[i] */
        if (i) other_suits = _mm512_ternarylogic_epi32(other_suits, c[0], c[i], 0xf6);
    }
    s->difference = difference;
    s->smallest = smallest;
    s->greatest = greatest;
    suited = _mm512_movm_epi8(_mm512_testn_epi8_mask(other_suits, _mm512_set1_epi8(3)));
    low = _mm512_srli_epi16(_mm512_unpacklo_epi8(y, x), 8 - Y_BITS(many));
    high = _mm512_srli_epi16(_mm512_unpackhi_epi8(y, x), 8 - Y_BITS(many));
    low = _mm512_or_si512(low, _mm512_and_si512(_mm512_unpacklo_epi8(suited, suited), suited_bit));
    high = _mm512_or_si512(high, _mm512_and_si512(_mm512_unpackhi_epi8(suited, suited), suited_bit));
    index[0] = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
    index[1] = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
    for (q = 0; q < 4; q++) {
        __m256i first = q & 1 ? _mm512_extracti64x4_epi64(index[q / 2], 1) : _mm512_extracti64x4_epi64(index[q / 2], 0);
        __m128i decider = avx512_look_up(t, first, avx512_quarter(z, q), out + 16 * q, many, suits);
        if (!suits) continue;
        switch (q) {
        case 0: rank = _mm512_inserti32x4(rank, decider, 0); break;
        case 1: rank = _mm512_inserti32x4(rank, decider, 1); break;
        case 2: rank = _mm512_inserti32x4(rank, decider, 2); break;
        default: rank = _mm512_inserti32x4(rank, decider, 3); break;
        }
    }
    if (suits) {
        __m512i best = zero;
        for (i = 0; i < 5; i++) {
            __mmask64 same = _mm512_cmpeq_epi8_mask(_mm512_and_si512(c[i], _mm512_set1_epi8(60)), rank);
            best = _mm512_mask_max_epu8(best, same, best, _mm512_permutexvar_epi8(c[i], s->suit_rank));
        }
        for (q = 0; q < 2; q++) {
            __m256i half = q ? _mm512_extracti64x4_epi64(best, 1) : _mm512_extracti64x4_epi64(best, 0);
            __m512i levels = _mm512_loadu_si512(out + 32 * q);
            _mm512_storeu_si512(out + 32 * q, _mm512_add_epi16(levels, _mm512_cvtepu8_epi16(half)));
        }
    }
}

AVX512_INLINE ptrdiff_t avx512_hands_as(const hand_tables *t, const uint8_t *cards, ptrdiff_t stride, ptrdiff_t n,
                                        uint16_t *out, int columns, int many, int suits) {
    ptrdiff_t done = 0;
    uint8_t places[64];
    __m512i order[5];
    int i;
    for (i = 0; i < 64; i++) places[i] = (uint8_t)(5 * i);
    order[0] = _mm512_loadu_si512(places);
    for (i = 1; i < 5; i++) order[i] = _mm512_add_epi8(order[i - 1], _mm512_set1_epi8(1));
    while (n - done >= AVX512_STEP) {
        ptrdiff_t end = n - done >= AVX512_BLOCK ? done + AVX512_BLOCK : done + (n - done) / AVX512_STEP * AVX512_STEP, at;
        avx512_state s;
        avx512_begin(&s, t);
        for (at = done; at < end; at += AVX512_STEP) {
            __m512i c[5];
            if (columns) {
                for (i = 0; i < 5; i++) c[i] = _mm512_loadu_si512(cards + i * stride + at);
            } else {
                const char *ahead = (const char *)(cards + 5 * at + AVX512_PREFETCH_AHEAD);
                for (i = 0; i < 5; i++) _mm_prefetch(ahead + 64 * i, _MM_HINT_T0);
                _mm_prefetch((const char *)(out + at) + AVX512_WRITE_AHEAD, _MM_HINT_T0);
                _mm_prefetch((const char *)(out + at) + AVX512_WRITE_AHEAD + 64, _MM_HINT_T0);
                avx512_rows_to_columns(cards + 5 * at, order, c);
            }
            avx512_step(&s, t, c, out + at, many, suits);
        }
        if (avx512_any_bad(&s, t)) break; /* the scalar path finds the hand and reports it */
        done = end;
    }
    return done;
}

#define AVX512_VARIANT(columns, many, suits) \
    AVX512_FUNCTION static ptrdiff_t avx512_hands_##columns##many##suits( \
        const hand_tables *t, const uint8_t *cards, ptrdiff_t stride, ptrdiff_t n, uint16_t *out) { \
        return avx512_hands_as(t, cards, stride, n, out, columns, many, suits); \
    }
AVX512_VARIANT(0, 0, 0)
AVX512_VARIANT(0, 0, 1)
AVX512_VARIANT(0, 1, 0)
AVX512_VARIANT(0, 1, 1)
AVX512_VARIANT(1, 0, 0)
AVX512_VARIANT(1, 0, 1)
AVX512_VARIANT(1, 1, 0)
AVX512_VARIANT(1, 1, 1)

#endif
