/* Thirty-two hands at a time with AVX2.
 *
 * Rows of five bytes become five columns first: as 5 and 16 have no common divisor, byte q of column c always comes from
 * the same one of five registers, so four blends and one shuffle make a column. Sums, suits and repeated cards are then
 * one byte a hand; only the last step, from an index to a level, reads a table hand by hand.
 */
#ifndef TURKPOKER_KERNEL_AVX2_H
#define TURKPOKER_KERNEL_AVX2_H

#include <immintrin.h>
#include "kernel_scalar.h"

#if defined(_MSC_VER) && !defined(__clang__)
#define AVX2_FUNCTION
#define AVX2_INLINE static __forceinline
#else
#define AVX2_FUNCTION __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))
#endif

/* Compilers must not gather these few bytes into registers: plain stores are faster. */
#if defined(__GNUC__) || defined(__clang__)
#define KEEP_NARROW(value) __asm__("" : "+r"(value))
#define UNROLL _Pragma("GCC unroll 16")
#else
#define KEEP_NARROW(value) (void)(value)
#define UNROLL
#endif

#define BLOCK 256       /* hands between two looks at the checks; the buffers of a block stay in the first cache */
#define AVX2_STEP 32
#define PREFETCH_AHEAD 4096 /* bytes */
#define PREFETCH_COLUMNS 1024
#define WRITE_AHEAD 1024

/* What a block leaves for its second half. Hands 16-31 of a step lie in the upper halves of registers. */
typedef struct {
    uint16_t index[BLOCK];
    uint8_t z[BLOCK];
    uint8_t cards[5][BLOCK];
    uint32_t decided[BLOCK];
    uint16_t levels[BLOCK];
} block_buffer;

typedef struct {
    __m256i x_of_rank, y_of_rank, z_of_rank, repeated, least_difference, smallest, greatest;
} avx2_state;

AVX2_INLINE void avx2_begin(avx2_state *s, const hand_tables *t) {
    s->x_of_rank = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)t->key_of_rank[0]));
    s->y_of_rank = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)t->key_of_rank[1]));
    s->z_of_rank = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)t->key_of_rank[2]));
    s->repeated = s->greatest = _mm256_setzero_si256();
    s->smallest = s->least_difference = _mm256_set1_epi8(-1);
}

/* Whether a card of the hands since avx2_begin is repeated or not in the deck. */
AVX2_INLINE int avx2_any_bad(const avx2_state *s, const hand_tables *t) {
    __m256i low = _mm256_set1_epi8((char)(4 * t->lowest_rank)), high = _mm256_set1_epi8(51);
    __m256i good = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(s->smallest, low), low),
                                    _mm256_cmpeq_epi8(_mm256_max_epu8(s->greatest, high), high));
    __m256i repeated = _mm256_or_si256(s->repeated, _mm256_cmpeq_epi8(s->least_difference, _mm256_setzero_si256()));
    return _mm256_movemask_epi8(_mm256_andnot_si256(repeated, good)) != -1;
}

/* 80 bytes to each half of five registers. */
AVX2_INLINE void avx2_load_rows(const uint8_t *rows, __m256i v[5]) {
    int k;
    for (k = 0; k < 5; k++)
        v[k] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(rows + 16 * k))),
            _mm_loadu_si128((const __m128i *)(rows + 80 + 16 * k)), 1);
}

#define EVERY_FIFTH(j) \
    _mm256_broadcastsi128_si256(_mm_setr_epi8( \
        -((0 + 5 - (j)) % 5 == 0), -((1 + 5 - (j)) % 5 == 0), -((2 + 5 - (j)) % 5 == 0), -((3 + 5 - (j)) % 5 == 0), \
        -((4 + 5 - (j)) % 5 == 0), -((5 + 5 - (j)) % 5 == 0), -((6 + 5 - (j)) % 5 == 0), -((7 + 5 - (j)) % 5 == 0), \
        -((8 + 5 - (j)) % 5 == 0), -((9 + 5 - (j)) % 5 == 0), -((10 + 5 - (j)) % 5 == 0), -((11 + 5 - (j)) % 5 == 0), \
        -((12 + 5 - (j)) % 5 == 0), -((13 + 5 - (j)) % 5 == 0), -((14 + 5 - (j)) % 5 == 0), -((15 + 5 - (j)) % 5 == 0)))

#define COLUMN_ORDER(c) \
    _mm256_broadcastsi128_si256(_mm_setr_epi8( \
        (c) % 16, (5 + (c)) % 16, (10 + (c)) % 16, (15 + (c)) % 16, (20 + (c)) % 16, (25 + (c)) % 16, (30 + (c)) % 16, \
        (35 + (c)) % 16, (40 + (c)) % 16, (45 + (c)) % 16, (50 + (c)) % 16, (55 + (c)) % 16, (60 + (c)) % 16, \
        (65 + (c)) % 16, (70 + (c)) % 16, (75 + (c)) % 16))

