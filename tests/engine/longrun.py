"""A long run of random hands: every option, every profile, engine and reference side by side.

    python tests/engine/longrun.py --hands 1000000 --seed 1

Each hand is played in the engine and in the reference and compared at every step; the books (chips and cards)
are kept over the engine's events; now and then the record is replayed and the viewers' events are checked.
Every half minute it tells how far it is. At the end it reports how the hands ended and which pairs of option
values stood together in how many finished hands. Exit code 1 when anything differed or a possible pair came
up too rarely, 2 for bad input.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.ledger import Ledger
from engine.option_pairs import TABLE_VALUES, PairCoverage, random_table_options
from engine.random_hands import Setup, Style, choose, fixed_for_block, random_setup
from engine.side_by_side import DifferenceError, Pair
from engine.test_property_hands import same_again
from engine.test_property_views import Entitled, check_view
from turkpoker.engine import RulesError

MAX_STEPS = 1500
PROGRESS_EVERY = 30.0


def random_table(rng: Random, seed: int, number: int) -> Setup:
    """Any options together, those of the table included."""
    setup = random_setup(rng, None, 1.0 if rng.random() < 0.8 else 0.3, fixed_for_block(str(seed), number))
    setup.options |= random_table_options(rng)
    players = [span for span in TABLE_VALUES["players"] if serves(setup, span)]
    if players:
        setup.options["players"] = rng.choice(players)
    return setup


def serves(setup: Setup, span: str) -> bool:
    """Whether a table for so many can be made and has room for the players of this hand."""
    least, most = map(int, span.split("-"))
    playing = sum(chips > 0 for chips in setup.stacks.values())
    if not least <= playing <= most:
        return False
    draw_max = setup.options.get("draw_max", 5 if setup.profile == "french" else 4)
    deck = setup.options["deck"]
    sizes = {2: 24, 3: 28, 4: setup.options.get("four_player_deck", 32), 5: 36, 6: 40}
    return all(
        (sizes[count] if deck == "auto" else deck) >= 5 * count + 2 * draw_max
        for count in range(least, most + 1)
    )


def play_checked(rng: Random, setup: Setup, thorough: bool) -> Pair:
    """One hand, compared and checked at every step."""
    pair = Pair(setup)
    ledger = Ledger(setup.stacks, setup.carried, setup.deck)
    ledger.follow(pair.hand)
    style = Style.random(rng)
    leaving = rng.choice((0.0, 0.0, 0.0, 0.06))
    reference = pair.reference
    entitled = Entitled(tuple(setup.stacks))
    taken = 0
    for _ in range(MAX_STEPS):
        if thorough:
            for event in pair.hand.events[taken:]:
                entitled.take(event)
                taken += 1
            for viewer in (None, *setup.stacks):
                check_view(pair.hand, viewer, entitled)
        if reference.over is not None:
            if thorough:
                same_again(pair.hand)
            return pair
        stay = [seat for seat in reference.seats if seat not in reference.left]
        if stay and rng.random() < leaving:
            pair.apply(rng.choice(stay), "leave")
        else:
            seat = rng.choice(reference.all_asked())
            pair.apply(seat, *choose(rng, style, reference.legal(seat), reference.hands.get(seat, ())))
        ledger.follow(pair.hand)
    raise DifferenceError(f"the hand does not end: {setup!r}")


def run(hands: int, seed: int, least: int, first: int = 0, every: int = 20, progress: bool = True) -> int:
    """Plays the hands ``first`` to ``first + hands - 1`` of a seed and reports; the exit code."""
    coverage = PairCoverage()
    ended: Counter[str] = Counter()
    happened: Counter[str] = Counter()
    failures: list[str] = []
    begun = shown = time.monotonic()
    for number in range(first, first + hands):
        rng = Random(f"{seed} {number}")
        setup = random_table(rng, seed, number)
        try:
            pair = play_checked(rng, setup, thorough=number % every == 0)
        except (AssertionError, RulesError) as error:
            failures.append(f"hand {number}: {error}")
            if len(failures) >= 10:
                break
            continue
        coverage.count(pair.rules)
        ended[str(pair.reference.over)] += 1
        happened.update({entry[0] for entry in pair.reference.log})
        happened["side pots"] += len(pair.reference.pots) > 1
        if progress and time.monotonic() - shown > PROGRESS_EVERY:
            shown = time.monotonic()
            played = number + 1 - first
            rate = played / (shown - begun)
            done = f"{played} of {hands} hands of seed {seed}, {rate:.0f} a second"
            print(f"{done}, {len(failures)} differences", file=sys.stderr, flush=True)
    part = f" from hand {first}" if first else ""
    print(f"hands {sum(ended.values())}, seed {seed}{part}, {time.monotonic() - begun:.0f} s")
    print("ended: " + ", ".join(f"{name} {count}" for name, count in ended.most_common()))
    print("hands with: " + ", ".join(f"{name} {count}" for name, count in happened.most_common()))
    lines, short = coverage.report(least)
    print("\n".join(lines))
    print(f"differences: {len(failures)}")
    print("\n".join(failures))
    return 1 if failures or short else 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Random hands, engine and reference side by side.")
    parser.add_argument("--hands", type=int, default=20_000, help="how many hands (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the run (default 1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand, to run a part")
    parser.add_argument("--least", type=int, default=20, help="hands wanted for each pair (default 20)")
    given = parser.parse_args(arguments)
    if given.hands < 1 or given.least < 0 or given.first < 0:
        parser.error("--hands must be at least 1, --least and --first not negative")
    return run(given.hands, given.seed, given.least, given.first)


if __name__ == "__main__":
    sys.exit(main())
