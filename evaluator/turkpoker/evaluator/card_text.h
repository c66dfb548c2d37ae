/* Reading card ids from text: the usual spelling only. Whatever else there is goes to parse_cards, which also explains. */
#ifndef TURKPOKER_CARD_TEXT_H
#define TURKPOKER_CARD_TEXT_H

#include <stddef.h>
#include <stdint.h>

static int rank_of_letter(unsigned char letter) {
    switch (letter) {
    case 'T': case 't': return 8;
    case 'J': case 'j': return 9;
    case 'Q': case 'q': return 10;
    case 'K': case 'k': return 11;
    case 'A': case 'a': return 12;
    default: return letter >= '2' && letter <= '9' ? letter - '2' : -1;
    }
}

static int suit_of_letter(unsigned char letter) {
    switch (letter) {
    case 'c': case 'C': return 0;
    case 'd': case 'D': return 1;
    case 's': case 'S': return 2;
    case 'h': case 'H': return 3;
    default: return -1;
    }
}

/* Exactly five cards, with or without blanks between them. Answers 1, or 0 for anything else. */
static int read_five_cards(const unsigned char *text, ptrdiff_t length, uint8_t *ids) {
    ptrdiff_t at = 0;
    int n;
    for (n = 0; n < 5; n++) {
        int rank, suit;
        while (at < length && text[at] == ' ') at++;
        if (length - at < 2) return 0;
        rank = rank_of_letter(text[at]);
        suit = suit_of_letter(text[at + 1]);
        if (rank < 0 || suit < 0) return 0;
        ids[n] = (uint8_t)(4 * rank + suit);
        at += 2;
    }
    return at == length;
}

#endif
