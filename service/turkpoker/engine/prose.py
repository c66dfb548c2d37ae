"""The rules of one table for people, in their language, made from the rules object alone.

Each sentence hangs on the options it tells of, so the page cannot say what the table does not play. The
sentences stand in ``texts/<language>.json``, one file a language with the same keys; names of hands, suits
and ranks come from ``turkpoker.evaluator.names``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files

from turkpoker.engine.options import OPTIONS
from turkpoker.engine.rules import Rules
from turkpoker.evaluator import RANKINGS, names

LANGUAGES = names.LANGUAGES


@dataclass(frozen=True, slots=True)
class RulesPage:
    """A page of rules: a title, and sections of a heading and its sentences."""

    language: str
    title: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]

    def text(self) -> str:
        """The page as plain text."""
        parts = [self.title, "=" * len(self.title)]
        for heading, sentences in self.sections:
            parts += ["", heading, "-" * len(heading), *sentences]
        return "\n".join(parts) + "\n"


@cache
def _texts(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(
        files(__package__).joinpath("texts", f"{language}.json").read_text("utf-8")
    )
    return found


def rules_page(rules: Rules, language: str = "en") -> RulesPage:
    """The rules of a table as a page for people.

    Args:
        rules: the table's.
        language: one of ``LANGUAGES``.

    Raises:
        ValueError: there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}: choose {', '.join(LANGUAGES)}")
    writer = _Writer(rules, language)
    sections = (
        ("h_game", writer.game()),
        ("h_hands", writer.hands()),
        ("h_deal", writer.deal()),
        ("h_opening", writer.opening()),
        ("h_betting", writer.betting()),
        ("h_draw", writer.draw()),
        ("h_round2", writer.round2()),
        ("h_end", writer.end()),
        ("h_match", writer.match()),
    )
    texts = _texts(language)
    written = [(texts[heading], tuple(sentences)) for heading, sentences in sections]
    return RulesPage(language, rules.profile_name, tuple(part for part in written if part[1]))


