"""The Python client of turkpoker: sessions at tables, typed errors, cards and rules by name, and bots.

async with Client("localhost:50051", token) as client:
    table = await client.create_table(rules("turkish", ante=2))
    await client.join(table.name)
    async with client.play(table.name) as session:
        async for decision in session:
            await session.act(decision, "check" if "check" in decision.legal else "fold")
"""

from turkpoker.client.cards import card, card_text, cards, category_name, hand_text
from turkpoker.client.client import CashOut, Client, Purchase, Update
from turkpoker.client.decisions import Decision, LegalActions, make_action
from turkpoker.client.errors import (
    ActionNotLegalError,
    AmountOutOfRangeError,
    NotYourTurnError,
    ReplacedError,
    StaleDecisionError,
    TurkpokerError,
)
from turkpoker.client.identity import Guest, Identity, sign_in_as_guest
from turkpoker.client.rules import option_names, rules
from turkpoker.client.session import Accepted, Session
from turkpoker.client.view import TableView
from turkpoker.client.view_parts import HandPlayerView, HandView, PlacingView, SeatView, WaitingView

__all__ = [
    "Accepted",
    "ActionNotLegalError",
    "AmountOutOfRangeError",
    "CashOut",
    "Client",
    "Decision",
    "Guest",
    "HandPlayerView",
    "HandView",
    "Identity",
    "LegalActions",
    "NotYourTurnError",
    "PlacingView",
    "Purchase",
    "ReplacedError",
    "SeatView",
    "Session",
    "StaleDecisionError",
    "TableView",
    "TurkpokerError",
    "Update",
    "WaitingView",
    "card",
    "card_text",
    "cards",
    "category_name",
    "hand_text",
    "make_action",
    "option_names",
    "rules",
    "sign_in_as_guest",
]
