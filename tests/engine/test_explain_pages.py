"""The page of rules of a table: every option that changes something changes it, in every language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from turkpoker.engine import OPTIONS, PRESETS, PROFILES, Rules, RulesError
from turkpoker.engine.explain import LANGUAGES, explain
from turkpoker.engine.explain.page import sections
from turkpoker.engine.explain.writing import texts

LEVELS = [{"hands": 3, "stake_min": 4}, {"minutes": 7, "ante": 5, "blind": 9, "stake_min": 8}]

#: Endings of the keys of units, "1 chip" and "2 chips".
UNITS = ("_one", "_many")

#: Every option with all of its values, or with some where there are many.
VALUES: dict[str, tuple[Any, ...]] = {
    "players": ("2-2", "2-4", "3-5", "3-6"),
    "deck": ("auto", 24, 32, 36, 40, 44, 52),
    "four_player_deck": (32, 36),
    "ranking": ("turkish", "french", "standard"),
    "minor_straight": ("on", "off"),
    "tie_break": ("split", "suits"),
    "deal_mode": ("ante", "blind"),
    "ante": (0, 1, 2, 3),
    "blind": (1, 2, 9),
    "stake_min": (1, 2, 3),
    "buy_in_min": (19, 21),
    "buy_in_max": (400, 501),
    "start_stack": (99, 101),
    "stake_max": ("none", 1, 2, 9),
    "opening_min": (2, 3, "pot"),
    "opening_max": ("none", 3, 9),
    "opening_requirement": ("none", "J", "Q", "K", "A"),
    "unopened": ("carry_and_reante",),
    "karanlik": ("on", "off"),
    "karanlik_bet": (5, 6),
    "over_blind": (0, 1, 2),
    "limit": ("table", "pot", "jackpot", "none"),
    "min_raise": ("stake_min", "last_raise"),
    "opening_cap_on_carried_pot": ("none", "pot"),
    "draw_max": (4, 5),
    "four_card_draw": ("3+1", "at_once"),
    "draw_start": ("opener", "left_of_dealer"),
    "stock_exhaustion": ("reshuffle",),
    "split_openers": ("unrestricted", "declared_kept_aside", "own_discard_kept"),
    "round2_start": ("opener", "left_of_last_blinder"),
    "all_check_after_draw": ("showdown", "carry"),
    "free_fold_round2": ("yes", "no"),
    "check_raise": ("allowed", "forbidden"),
    "opener_proof": ("showdown_only", "on_request", "to_collect"),
    "proof_window": ("5s", "500ms", "2m"),
    "carried_pot_entry": ("open", "missed_antes"),
    "levels": ("none", LEVELS, LEVELS[:1], LEVELS[1:]),
    "false_opening": ("forbid", "penalise"),
    "hi_lo": ("off", "no_qualifier", "eight_or_lower"),
    "first_dealer": ("high_card", "random"),
    "match": ("session", "tournament"),
    "rebuy": ("none", "when_bust", "between_deals"),
    "entry": ("automatic", "opt_in"),
    "fold_unopened": ("yes", "no"),
    "opening_max_pots": ("none", 1, 8),
    "buy_in_min_antes": ("none", 10, 20),
    "buy_in_max_antes": ("none", 300, 500),
    "suit_order": ("hsdc", "hdcs", "cdsh"),
    "progressive_openers": ("on", "off"),
    "max_carries": ("none", 2, 3),
    "rake_per_mille": (0, 20, 25),
    "rake_cap": ("none", 0, 5),
    "action_clock": ("20s", "30s", "90s"),
    "time_bank": ("0s", "60s", "61s"),
}

#: Settings in which each value of each option is tried alone.
BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "turkish": ("turkish", {}),
    "online": ("turkish-online", {}),
    "french": ("french", {}),
    "blind": ("french", {"deal_mode": "blind"}),
    "blind without carry": ("french", {"deal_mode": "blind", "all_check_after_draw": "showdown"}),
    "false openers": ("turkish-pagat", {"false_opening": "penalise", "karanlik": "on"}),
    "anybody opens": ("turkish", {"opening_requirement": "none", "rake_per_mille": 20, "ante": 0}),
    "jackpot": ("french", {"limit": "jackpot", "progressive_openers": "on", "stake_max": 9}),
    "tournament": ("turkish", {"match": "tournament", "deck": 52, "tie_break": "suits"}),
    "levels": ("turkish", {"match": "tournament", "levels": LEVELS}),
}

_OF_THE_OPENING = {
    "opening_min",
    "opening_max",
    "opening_max_pots",
    "opening_requirement",
    "opening_cap_on_carried_pot",
    "fold_unopened",
    "carried_pot_entry",
    "draw_start",
    "split_openers",
    "opener_proof",
    "proof_window",
    "false_opening",
}


def _never_opened(rules: Rules) -> bool:
    """In a blind deal nobody opens, and its pot never stays to be opened in the next one."""
    return rules.deal_mode == "blind" and rules.all_check_after_draw == "showdown"


def _needs_openers(rules: Rules) -> bool:
    return not _never_opened(rules) and rules.opening_requirement != "none"


def _climbs(rules: Rules) -> bool:
    """Blind deals have no openers, and above aces there is nothing."""
    return rules.deal_mode == "ante" and rules.opening_requirement in ("J", "Q", "K")


#: option -> whether it has no effect with these rules, whatever its value.
WITHOUT_EFFECT: dict[str, Callable[[Rules], bool]] = {
    "ante": lambda r: r.deal_mode == "blind",
    "blind": lambda r: r.deal_mode == "ante",
    "over_blind": lambda r: r.deal_mode == "ante",
    "round2_start": lambda r: r.deal_mode == "ante",
    "four_player_deck": lambda r: r.deck is not None or r.players[1] < 4,
    "suit_order": lambda r: r.tie_break == "split",
    "karanlik_bet": lambda r: not r.karanlik,
    "rake_cap": lambda r: r.rake_per_mille == 0,
    "proof_window": lambda r: not _needs_openers(r) or r.opener_proof != "on_request",
    "opener_proof": lambda r: not _needs_openers(r),
    "false_opening": lambda r: not _needs_openers(r),
    "progressive_openers": lambda r: not _climbs(r),
    "max_carries": lambda r: r.deal_mode == "blind" or r.ante == 0,
    "opening_cap_on_carried_pot": lambda r: r.limit == "jackpot",
    # A tournament is entered with the starting stack.
    "buy_in_min": lambda r: r.match == "tournament",
    "buy_in_max": lambda r: r.match == "tournament",
    # They only set the buy-ins that are not given.
    "buy_in_min_antes": lambda r: True,
    "buy_in_max_antes": lambda r: True,
}


def has_effect(name: str, before: Rules, after: Rules) -> bool:
    if name in _OF_THE_OPENING and _never_opened(before) and _never_opened(after):
        return False
    if name == "split_openers" and not _needs_openers(before):
        return "own_discard_kept" in (before.split_openers, after.split_openers)
    none = WITHOUT_EFFECT.get(name, lambda rules: False)
    return not (none(before) and none(after))


def single_changes(base: str) -> Iterator[tuple[str, Any, Rules, Rules]]:
    profile, options = BASES[base]
    before = Rules.profile(profile, **options)
    for name, values in VALUES.items():
        for value in values:
            try:
                after = Rules.profile(profile, **{**options, name: value})
                after.at_level(0)
            except RulesError:
                continue  # not playable in this setting
            if after != before:
                yield name, value, before, after


def test_every_option_is_tried() -> None:
    assert VALUES.keys() == OPTIONS.keys()
    tried = {name for base in BASES for name, *_ in single_changes(base)}
    assert tried == {name for name, values in VALUES.items() if len(values) > 1}


@pytest.mark.parametrize("base", BASES)
def test_the_page_changes_with_each_option_that_changes_the_game(base: str) -> None:
    profile, options = BASES[base]
    pages = {language: explain(Rules.profile(profile, **options), language) for language in LANGUAGES}
    for name, value, before, after in single_changes(base):
        # What the first deal is played with: levels bring stakes of their own, and what follows from them.
        first, second = before.at_level(0), after.at_level(0)
        changed = [option for option in OPTIONS if getattr(first, option) != getattr(second, option)]
        effect = any(has_effect(option, first, second) for option in changed)
        for language in LANGUAGES:
            differs = explain(after, language) != pages[language]
            assert differs == effect, f"{name}={value} in {language}, with {changed}"


AMOUNTS: list[tuple[dict[str, Any], str]] = [
    ({}, "ante"),
    ({"deal_mode": "blind"}, "blind"),
    ({}, "stake_min"),
    ({}, "stake_max"),
    ({}, "opening_min"),
    ({}, "opening_max"),
    ({"karanlik": "on"}, "karanlik_bet"),
    ({"rake_per_mille": 10}, "rake_cap"),
    ({}, "rake_per_mille"),
    ({}, "buy_in_min"),
    ({}, "buy_in_max"),
    ({}, "start_stack"),
    ({}, "opening_max_pots"),
    ({}, "max_carries"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("others", "name"), AMOUNTS, ids=[name for _, name in AMOUNTS])
def test_amounts_stand_there_as_numbers(language: str, others: dict[str, Any], name: str) -> None:
    number = 377
    chips = {"buy_in_min": 20, "buy_in_max": 200_000, "start_stack": 300 if name == "buy_in_max" else 9000}
    rules = Rules.profile("turkish", **{**chips, **others, name: number})
    without = Rules.profile("turkish", **{**chips, **others})
    # \d takes Persian digits too; the texts write the usual ones, as the numbers of cards and clocks.
    assert re.search(rf"(?<!\d){number}(?!\d)", explain(rules, language))
    assert not re.search(rf"(?<!\d){number}(?!\d)", explain(without, language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_levels_and_over_blinds_stand_there_as_numbers(language: str) -> None:
    levels = [{"hands": 311, "stake_min": 223, "ante": 117}, {"minutes": 19, "stake_min": 446, "ante": 229}]
    page = explain(Rules.profile("turkish", match="tournament", levels=levels), language)
    # Of the last level the length does not count: it stays.
    for number in (311, 223, 117, 446, 229):
        assert str(number) in page
    page = explain(Rules.profile("french", deal_mode="blind", blind=111), language)
    for number in (111, 222, 444):
        assert str(number) in page


def gaps(text: str) -> set[str]:
    return set(re.findall(r"{(\w*)}", text))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["page", "story"])
def test_every_language_has_every_sentence(language: str, name: str) -> None:
    english, translated = texts(name, "en"), texts(name, language)
    assert translated.keys() == english.keys()
    for key, text in translated.items():
        assert gaps(text) == gaps(english[key]), key
        assert key == "comma" or text == text.strip(), key
        assert "  " not in text, key
        if language != "en" and not key.endswith(UNITS):
            words = re.findall("[a-z]{3,}", re.sub(r"{\w*}", "", text))
            assert len(words) < 2 or text != english[key], f"{key} is English"


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_as_sentences(language: str) -> None:
    for key, text in texts("page", language).items():
        if not key.endswith(UNITS) and not key.startswith(("h_", "title_")):
            assert text[-1] in ".:", key


def every_setting() -> Iterator[Rules]:
    for base, (profile, options) in BASES.items():
        yield Rules.profile(profile, **options)
        yield from (after for *_, after in single_changes(base))
    yield Rules.profile("turkish", ranking="standard", tie_break="suits", hi_lo="eight_or_lower")
    yield Rules.profile("turkish", buy_in_min=50, buy_in_max=50)
    yield Rules.profile("turkish", progressive_openers="on", opening_requirement="Q")
    yield Rules.profile("turkish", limit="pot", stake_max=9)
    yield Rules.profile("turkish", opener_proof="to_collect", false_opening="penalise")
    yield Rules.profile("turkish", false_opening="penalise", progressive_openers="on")
    yield Rules.profile("turkish", ante=0, opening_min="pot", entry="opt_in")
    yield Rules.profile("turkish", minor_straight="off", deck=36)
    yield Rules.profile("french", deal_mode="blind", match="tournament", levels=LEVELS)


def test_no_sentence_is_left_unused() -> None:
    said = {
        sentence.key
        for rules in every_setting()
        for section in sections(rules)
        for line in section.lines
        for sentence in line.sentences
    }
    written = {key for key in texts("page", "en") if not key.startswith(("h_", "title_", "summary_"))}
    assert {key for key in written if not key.endswith(UNITS)} == said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*PROFILES, *PRESETS])
def test_every_profile_has_a_page_of_markdown(language: str, name: str) -> None:
    rules = Rules.profile(name) if name in PROFILES else Rules.preset(name)
    page = explain(rules, language)
    headings = [line for line in page.splitlines() if line.startswith("## ")]
    assert page.startswith("# ")
    assert len(headings) >= 9
    assert "{" not in page
    hands = [line for line in page.splitlines() if re.match(r"\d+\. ", line)]
    assert [int(line.split(".")[0]) for line in hands] == list(range(1, len(hands) + 1))
    assert len(hands) == (12 if rules.minor_straight else 10)
    assert explain(rules, language) == page


def test_the_minor_straight_of_every_deck_in_the_letters_of_the_language() -> None:
    page = explain(Rules.profile("turkish"), "nl")
    for run in ("A 9 10 B V", "A 8 9 10 B", "A 7 8 9 10", "A 6 7 8 9"):
        assert run in page
    assert "A H V B 10" in page
    assert "A P K V 10" in explain(Rules.profile("turkish"), "tr")
    assert "A 2 3 4 5" in explain(Rules.profile("french"), "fr")


def test_durations_in_words() -> None:
    page = explain(Rules.profile("turkish", action_clock="90s", time_bank=timedelta(milliseconds=1500)))
    assert "1 minute 30 seconds" in page
    assert "1 second 500 milliseconds" in page


def test_a_limit_below_the_minimum_leaves_one_amount() -> None:
    page = explain(Rules.profile("turkish", stake_min=4, stake_max=3))
    assert "Every bet is exactly 3 chips" in page
    assert "opening bet is exactly 3 chips" in page
    assert "at least 4 chips" not in page


def test_an_unknown_language_names_those_known() -> None:
    with pytest.raises(ValueError, match="tr, en, fr, it, nl, fa"):
        explain(Rules.profile("turkish"), "xx")