class _Writer:
    """Chooses the sentences of each section."""

    def __init__(self, rules: Rules, language: str) -> None:
        self.rules = rules
        self.language = language
        self.texts = _texts(language)
        self.blind = rules.deal_mode == "blind"

    def say(self, key: str, **values: object) -> str:
        return self.texts[key].format(**values)

    def game(self) -> Iterator[str]:
        r = self.rules
        least, most = r.players
        yield self.say("players", least=least, most=most)
        if r.deck is None:
            sizes = ", ".join(
                self.say("deck_size_of", players=n, cards=r.deck_size(n)) for n in range(2, most + 1)
            )
            yield self.say("deck_auto", sizes=sizes)
        else:
            lowest = names.rank_name(13 - r.deck // 4, self.language)
            yield self.say("deck_fixed", cards=r.deck, lowest=lowest)
        yield self.say("dealer_high" if r.first_dealer == "high_card" else "dealer_random")

    def hands(self) -> Iterator[str]:
        r = self.rules
        yield self.say("minor_on" if r.minor_straight else "minor_off")
        ranked = [
            names.hand_name(category, self.language)
            for category in RANKINGS[r.ranking]
            if r.minor_straight or not category.startswith("minor")
        ]
        yield self.say("order", hands=" > ".join(ranked))
        if r.tie_break == "suits":
            suits = " > ".join(names.suit_name(suit, self.language) for suit in r.suit_order)
            yield self.say("tie_suits", suits=suits)
        else:
            yield self.say("tie_split")
        if r.hi_lo != "off":
            yield self.say("hilo_any" if r.hi_lo == "no_qualifier" else "hilo_eight")

    def deal(self) -> Iterator[str]:
        r = self.rules
        if r.entry == "opt_in":
            yield self.say("entry")
        if self.blind:
            yield self.say("blind", chips=r.blind)
            if r.over_blind:
                yield self.say("over_blind", times=r.over_blind)
            if r.all_check_after_draw == "carry":
                yield self.say("blind_carried", chips=r.blind)
        else:
            yield self.say("ante", chips=r.ante) if r.ante else self.say("no_ante")
        if r.karanlik:
            yield self.say("karanlik", chips=r.karanlik_bet)
        if r.carried_pot_entry == "missed_antes":
            yield self.say("missed")

    def opening(self) -> Iterator[str]:
        if self.blind:
            return
        r = self.rules
        if r.opening_requirement == "none":
            yield self.say("open_any")
        else:
            yield self.say("open_rank", rank=self.say(f"rank_{r.opening_requirement}"))
            if r.progressive_openers:
                yield self.say("progressive")
            yield self.say("false_forbid" if r.false_opening == "forbid" else "false_penalise")
        if r.opening_min == "pot":
            yield self.say("open_pot")
        else:
            yield self.say("open_amount", least=r.opening_min)
        if r.opening_max is not None:
            yield self.say("open_max", most=r.opening_max)
        if r.opening_max_pots is not None:
            yield self.say("open_max_pots", times=r.opening_max_pots)
        if r.opening_cap_on_carried_pot == "pot" and r.limit != "jackpot":
            yield self.say("open_cap")
        yield self.say("fold_unopened" if r.fold_unopened else "no_fold_unopened")
        yield self.say("unopened")
        if r.max_carries is not None:
            yield self.say("max_carries", times=r.max_carries)

    def betting(self) -> Iterator[str]:
        r = self.rules
        yield self.say("bet_min" if r.min_raise == "stake_min" else "bet_min_last", chips=r.stake_min)
        if r.limit == "pot":
            yield self.say("limit_pot")
        if r.limit == "jackpot":
            yield self.say("limit_jackpot")
        if r.stake_max is not None:
            yield self.say("limit_stake", chips=r.stake_max)
        elif r.limit in ("table", "none"):
            yield self.say("limit_table")
        yield self.say("all_in")

    def draw(self) -> Iterator[str]:
        r = self.rules
        opener_first = r.draw_start == "opener" and not self.blind
        first = self.say("first_opener" if opener_first else "first_left")
        yield self.say("draw", cards=r.draw_max, first=first)
        if r.four_card_draw == "3+1":
            yield self.say("three_one")
        if not self.blind and r.split_openers == "declared_kept_aside" and r.opening_requirement != "none":
            yield self.say("split_declared")
        if not self.blind and r.split_openers == "own_discard_kept":
            yield self.say("split_own")
        yield self.say("reshuffle")

    def round2(self) -> Iterator[str]:
        r = self.rules
        if not self.blind:
            first = "first_opener"
        else:
            first = "first_left_blinder" if r.round2_start == "left_of_last_blinder" else "first_left"
        yield self.say("round2", first=self.say(first))
        yield self.say("check_raise_yes" if r.check_raise == "allowed" else "check_raise_no")
        if r.free_fold_round2:
            yield self.say("free_fold")
        yield self.say(f"all_check_{r.all_check_after_draw}")

    def end(self) -> Iterator[str]:
        r = self.rules
        yield self.say("showdown")
        if self.blind or r.opening_requirement == "none" or r.opener_proof == "showdown_only":
            yield self.say("proof_none")
        elif r.opener_proof == "on_request":
            yield self.say("proof_request", time=self._time(r.proof_window))
        else:
            yield self.say("proof_collect")
        if r.rake_per_mille:
            yield self.say("rake", per_mille=r.rake_per_mille)
            if r.rake_cap is not None:
                yield self.say("rake_cap", chips=r.rake_cap)

    def match(self) -> Iterator[str]:
        r = self.rules
        if r.match == "tournament":
            yield self.say("tournament", chips=r.start_stack)
            if r.levels:
                yield self.say("levels", count=len(r.levels))
                yield "; ".join(f"{level.ante}/{level.blind}/{level.stake_min}" for level in r.levels)
        else:
            yield self.say("buy_in", least=r.buy_in_min, most=r.buy_in_max, usual=r.start_stack)
            rebuy = {"when_bust": "rebuy_bust", "between_deals": "rebuy_between", "none": "rebuy_none"}
            yield self.say(rebuy[r.rebuy])
        yield self.say("clock", time=self._time(r.action_clock))
        if r.time_bank:
            yield self.say("bank", time=self._time(r.time_bank))

    def _time(self, duration: timedelta) -> str:
        return str(OPTIONS["action_clock"].write(duration))
