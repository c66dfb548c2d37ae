"""The catalogue of names is complete, and keeps apart what players keep apart."""

import pytest
from turkpoker.evaluator import RANKS, SUITS, Category, parse_cards
from turkpoker.evaluator.names import (
    LANGUAGES,
    action_name,
    card_label,
    catalogue,
    direction,
    hand_name,
    phase_name,
    rank_name,
    suit_name,
    word,
)

# The names of the rules: hands, actions between and in hands, phases.
ACTIONS = (
    "enter stay_out over_blind decline karanlik check open fold call raise draw bet ask_proof pass "
    "rebuy top_up sit_out sit_in leave"
)
PHASES = "entry blinds karanlik round1 draw round2 proof over"


def test_every_name_in_every_language():
    for group, entries in catalogue().items():
        if group == "languages":
            assert tuple(entries) == LANGUAGES
            continue
        for key, names in entries.items():
            assert tuple(names) == LANGUAGES, (group, key)
            assert all(name.strip() == name and name for name in names.values()), (group, key)
    assert list(catalogue()["hands"]) == [
        *["royal_flush", "straight_flush", "minor_straight_flush", "four_of_a_kind", "full_house", "flush"],
        *["three_of_a_kind", "straight", "minor_straight", "two_pair", "pair", "high_card"],
    ]
    assert set(catalogue()["ranks"]) == set(catalogue()["rank_letters"]) == set(RANKS)
    assert set(catalogue()["suits"]) == set(SUITS)
    for action in ACTIONS.split():
        assert action_name(action)
    for phase in PHASES.split():
        assert phase_name(phase)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("group", ["hands", "suits", "ranks", "rank_letters", "actions", "phases"])
def test_no_two_things_of_one_name(group, language):
    names = [entry[language] for entry in catalogue()[group].values()]
    assert len(set(names)) == len(names)


def test_the_words_that_trap():
    assert hand_name("straight_flush", "tr") == "Floş"
    assert hand_name(Category.FLUSH, "tr") == "Renk"
    assert hand_name("two_pair", "tr") == "Döper"
    assert hand_name("four_of_a_kind", "it") == "Poker"
    assert action_name("check", "fr") == "parole"
    assert action_name("fold", "fr") == "se coucher"
    assert action_name("check", "nl") == "checken"
    assert "pass" not in " ".join(catalogue()["actions"][a]["fr"] for a in ("check", "fold", "pass"))
    king, queen, jack = parse_cards("Ks Qs Js")
    assert [card_label(c, "tr") for c in (king, queen, jack)] == ["♠P", "♠K", "♠V"]
    assert [card_label(c, "nl") for c in (king, queen, jack)] == ["♠H", "♠V", "♠B"]
    assert [card_label(c, "fr") for c in (king, queen, jack)] == ["♠R", "♠D", "♠V"]
    assert [suit_name(s, "tr") for s in "hsdc"] == ["kupa", "maça", "karo", "sinek"]
    assert suit_name(3, "fa") == suit_name("h", "fa") == "دل"
    assert rank_name(11, "fa") == "شاه"
    assert [direction(language) for language in ("fa", "tr")] == ["rtl", "ltr"]
    assert word("pot", "it") == "piatto"


def test_unknown_names_and_languages():
    for call in (lambda: hand_name("flush", "de"), lambda: hand_name("floş"), lambda: suit_name(4)):
        with pytest.raises(ValueError, match="no "):
            call()
