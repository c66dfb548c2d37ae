/* Batches: which paths this machine has, and which one runs. */
#ifndef TURKPOKER_BATCH_H
#define TURKPOKER_BATCH_H

#include "kernel_scalar.h"

#if defined(__x86_64__) || defined(_M_X64)
#define WIDE_KERNELS 1
#include "kernel_avx512.h"
#include "kernel_avx2.h"
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#endif

enum { KERNEL_SCALAR, KERNEL_AVX2, KERNEL_AVX512, KERNELS };

#if !defined(WIDE_KERNELS)
static int machine_has(int kernel) { return kernel == KERNEL_SCALAR; }
#elif defined(TURKPOKER_EMULATED_AVX512)
static int machine_has(int kernel) { return kernel >= KERNEL_SCALAR && kernel < KERNELS; }
#elif defined(_MSC_VER) && !defined(__clang__)
static int machine_has(int kernel) {
    int leaf1[4], leaf7[4];
    unsigned long long saved;
    if (kernel == KERNEL_SCALAR) return 1;
    __cpuid(leaf1, 0);
    if (leaf1[0] < 7) return 0;
    __cpuid(leaf1, 1);
    if (!(leaf1[2] >> 27 & 1)) return 0; /* the system does not save wide registers */
    saved = _xgetbv(0);
    __cpuidex(leaf7, 7, 0);
    if (kernel == KERNEL_AVX2) return (saved & 6) == 6 && (leaf7[1] >> 5 & 1);
    return (saved & 0xe6) == 0xe6 && (leaf7[1] >> 16 & 1) && (leaf7[1] >> 30 & 1) && (leaf7[2] >> 1 & 1);
}
#else
static int machine_has(int kernel) {
    __builtin_cpu_init();
    switch (kernel) {
    case KERNEL_SCALAR: return 1;
    case KERNEL_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case KERNEL_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi");
    default: return 0;
    }
}
#endif

#if defined(WIDE_KERNELS)
typedef ptrdiff_t (*wide_kernel)(const hand_tables *, const uint8_t *, ptrdiff_t, ptrdiff_t, uint16_t *);

/* [columns][many][suits] */
static const wide_kernel AVX2_KERNELS[2][2][2] = {
    {{avx2_hands_000, avx2_hands_001}, {avx2_hands_010, avx2_hands_011}},
    {{avx2_hands_100, avx2_hands_101}, {avx2_hands_110, avx2_hands_111}},
};
static const wide_kernel AVX512_KERNELS[2][2][2] = {
    {{avx512_hands_000, avx512_hands_001}, {avx512_hands_010, avx512_hands_011}},
    {{avx512_hands_100, avx512_hands_101}, {avx512_hands_110, avx512_hands_111}},
};
#endif

/* The strengths of n hands; `stride` is the length of a column. Answers n, or the first bad hand. */
static ptrdiff_t strengths_of_hands(const hand_tables *t, const void *hands, ptrdiff_t stride, ptrdiff_t n, uint16_t *out,
                                    int layout, int kernel) {
    ptrdiff_t done = 0;
#if defined(WIDE_KERNELS)
    if (kernel != KERNEL_SCALAR && layout != AS_MASKS) {
        const wide_kernel(*kernels)[2][2] = kernel == KERNEL_AVX512 ? AVX512_KERNELS : AVX2_KERNELS;
        done = kernels[layout == AS_COLUMNS][t->second != NULL][t->suits != 0](
            t, (const uint8_t *)hands, stride, n, out);
    }
#else
    (void)kernel;
#endif
    return scalar_hands(t, hands, stride, done, n, out, layout);
}

#endif
