"""Random tables, decks and legal actions, from a seeded generator.

``random_setup`` draws a playable combination of options, stacks and a deck; ``choose`` picks one legal
action.  Both take any ``random.Random``, Hypothesis' shrinkable one included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any

#: Values that change one hand, by option.  Amounts are a few typical ones.
VALUES: dict[str, tuple[Any, ...]] = {
    "deck": ("auto", 24, 28, 32, 36, 40, 44, 48, 52),
    "four_player_deck": (32, 36),
    "ranking": ("turkish", "french", "standard"),
    "minor_straight": ("on", "off"),
    "tie_break": ("split", "suits"),
    "suit_order": ("hsdc", "hdcs", "cdsh"),
    "deal_mode": ("ante", "blind"),
    "ante": (0, 1, 2, 5),
    "blind": (2, 5),
    "stake_min": (1, 2, 5),
    "stake_max": (None, 10, 25),
    "opening_min": (2, 6, "pot"),
    "opening_max": (None, 8, 30),
    "opening_max_pots": (None, 2, 8),
    "opening_requirement": ("none", "J", "Q", "K", "A"),
    "karanlik": ("off", "on"),
    "karanlik_bet": (3, 6),
    "over_blind": (0, 1, 2),
    "limit": ("table", "pot", "jackpot", "none"),
    "min_raise": ("stake_min", "last_raise"),
    "opening_cap_on_carried_pot": ("none", "pot"),
    "draw_max": (4, 5),
    "four_card_draw": ("3+1", "at_once"),
    "draw_start": ("opener", "left_of_dealer"),
    "split_openers": ("unrestricted", "declared_kept_aside", "own_discard_kept"),
    "round2_start": ("opener", "left_of_last_blinder"),
    "all_check_after_draw": ("showdown", "carry"),
    "free_fold_round2": ("yes", "no"),
    "check_raise": ("allowed", "forbidden"),
    "opener_proof": ("showdown_only", "on_request", "to_collect"),
    "false_opening": ("forbid", "penalise"),
    "hi_lo": ("off", "no_qualifier", "eight_or_lower"),
    "entry": ("automatic", "opt_in"),
    "fold_unopened": ("no", "yes"),
    "progressive_openers": ("off", "on"),
    "max_carries": (None, 1, 3),
    "rake_per_mille": (0, 25, 100),
    "rake_cap": (None, 3),
}

#: Options that choose the evaluator's tables, which take long to make: runs keep them for a block of hands.
SLOW_TO_CHANGE = ("deck", "ranking", "minor_straight", "tie_break", "suit_order")
BLOCK = 25

PROFILES = ("turkish", "turkish-pagat", "turkish-online", "french")
#: Six are more than the text provides for; 40 is the smallest deck that serves them.
AUTO_DECK = {2: 24, 3: 28, 4: 32, 5: 36, 6: 40}


@dataclass
class Setup:
    """Everything a hand starts from, plus the seed of its reshuffles."""

    profile: str
    options: dict[str, Any]
    stacks: dict[int, int]
    dealer: int
    deck: list[int] = field(repr=False)
    carried: int = 0
    dead_before: int = 0
    reshuffle_seed: int = 0

    def reshuffler(self) -> Callable[[tuple[int, ...]], list[int]]:
        """A reshuffle that depends on which cards it gets and how often it was called, not on their order."""
        rng = Random(self.reshuffle_seed)

        def reshuffle(pile: Sequence[int]) -> list[int]:
            ordered = sorted(pile)
            rng.shuffle(ordered)
            return ordered

        return reshuffle


def deck_of(options: dict[str, Any], profile: str, players: int) -> int:
    """Size of the deck these options give to that many players."""
    deck = options.get("deck", 52 if profile == "french" else "auto")
    if deck == "auto":
        return int(options.get("four_player_deck", 32)) if players == 4 else AUTO_DECK[players]
    return int(deck)


def playable(options: dict[str, Any], profile: str, players: int) -> bool:
    """Whether a table with these options can be played by that many."""
    french = profile == "french"
    if options.get("karanlik") == "on" and options.get("deal_mode") == "blind":
        return False
    draw_max = options.get("draw_max", 5 if french else 4)
    if deck_of(options, profile, players) - 5 * players < 2 * draw_max:
        return False
    least, most, limit = options.get("opening_min"), options.get("opening_max"), options.get("stake_max")
    if isinstance(least, int) and most is not None and most < least:
        return False
    return limit is None or limit >= options["stake_min"]


def random_options(
    rng: Random, profile: str, players: int, change: float, fixed: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Options changed each with probability ``change``; None when so many cannot play with them."""
    options = {name: rng.choice(values) for name, values in VALUES.items() if rng.random() < change}
    options.setdefault("stake_min", rng.choice((1, 2, 5)))
    options.setdefault("ante", rng.choice((1, 2, 5)))
    options |= fixed
    # Fewer or more than the profile seats by itself.
    if (players > 5 and profile != "french") or (players < 3 and profile == "french"):
        options["players"] = f"2-{players}"
    return options if playable(options, profile, players) else None


