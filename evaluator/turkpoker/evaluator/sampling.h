/* Deals at random, from a seed: the same seed gives the same deals on every machine. */
#ifndef TURKPOKER_SAMPLING_H
#define TURKPOKER_SAMPLING_H

#include <stdint.h>

#include "kernel_scalar.h"

/* xoshiro256** by Blackman and Vigna, seeded with splitmix64. */
typedef struct { uint64_t s[4]; } random_state;

static void seed_random(random_state *r, uint64_t seed) {
    int i;
    for (i = 0; i < 4; i++) {
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        r->s[i] = z ^ z >> 31;
    }
}

static uint64_t next_random(random_state *r) {
    uint64_t *s = r->s, mixed = s[1] * 5, shifted = s[1] << 17, result = (mixed << 7 | mixed >> 57) * 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* 0 to n - 1, all equally likely. */
static uint32_t random_below(random_state *r, uint32_t n) {
    uint64_t product;
    do product = (next_random(r) >> 32) * n;
    while ((uint32_t)product < (UINT32_MAX - n + 1) % n);
    return (uint32_t)(product >> 32);
}

/* Cards that can still be drawn; the first `left` of them are in play, in no order. */
typedef struct {
    uint8_t card[52];
    uint32_t left;
} card_pool;

static uint8_t draw_card(card_pool *pool, random_state *r) {
    uint32_t at = random_below(r, pool->left);
    uint8_t card = pool->card[at];
    pool->card[at] = pool->card[--pool->left];
    return card;
}

/* Which of five cards the usual player throws: all that matches nothing; from a straight up, and with four alike, none;
 * without a pair everything but the highest card, or the odd card of four to a flush. At most draw_max, lowest first.
 * Answers a set of places. */
static int usual_discard(const uint8_t *card, int category, int draw_max) {
    int suits[4] = {0}, ranks[13] = {0}, discard = 0, i, thrown = 0, rank, highest = 0;
    for (i = 0; i < 5; i++) {
        suits[card[i] & 3]++;
        ranks[card[i] >> 2]++;
        if (card[i] >> 2 > highest) highest = card[i] >> 2;
    }
    switch (category) {
    case PAIR: case TWO_PAIR: case THREE_OF_A_KIND: case HIGH_CARD: break;
    default: return 0;
    }
    if (category == HIGH_CARD)
        for (i = 0; i < 5; i++)
            if (suits[card[i] & 3] == 4 && draw_max >= 1) {
                int odd;
                for (odd = 0; odd < 5; odd++)
                    if ((card[odd] & 3) != (card[i] & 3)) return 1 << odd;
            }
    for (rank = 0; rank < 13; rank++)
        for (i = 0; i < 5; i++)
            if (card[i] >> 2 == rank && ranks[rank] == 1 && !(category == HIGH_CARD && rank == highest) && thrown < draw_max) {
                discard |= 1 << i;
                thrown++;
            }
    return discard;
}

#endif
