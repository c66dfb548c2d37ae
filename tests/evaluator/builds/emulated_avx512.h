/* The AVX-512 path on machines without AVX-512: SIMDe carries out the intrinsics with AVX2 (-mavx2).
 *
 * Put before the extension's own code with -include. The few intrinsics that SIMDe 0.7 lacks are written out here; what
 * they compute is taken from Intel's guide to the intrinsics.
 */
#ifndef EMULATED_AVX512_H
#define EMULATED_AVX512_H

#define TURKPOKER_EMULATED_AVX512 1
#define SIMDE_ENABLE_NATIVE_ALIASES 1
/* Not <simde/x86/avx512.h>: as a whole it does not compile in 0.7.4~rc2. */
#include <simde/x86/avx512/add.h>
#include <simde/x86/avx512/and.h>
#include <simde/x86/avx512/blend.h>
#include <simde/x86/avx512/cmpeq.h>
#include <simde/x86/avx512/cmpgt.h>
#include <simde/x86/avx512/cmplt.h>
#include <simde/x86/avx512/extract.h>
#include <simde/x86/avx512/insert.h>
#include <simde/x86/avx512/loadu.h>
#include <simde/x86/avx512/max.h>
#include <simde/x86/avx512/min.h>
#include <simde/x86/avx512/permutex2var.h>
#include <simde/x86/avx512/permutexvar.h>
#include <simde/x86/avx512/set.h>
#include <simde/x86/avx512/set1.h>
#include <simde/x86/avx512/setr.h>
#include <simde/x86/avx512/setzero.h>
#include <simde/x86/avx512/srli.h>
#include <simde/x86/avx512/storeu.h>
#include <simde/x86/avx512/ternarylogic.h>
#include <simde/x86/avx512/unpackhi.h>
#include <simde/x86/avx512/unpacklo.h>
#include <simde/x86/avx512/xor.h>
#include <stdint.h>
#include <string.h>

static inline __m512i emulated_gather(__m512i index, const void *base, int scale) {
    int32_t at[16], found[16];
    memcpy(at, &index, 64);
    for (int i = 0; i < 16; i++) memcpy(&found[i], (const char *)base + (ptrdiff_t)at[i] * scale, 4);
    memcpy(&index, found, 64);
    return index;
}

static inline __m256i emulated_words(__m512i v) {
    uint32_t from[16];
    uint16_t to[16];
    __m256i result;
    memcpy(from, &v, 64);
    for (int i = 0; i < 16; i++) to[i] = (uint16_t)from[i];
    memcpy(&result, to, 32);
    return result;
}

static inline __m128i emulated_bytes(__m512i v) {
    uint32_t from[16];
    uint8_t to[16];
    __m128i result;
    memcpy(from, &v, 64);
    for (int i = 0; i < 16; i++) to[i] = (uint8_t)from[i];
    memcpy(&result, to, 16);
    return result;
}

static inline __m512i emulated_widen_words(__m256i v) {
    uint16_t from[16];
    uint32_t to[16];
    __m512i result;
    memcpy(from, &v, 32);
    for (int i = 0; i < 16; i++) to[i] = from[i];
    memcpy(&result, to, 64);
    return result;
}

static inline __m512i emulated_widen_bytes(__m128i v) {
    uint8_t from[16];
    uint32_t to[16];
    __m512i result;
    memcpy(from, &v, 16);
    for (int i = 0; i < 16; i++) to[i] = from[i];
    memcpy(&result, to, 64);
    return result;
}

static inline __m512i emulated_widen_bytes_to_words(__m256i v) {
    uint8_t from[32];
    uint16_t to[32];
    __m512i result;
    memcpy(from, &v, 32);
    for (int i = 0; i < 32; i++) to[i] = from[i];
    memcpy(&result, to, 64);
    return result;
}

static inline __mmask64 emulated_testn(__m512i a, __m512i b) {
    uint8_t x[64], y[64];
    __mmask64 result = 0;
    memcpy(x, &a, 64);
    memcpy(y, &b, 64);
    for (int i = 0; i < 64; i++) result |= (__mmask64)!(x[i] & y[i]) << i;
    return result;
}

#define _mm512_i32gather_epi32(index, base, scale) emulated_gather(index, base, scale)
#define _mm512_cvtepi32_epi16 emulated_words
#define _mm512_cvtepi32_epi8 emulated_bytes
#define _mm512_cvtepu16_epi32 emulated_widen_words
#define _mm512_cvtepu8_epi32 emulated_widen_bytes
#define _mm512_cvtepu8_epi16 emulated_widen_bytes_to_words
#define _mm512_testn_epi8_mask emulated_testn

#endif
