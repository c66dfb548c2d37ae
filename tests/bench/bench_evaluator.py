"""Measures the evaluator against its ceiling, an empty call and its peers, interleaved in one run.

    python tests/bench/bench_evaluator.py [--rows N] [--rounds N] [--no-peers] [--json] [--output FOLDER]

Every path gets random hands. A batch is held against the pass that only reads five and writes two bytes
a hand, which must itself reach 80 % of memcpy in the run, else the run is void; a single call against an
empty call of a compiled method. The best of all rounds counts, in CPU time of the thread, so that
neighbours on the machine disturb less. Results go into a table named by commit and kernel.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import random
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import evaluator_peers
from turkpoker.evaluator import DECK_SIZES, Evaluator, Ruleset, format_card, format_cards
from turkpoker.evaluator._kernels import (
    EmptyCall,
    HandTables,
    available_kernels,
    force_kernel,
    kernel_name,
    read_write_pass,
)

RESULTS = Path(__file__).parent / "results"
PEERS = Path.home() / ".cache" / "turkpoker" / f"peers-{sys.version_info.major}.{sys.version_info.minor}"
SMALL_BATCH = 65_536
CALLS = 2_000
PASS_AGAINST_MEMCPY = 0.8
#: What must be reached, as a share of the pass: (36 cards, 36 with suits, 52 cards).
BATCH_TARGETS = {"avx512": (0.75, 0.4, 0.5), "avx2": (0.50, 0.3, 0.35), "scalar": (0.15, 0.10, 0.10)}
SINGLE_TARGETS = {"bytes": 1.4, "mask": 1.4, "tuple": 1.6, "list": 1.6}
ODDS_TARGETS = {36: 12e-3, 24: 1.2e-3}
PEER_TARGET = 100
BUILD_TARGET = 60e-3


@dataclass
class Task:
    """One thing that is timed over and over."""

    name: str
    work: Callable[[], object]
    units: int = 1
    kernel: str | None = None
    every: int = 1
    warm: bool = False
    seconds: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Once more, on the clock."""
        before = kernel_name()
        if self.kernel is not None:
            force_kernel(self.kernel)
        try:
            if self.warm:
                self.work()
            started = time.thread_time()
            self.work()
            self.seconds.append(time.thread_time() - started)
        finally:
            force_kernel(before)

    @property
    def best(self) -> float:
        """Seconds for one unit in the best round."""
        return min(self.seconds) / self.units


@dataclass
class Line:
    """A line of the results."""

    what: str
    nanoseconds: float
    ratio: float | None = None
    of: str = ""
    target: str = ""
    reached: bool | None = None