def random_stacks(rng: Random, players: int) -> list[int]:
    kind = rng.randrange(4)
    if kind == 0:
        return [rng.choice((20, 50, 100))] * players
    top = (12, 60, 400)[kind - 1]
    return [rng.randint(1, rng.choice((top, top, 12))) for _ in range(players)]


def random_table_stacks(rng: Random, players: int) -> dict[int, int]:
    """Chips by seat, clockwise: mostly 0, 1, 2 ..., else some of six seats from anywhere, bust ones too."""
    chips = random_stacks(rng, players)
    if rng.random() < 0.6:
        return dict(enumerate(chips))
    bust = rng.randint(0, 6 - players) if rng.random() < 0.4 else 0
    chips += [0] * bust
    rng.shuffle(chips)
    seats = sorted(rng.sample(range(6), players + bust))
    at = rng.randrange(len(seats))
    return dict(zip(seats[at:] + seats[:at], chips, strict=True))


def random_deck(rng: Random, size: int, players: int) -> list[int]:
    """A shuffled deck; now and then one that deals the same ranks to several players."""
    deck = list(range(52 - size, 52))
    rng.shuffle(deck)
    if rng.random() < 0.85 or players > 4:
        return deck
    ranks = rng.sample(range((52 - size) // 4, 13), 5)
    if players == 2 and rng.random() < 0.5:
        ranks[1] = ranks[0]
    hands: list[list[int]] = [[] for _ in range(players)]
    free = {rank: rng.sample(range(4), 4) for rank in set(ranks)}
    for rank in ranks:
        for hand in hands:
            hand.append(rank * 4 + free[rank].pop())
    dealt = [hand[place] for place in range(5) for hand in hands]
    return dealt + [card for card in deck if card not in dealt]


def fixed_for_block(run: str, number: int) -> dict[str, Any]:
    """The slow options for the block of hands that this one belongs to."""
    block = Random(f"block {run} {number // BLOCK}")
    return {name: block.choice(VALUES[name]) for name in SLOW_TO_CHANGE}


def random_setup(
    rng: Random,
    profile: str | None = None,
    change: float = 0.25,
    fixed: Mapping[str, Any] = MappingProxyType({}),
) -> Setup:
    """A playable table.

    ``profile`` alone with ``change=0`` gives the profile with other amounts only; ``fixed`` options stay.
    """
    options = None
    while options is None:
        chosen = profile or rng.choice(PROFILES)
        players = rng.randint(3, 6) if chosen == "french" else rng.randint(2, 5)
        if change > 0.5:
            players = rng.randint(2, 6)
        options = random_options(rng, chosen, players, change, fixed)
    carried = rng.choice((0, 0, 0, 5, 17, 30))
    size = deck_of(options, chosen, players)
    stacks = random_table_stacks(rng, players)
    return Setup(
        chosen,
        options,
        stacks,
        rng.choice(list(stacks)),
        random_deck(rng, size, players),
        carried,
        rng.choice((1, 1, 2, 5)) if carried else 0,
        rng.getrandbits(32),
    )


@dataclass(frozen=True)
class Style:
    """How likely a random player is to do what; weights, not probabilities."""

    weights: dict[str, float]
    big: float
    many: float

    @classmethod
    def random(cls, rng: Random) -> Style:
        loose = rng.choice((0.1, 0.4, 1.5))
        bold = rng.choice((0.1, 0.5, 1.5))
        weights = {
            "fold": loose,
            "call": 2.0,
            "check": rng.choice((0.3, 1.0, 2.0)),
            "raise": bold,
            "bet": bold,
            "open": 3.0,
            "enter": 4.0,
            "stay_out": 0.7,
            "over_blind": 1.0,
            "karanlik": 1.5,
            "decline": 1.0,
            "ask_proof": 0.4,
            "pass": 1.0,
            "draw": 1.0,
        }
        return cls(weights, rng.choice((0.05, 0.3)), rng.choice((0.3, 0.9)))


def choose(
    rng: Random, style: Style, legal: dict[str, Any], held: Sequence[int]
) -> tuple[str, int | None, tuple[int, ...]]:
    """One legal action: its name, its total for bets, its discards for draws."""
    names = sorted(legal)
    action = rng.choices(names, [style.weights.get(name, 1.0) for name in names])[0]
    if action == "draw":
        most = legal["draw"][1]
        count = most if rng.random() < style.many else rng.randint(0, most)
        return action, None, tuple(rng.sample(list(held), count))
    if action in {"open", "bet", "raise"}:
        return action, _amount(rng, style, *legal[action]), ()
    return action, None, ()


def _amount(rng: Random, style: Style, low: int, high: int) -> int:
    luck = rng.random()
    if luck < style.big:
        return high
    if luck < 0.6:
        return low
    if luck < 0.9:
        return min(high, low + rng.randint(0, 6))
    return rng.randint(low, high)
