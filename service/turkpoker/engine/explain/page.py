"""The page of rules of one table, generated from its options alone."""

from __future__ import annotations

from collections.abc import Iterable

from turkpoker.engine.explain.cards import hands_section, players_section
from turkpoker.engine.explain.dealing import amounts_section, deal_section, draw_section, first_round_section
from turkpoker.engine.explain.ending import (
    match_section,
    proof_section,
    second_round_section,
    showdown_section,
)
from turkpoker.engine.explain.outline import Line, Section, Setting
from turkpoker.engine.explain.writing import Sentence, Writer, say
from turkpoker.engine.rules import Rules

#: The sections in the order of the page; one that has nothing to say is left out.
_SECTIONS = (
    players_section,
    hands_section,
    deal_section,
    first_round_section,
    amounts_section,
    draw_section,
    second_round_section,
    showdown_section,
    proof_section,
    match_section,
)


def explain(rules: Rules, language: str = "en") -> str:
    """What exactly is played at a table with these rules, as a page of Markdown.

    Every sentence hangs on the options it tells of, so that the page cannot say what the table does not
    play. Amounts are whole chips.

    Args:
        rules: the table's.
        language: one of ``tr``, ``en``, ``fr``, ``it``, ``nl``, ``fa``.

    Raises:
        ValueError: there is no such language.
    """
    writer = Writer("page", language)
    title, summary = opening_words(rules)
    parts = [f"# {writer.sentence(title)}", writer.paragraph(summary)]
    for section in sections(rules):
        parts += [f"## {writer.sentence(say(section.heading))}", _written(writer, section.lines)]
    return "\n\n".join(parts) + "\n"


def opening_words(rules: Rules) -> tuple[Sentence, tuple[Sentence, ...]]:
    """The title, and how a hand goes in a few sentences."""
    setting = Setting(rules)
    start = "summary_blind" if setting.blind else "summary_ante" if setting.rules.ante else "summary_no_ante"
    return say(f"title_{rules.profile_name}"), (say(start), say("summary_goal"))


def sections(rules: Rules) -> tuple[Section, ...]:
    """The page before it is written: the sections that have something to say."""
    setting = Setting(rules)
    made = (make(setting) for make in _SECTIONS)
    return tuple(section for section in made if section.lines)


def _written(writer: Writer, lines: Iterable[Line]) -> str:
    text: list[str] = []
    number, before = 0, None
    for line in lines:
        number = number + 1 if line.mark == "1." else 0
        mark = {"1.": f"{number}. ", "": ""}.get(line.mark, f"{line.mark} ")
        # Markdown needs an empty line between a paragraph and a list, and between two kinds of list.
        if before is not None and line.mark.strip() != before.strip():
            text.append("")
        text.append(mark + writer.paragraph(line.sentences))
        before = line.mark
    return "\n".join(text)
