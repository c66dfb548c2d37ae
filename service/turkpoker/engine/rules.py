"""The rules of a table as one value.

``Rules`` holds every option of the rules text. It is frozen, hashable and made in one way only, from a
profile and what a table changes of it, so that each value has been read and each combination judged. What
can not be played is refused with the field and the reason; what is odd but playable is accepted, and
``warnings`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

from turkpoker.engine.combinations import refuse_unplayable, warnings_of
from turkpoker.engine.errors import RulesError
from turkpoker.engine.levels import Level
from turkpoker.engine.options import MAX_PLAYERS, OPTIONS, Json, read_option
from turkpoker.engine.profiles import DERIVED, PRESETS, PROFILES, default_option
from turkpoker.evaluator import Evaluator

_REQUIREMENT_RANKS = {"J": 9, "Q": 10, "K": 11, "A": 12}
_ACE = 12
#: Options whose default is the same whatever the others are.
_FIXED = dict.fromkeys(name for name in OPTIONS if name not in {*DERIVED, "players", "round2_start"})
#: Options whose default follows another way to play.
_FOLLOWING = frozenset({"players", "round2_start", "rebuy"})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every option of a table; the fields are named as in the rules text. Amounts are whole chips.

    Make one with ``Rules.profile`` (or ``Rules.preset``), never by hand.
    """

    profile_name: str
    players: tuple[int, int]
    deck: int | None  # None: by the number of players dealt in
    four_player_deck: int
    ranking: Literal["turkish", "french", "standard"]
    minor_straight: bool
    tie_break: Literal["split", "suits"]
    deal_mode: Literal["ante", "blind"]
    ante: int
    blind: int
    stake_min: int
    buy_in_min: int
    buy_in_max: int
    start_stack: int
    stake_max: int | None
    opening_min: int | Literal["pot"]
    opening_max: int | None
    opening_requirement: Literal["none", "J", "Q", "K", "A"]
    unopened: Literal["carry_and_reante"]
    karanlik: bool
    karanlik_bet: int
    over_blind: int
    limit: Literal["table", "pot", "jackpot", "none"]
    min_raise: Literal["stake_min", "last_raise"]
    opening_cap_on_carried_pot: Literal["none", "pot"]
    draw_max: int
    four_card_draw: Literal["3+1", "at_once"]
    draw_start: Literal["opener", "left_of_dealer"]
    stock_exhaustion: Literal["reshuffle"]
    split_openers: Literal["unrestricted", "declared_kept_aside", "own_discard_kept"]
    round2_start: Literal["opener", "left_of_last_blinder"]
    all_check_after_draw: Literal["showdown", "carry"]
    free_fold_round2: bool
    check_raise: Literal["allowed", "forbidden"]
    opener_proof: Literal["showdown_only", "on_request", "to_collect"]
    proof_window: timedelta
    carried_pot_entry: Literal["open", "missed_antes"]
    levels: tuple[Level, ...]
    false_opening: Literal["forbid", "penalise"]
    hi_lo: Literal["off", "no_qualifier", "eight_or_lower"]
    first_dealer: Literal["high_card", "random"]
    match: Literal["session", "tournament"]
    rebuy: Literal["none", "when_bust", "between_deals"]
    entry: Literal["automatic", "opt_in"]
    fold_unopened: bool
    opening_max_pots: int | None
    buy_in_min_antes: int | None
    buy_in_max_antes: int | None
    suit_order: str
    progressive_openers: bool
    max_carries: int | None
    rake_per_mille: int
    rake_cap: int | None
    action_clock: timedelta
    time_bank: timedelta
    # Hash of the values, made once: rules are keys of caches that a playing loop asks.
    _hash: int = field(default=0, compare=False, repr=False)
    #: What hands of so many players look up (``plan.plan_for``); no part of the value.
    plans: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_options, (self.profile_name, self.to_options())

    @staticmethod
    def profile(name: str = "turkish", /, **options: object) -> Rules:
        """A profile with the options that a table changes.

        Args:
            name: ``turkish``, ``turkish-pagat``, ``turkish-online`` or ``french``.
            options: values by option name, as ``Rules`` fields, JSON values or text.

        Raises:
            RulesError: an unknown name or value, or a combination that cannot be played.
        """
        if not isinstance(name, str) or name not in PROFILES:
            raise RulesError("profile", f"must be one of {', '.join(PROFILES)}")
        given = {option: read_option(option, value) for option, value in options.items()}
        values = {
            option: given[option] if option in given else _default(name, option, given) for option in OPTIONS
        }
        if "players" not in given:
            values["players"] = _players_for_deck(values)
        return _made(name, tuple(values.values()))

    @staticmethod
    def preset(name: str, /, **options: object) -> Rules:
        """A house rule by name (``PRESETS``), with further changes.

        Raises:
            RulesError: as for ``profile``.
        """
        if name not in PRESETS:
            raise RulesError("preset", f"must be one of {', '.join(PRESETS)}")
        profile, changes = PRESETS[name]
        return Rules.profile(profile, **{**changes, **options})

    def changed(self, **options: object) -> Rules:
        """These rules with other values for some options, and every amount as it is.

        Only what follows from a way to play (``_FOLLOWING``) follows the new one, unless it was chosen.

        Raises:
            RulesError: as for ``profile``.
        """
        chosen = self.to_options()
        kept = {
            name: OPTIONS[name].write(getattr(self, name))
            for name in OPTIONS
            if name not in _FOLLOWING or name in chosen
        }
        return Rules.profile(self.profile_name, **{**kept, **options})

    def chosen(self, name: str) -> bool:
        """Whether an option has another value than the profile and all the other options give it.

        Raises:
            RulesError: there is no such option.
        """
        if name not in OPTIONS:
            raise RulesError(str(name)[:60], "no such option")
        others = {option: getattr(self, option) for option in OPTIONS if option != name}
        value = _default(self.profile_name, name, others)
        if name == "players":
            value = _players_for_deck(others | {name: value})
        return bool(value != getattr(self, name))

    def option(self, name: str) -> Json:
        """The value of an option as the rules text writes it, ready for JSON.

        Raises:
            RulesError: there is no such option.
        """
        if name not in OPTIONS:
            raise RulesError(str(name)[:60], "no such option")
        return OPTIONS[name].write(getattr(self, name))

    def to_options(self) -> dict[str, Json]:
        """What differs from the profile, so that ``Rules.profile(r.profile_name, **r.to_options()) == r``."""
        return dict(self._options)

    @cached_property
    def _options(self) -> dict[str, Json]:
        profile = self.profile_name
        given = {
            name: value for name in _FIXED if (value := getattr(self, name)) != _default(profile, name, {})
        }
        following = [name for name in OPTIONS if name not in _FIXED]
        while True:
            # A given value changes what follows from it, so look again until nothing is left to say.
            base = {name: _default(profile, name, given) for name in following}
            if "players" not in given:
                decks = {name: getattr(self, name) for name in ("deck", "four_player_deck", "draw_max")}
                base["players"] = _players_for_deck(base | decks)
            base.update(given)
            changed = next((name for name in following if base[name] != getattr(self, name)), None)
            if changed is None:
                return {name: OPTIONS[name].write(value) for name, value in given.items()}
            given[changed] = getattr(self, changed)

    def deck_size(self, dealt_in: int) -> int:
        """The number of cards for a number of players dealt in.

        Raises:
            RulesError: the deck does not serve so many.
        """
        size = _deck_size(self.deck, self.four_player_deck, dealt_in)
        if not 2 <= dealt_in <= MAX_PLAYERS:
            raise RulesError("players", f"a hand needs 2 to {MAX_PLAYERS} players, not {dealt_in}")
        if size < 5 * dealt_in + 2 * self.draw_max:
            raise RulesError(
                "players",
                f"{size} cards do not serve {dealt_in} players who draw up to {self.draw_max}: "
                f"at least {5 * dealt_in + 2 * self.draw_max} are needed",
            )
        return size

    def evaluator(self, dealt_in: int) -> Evaluator:
        """The evaluator of hands dealt to a number of players."""
        return Evaluator(
            self.deck_size(dealt_in),
            self.ranking,
            self.minor_straight,
            self.tie_break == "suits",
            self.suit_order,
        )

    def requirement_rank(self, dead_before: int = 0) -> int | None:
        """The rank (0 two .. 12 ace) of the lowest pair that opens an ante deal, ``None`` if any hand does.

        Args:
            dead_before: dead hands in a row before this one; they count with ``progressive_openers``.
        """
        rank = _REQUIREMENT_RANKS.get(self.opening_requirement)
        if rank is not None and self.progressive_openers:
            return min(_ACE, rank + dead_before)
        return rank

    def at_level(self, number: int) -> Rules:
        """These rules with the stakes of a level counted from 0; beyond the last one the last one's.

        Amounts that follow the minimum bet follow the level's.
        """
        if not self.levels:
            return self
        level = self.levels[min(number, len(self.levels) - 1)]
        found = self._of_stakes.get(level.stakes)
        if found is None:
            found = self._of_stakes[level.stakes] = _with_levels(self._with_stakes(level), self.levels)
        return found

    @cached_property
    def _of_stakes(self) -> dict[tuple[int, int, int], Rules]:
        """The rules of the levels that have been played."""
        return {}

    def _with_stakes(self, level: Level) -> Rules:
        """These rules with other stakes and no levels, which would be held against themselves.

        Raises:
            RulesError: they cannot be played.
        """
        ante, blind, stake_min = level.stakes
        stakes = {"ante": ante, "blind": blind, "stake_min": stake_min}
        chips = {name: getattr(self, name) for name in ("buy_in_min", "buy_in_max", "start_stack")}
        return Rules.profile(self.profile_name, **{**self.to_options(), **stakes, **chips, "levels": "none"})

    def _refuse_unplayable_levels(self) -> None:
        judged = set()
        for number, level in enumerate(self.levels, 1):
            if level.stakes not in judged:
                judged.add(level.stakes)
                try:
                    self._with_stakes(level)
                except RulesError as error:
                    raise RulesError("levels", f"level {number} cannot be played: {error}") from None

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about these rules although they can be played, in sentences."""
        return warnings_of(self)


@lru_cache(maxsize=1024)
def _made(name: str, values: tuple[Any, ...]) -> Rules:
    """Rules of these values, judged once; equal ones are one object while they are in use.

    Raises:
        RulesError: they cannot be played.
    """
    rules = _built(name, values)
    refuse_unplayable(rules)
    rules._refuse_unplayable_levels()
    return rules


def _built(name: str, values: tuple[Any, ...]) -> Rules:
    rules = Rules(profile_name=name, **dict(zip(OPTIONS, values, strict=True)))
    object.__setattr__(rules, "_hash", hash((name, *values)))
    return rules


def _with_levels(rules: Rules, levels: tuple[Level, ...]) -> Rules:
    values = tuple(levels if name == "levels" else getattr(rules, name) for name in OPTIONS)
    return _built(rules.profile_name, values)


def _default(profile: str, name: str, given: Mapping[str, Any]) -> Any:
    """The value that an option has when only these are given."""
    return (
        _fixed_default(profile, name)
        if name in _FIXED
        else read_option(name, default_option(profile, name, given))
    )


@cache
def _fixed_default(profile: str, name: str) -> Any:
    return read_option(name, default_option(profile, name, {}))


def _from_options(profile: str, options: dict[str, Json]) -> Rules:
    return Rules.profile(profile, **options)


def _deck_size(deck: int | None, four_player_deck: int, dealt_in: int) -> int:
    """Automatic decks grow by one rank a player (24 for two); six players follow the same step."""
    if deck is not None:
        return deck
    return four_player_deck if dealt_in == 4 else 16 + 4 * dealt_in


def _unserved(values: dict[str, Any], dealt_in: int) -> bool:
    size = _deck_size(values["deck"], values["four_player_deck"], dealt_in)
    return bool(size < 5 * dealt_in + 2 * values["draw_max"])


def _players_for_deck(values: dict[str, Any]) -> tuple[int, int]:
    """The profile's range of players, cut down to those whom the chosen deck serves."""
    least, most = values["players"]
    while most > least and _unserved(values, most):
        most -= 1
    return least, most