def random_rows(deck: int, count: int) -> bytes:
    """Random hands, packed; always the same ones. Two hundred thousand different ones, repeated."""
    generator = random.Random(deck)
    cards = range(52 - deck, 52)
    some = [bytes(generator.sample(cards, 5)) for _ in range(min(count, 200_000))]
    return (b"".join(some) * (count // len(some) + 1))[: 5 * count]


def batch_tasks(rows: int) -> tuple[list[Task], Task, Task]:
    """The batches of all paths, the pass and memcpy."""
    packed = {deck: random_rows(deck, rows) for deck in (36, 52)}
    out = array("H", bytes(2 * rows))
    columns = b"".join(packed[36][place::5] for place in range(5))
    masks = array("Q", [sum(1 << card for card in packed[36][5 * i : 5 * i + 5]) for i in range(SMALL_BATCH)])
    tasks = []
    for kernel in available_kernels():
        for deck, suits in ((36, False), (36, True), (52, False), (52, True)):
            name = f"{kernel}, {deck} cards{', suits' if suits else ''}"
            evaluator = Evaluator(deck, suit_tiebreak=suits)
            tasks.append(Task(name, work_of(evaluator.strengths, packed[deck], out), rows, kernel))
        name = f"{kernel}, 36 cards, columns"
        tasks.append(Task(name, work_of(Evaluator(36).strengths_columns, columns, out), rows, kernel))
        small = memoryview(out)[:SMALL_BATCH]
        name = f"{kernel}, 36 cards, masks"
        tasks.append(Task(name, work_of(Evaluator(36).strengths_masks, masks, small), SMALL_BATCH, kernel))
    the_pass = Task("pass that reads 5 and writes 2", lambda: read_write_pass(packed[36], out), rows)
    # As many bytes read and written together as by the pass.
    moved = rows * 7 // 2
    source, target = bytearray(b"\1" * moved), bytearray(moved)
    to, origin = (ctypes.c_char * moved).from_buffer(target), (ctypes.c_char * moved).from_buffer(source)
    copy = Task("memcpy of as many bytes", lambda: ctypes.memmove(to, origin, moved), rows)
    return tasks, the_pass, copy


def work_of(call: Callable[..., object], *arguments: Any) -> Callable[[], object]:
    """A call with its arguments bound now."""
    return lambda: call(*arguments)


def single_tasks() -> tuple[list[Task], Task]:
    """Single calls, and the empty one."""
    hands = [random_rows(36, 200)[5 * i : 5 * i + 5] for i in range(200)]
    forms: dict[str, list[Any]] = {
        "bytes": hands,
        "mask": [sum(1 << card for card in hand) for hand in hands],
        "tuple": [tuple(hand) for hand in hands],
        "list": [list(hand) for hand in hands],
        "text": [format_cards(hand) for hand in hands],
    }

    def calls(call: Callable[[Any], object], arguments: list[Any]) -> Callable[[], object]:
        def work() -> None:
            for _ in range(CALLS // len(arguments)):
                for argument in arguments:
                    call(argument)

        return work

    strength = Evaluator(36).strength
    tasks = [Task(f"single call, {name}", calls(strength, cards), CALLS) for name, cards in forms.items()]
    return tasks, Task("empty call of a compiled method", calls(EmptyCall().call, hands), CALLS)


def other_tasks() -> list[Task]:
    """Odds and the building of tables."""
    tasks = []
    for deck in ODDS_TARGETS:
        hand = random_rows(deck, 1)
        Evaluator(deck).odds(hand)
        tasks.append(Task(f"odds, exact, {deck} cards", work_of(Evaluator(deck).odds, hand)))
    for deck in (DECK_SIZES[-1], 36):
        ruleset = Ruleset(deck, suit_tiebreak=True)
        tasks.append(
            Task(f"tables of {deck} cards", work_of(HandTables.__new__, HandTables, ruleset), every=4)
        )
    return tasks


def measure(rows: int, rounds: int, with_peers: bool) -> tuple[list[Line], list[str], bool]:
    """All measurements; lines of results, notes, and whether the run counts."""
    notes = []
    batches, the_pass, copy = batch_tasks(rows)
    singles, empty = single_tasks()
    others = other_tasks()
    small_rows = random_rows(36, SMALL_BATCH)
    small_out = array("H", bytes(2 * SMALL_BATCH))
    small = Task(
        "batch of 65,536 from Python", work_of(Evaluator(36).strengths, small_rows, small_out), SMALL_BATCH
    )
    peers: list[Task] = []
    if with_peers:
        evaluator_peers.install(PEERS)
        texts = [
            [format_card(card) for card in random_rows(52, 1000)[5 * i : 5 * i + 5]] for i in range(1000)
        ]
        works, missing = evaluator_peers.works(texts)
        notes += [f"peer {name} is missing: {reason}" for name, reason in missing.items()]
        peers = [Task(name, work, len(texts)) for name, work in works.items()]
    # Each batch has a pass of its own right after it: as many chances, and the same state of the machine.
    passes = [Task(the_pass.name, the_pass.work, the_pass.units) for _ in batches]
    tasks = [copy, the_pass]
    for pair in zip(batches, passes, strict=True):
        tasks += pair
    tasks += [copy, the_pass, *others, small]
    quick = [empty, *singles, small, *peers]
    for task in quick:
        # What came before has emptied the caches; the first in the row is not to pay for it.
        task.warm = True
    for turn in range(rounds):
        for task in tasks:
            if turn % task.every == 0:
                task.run()
        for _ in range(10):
            for task in quick:
                task.run()
    lines = [Line(copy.name, copy.best * 1e9)]
    share = copy.best / the_pass.best
    counts = share >= PASS_AGAINST_MEMCPY
    lines.append(Line(the_pass.name, the_pass.best * 1e9, share, "memcpy", ">= 0.80", counts))
    if not counts:
        notes.append("the pass stays under 80 % of memcpy: this run is void")
    lines += [batch_line(*pair) for pair in zip(batches, passes, strict=True)]
    lines.append(Line(empty.name, empty.best * 1e9))
    for task in singles:
        limit = SINGLE_TARGETS.get(task.name.removeprefix("single call, "))
        ratio = task.best / empty.best
        line = Line(task.name, task.best * 1e9, ratio, "empty call")
        lines.append(line if limit is None else with_target(line, f"<= {limit}", round(ratio, 2) <= limit))
    limits = {f"odds, exact, {deck} cards": limit for deck, limit in ODDS_TARGETS.items()}
    for task in others:
        limit = limits.get(task.name, BUILD_TARGET)
        lines.append(
            with_target(Line(task.name, task.best * 1e9), f"<= {limit * 1e3:g} ms", task.best <= limit)
        )
    lines.append(Line(small.name, small.best * 1e9))
    for task in sorted(peers, key=lambda peer: peer.best):
        lines.append(Line(task.name, task.best * 1e9, task.best / small.best, "our batch"))
    if peers:
        fastest = min(peers, key=lambda peer: peer.best)
        ratio = fastest.best / small.best
        line = Line(f"our batch against {fastest.name}", small.best * 1e9, ratio, "times as fast")
        lines.append(with_target(line, f">= {PEER_TARGET}", ratio >= PEER_TARGET))
    return lines, notes, counts


def batch_line(task: Task, the_pass: Task) -> Line:
    """A batch against the pass."""
    kernel, _, what = task.name.partition(", ")
    goals = dict(zip(("36 cards", "36 cards, suits", "52 cards"), BATCH_TARGETS[kernel], strict=True))
    ratio = the_pass.best / task.best
    line = Line(task.name, task.best * 1e9, ratio, "the pass")
    return with_target(line, f">= {goals[what]}", round(ratio, 2) >= goals[what]) if what in goals else line


def with_target(line: Line, target: str, reached: bool) -> Line:
    """The line with what it should reach."""
    line.target, line.reached = target, reached
    return line


def about_this_run() -> dict[str, str]:
    """What the numbers belong to."""

    def output(*command: str) -> str:
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

    commit = output("git", "rev-parse", "--short=10", "HEAD") or "unknown"
    if output("git", "status", "--porcelain", "--", "evaluator"):
        commit += "+changes"
    cpu = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text().splitlines()
            if "model name" in line
        ]
        cpu = names[0] if names else cpu
    return {
        "commit": commit,
        "cpu": cpu,
        "kernel": kernel_name(),
        "kernels": ", ".join(available_kernels()),
        "python": platform.python_version(),
        "system": platform.platform(),
        "date": time.strftime("%Y-%m-%d"),
    }


def as_markdown(about: dict[str, str], lines: list[Line], notes: list[str], rows: int, rounds: int) -> str:
    """The results as a table for people."""
    text = [f"# Evaluator on {about['cpu']}", ""]
    text += [f"- {name}: {value}" for name, value in about.items()]
    text += [f"- {rows} hands a batch, best of {rounds} rounds, CPU time of one thread", ""]
    text += ["| what | ns a unit | ratio | of | must be | reached |", "|---|---:|---:|---|---|---|"]
    for line in lines:
        ratio = "" if line.ratio is None else f"{line.ratio:.2f}"
        verdict = "" if line.reached is None else ("yes" if line.reached else "NO")
        text.append(
            f"| {line.what} | {line.nanoseconds:,.2f} | {ratio} | {line.of} | {line.target} | {verdict} |"
        )
    absent = [kernel for kernel in BATCH_TARGETS if kernel not in available_kernels()]
    notes = [*notes, *[f"{kernel}: not on this machine, its speed was not measured" for kernel in absent]]
    return "\n".join([*text, "", *[f"- {note}" for note in notes]]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """The command. Exit code 0, or 3 when the run is void."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=4_000_000, help="hands in a batch (default 4000000)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds over everything (default 15)")
    parser.add_argument("--no-peers", action="store_true", help="do not install and measure other evaluators")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    if not SMALL_BATCH <= options.rows <= 64_000_000 or not 1 <= options.rounds <= 1000:
        parser.error(f"--rows must be {SMALL_BATCH} to 64000000, --rounds 1 to 1000")
    about = about_this_run()
    lines, notes, counts = measure(options.rows, options.rounds, not options.no_peers)
    table = as_markdown(about, lines, notes, options.rows, options.rounds)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"evaluator-{about['commit']}-{about['kernel']}.md").write_text(table)
    if options.json:
        print(json.dumps({"about": about, "lines": [asdict(line) for line in lines], "notes": notes}))
    else:
        print(table)
    return 0 if counts else 3


if __name__ == "__main__":
    raise SystemExit(main())
