"""Dealers of rehearsals, and the server that `turkpoker rehearse` starts with one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from turkpoker.client import Client, hand_text, rules
from turkpoker.evaluator import deck_cards, format_cards, parse_cards
from turkpoker.server.auth import make_token
from turkpoker.server.rehearsal import ScriptedDealer, ScriptedHand, SeededDealer
from turkpoker.server.token_keys import load_key
from turkpoker.table.ports import ShuffleContext

COMMAND = [sys.executable, "-c", "from turkpoker.server.cli import main; main()"]
DECK = deck_cards(24)


def context(hand: int = 1, number: int = 1, purpose: str = "deal", table: str = "t") -> ShuffleContext:
    return ShuffleContext(table, hand, number, purpose)


def test_a_seed_gives_the_same_order_for_ever() -> None:
    # Recorded once: rehearsals and the reports made of them must repeat in later versions too.
    order = SeededDealer(7).shuffle(DECK, context())
    assert format_cards(order) == "Jh Kh 9c Jd Qc 9h 9s 9d Ts Js Tc Ah Ac Qh Ks Kd Qs Jc Ad Td As Kc Th Qd"


def test_what_an_order_depends_on() -> None:
    dealer = SeededDealer(7)
    orders = [
        dealer.shuffle(DECK, context()),
        dealer.shuffle(DECK, context(hand=2)),
        dealer.shuffle(DECK, context(number=2, purpose="reshuffle")),
        dealer.shuffle(DECK, context(purpose="first_dealer")),
        SeededDealer(8).shuffle(DECK, context()),
    ]
    assert len(set(orders)) == len(orders)
    assert all(sorted(order) == sorted(DECK) for order in orders)
    # Not on the table's name, nor on how the cards lay before.
    assert dealer.shuffle(DECK[::-1], context(table="other")) == orders[0]
    assert "7" not in repr(dealer)


def test_every_card_comes_to_every_place_equally_often() -> None:
    tries = 6000
    dealer = SeededDealer("even")
    tops, pairs = Counter[int](), Counter[tuple[int, int]]()
    for hand in range(tries):
        order = dealer.shuffle(DECK, context(hand=hand))
        tops[order[0]] += 1
        pairs[order[5], order[6]] += 1
    expected = tries / len(DECK)
    chi_square = sum((tops[card] - expected) ** 2 / expected for card in DECK)
    assert chi_square < 50  # 23 degrees of freedom: once in a thousand beyond
    expected = tries / (24 * 23)
    both = [(a, b) for a in DECK for b in DECK if a != b]
    assert sum((pairs[pair] - expected) ** 2 / expected for pair in both) < 660  # 551 degrees


def test_a_script_is_dealt_where_it_fits() -> None:
    scripted = tuple(reversed(DECK))
    again = (DECK[3], DECK[1], DECK[2])
    seeded = SeededDealer(1)
    dealer = ScriptedDealer.of([ScriptedHand(scripted, (again,))], seeded)
    assert dealer.shuffle(DECK, context()) == scripted
    assert dealer.shuffle(DECK[1:4], context(number=2, purpose="reshuffle")) == again
    for cards, otherwise in [
        (DECK, context(hand=2)),  # after the script
        (deck_cards(28), context()),  # another number of players
        (DECK[2:5], context(number=2, purpose="reshuffle")),  # other discards
        (DECK[1:4], context(number=3, purpose="reshuffle")),  # one reshuffle more
        (DECK, context(purpose="first_dealer")),
    ]:
        assert dealer.shuffle(cards, otherwise) == seeded.shuffle(cards, otherwise)


def left_in(directory: Path, inside: str = "") -> list[Path]:
    """What a rehearsal has in a directory of temporary files."""
    return list(directory.glob(f"turkpoker-rehearsal-*{inside}"))


async def test_rehearse_deals_the_script(tmp_path: Path) -> None:
    deck = "Kh As Kd Ad 9h Jc Th Jd Qh 9c Ah Ac Kc Ks Qc Qd Qs Js Jh Tc Td Ts 9d 9s"
    record = {"profile": "turkish", "dealer": "B", "stacks": {"A": 100, "B": 100}, "deck": deck}
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps(record) + "\n")
    server = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("rehearse", "--listen", "127.0.0.1:0", "--seed", "3", "--script", str(script)),
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
    )
    try:
        assert server.stdout is not None
        said = ""
        while not said.startswith("serving gRPC on "):
            said = (await asyncio.wait_for(server.stdout.readline(), 30)).decode()
        (key_file,) = left_in(tmp_path, "/token.key")
        clients = [Client(said.split()[-1], make_token(load_key(key_file), name)) for name in ("ann", "bob")]
        table = await clients[0].create_table(rules(), seat_count=2, hand_pause=timedelta(0))
        assert table.rehearsal
        for client in clients:
            await client.join(table.name)
        views = [await client.get_table(table.name) for client in clients]
        held = {}
        for view in views:
            assert view.me is not None
            assert view.hand is not None
            held[view.me.seat] = hand_text(view.me.cards)
        left_of_dealer = 1 - (views[0].dealer_seat or 0)
        cards = parse_cards(deck)
        assert set(held[left_of_dealer].split()) == set(format_cards(cards[0:10:2]).split())
        assert set(held[1 - left_of_dealer].split()) == set(format_cards(cards[1:10:2]).split())
        for client in clients:
            await client.close()
    finally:
        server.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(server.wait(), 20) == 0
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--listen", "0.0.0.0:0"), "loopback"),
        (("--listen", "192.168.1.1:50051"), "loopback"),
        (("--listen", "poker.example:50051"), "loopback"),
        (("--script", "none.jsonl"), "none.jsonl"),
        (("--seed", "x"), "--seed"),
        (("--listen", "localhost:port"), "host:port"),
    ],
)
def test_bad_input(
    arguments: tuple[str, ...],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from turkpoker.server.cli import main

    monkeypatch.setattr(sys, "argv", ["turkpoker", "rehearse", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


def test_a_bad_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from turkpoker.server.cli import main

    script = tmp_path / "script.jsonl"
    for text, words in [
        ("", "no hand"),
        ("{", "line 1"),
        ('{"deck": "Kh Kh"}', "profile"),
        ('{"profile": "turkish", "dealer": "A", "stacks": {"A": 1, "B": 1}, "deck": "Kh Kh"}', "twice"),
    ]:
        script.write_text(text)
        monkeypatch.setattr(sys, "argv", ["turkpoker", "rehearse", "--script", str(script)])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
