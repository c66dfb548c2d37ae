"""Decks that nobody can foresee: the real dealer passes a battery of checks, and each check catches the bad
dealers that it is there for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from server import bad_dealers as bad
from server.dealer_battery import CHECKS, Chi, context_of, same_after_fork, uneven
from table.desks import Desk
from turkpoker.engine import Hand
from turkpoker.evaluator import deck_cards
from turkpoker.server import bootstrap
from turkpoker.server.cli import serve
from turkpoker.server.dealing import SystemDealer
from turkpoker.server.settings import ServerSettings
from turkpoker.table.commands import Act
from turkpoker.table.ports import ShuffleContext
from turkpoker.v1 import (
    hand_history_service_pb2,
    operator_service_pb2,
    session_service_pb2,
    table_service_pb2,
)

#: Which checks catch which dealer; the others may.
CAUGHT: list[tuple[Callable[[], Any], set[str]]] = [
    (bad.NaiveSwaps, {"uneven"}),
    (bad.OneTooFew, {"uneven", "kept_from_before"}),
    (bad.SortedByCoarseKeys, {"kept_from_before"}),
    (bad.of_seconds, {"alike", "guessed"}),
    (bad.of_milliseconds, {"alike", "guessed"}),
    (bad.of_sixteen_bits, {"alike"}),
    (bad.OfSixteenBits, {"dealt_twice", "alike"}),
    (bad.OfTableAndTime, {"alike", "guessed", "dealt_twice"}),
    (bad.OfHandNumber, {"alike", "guessed"}),
    (bad.OfLibrary, {"of_global_seed"}),
    (bad.SameAgain, {"dealt_twice", "kept_from_before", "uneven"}),
    (bad.OnlyCuts, {"kept_from_before"}),
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_real_dealer_passes(check: str) -> None:
    assert CHECKS[check](SystemDealer) is None


@pytest.mark.parametrize(("make", "checks"), CAUGHT, ids=[make.__name__ for make, _ in CAUGHT])
def test_a_bad_dealer_is_caught(make: Callable[[], Any], checks: set[str]) -> None:
    assert CHECKS["wrong_cards"](make) is None
    for check in sorted(checks):
        fault = CHECKS[check](make)
        print(f"{make.__name__}: {check}: {fault}")
        assert fault is not None, check


def test_remainders_of_a_byte_are_caught_by_more_decks() -> None:
    fault = uneven(bad.Remainders, count=20_000)
    print(fault)
    assert fault is not None


def test_a_forked_process_does_not_deal_like_its_parent() -> None:
    assert same_after_fork("turkpoker.server.dealing", "SystemDealer") is None
    for planted in ("of_process", "of_milliseconds"):
        assert same_after_fork("bad_dealers", planted) is not None


def _chi(size: int, count: int) -> Chi:
    dealer, cards = SystemDealer(), deck_cards(size)
    found = Chi((dealer.shuffle(cards, context_of(number)) for number in range(count)), size)
    print(
        f"{size} cards: {found.decks} decks, chi-square {found.statistic:.1f} with {found.freedom} degrees of"
        f" freedom, allowed {found.low:.1f} .. {found.high:.1f}"
    )
    return found


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("size", [24, 28, 32, 36, 40, 44, 48, 52])
def test_card_against_position_over_many_decks(size: int) -> None:
    assert _chi(size, 200_000).fault is None


def test_the_statistic_is_what_it_says() -> None:
    """Over a few honest runs it lies about its degrees of freedom, not only within the wide limits."""
    values = [_chi(24, 1500) for _ in range(6)]
    mean = sum(each.statistic for each in values) / len(values)
    freedom = values[0].freedom
    assert abs(mean - freedom) < 5 * (2 * freedom / len(values)) ** 0.5


# -- fixed once dealt
# ----------------------------------------------------------------------------------------------


class Recorded:
    """The real dealer, and what he dealt."""

    def __init__(self) -> None:
        self.dealt: list[tuple[ShuffleContext, tuple[int, ...], tuple[int, ...]]] = []

    def shuffle(self, cards: tuple[int, ...], context: ShuffleContext) -> tuple[int, ...]:
        order = SystemDealer().shuffle(cards, context)
        self.dealt.append((context, cards, order))
        return order

    def of(self, hand_number: int, purpose: str) -> list[tuple[int, ...]]:
        return [
            order
            for context, _, order in self.dealt
            if (context.hand_number, context.purpose) == (hand_number, purpose)
        ]


def test_a_deck_is_fixed_once_it_is_dealt_and_reshuffles_come_from_the_dealer() -> None:
    dealer = Recorded()
    desk = Desk(dealer, players=(5, 5), deck=36, opening_requirement="none")  # type: ignore[arg-type]
    desk.join(*"abcde")
    reshuffled = 0
    hands: dict[int, tuple[int, ...]] = {}
    while desk.state.hand_number < 12:
        hand = desk.state.hand
        assert isinstance(hand, Hand)
        record = hand.record()
        assert hands.setdefault(desk.state.hand_number, record.deck) == record.deck
        assert [record.deck] == dealer.of(desk.state.hand_number, "deal")
        assert list(record.reshuffles) == dealer.of(desk.state.hand_number, "reshuffle")
        reshuffled += len(record.reshuffles)
        asked = desk.state.decisions()[0]
        assert asked.legal is not None
        name = next(name for name in ("open", "draw", "check", "call") if name in asked.legal)
        own = next(each for each in hand.view(asked.seat).seats if each.seat == asked.seat).cards
        value = asked.legal[name]
        assert value is not False
        to = value[0] if name == "open" and isinstance(value, tuple) else None
        thrown = tuple(card for card in own[:4] if card is not None) if name == "draw" else ()
        desk.do(Act(desk.state.hand_players[asked.seat], asked.decision_id, name, to, thrown))
    assert reshuffled > 10
    assert len(set(hands.values())) == len(hands)
    for context, cards, order in dealer.dealt:
        # The dealer is given the cards as they are, and nothing that would tell more than a client knows.
        assert sorted(cards) == sorted(order)
        assert {each.name for each in fields(context)} == {
            "table_id",
            "hand_number",
            "shuffle_number",
            "purpose",
        }


# -- nobody can seed a deck of `serve`
# ----------------------------------------------------------------------------------------------

SUSPICIOUS = re.compile(
    r"seed|deck|shuffl|random|script|rehears|dealer|order|stack_the|cards|fixed", re.IGNORECASE
)


def test_no_setting_and_no_flag_brings_another_dealer() -> None:
    assert [each.name for each in fields(ServerSettings) if SUSPICIOUS.search(each.name)] == []
    options = [name for option in serve.command.params for name in option.opts]
    assert options
    assert [name for name in options if SUSPICIOUS.search(name)] == []
    assert not [param for param in serve.command.params if isinstance(param, click.Argument)]


async def test_no_variable_brings_another_dealer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ: Mapping[str, str] = {
        f"TURKPOKER_{name}": "1"
        for name in ("SEED", "DECK", "DEALER", "REHEARSAL", "SCRIPT", "SHUFFLE", "RANDOM_SEED", "CARDS")
    } | {"PYTHONHASHSEED": "0"}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    settings = ServerSettings.from_environment(environ, data_dir=tmp_path)
    assert settings == ServerSettings(data_dir=tmp_path)
    async with bootstrap.open_adapters(settings) as adapters:
        assert type(adapters.dealer) is SystemDealer
        assert not adapters.rehearsal
        assert CHECKS["alike"](lambda: adapters.dealer) is None


def fields_of(message: Descriptor, path: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The paths of all fields of a message and of those in it."""
    if message.full_name in seen:
        return
    for field in message.fields:
        yield f"{path}.{field.name}"
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            yield from fields_of(field.message_type, f"{path}.{field.name}", seen | {message.full_name})


def test_no_request_brings_cards_to_a_table_but_those_a_player_throws() -> None:
    modules = (table_service_pb2, operator_service_pb2, hand_history_service_pb2, session_service_pb2)
    found = {
        path
        for module in modules
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        for path in fields_of(method.input_type, method.name)
        if SUSPICIOUS.search(path.rpartition(".")[2])
    }
    rules = {
        # How many cards, which suit is higher, and how the first dealer is found: rules that all agree on.
        f"{method}.rules.{option}"
        for method in ("CreateTable", "ExplainRules")
        for option in ("deck", "four_player_deck", "suit_order", "first_dealer")
    }
    discards = {"SubmitAction.action.cards", "Play.action.action.cards"}
    assert found - rules == discards


def test_only_demo_and_rehearse_hand_a_dealer_to_a_server() -> None:
    root = Path(bootstrap.__file__).parent
    handing = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"(?:running_server|open_adapters)\([^)]*dealer", path.read_text(), re.DOTALL)
        and path.name not in ("app.py", "bootstrap.py")
    }
    assert handing == {"cli/demo.py", "cli/rehearse.py"}
