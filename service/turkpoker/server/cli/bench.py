"""``turkpoker bench``: how fast the evaluator is on this machine."""

from __future__ import annotations

import json
import random
import time
from array import array
from collections.abc import Callable
from typing import Any

import click
from turkpoker.evaluator import Evaluator, format_cards

_ROUNDS = 5
_SCALAR_CALLS = 20_000


@click.command("bench")
@click.option(
    "--rows",
    type=click.IntRange(1_000, 16_000_000),
    default=1_000_000,
    show_default=True,
    help="Hands in a batch.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(rows: int, as_json: bool) -> None:
    """Measure batch and single evaluations of random hands; the best of five rounds counts."""
    results: list[tuple[str, float]] = []
    for deck, suits in ((36, False), (36, True), (52, False)):
        evaluator = Evaluator(deck, suit_tiebreak=suits)
        hands = random_hands(deck, rows)
        out = memoryview(array("H", bytes(2 * rows)))
        view = memoryview(hands).cast("B", (rows, 5))
        best = best_of(lambda e=evaluator, v=view, o=out: e.strengths(v, out=o))  # type: ignore[misc]
        name = f"batch, {deck} cards{', suits' if suits else ''}"
        results.append((name, best / rows))
    evaluator = Evaluator(36)
    hand = random_hands(36, 1)
    for form, cards in (("bytes", hand), ("tuple", tuple(hand)), ("text", format_cards(hand))):
        best = best_of(lambda c=cards: repeat(evaluator.strength, c))  # type: ignore[misc]
        results.append((f"single, {form}", best / _SCALAR_CALLS))
    if as_json:
        nanoseconds = {name: round(seconds * 1e9, 3) for name, seconds in results}
        click.echo(json.dumps({"rows": rows, "nanoseconds_per_hand": nanoseconds}))
        return
    for name, seconds in results:
        click.echo(f"{name:<24}{seconds * 1e9:>10.2f} ns a hand{1 / seconds / 1e6:>12.1f} million a second")


def random_hands(deck: int, count: int) -> bytes:
    """Packed random hands; the same ones at every run, since only speed is measured."""
    generator = random.Random(deck)
    cards = range(52 - deck, 52)
    # Distinct hands enough to defeat caches and branch prediction, repeated up to the count.
    some = [bytes(generator.sample(cards, 5)) for _ in range(min(count, 50_000))]
    return (b"".join(some) * (count // len(some) + 1))[: 5 * count]


def best_of(work: Callable[[], object]) -> float:
    """The shortest of some rounds in seconds."""
    times = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def repeat(call: Callable[[Any], object], argument: Any) -> None:
    """Call a function many times."""
    for _ in range(_SCALAR_CALLS):
        call(argument)
