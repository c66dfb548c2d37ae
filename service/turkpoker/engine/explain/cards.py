"""The page's sections on players, deck and hands."""

from __future__ import annotations

from collections.abc import Iterator

from turkpoker.engine.explain.outline import (
    Line,
    Section,
    Setting,
    lowest_rank,
    minor_run,
    paragraph,
    point,
    section,
)
from turkpoker.engine.explain.writing import Count, Ranked, Run, Sentence, Suit, say
from turkpoker.evaluator import RANKINGS

#: Smaller decks hold no five different ranks up to eight.
_SMALLEST_WITH_A_LOW = 40
_ROYAL = "AKQJT"


def players_section(setting: Setting) -> Section:
    """How many play, with which deck, and who deals."""
    rules = setting.rules
    least, most = rules.players
    players = Count(most, "player")
    return section(
        "h_players",
        point(
            say("players_exact", players=players) if least == most else _range(least, players),
            say("players_two_suffice") if least > 2 and rules.match == "session" else None,
        ),
        *_deck(setting),
        point(say(_first_dealer(setting)), say("dealer_moves")),
    )


def _range(least: int, players: Count) -> Sentence:
    return say("players", least=least, players=players)


def _deck(setting: Setting) -> Iterator[Line]:
    rules, sizes = setting.rules, setting.sizes
    minor = "_minor" if rules.minor_straight else ""
    if len(set(sizes.values())) == 1:
        size = next(iter(sizes.values()))
        yield point(say(f"deck_fixed{minor}", **_deck_values(size)))
        return
    yield point(say("deck_by_players"))
    for number, size in sizes.items():
        values = {"players": Count(number, "player"), **_deck_values(size)}
        yield Line("  -", (say(f"deck_line{minor}", **values),))


def _deck_values(size: int) -> dict[str, Count | Run]:
    return {"cards": Count(size, "card"), "lowest": Run(lowest_rank(size)), "run": minor_run(size)}


def _first_dealer(setting: Setting) -> str:
    rules = setting.rules
    if rules.first_dealer == "random":
        return "dealer_random"
    return "dealer_high_card_suits" if rules.tie_break == "suits" else "dealer_high_card"


def hands_section(setting: Setting) -> Section:
    """Which hand beats which, and what happens when none does."""
    rules = setting.rules
    minor = rules.minor_straight
    ranked = [category for category in RANKINGS[rules.ranking] if minor or not category.startswith("minor_")]
    lines = [Line("1.", (say(f"hand_{category}", hand=category, run=Run(_ROYAL)),)) for category in ranked]
    return section(
        "h_hands",
        paragraph(say("ace_minor" if minor else "ace_high"), say("no_corner"), say("order")),
        *lines,
        point(say(f"ranking_{rules.ranking}"), _minor(setting) if minor else None),
        point(say("compare"), *_ties(setting)),
        _low(setting),
    )


def _minor(setting: Setting) -> Sentence:
    return say("minor_above_three" if setting.rules.ranking == "standard" else "minor_lowest")


def _ties(setting: Setting) -> tuple[Sentence | None, ...]:
    rules = setting.rules
    if rules.tie_break == "split":
        return (say("tie_split"),)
    order = rules.suit_order
    return (
        say("tie_suits", suits=Ranked(tuple(Suit(letter) for letter in order))),
        say("tie_suits_how", suit=Suit(order[0])),
        say("tie_suits_minor") if rules.minor_straight else None,
        say("tie_suits_never"),
    )


def _low(setting: Setting) -> Line | None:
    rules = setting.rules
    if rules.hi_lo == "off":
        return None
    if rules.hi_lo == "no_qualifier":
        low = [say("low_any")]
    elif max(setting.sizes.values()) < _SMALLEST_WITH_A_LOW:
        low = [say("low_eight"), say("low_eight_never")]
    else:
        low = [say("low_eight")]
    if rules.tie_break == "suits":
        low.append(say("low_ties"))
    return point(say("low_half"), *low)
