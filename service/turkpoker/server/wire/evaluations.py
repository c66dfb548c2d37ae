"""Settings and answers of the evaluator on the wire."""

from __future__ import annotations

from turkpoker.evaluator import Ruleset, deck_cards, format_card, parse_cards, smallest_deck
from turkpoker.server.errors import invalid
from turkpoker.server.wire.cards import cards_from_wire
from turkpoker.v1 import evaluator_service_pb2 as pb
from turkpoker.v1 import rules_pb2

_RANKINGS = {
    rules_pb2.RANKING_UNSPECIFIED: "turkish",
    rules_pb2.RANKING_TURKISH: "turkish",
    rules_pb2.RANKING_FRENCH: "french",
    rules_pb2.RANKING_STANDARD: "standard",
}
_DEFAULT_DECK = 36
_DEFAULT_SUIT_ORDER = "hsdc"
_MAX_TEXT = 256


def ruleset_from_wire(settings: pb.EvaluatorSettings) -> Ruleset:
    """What an evaluator is made from.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    ranking = _RANKINGS.get(settings.ranking)
    if ranking is None:
        raise invalid("settings.ranking", f"no ranking: {settings.ranking}")
    size = settings.deck_size or _DEFAULT_DECK
    try:
        deck_cards(size)
    except ValueError as error:
        raise invalid("settings.deck_size", str(error)) from None
    order = settings.suit_order or _DEFAULT_SUIT_ORDER
    if len(order) != 4 or sorted(order) != sorted(_DEFAULT_SUIT_ORDER):
        raise invalid("settings.suit_order", "suit_order must hold each of h, s, d, c once")
    return Ruleset(
        deck_size=size,
        ranking=ranking,
        minor_straights=settings.minor_straights if settings.HasField("minor_straights") else True,
        suit_tiebreak=settings.suit_tiebreak,
        # Where suits decide nothing their order is nothing either; one evaluator then serves all orders.
        suit_order=order if settings.suit_tiebreak else _DEFAULT_SUIT_ORDER,
    )


def hand_from_wire(
    request: pb.EvaluateHandRequest | pb.AnalyzeDrawRequest, ruleset: Ruleset
) -> tuple[int, ...]:
    """The five cards of a request, given as cards or as text, all different and all in the deck.

    Raises:
        ServiceError: INVALID_FIELD.
    """
    if request.text and request.cards:
        raise invalid("text", "give the hand as cards or as text, not both")
    field = "text" if request.text else "cards"
    if request.text:
        if len(request.text) > _MAX_TEXT:
            raise invalid(field, f"longer than {_MAX_TEXT} characters")
        try:
            cards = parse_cards(request.text)
        except ValueError as error:
            raise invalid(field, str(error)) from None
    else:
        cards = cards_from_wire(request.cards, field)
    if len(cards) != 5:
        raise invalid(field, f"a hand has five cards, not {len(cards)}")
    check_in_deck(cards, ruleset, field)
    return cards


def check_in_deck(cards: tuple[int, ...], ruleset: Ruleset, field: str) -> None:
    """Refuse a card that stands twice or is not in the deck.

    Raises:
        ServiceError: INVALID_FIELD; for a missing card it names the smallest deck that has them all.
    """
    seen: set[int] = set()
    for card in cards:
        if card in seen:
            raise invalid(field, f"{format_card(card)} stands twice")
        seen.add(card)
        if card < 52 - ruleset.deck_size:
            fitting = smallest_deck(cards)
            message = (
                f"{format_card(card)} is not in a deck of {ruleset.deck_size} cards; {fitting} cards have it"
            )
            raise invalid(field, message, smallest_deck=str(fitting))
