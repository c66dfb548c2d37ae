"""``turkpoker replay`` with files that are not what they should be: never a traceback or a silent yes."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from turkpoker.engine import HandRecord, write_phh, write_phhs
from turkpoker.engine import replay as replay_record
from turkpoker.server.cli import main

DATA = Path(__file__).parent.parent / "data" / "hands.jsonl"
RECORDS = [json.loads(line) for line in DATA.read_text().splitlines()]
SEED = 20261201
FILES = 100

Said = tuple[int, str, str]
Replay = Callable[..., Said]


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Replay:
    """Replays a file of this content in this process: exit code, stdout, stderr."""
    path = tmp_path / "hands.jsonl"

    def run(content: bytes, *arguments: str) -> Said:
        path.write_bytes(content)
        monkeypatch.setattr(sys, "argv", ["turkpoker", "replay", *arguments, str(path)])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, said.out, said.err

    return run


ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2.0, 1.5, 2**63, 10**30, float("nan"), "", "A", "Z", "as", "??", "on",
    "none", "pair", "\ud800", [], {}, [1], ["As"], [[1, 2]], {"A": 1}, {"x": {}},
]  # fmt: skip
ODD_NAMES = ("x", "to", "seat", "cards", "legal", "check", "E", "A")


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, each in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from paths(each, (*path, key))


def spoil(rng: random.Random, record: dict[str, Any]) -> None:
    """Change one thing somewhere in a record."""
    *parts, last = rng.choice(list(paths(record)))
    target: Any = record
    for part in parts:
        target = target[part]
    luck = rng.random()
    if luck < 0.5:
        target[last] = copy.deepcopy(rng.choice(ODD_VALUES))
    elif luck < 0.65:
        del target[last]
    elif isinstance(target, dict):
        target[rng.choice((*ODD_NAMES, f"{last}x"))] = target[last]
    else:
        target.insert(rng.randint(0, last), copy.deepcopy(rng.choice(target)))


def spoilt_file(rng: random.Random) -> bytes:
    records = [copy.deepcopy(record) for record in rng.sample(RECORDS, rng.randint(1, 4))]
    for _ in range(rng.randint(1, 3)):
        spoil(rng, rng.choice(records))
    lines = [json.dumps(record) for record in records]
    content = bytearray(("\n".join(lines) if rng.random() < 0.8 else f"[{','.join(lines)}]").encode())
    if rng.random() < 0.2:
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
    if rng.random() < 0.1:
        del content[rng.randrange(len(content)) :]
    return bytes(content)


def test_spoilt_files_end_with_0_1_or_2_and_never_with_a_traceback(replay: Replay) -> None:
    ended: Counter[int] = Counter()
    for number in range(FILES):
        rng = random.Random(f"{SEED} {number}")
        content = spoilt_file(rng)
        arguments = rng.choice(((), ("--json",), ("--story",), ("--story", "--lang", "tr")))
        try:
            code, out, err = replay(content, *arguments)
        except Exception as error:
            raise AssertionError(f"seed {SEED}, file {number}: {error!r}") from error
        ended[code] += 1
        assert code in (0, 1, 2), number
        if code == 2:
            assert out == "", number
            (line,) = err.splitlines()
            assert line.startswith(("turkpoker: line ", "turkpoker: hand ", "turkpoker: cannot read")), line
        else:
            assert err == "", number
    assert set(ended) == {0, 1, 2}, ended


def jsonl(*records: Any) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


def changed(number: int, **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(RECORDS[number]) | changes


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (jsonl(RECORDS[0], changed(1, steps=[{"seat": "A"}])), "line 2: steps[1]: needs an action"),
        (jsonl(changed(0, dealer=3)), "line 1: dealer: no seat"),
        (jsonl(RECORDS[0]) + b"\n\n" + jsonl(changed(1, deck="As Zz")), "line 3: deck: "),
        (jsonl(RECORDS[0], changed(1, stacks={"A": "100", "B": 5})), "line 2: stacks: must be a whole"),
        (jsonl(RECORDS[0], changed(1, stacks={"A": True, "B": 5})), "line 2: stacks: must be a whole"),
        (jsonl(changed(0, carried=0.0)), "line 1: carried: must be a whole number"),
        (jsonl(changed(0, dead_before=True)), "line 1: dead_before: must be a whole number"),
        (jsonl(changed(0, profile=7)), "line 1: profile: must be a name"),
        (jsonl(changed(0, steps=[{"seat": "A", "action": "bet", "amount": 4}])), "steps[1]: has an unknown"),
        (
            jsonl(changed(0, steps=[{"seat": "A", "check": "turn", "legal": {}}])),
            "line 1: steps[1]: has an unknown field, 'legal'",
        ),
        (jsonl(RECORDS[0]) + b"\n{", "line 2 is no JSON"),
        (jsonl(RECORDS[0]).replace(b'"carried": 0,', b'"carried": 0, "carried": 5,'), "'carried' stands"),
        (jsonl(changed(0, id="\ud800")), "line 1 is no JSON"),
        (json.dumps([RECORDS[0], 7]).encode(), "hand 2: record: must be an object"),
        (json.dumps(changed(0, deck="As"), indent=1).encode().replace(b'"A"', b'"a"', 1), "the hand: "),
        (b"\xff\xfe", "cannot read the file"),
        (b"", "holds no hand"),
        (b"[]", "holds no hand"),
    ],
)  # fmt: skip
def test_a_bad_record_is_refused_with_line_and_field_and_nothing_is_played(
    replay: Replay, content: bytes, says: str
) -> None:
    for arguments in ((), ("--json",)):
        code, out, err = replay(content, *arguments)
        assert (code, out) == (2, "")
        (line,) = err.splitlines()
        assert says in line


@pytest.mark.parametrize(
    ("expect", "says"),
    [
        ({"carried": False}, "expect.carried must be a whole number, not false"),
        ({"carried": 0.0}, "expect.carried must be a whole number, not 0.0"),
        ({"carryed": 0}, 'expect has no "carryed"'),
        ({"final": {"A": 138.0, "B": 62}}, "expect.final must be a whole number for each seat"),
        ({"never": ["rise"]}, "no event's name has"),
    ],
)
def test_expectations_are_compared_by_type_and_unknown_ones_are_differences(
    replay: Replay, expect: dict[str, Any], says: str
) -> None:
    record = copy.deepcopy(RECORDS[0])
    record["expect"] |= expect
    code, out, err = replay(jsonl(record, RECORDS[1]), "--json")
    assert (code, err) == (1, "")
    first, second = map(json.loads, out.splitlines())
    assert (first["ok"], second["ok"]) == (False, True)
    (difference,) = first["differences"]
    assert says in difference


def test_files_in_phh_are_played_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def run(name: str, text: str) -> Said:
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(sys, "argv", ["turkpoker", "replay", "--json", str(tmp_path / name)])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    hands = [replay_record(HandRecord.from_dict(record)).hand for record in RECORDS]
    records = [hand.record(str(number)) for number, hand in enumerate(hands) if hand is not None]
    code, out, err = run("hands.phhs", write_phhs(records))
    assert (code, err) == (0, "")
    finals = [json.loads(line)["final"] for line in out.splitlines()]
    assert finals == [record["expect"]["final"] for record in RECORDS]
    one = write_phh(records[0])
    assert run("hand.phh", one)[0] == 0
    for spoilt in (
        one.replace("finishing_stacks = [1", "finishing_stacks = [2"),
        one.replace("TURK", "NT"),
        "[",
    ):
        code, out, err = run("hand.phh", spoilt)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1


def test_the_real_command_says_where_a_record_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_bytes(jsonl(RECORDS[0], changed(1, stacks=3)))
    done = subprocess.run(
        [sys.executable, "-m", "turkpoker.server.cli", "replay", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "turkpoker: line 2: stacks: must be an object of chips by seat\n"
