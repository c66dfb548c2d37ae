"""EvaluatorService over the wire: right answers, and every bad request named by its field."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import grpc
from turkpoker.evaluator import Evaluator, deck_cards, parse_cards
from turkpoker.v1 import cards_pb2, rules_pb2
from turkpoker.v1 import evaluator_service_pb2 as pb
from wire_players import Caller, refused

DATA = Path(__file__).parent.parent / "data"


def on_wire(text: str) -> list[int]:
    return [card + 1 for card in parse_cards(text)]


async def test_needs_no_token_and_takes_cards_or_text(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    by_text = await stub.EvaluateHand(pb.EvaluateHandRequest(text="As Kd 10c 9h 9s"))
    by_cards = await stub.EvaluateHand(pb.EvaluateHandRequest(cards=on_wire("9s 9h Tc Kd As")))
    assert by_text == by_cards
    assert by_text.category == cards_pb2.CATEGORY_PAIR
    assert by_text.strength == Evaluator().strength("As Kd Tc 9h 9s")
    assert by_text.levels == 1404


async def test_batch_strengths_are_those_of_the_single_calls(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    deck = deck_cards(52)
    hands = [tuple(deck[(start + step * 7) % 52] for step in range(5)) for start in range(3000)]
    settings = pb.EvaluatorSettings(deck_size=52, ranking=rules_pb2.RANKING_STANDARD, suit_tiebreak=True)
    packed = b"".join(map(bytes, hands))
    answer = await stub.BatchEvaluateHands(pb.BatchEvaluateHandsRequest(settings=settings, hands=packed))
    evaluator = Evaluator(52, "standard", suit_tiebreak=True)
    assert struct.unpack(f"<{len(hands)}H", answer.strengths) == tuple(map(evaluator.strength, hands))
    assert answer.levels == evaluator.levels
    empty = await stub.BatchEvaluateHands(pb.BatchEvaluateHandsRequest())
    assert (empty.strengths, empty.levels) == (b"", 1404)


async def test_frequencies_are_those_of_the_rules_text(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    settings = pb.EvaluatorSettings(deck_size=24)
    answer = await stub.GetFrequencies(pb.GetFrequenciesRequest(settings=settings))
    counts = {cards_pb2.Category.Name(each.category): each.count for each in answer.categories}
    assert (answer.total, answer.levels) == (42504, 252)
    assert counts["CATEGORY_FLUSH"] == 12
    assert counts["CATEGORY_THREE_OF_A_KIND"] == 3840
    assert json.loads((DATA / "frequencies.json").read_text())


def hand(**fields: object) -> pb.EvaluateHandRequest:
    return pb.EvaluateHandRequest(**fields)  # type: ignore[arg-type]


BAD_HANDS = [
    (hand(), "cards"),
    (hand(text="As Kd Tc 9h"), "text"),
    (hand(text="As Kd Tc 9h 9h"), "text"),
    (hand(text="As Kd Tc 9h 2h"), "text"),
    (hand(text="As Kd Tc 9h Xx"), "text"),
    (hand(text="As " * 1000), "text"),
    (hand(text="As Kd Tc 9h 9s", cards=[1]), "text"),
    (hand(cards=[1, 2, 3]), "cards"),
    (hand(cards=[0, 49, 50, 51, 52]), "cards[0]"),
    (hand(cards=[53, 49, 50, 51, 52]), "cards[0]"),
    (hand(cards=[-1, 49, 50, 51, 52]), "cards[0]"),
    (hand(cards=[52] * 100), "cards"),
    (hand(text="As Kd Tc 9h 9s", settings=pb.EvaluatorSettings(deck_size=33)), "settings.deck_size"),
    (hand(text="As Kd Tc 9h 9s", settings=pb.EvaluatorSettings(deck_size=-36)), "settings.deck_size"),
    (hand(text="As Kd Tc 9h 9s", settings=pb.EvaluatorSettings(ranking=77)), "settings.ranking"),
    (
        hand(text="As Kd Tc 9h 9s", settings=pb.EvaluatorSettings(suit_order="hhhh")),
        "settings.suit_order",
    ),
]


async def test_bad_hands_are_refused_by_field(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    for request, field in BAD_HANDS:
        refusal = await refused(stub.EvaluateHand(request))
        found = (refusal.code, refusal.reason, refusal.fields)
        assert found == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", [field])


async def test_a_card_missing_from_the_deck_names_the_smallest_that_has_it(
    player: Callable[..., Caller],
) -> None:
    refusal = await refused(player(None).evaluator.EvaluateHand(hand(text="As Kd Tc 9h 4h")))
    assert refusal.metadata["smallest_deck"] == "44"
    assert "4h" in refusal.message


BAD_BATCHES = [
    (bytes(7), "no multiple of five"),
    (bytes([51, 50, 49, 48, 52]), ""),
    (bytes([51, 50, 49, 48, 48]), ""),
    (bytes([51, 50, 49, 48, 0]), ""),
    (bytes([51, 50, 49, 48, 47]) * 5000 + bytes([51, 50, 49, 48, 48]), "5000"),
    (bytes([51, 50, 49, 48, 47]) * 500_001, "500000 in one call"),
]


async def test_bad_batches_are_refused(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    for hands, part in BAD_BATCHES:
        refusal = await refused(stub.BatchEvaluateHands(pb.BatchEvaluateHandsRequest(hands=hands)))
        found = (refusal.code, refusal.reason, refusal.fields)
        assert found == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", ["hands"])
        assert part in refusal.message


async def test_a_message_beyond_the_limit_is_resource_exhausted(player: Callable[..., Caller]) -> None:
    request = pb.BatchEvaluateHandsRequest(hands=bytes(5 * 1024 * 1024))
    refusal = await refused(player(None).evaluator.BatchEvaluateHands(request))
    assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_draws_are_analysed_or_the_reason_is_given(player: Callable[..., Caller]) -> None:
    stub = player(None).evaluator
    request = pb.AnalyzeDrawRequest(text="As Kd Tc 9h 9s", settings=pb.EvaluatorSettings(deck_size=24))
    if hasattr(Evaluator(), "odds"):
        answer = await stub.AnalyzeDraw(request)
        assert len(answer.discards) == 31
        equities = [each.equity for each in answer.discards]
        assert equities == sorted(equities, reverse=True)
    else:
        refusal = await refused(stub.AnalyzeDraw(request))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_CARRIED_OUT")
    request.dead.extend(on_wire("9s"))
    refusal = await refused(stub.AnalyzeDraw(request))
    assert refusal.fields == ["dead"]
    refusal = await refused(stub.AnalyzeDraw(pb.AnalyzeDrawRequest(text="As Kd Tc 9h 9s", draw_max=6)))
    assert refusal.fields == ["draw_max"]
