/* One hand at a time, in portable C: the path of machines without wide registers, and of single calls anywhere. */
#ifndef TURKPOKER_KERNEL_SCALAR_H
#define TURKPOKER_KERNEL_SCALAR_H

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
    hand.bad = (hand.key >> NOT_IN_DECK_SHIFT) != 0 || once != hand.cards;
    return hand;
}

/* The strength of a hand that was found good. */
TP_INLINE uint32_t strength_of(const hand_tables *t, gathered_hand hand, int suits) {
    uint32_t flush = ((uint32_t)(hand.key >> SUIT_COUNTS_SHIFT) + 0x3333u) & 0x8888u;
    uint32_t index = (uint32_t)hand.key + (flush ? t->flush_offset : 0);
    uint32_t level = t->level[index];
    if (suits) level += t->highest_suit[hand.cards >> t->decider[index] & 15];
    return level;
}

#endif
