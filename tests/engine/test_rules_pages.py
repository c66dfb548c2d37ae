"""The page of rules of a table: in every language, and never silent about an option that matters."""

from __future__ import annotations

from typing import Any

import pytest
from turkpoker.engine import OPTIONS, PRESETS, PROFILES, Rules
from turkpoker.engine.prose import LANGUAGES, _texts, rules_page

LEVELS = [{"hands": 3, "stake_min": 4}]

# (options both have, option, another value): the page must tell them apart.
CHANGES: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "players", "2-4"),
    ({}, "deck", 40),
    ({}, "four_player_deck", 36),
    ({}, "ranking", "standard"),
    ({}, "minor_straight", "off"),
    ({}, "tie_break", "suits"),
    ({"tie_break": "suits"}, "suit_order", "hdcs"),
    ({}, "deal_mode", "blind"),
    ({}, "ante", 3),
    ({}, "ante", 0),
    ({"deal_mode": "blind"}, "blind", 9),
    ({}, "stake_min", 3),
    ({}, "buy_in_min", 21),
    ({}, "buy_in_max", 501),
    ({}, "start_stack", 99),
    ({}, "stake_max", 9),
    ({}, "opening_min", 3),
    ({}, "opening_min", "pot"),
    ({}, "opening_max", 9),
    ({}, "opening_requirement", "J"),
    ({}, "opening_requirement", "Q"),
    ({}, "opening_requirement", "A"),
    ({}, "opening_requirement", "none"),
    ({}, "karanlik", "on"),
    ({"karanlik": "on"}, "karanlik_bet", 7),
    ({"deal_mode": "blind"}, "over_blind", 2),
    ({}, "limit", "pot"),
    ({}, "limit", "jackpot"),
    ({}, "min_raise", "last_raise"),
    ({}, "opening_cap_on_carried_pot", "pot"),
    ({}, "draw_max", 5),
    ({}, "four_card_draw", "at_once"),
    ({}, "draw_start", "left_of_dealer"),
    ({}, "split_openers", "declared_kept_aside"),
    ({}, "split_openers", "own_discard_kept"),
    ({"deal_mode": "blind"}, "round2_start", "left_of_last_blinder"),
    ({}, "all_check_after_draw", "carry"),
    ({}, "free_fold_round2", "no"),
    ({}, "check_raise", "forbidden"),
    ({}, "opener_proof", "on_request"),
    ({}, "opener_proof", "to_collect"),
    ({"opener_proof": "on_request"}, "proof_window", "9s"),
    ({}, "carried_pot_entry", "missed_antes"),
    ({"match": "tournament"}, "levels", LEVELS),
    ({}, "false_opening", "penalise"),
    ({}, "hi_lo", "no_qualifier"),
    ({}, "hi_lo", "eight_or_lower"),
    ({}, "first_dealer", "random"),
    ({}, "match", "tournament"),
    ({}, "rebuy", "none"),
    ({}, "rebuy", "when_bust"),
    ({}, "entry", "opt_in"),
    ({}, "fold_unopened", "yes"),
    ({}, "opening_max_pots", 8),
    ({}, "buy_in_min_antes", 10),
    ({}, "buy_in_max_antes", 300),
    ({}, "progressive_openers", "on"),
    ({}, "max_carries", 2),
    ({}, "rake_per_mille", 20),
    ({"rake_per_mille": 20}, "rake_cap", 5),
    ({}, "action_clock", "20s"),
    ({}, "time_bank", "60s"),
]
ONE_VALUE = {"unopened", "stock_exhaustion"}


def test_every_option_with_a_choice_is_told_of() -> None:
    assert {name for _, name, _ in CHANGES} | ONE_VALUE == set(OPTIONS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("base", "name", "value"), CHANGES, ids=[f"{n}-{v}" for _, n, v in CHANGES])
def test_the_page_tells_of_the_option(language: str, base: dict[str, Any], name: str, value: Any) -> None:
    plain = rules_page(Rules.profile("turkish", **base), language)
    changed = rules_page(Rules.profile("turkish", **{**base, name: value}), language)
    assert plain.text() != changed.text()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", [*PROFILES, *PRESETS])
def test_every_profile_has_a_page_in_every_language(language: str, profile: str) -> None:
    rules = Rules.profile(profile) if profile in PROFILES else Rules.preset(profile)
    page = rules_page(rules, language)
    assert len(page.sections) >= 8
    assert "{" not in page.text()
    for heading, sentences in page.sections:
        assert heading
        assert sentences


def test_all_languages_have_the_same_sentences_with_the_same_gaps() -> None:
    english = _texts("en")
    for language in LANGUAGES:
        texts = _texts(language)
        assert texts.keys() == english.keys()
        for key, text in texts.items():
            assert sorted(gaps(text)) == sorted(gaps(english[key])), (language, key)


def gaps(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def test_no_sentence_is_left_unused() -> None:
    source = Rules.profile("turkish")
    said: set[str] = set()
    texts = {text: key for key, text in _texts("en").items() if "{" not in text}
    for base, name, value in CHANGES:
        for options in (base, {**base, name: value}):
            page = rules_page(source.profile("turkish", **options))
            said |= {
                texts[part] for heading, parts in page.sections for part in (heading, *parts) if part in texts
            }
    inner = {key for key in texts.values() if key.startswith(("rank_", "first_"))}
    assert set(texts.values()) - said - inner == set()


def test_an_unknown_language() -> None:
    with pytest.raises(ValueError, match="no language"):
        rules_page(Rules.profile("turkish"), "xx")