#define AVX2_COLUMN(c) \
    _mm256_shuffle_epi8( \
        _mm256_blendv_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8( \
            v[(c) % 5], v[((c) + 4) % 5], EVERY_FIFTH(1)), v[((c) + 3) % 5], EVERY_FIFTH(2)), \
            v[((c) + 2) % 5], EVERY_FIFTH(3)), v[((c) + 1) % 5], EVERY_FIFTH(4)), \
        COLUMN_ORDER(c))

AVX2_INLINE void avx2_rows_to_columns(const __m256i v[5], __m256i c[5]) {
    c[0] = AVX2_COLUMN(0);
    c[1] = AVX2_COLUMN(1);
    c[2] = AVX2_COLUMN(2);
    c[3] = AVX2_COLUMN(3);
    c[4] = AVX2_COLUMN(4);
}

AVX2_INLINE void avx2_note_range(avx2_state *s, const __m256i v[5]) {
    int k;
    for (k = 0; k < 5; k++) {
        s->smallest = _mm256_min_epu8(s->smallest, v[k]);
        s->greatest = _mm256_max_epu8(s->greatest, v[k]);
    }
}

AVX2_INLINE void avx2_step(avx2_state *s, const __m256i c[5], block_buffer *b, int at, int many, int suits) {
    const __m256i low_nibble = _mm256_set1_epi8(15), three = _mm256_set1_epi8(3);
    const __m256i zero = _mm256_setzero_si256(), suited_bit = _mm256_set1_epi16((short)(1 << SUITED_BIT(many)));
    __m256i x = zero, y = zero, z = zero, other_suits = zero, repeated = s->repeated, least = s->least_difference;
    __m256i suited, low, high;
    int i, j;
    for (i = 0; i < 5; i++) {
        __m256i rank = _mm256_and_si256(_mm256_srli_epi16(c[i], 2), low_nibble);
        x = _mm256_add_epi8(x, _mm256_shuffle_epi8(s->x_of_rank, rank));
        y = _mm256_add_epi8(y, _mm256_shuffle_epi8(s->y_of_rank, rank));
        if (many) z = _mm256_add_epi8(z, _mm256_shuffle_epi8(s->z_of_rank, rank));
        if (i) {
            __m256i difference = _mm256_xor_si256(c[0], c[i]);
            least = _mm256_min_epu8(least, difference);
            other_suits = _mm256_or_si256(other_suits, difference);
        }
        for (j = 1; j < i; j++) repeated = _mm256_or_si256(repeated, _mm256_cmpeq_epi8(c[i], c[j]));
        if (suits) _mm256_storeu_si256((__m256i *)(b->cards[i] + at), c[i]);
    }
    s->repeated = repeated;
    s->least_difference = least;
    suited = _mm256_cmpeq_epi8(_mm256_and_si256(other_suits, three), zero);
    low = _mm256_srli_epi16(_mm256_unpacklo_epi8(y, x), 8 - Y_BITS(many));
    high = _mm256_srli_epi16(_mm256_unpackhi_epi8(y, x), 8 - Y_BITS(many));
    low = _mm256_or_si256(low, _mm256_and_si256(_mm256_unpacklo_epi8(suited, suited), suited_bit));
    high = _mm256_or_si256(high, _mm256_and_si256(_mm256_unpackhi_epi8(suited, suited), suited_bit));
    _mm256_storeu_si256((__m256i *)(b->index + at), _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(b->index + at + 16), _mm256_permute2x128_si256(low, high, 0x31));
    if (many) _mm256_storeu_si256((__m256i *)(b->z + at), z);
}

AVX2_INLINE void look_up(const hand_tables *t, block_buffer *b, int at, int many, int suits) {
    const uint16_t *first = t->first, *second = t->second, *index = b->index + at;
    const uint8_t *z = b->z + at;
    uint16_t *levels = b->levels + at;
    uint32_t *decided = b->decided + at;
    int i;
    UNROLL
    for (i = 0; i < AVX2_STEP; i++) {
        uint32_t place = index[i], found;
        if (many) place = (uint32_t)first[place] + z[i];
        found = suits ? t->decided[place] : many ? second[place] : first[place];
        KEEP_NARROW(found);
        if (suits) decided[i] = found;
        else levels[i] = (uint16_t)found;
    }
}

/* Wide stores: two bytes at a time, a few lines that are not in the cache yet would fill the store buffer. Results too
 * large for the caches go past them. */
AVX2_INLINE void avx2_hand_over(const block_buffer *b, int hands, uint16_t *out, int past_caches) {
    int i;
    for (i = 0; i < hands; i += 8) {
        __m128i levels = _mm_loadu_si128((const __m128i *)(b->levels + i));
        if (past_caches) _mm_stream_si128((__m128i *)(out + i), levels);
        else _mm_storeu_si128((__m128i *)(out + i), levels);
    }
}

