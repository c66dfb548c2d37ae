"""Other evaluators from PyPI, evaluating many five-card hands one by one as their users do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("peers.txt")

#: Evaluates the hands it was made for; answers nothing.
Work = Callable[[], object]


def install(folder: Path) -> None:
    """Install the peers into a folder of their own, unless they are there, and make them importable."""
    mark = folder / REQUIREMENTS.name
    if not mark.exists() or mark.read_text() != REQUIREMENTS.read_text():
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--upgrade",
        ]
        subprocess.run([*command, "--target", folder, "--requirement", REQUIREMENTS], check=True)
        mark.write_text(REQUIREMENTS.read_text())
    sys.path.append(str(folder))


def works(hands: list[list[str]]) -> tuple[dict[str, Work], dict[str, str]]:
    """For each peer that can be imported its work on hands like ``["As", "Kd", ...]``; why others cannot."""
    made: dict[str, Work] = {}
    missing: dict[str, str] = {}
    for name, make in MAKERS.items():
        try:
            made[name] = make(hands)
        except Exception as error:  # whatever a peer raises at import or first use
            missing[name] = f"{type(error).__name__}: {error}"
    return made, missing


def _pkrbot(hands: list[list[str]]) -> Work:
    import pkrbot

    ready = [[pkrbot.Card(card) for card in hand] for hand in hands]
    return lambda: [pkrbot.evaluate(hand) for hand in ready]


def _eval7(hands: list[list[str]]) -> Work:
    import eval7

    ready = [[eval7.Card(card) for card in hand] for hand in hands]
    return lambda: [eval7.evaluate(hand) for hand in ready]


def _phevaluator(hands: list[list[str]]) -> Work:
    from phevaluator.evaluator import evaluate_cards

    ready = [["23456789TJQKA".index(card[0]) * 4 + "cdhs".index(card[1]) for card in hand] for hand in hands]
    return lambda: [evaluate_cards(*hand) for hand in ready]


def _treys(hands: list[list[str]]) -> Work:
    from treys import Card, Evaluator

    ready = [[Card.new(card) for card in hand] for hand in hands]
    five = Evaluator()._five
    return lambda: [five(hand) for hand in ready]


def _pokerkit(hands: list[list[str]]) -> Work:
    from pokerkit import Card, StandardHighHand

    ready = [tuple(Card.parse("".join(hand))) for hand in hands]
    return lambda: [StandardHighHand(hand) for hand in ready]


MAKERS: dict[str, Callable[[list[list[str]]], Work]] = {
    "pkrbot": _pkrbot,
    "eval7": _eval7,
    "phevaluator": _phevaluator,
    "treys": _treys,
    "pokerkit": _pokerkit,
}
