"""Faults of other engines in the draw, as small inputs with the right result (cases D1 to D3)."""

from __future__ import annotations

import pytest
from engine.playing import asked, fingerprint, held, legal, play, stacked_deck, start
from turkpoker.engine import Action, Hand, Refused, Rules
from turkpoker.evaluator import parse_cards

THREE_HANDS = ("Ks Kh 9d 9h 8s", "Qs Qh Jd Td 8d", "Js Jh Tc 9c 8c")


def test_d1_the_discards_become_the_stock_and_no_card_exists_twice() -> None:
    rules = Rules.profile("turkish", ante=1, stake_min=2)
    hands = ("Ks Kh 7d 8d 9h", "Kd Kc 7h 8h 9s", "As Ah 7s 8s 9d", "Qs Qh 7c 8c 9c")
    stock = "Ad Ac Qd Qc Js Jh Jd Jc Ts Th Td Tc"
    piles: list[tuple[int, ...]] = []

    def reshuffle(pile: tuple[int, ...]) -> list[int]:
        piles.append(tuple(pile))
        return sorted(pile)

    hand = Hand(rules, [50] * 4, 3, stacked_deck(32, 3, hands, stock), reshuffle=reshuffle)
    play(hand, "A open 2", "B call", "C call", "D call")
    # A, B, C take 3 + 3 + 3, D the last 3 of the 12; the fourth cards come from the discards.
    play(hand, "A draw Kh 7d 8d 9h", "B draw Kc 7h 8h 9s", "C draw Ah 7s 8s 9d")
    assert piles == []
    play(hand, "D draw Qh 7c 8c 9c")
    # Whoever gets his fourth card first, A, throws none of his own into the pile.
    assert [sorted(pile) for pile in piles] == [
        sorted(parse_cards("Kc 7h 8h 9s Ah 7s 8s 9d Qh 7c 8c 9c")),
    ]
    fourth = sorted(piles[0])[:4]
    play(hand, "A check", "B check", "C check", "D check")
    result = hand.result
    everywhere = [card for cards in result.hands.values() for card in cards]
    assert len(set(everywhere)) == len(everywhere) == 20
    for seat, card in enumerate(fourth):
        assert card in result.hands[seat]
        assert set(result.hands[seat]) <= set(parse_cards(hands[seat])[:1]) | set(parse_cards(stock)) | {card}


@pytest.mark.parametrize(
    ("cards", "why"),
    [
        ("9d 9d", "the same card twice"),
        ("Qs", "another player's card"),
        ("Ad", "a card of the stock"),
        ("Ks Kh 9d 9h 8s", "five where four are the most"),
        ("2c", "a card outside the deck"),
    ],
)
def test_d2_impossible_discards_are_refused_and_leave_the_hand_unchanged(cards: str, why: str) -> None:
    hand = start([50] * 3, THREE_HANDS, ante=1, stake_min=2)
    play(hand, "A open 2", "B call", "C call")
    before = fingerprint(hand)
    with pytest.raises(Refused) as caught:
        hand.apply(Action(0, "draw", cards=parse_cards(cards) if cards != "9d 9d" else parse_cards("9d") * 2))
    assert caught.value.reason == "bad_cards", why
    assert fingerprint(hand) == before


def test_d2_drawing_twice_or_a_card_already_thrown_is_refused() -> None:
    hand = start([50] * 3, THREE_HANDS, ante=1, stake_min=2)
    play(hand, "A open 2", "B call", "C call", "A draw 9d 9h 8s")
    before = fingerprint(hand)
    for cards in ("9d", "Ks"):
        with pytest.raises(Refused) as caught:
            hand.apply(Action(0, "draw", cards=parse_cards(cards)))
        assert caught.value.reason == "not_your_turn"
    with pytest.raises(Refused) as caught:
        hand.apply(Action(1, "draw", cards=parse_cards("9d")))
    assert caught.value.reason == "bad_cards"
    assert fingerprint(hand) == before


def test_d3_the_opener_is_the_first_bettor_before_the_draw_whatever_is_bet_after_it() -> None:
    hands = ("Qs Jh 9d Td 8s", "Ks Kh Jd 9c 8d", "As Ah Tc 9h 8c")
    hand = start([100] * 3, hands, profile="turkish-pagat", ante=1, stake_min=2)
    play(hand, "A check", "B open 2", "C raise 6", "A fold", "B call")
    play(hand, "B draw", "C draw")
    assert asked(hand) == "B"
    play(hand, "B check", "C bet 10", "B fold")
    # C won by folds, but only the opener B can be asked to prove; C, who bet last, may ask him.
    assert hand.phase == "proof"
    assert set(hand.asked) == {0, 2}
    assert legal(hand, "B") == {}
    play(hand, "C ask_proof")
    proved = [event for event in hand.events if event.name == "openers_proved"]
    assert [(event.seat, sorted(event.cards)) for event in proved] == [(1, sorted(parse_cards("Ks Kh")))]
    assert hand.result.over == "folds"
    assert held(hand, "C") == sorted(["As", "Ah", "Tc", "9h", "8c"])
