"""A table on the wire, as one viewer may see it.

The hand comes from the engine's own view of a seat, the questions from the table's projection.
"""

from __future__ import annotations

from turkpoker.engine.views import HandView
from turkpoker.server.resume import Position, ResumeTokens
from turkpoker.server.wire.actions import decision_to_wire, phase_to_wire
from turkpoker.server.wire.cards import cards_to_wire
from turkpoker.server.wire.names import table_name
from turkpoker.server.wire.rules import rules_to_wire
from turkpoker.table.delay import sees_later, without_running_hand
from turkpoker.table.events import DecisionAsked, project
from turkpoker.table.ports import LobbyEntry
from turkpoker.table.state import Seat, TableState
from turkpoker.table.tables import Outcome
from turkpoker.v1 import actions_pb2
from turkpoker.v1 import tables_pb2 as pb


def table_to_wire(outcome: Outcome, player: str, tokens: ResumeTokens, *, whole: bool = False) -> pb.Table:
    """The table as a player may see it.

    Args:
        outcome: how the table stands.
        player: who looks.
        tokens: makes the resume token.
        whole: the running hand too for who sees it later: his delay is over.
    """
    delayed = not whole and outcome.state.hand_running and sees_later(outcome.state, player)
    state = without_running_hand(outcome.state) if delayed else outcome.state
    viewer_seat = state.viewer_seat(player)
    position = Position(state.epoch, state.version, viewer_seat)
    message = pb.Table(
        name=table_name(state.table_id),
        display_name=state.config.display_name,
        rules=rules_to_wire(state.config.rules),
        seat_count=state.config.seat_count,
        seats=[_seat(state, number, seat) for number, seat in sorted(state.seats.items())],
        host=state.config.host,
        dealer_seat=state.dealer,
        hand_number=state.hand_number,
        carried=state.carried,
        your_seat=state.seat_of(player),
        version=state.version,
        resume_token=tokens.make(state.table_id, player, position),
        etag=f'"{state.epoch}.{state.version}"',
        rehearsal=state.config.rehearsal,
        closed=state.closed,
        warnings=state.config.rules.warnings,
        delayed=delayed,
    )
    message.hand_pause.FromTimedelta(state.config.hand_pause)
    if state.config.spectator_delay:
        message.spectator_delay.FromTimedelta(state.config.spectator_delay)
    message.server_time.FromDatetime(outcome.now)
    if state.create_time is not None:
        message.create_time.FromDatetime(state.create_time)
    if state.hand is not None:
        asked = _asked(outcome, viewer_seat)
        message.hand.CopyFrom(_hand(state, state.hand.view(viewer_seat), asked))
        for decision in asked:
            if decision.seat == viewer_seat:
                message.decision.CopyFrom(decision)
    return message


def _seat(state: TableState, number: int, seat: Seat) -> pb.Seat:
    message = pb.Seat(
        seat=number,
        player=seat.player,
        display_name=seat.display_name,
        stack=seat.stack,
        sitting_out=seat.sitting_out,
        leaving=seat.leaving,
        pending=seat.pending,
        awaiting_bank=seat.awaiting_bank,
    )
    if state.config.rules.time_bank:
        message.time_bank.FromTimedelta(state.time_bank(seat.player))
    return message


def _asked(outcome: Outcome, viewer_seat: int | None) -> list[actions_pb2.Decision]:
    seen = [project(decision, viewer_seat) for decision in outcome.state.decisions()]
    return [decision_to_wire(each, outcome.state.time) for each in seen if isinstance(each, DecisionAsked)]


def _hand(state: TableState, view: HandView, asked: list[actions_pb2.Decision]) -> pb.Hand:
    message = pb.Hand(
        hand_number=state.hand_number,
        phase=phase_to_wire(view.phase),
        dealer_seat=view.dealer,
        deck=view.deck_size,
        pot=view.pot,
        carried=view.carried,
        level=view.level,
        opener_seat=view.opener,
        asked=asked,
    )
    for seat in view.seats:
        message.players.add(
            seat=seat.seat,
            player=state.hand_players.get(seat.seat, ""),
            stack=seat.stack,
            bet=seat.bet,
            total=seat.total,
            folded=seat.folded,
            all_in=seat.all_in,
            cards=cards_to_wire(seat.cards),
            drawn=seat.drawn,
        )
    return message


def summary_to_wire(entry: LobbyEntry) -> pb.TableSummary:
    """A table in a list."""
    message = pb.TableSummary(
        name=table_name(entry.table_id),
        display_name=entry.display_name,
        profile=entry.profile,
        seat_count=entry.seat_count,
        seats_taken=entry.seats_taken,
        ante=entry.ante,
        stake_min=entry.stake_min,
        hand_number=entry.hand_number,
        rehearsal=entry.rehearsal,
    )
    if entry.create_time is not None:
        message.create_time.FromDatetime(entry.create_time)
    return message
