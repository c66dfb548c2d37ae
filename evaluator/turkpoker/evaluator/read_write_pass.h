/* For benchmarks: the least that a batch must do, reading five bytes and writing two for every hand. */
#ifndef TURKPOKER_READ_WRITE_PASS_H
#define TURKPOKER_READ_WRITE_PASS_H

#include "batch.h"

TP_INLINE void narrow_pass(const uint8_t *rows, ptrdiff_t i, ptrdiff_t n, uint16_t *out) {
    for (; i < n; i++) {
        const uint8_t *r = rows + 5 * i;
        out[i] = (uint16_t)((r[0] ^ r[1] ^ r[4]) | (r[2] ^ r[3]) << 8);
    }
}

#if defined(WIDE_KERNELS)
AVX2_FUNCTION static void wide_pass(const uint8_t *rows, ptrdiff_t n, uint16_t *out) {
    ptrdiff_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m256i *from = (const __m256i *)(rows + 5 * i);
        __m256i *to = (__m256i *)(out + i);
        __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1), c = _mm256_loadu_si256(from + 2);
        __m256i d = _mm256_loadu_si256(from + 3), e = _mm256_loadu_si256(from + 4);
        _mm256_storeu_si256(to, _mm256_xor_si256(_mm256_xor_si256(a, b), e));
        _mm256_storeu_si256(to + 1, _mm256_xor_si256(c, d));
    }
    narrow_pass(rows, i, n, out);
}
#endif

static void read_write_pass(const uint8_t *rows, ptrdiff_t n, uint16_t *out) {
#if defined(WIDE_KERNELS)
    if (machine_has(KERNEL_AVX2)) {
        wide_pass(rows, n, out);
        return;
    }
#endif
    narrow_pass(rows, 0, n, out);
}

#endif
