"""The rules text knows every option and every house rule, with the defaults that are played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from turkpoker.engine import OPTIONS, PRESETS, PROFILES, Rules

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "service" / "RULES.md").read_text()


def rows(heading: str) -> dict[str, list[str]]:
    """The table under a heading: the other cells by the name in the first one."""
    section = TEXT.split(f"\n{heading}")[1].split("\n#")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("` "): row[1:] for row in cells}


OF_OPTIONS = rows("## 11. ")


def written(value: Any) -> str:
    return "none" if value is None else str(value)


def test_every_option_stands_there_in_order() -> None:
    assert list(OF_OPTIONS) == list(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_says_its_defaults_what_it_does_where_it_comes_from_and_where_it_is(name: str) -> None:
    default, does, source, module = OF_OPTIONS[name]
    first, *others = default.split("; ")
    for profile in PROFILES:
        said = next((other.split(" ", 1)[1] for other in others if other.startswith(f"{profile} ")), first)
        assert written(Rules.profile(profile).option(name)) == said, profile
    assert len(does) > 10
    assert re.search(r"00[0-4] L\d|\[R\]|[4-8]\.\d", source)
    path = module.strip("`")
    package = ROOT / "service" / "turkpoker" / (path if path.startswith("table/") else f"engine/{path}")
    assert package.with_suffix(".py").exists() or path == "evaluator"


def test_house_rules_stand_there_as_they_are() -> None:
    found = rows("### 8.3 ")
    assert list(found) == list(PRESETS)
    for name, (profile, options) in PRESETS.items():
        base, changes, game = found[name]
        assert base == f"`{profile}`"
        assert changes == ", ".join(f"`{option}={value}`" for option, value in options.items())
        assert game
