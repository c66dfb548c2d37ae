"""How many hands a second the engine plays, beside PokerKit's five-card draw.

    python tests/bench/bench_engine.py [ROUNDS]

Four players, random legal actions, whole hands, nothing but the engine; both are driven by the same kind of
loop and take turns, so that a busy machine is as bad for the one as for the other. Printed are the best
rounds of each, in CPU time. What was measured, and what was tried, lies in ``results/engine-<commit>.md``.
"""

from __future__ import annotations

import random
import sys
import warnings
from time import process_time

import pokerkit
from turkpoker.engine import Action, Hand, Rules
from turkpoker.evaluator import deck_cards

HANDS = 150


def play_turkpoker(seed: int) -> tuple[float, int]:
    """Seconds and operations of ``HANDS`` hands; anybody may open, so that hands are as long as
    PokerKit's."""
    rng = random.Random(seed)
    pick = rng.random
    rules = Rules.profile("turkish", opening_requirement="none")
    cards = list(deck_cards(rules.deck_size(4)))
    operations = 0
    start = process_time()
    for number in range(HANDS):
        deck = cards[:]
        rng.shuffle(deck)
        hand = Hand(rules, (100, 100, 100, 100), number % 4, deck, reshuffle=lambda pile: pile)
        while (seat := hand.to_act) is not None:
            legal = hand.legal(seat)
            names = list(legal)
            name = names[int(pick() * len(names))]
            amount = legal[name]
            if name == "draw":
                own = hand.cards_of(seat)
                action = Action(seat, name, cards=own[: int(pick() * 5)])
            elif isinstance(amount, tuple):
                action = Action(seat, name, amount[0])
            else:
                action = Action(seat, name)
            hand.apply(action)
            operations += 1
    return process_time() - start, operations


def play_pokerkit(seed: int) -> tuple[float, int]:
    """The same with PokerKit: no-limit five-card draw with an ante, everything automated but decisions."""
    rng = random.Random(seed)
    pick = rng.random
    automations = tuple(
        getattr(pokerkit.Automation, name)
        for name in (
            "ANTE_POSTING",
            "BET_COLLECTION",
            "BLIND_OR_STRADDLE_POSTING",
            "CARD_BURNING",
            "HOLE_DEALING",
            "HOLE_CARDS_SHOWING_OR_MUCKING",
            "HAND_KILLING",
            "CHIPS_PUSHING",
            "CHIPS_PULLING",
        )
    )
    streets = (
        pokerkit.Street(False, (False,) * 5, 0, False, pokerkit.Opening.POSITION, 2, None),
        pokerkit.Street(True, (), 0, True, pokerkit.Opening.POSITION, 2, None),
    )
    operations = 0
    start = process_time()
    for _ in range(HANDS):
        state = pokerkit.State(
            automations,
            pokerkit.Deck.STANDARD,
            (pokerkit.StandardHighHand,),
            streets,
            pokerkit.BettingStructure.NO_LIMIT,
            True,
            1,
            (0, 0, 0, 0),
            0,
            (100,) * 4,
            4,
        )
        while state.status:
            operations += 1
            drawer = state.stand_patter_or_discarder_index
            if drawer is not None:
                state.stand_pat_or_discard(tuple(state.hole_cards[drawer][: int(pick() * 5)]))
                continue
            ways = []
            if state.can_check_or_call():
                ways.append(state.check_or_call)
            if state.can_fold():
                ways.append(state.fold)
            if state.can_complete_bet_or_raise_to():
                ways.append(state.complete_bet_or_raise_to)
            ways[int(pick() * len(ways))]()
    return process_time() - start, operations


def main(rounds: int) -> None:
    """Play in turns and print the best of each."""
    warnings.simplefilter("ignore")
    players = {"turkpoker": play_turkpoker, "pokerkit": play_pokerkit}
    best: dict[str, tuple[float, float]] = {}
    for seed in range(rounds):
        for name, play in players.items():
            seconds, operations = play(seed)
            best[name] = max(best.get(name, (0.0, 0.0)), (operations / seconds, operations / HANDS))
    for name, (speed, length) in best.items():
        print(
            f"{name:10} {speed / length:8.0f} hands/s of {length:.1f} operations ({speed:8.0f} operations/s)"
        )
    print(f"ratio      {best['turkpoker'][0] / best['pokerkit'][0]:8.1f} in operations a second")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