/* The rank whose suits decide is compared with every card; the highest suit among those that match is added. */
AVX2_INLINE void avx2_add_suits(const hand_tables *t, block_buffer *b, int hands) {
    const __m256i suit_rank = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)t->suit_rank));
    const __m256i three = _mm256_set1_epi8(3), rank_bits = _mm256_set1_epi8(60), word = _mm256_set1_epi32(0xffff);
    int at, i;
    for (at = 0; at < hands; at += AVX2_STEP) {
        const __m256i *from = (const __m256i *)(b->decided + at);
        __m256i d[4], levels[2], rank, best = _mm256_setzero_si256();
        for (i = 0; i < 4; i++) d[i] = _mm256_loadu_si256(from + i);
        for (i = 0; i < 2; i++)
            levels[i] = _mm256_permute4x64_epi64(
                _mm256_packus_epi32(_mm256_and_si256(d[2 * i], word), _mm256_and_si256(d[2 * i + 1], word)), 0xd8);
        rank = _mm256_packus_epi16(_mm256_packus_epi32(_mm256_srli_epi32(d[0], 16), _mm256_srli_epi32(d[1], 16)),
                                   _mm256_packus_epi32(_mm256_srli_epi32(d[2], 16), _mm256_srli_epi32(d[3], 16)));
        rank = _mm256_permutevar8x32_epi32(rank, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        for (i = 0; i < 5; i++) {
            __m256i card = _mm256_loadu_si256((const __m256i *)(b->cards[i] + at));
            __m256i same = _mm256_cmpeq_epi8(_mm256_and_si256(card, rank_bits), rank);
            best = _mm256_max_epu8(
                best, _mm256_and_si256(same, _mm256_shuffle_epi8(suit_rank, _mm256_and_si256(card, three))));
        }
        _mm256_storeu_si256((__m256i *)(b->levels + at),
                            _mm256_add_epi16(levels[0], _mm256_cvtepu8_epi16(_mm256_castsi256_si128(best))));
        _mm256_storeu_si256((__m256i *)(b->levels + at + 16),
                            _mm256_add_epi16(levels[1], _mm256_cvtepu8_epi16(_mm256_extracti128_si256(best, 1))));
    }
}

AVX2_INLINE ptrdiff_t avx2_hands_as(const hand_tables *t, const uint8_t *cards, ptrdiff_t stride, ptrdiff_t n,
                                    uint16_t *out, int columns, int many, int suits) {
    block_buffer b;
    ptrdiff_t done = 0;
    int past_caches = goes_past_caches(n, out);
    while (n - done >= AVX2_STEP) {
        int hands = n - done >= BLOCK ? BLOCK : (int)(n - done) / AVX2_STEP * AVX2_STEP, at, i;
        avx2_state s;
        avx2_begin(&s, t);
        for (at = 0; at < hands; at += AVX2_STEP) {
            __m256i v[5], c[5];
            if (columns) {
                for (i = 0; i < 5; i++) c[i] = _mm256_loadu_si256((const __m256i *)(cards + i * stride + done + at));
                avx2_note_range(&s, c);
                for (i = 0; i < 5; i++)
                    _mm_prefetch((const char *)(cards + i * stride + done + at) + PREFETCH_COLUMNS, _MM_HINT_T0);
            } else {
                const uint8_t *rows = cards + 5 * (done + at);
                const char *ahead = (const char *)(rows + PREFETCH_AHEAD);
                _mm_prefetch(ahead, _MM_HINT_T0);
                _mm_prefetch(ahead + 64, _MM_HINT_T0);
                _mm_prefetch(ahead + 128, _MM_HINT_T0);
                avx2_load_rows(rows, v);
                avx2_note_range(&s, v);
                avx2_rows_to_columns(v, c);
            }
            avx2_step(&s, c, &b, at, many, suits);
            if (!past_caches) _mm_prefetch((const char *)(out + done + at) + WRITE_AHEAD, _MM_HINT_T0);
            /* Wide sums of this step and narrow look-ups of the last one keep different parts of the machine busy. */
            if (at) look_up(t, &b, at - AVX2_STEP, many, suits);
        }
        look_up(t, &b, at - AVX2_STEP, many, suits);
        if (avx2_any_bad(&s, t)) break; /* the scalar path finds the hand and reports it */
        if (suits) avx2_add_suits(t, &b, hands);
        if (past_caches) avx2_hand_over(&b, hands, out + done, 1);
        else avx2_hand_over(&b, hands, out + done, 0);
        done += hands;
    }
    if (past_caches) _mm_sfence();
    return done;
}

#define AVX2_VARIANT(columns, many, suits) \
    AVX2_FUNCTION static ptrdiff_t avx2_hands_##columns##many##suits( \
        const hand_tables *t, const uint8_t *cards, ptrdiff_t stride, ptrdiff_t n, uint16_t *out) { \
        return avx2_hands_as(t, cards, stride, n, out, columns, many, suits); \
    }
AVX2_VARIANT(0, 0, 0)
AVX2_VARIANT(0, 0, 1)
AVX2_VARIANT(0, 1, 0)
AVX2_VARIANT(0, 1, 1)
AVX2_VARIANT(1, 0, 0)
AVX2_VARIANT(1, 0, 1)
AVX2_VARIANT(1, 1, 0)
AVX2_VARIANT(1, 1, 1)

#endif
