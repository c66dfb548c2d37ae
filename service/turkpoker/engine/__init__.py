"""The rules of one hand of Turkish poker and its kin: actions in, events out, nothing else touched."""

from turkpoker.engine.actions import ACTIONS, Action
from turkpoker.engine.errors import (
    BadAction,
    LegalActions,
    NotCarriedOut,
    RecordError,
    RefusalReason,
    Refused,
    ReshuffleError,
    RulesError,
)
from turkpoker.engine.events import EVENTS, Event, Over
from turkpoker.engine.hand import Hand
from turkpoker.engine.levels import Level
from turkpoker.engine.matches import (
    DealerDraw,
    carried_out_of_blind,
    eliminated,
    first_dealer,
    next_dealer,
    rules_of_next_deal,
    share_carried,
)
from turkpoker.engine.options import OPTIONS
from turkpoker.engine.phases import Phase
from turkpoker.engine.phh import read_phh, read_phhs, write_phh, write_phhs
from turkpoker.engine.profiles import PRESETS, PROFILES
from turkpoker.engine.record import HandRecord
from turkpoker.engine.replay import ReplayReport, replay
from turkpoker.engine.results import HandResult
from turkpoker.engine.rules import Rules
from turkpoker.engine.seen import HOUSE, Viewer, seen_record
from turkpoker.engine.views import HandView, SeatView, project_event
from turkpoker.engine.whole import MAX_CHIPS

__all__ = [
    "ACTIONS",
    "EVENTS",
    "HOUSE",
    "MAX_CHIPS",
    "OPTIONS",
    "PRESETS",
    "PROFILES",
    "Action",
    "BadAction",
    "DealerDraw",
    "Event",
    "Hand",
    "HandRecord",
    "HandResult",
    "HandView",
    "LegalActions",
    "Level",
    "NotCarriedOut",
    "Over",
    "Phase",
    "RecordError",
    "RefusalReason",
    "Refused",
    "ReplayReport",
    "ReshuffleError",
    "Rules",
    "RulesError",
    "SeatView",
    "Viewer",
    "carried_out_of_blind",
    "eliminated",
    "first_dealer",
    "next_dealer",
    "project_event",
    "read_phh",
    "read_phhs",
    "replay",
    "rules_of_next_deal",
    "seen_record",
    "share_carried",
    "write_phh",
    "write_phhs",
]
