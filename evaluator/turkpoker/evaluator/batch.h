/* Batches. Each function answers -1, or the number of the first bad hand. */
#ifndef TURKPOKER_BATCH_H
#define TURKPOKER_BATCH_H

#include <stddef.h>
#include "kernel_scalar.h"

static ptrdiff_t strengths_of_rows(const hand_tables *t, const uint8_t *rows, ptrdiff_t n, uint16_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++, rows += 5) {
        gathered_hand hand = gather_cards(t, rows[0], rows[1], rows[2], rows[3], rows[4]);
        if (hand.bad) return i;
        out[i] = (uint16_t)strength_of(t, hand, t->suits);
    }
    return -1;
}

static ptrdiff_t strengths_of_columns(const hand_tables *t, const uint8_t *c, ptrdiff_t stride, ptrdiff_t n, uint16_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++, c++) {
        gathered_hand hand = gather_cards(t, c[0], c[stride], c[2 * stride], c[3 * stride], c[4 * stride]);
        if (hand.bad) return i;
        out[i] = (uint16_t)strength_of(t, hand, t->suits);
    }
    return -1;
}

static ptrdiff_t strengths_of_masks(const hand_tables *t, const uint64_t *masks, ptrdiff_t n, uint16_t *out) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        uint64_t mask = masks[i];
        uint8_t card[5];
        int k, id = 0;
        gathered_hand hand;
        if (mask & ~t->deck) return i;
        for (k = 0; k < 5 && mask; k++) {
            while (!(mask & 1)) { mask >>= 1; id++; }
            card[k] = (uint8_t)id;
            mask >>= 1; id++;
        }
        if (k < 5 || mask) return i;
        hand = gather_cards(t, card[0], card[1], card[2], card[3], card[4]);
        out[i] = (uint16_t)strength_of(t, hand, t->suits);
    }
    return -1;
}

#endif
