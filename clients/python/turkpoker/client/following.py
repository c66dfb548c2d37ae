"""What each event changes in a view of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from turkpoker.client.decisions import Decision, action_name, moment, phase_name
from turkpoker.client.view_parts import HandPlayerView, HandView, PlacingView, SeatView, WaitingView
from turkpoker.v1 import actions_pb2, events_pb2, rules_pb2

if TYPE_CHECKING:
    from turkpoker.client.view import TableView


def _player_joined(view: TableView, event: events_pb2.PlayerJoined) -> None:
    view.seats[event.seat] = SeatView(
        event.seat, event.player, event.display_name, event.stack, awaiting_bank=event.awaiting_bank
    )
    view.waiting = tuple(each for each in view.waiting if each.player != event.player)


def _player_left(view: TableView, event: events_pb2.PlayerLeft) -> None:
    view.seats.pop(event.seat, None)
    if view.hand is not None:
        view.hand.asked.pop(event.seat, None)
    if view.your_seat == event.seat:
        view.your_seat = None


def _chips_added(view: TableView, event: events_pb2.ChipsAdded) -> None:
    seat = view.seats.get(event.seat)
    if seat is not None:
        if event.awaiting_bank:
            seat.awaiting_bank += event.amount
        elif event.pending:
            seat.pending += event.amount
        else:
            seat.stack += event.amount


def _sat_out(view: TableView, event: events_pb2.SatOut) -> None:
    seat = view.seats.get(event.seat)
    if seat is None:
        return
    seat.sits_out_at_next_ante = event.at_next_ante
    seat.sitting_out = not event.at_next_ante
    seat.leaves_time = moment(event.leaves_time) if event.HasField("leaves_time") else None


def _sat_in(view: TableView, event: events_pb2.SatIn) -> None:
    seat = view.seats.get(event.seat)
    if seat is not None:
        seat.sitting_out = seat.sits_out_at_next_ante = False
        seat.leaves_time = None


def _table_closed(view: TableView, event: events_pb2.TableClosed) -> None:
    view.closed = True
    view.waiting = ()


def _time_bank_started(view: TableView, event: events_pb2.TimeBankStarted) -> None:
    decision = view.hand.asked.get(event.seat) if view.hand is not None else None
    if view.hand is not None and decision is not None and decision.id == event.decision_id:
        view.hand.asked[event.seat] = replace(
            decision,
            deadline=moment(event.deadline),
            time_bank=event.time_bank.ToTimedelta(),
            time_bank_running=True,
        )
    if event.seat in view.seats:
        view.seats[event.seat].time_bank = event.time_bank.ToTimedelta()


def _deadline_changed(view: TableView, event: events_pb2.DeadlineChanged) -> None:
    decision = view.hand.asked.get(event.seat) if view.hand is not None else None
    if view.hand is not None and decision is not None and decision.id == event.decision_id:
        deadline = moment(event.deadline) if event.HasField("deadline") else None
        proof = moment(event.proof_deadline) if event.HasField("proof_deadline") else None
        view.hand.asked[event.seat] = replace(decision, deadline=deadline, proof_deadline=proof)


def _table_paused(view: TableView, event: events_pb2.TablePaused) -> None:
    view.paused = True


def _table_resumed(view: TableView, event: events_pb2.TableResumed) -> None:
    view.paused = False


def _leave_announced(view: TableView, event: events_pb2.LeaveAnnounced) -> None:
    if event.seat in view.seats:
        view.seats[event.seat].leaves_after_hand = not event.cancelled


def _auto_top_up_set(view: TableView, event: events_pb2.AutoTopUpSet) -> None:
    if event.seat in view.seats:
        view.seats[event.seat].auto_top_up = event.target


def _waiting_list_changed(view: TableView, event: events_pb2.WaitingListChanged) -> None:
    view.waiting = tuple(WaitingView.from_wire(each) for each in event.waiting)


def _rules_changed(view: TableView, event: events_pb2.RulesChanged) -> None:
    view.rules.deal_mode = rules_pb2.DealMode.Value(f"DEAL_MODE_{event.deal_mode.upper()}")


def _session_ending(view: TableView, event: events_pb2.SessionEnding) -> None:
    view.ending = True


def _carried_pot_shared(view: TableView, event: events_pb2.CarriedPotShared) -> None:
    view.carried = 0
    for share in event.shares:
        if share.seat in view.seats:
            view.seats[share.seat].stack += share.amount


def _buy_in_confirmed(view: TableView, event: events_pb2.BuyInConfirmed) -> None:
    seat = view.seats.get(event.seat)
    if seat is None:
        return
    seat.awaiting_bank = max(0, seat.awaiting_bank - event.amount)
    if event.pending:
        seat.pending += event.amount
    else:
        seat.stack += event.amount


def _buy_in_refused(view: TableView, event: events_pb2.BuyInRefused) -> None:
    if event.seat in view.seats:
        seat = view.seats[event.seat]
        seat.awaiting_bank = max(0, seat.awaiting_bank - event.amount)


def _hand_stopped(view: TableView, event: events_pb2.HandStopped) -> None:
    if view.hand is not None:
        view.hand.phase = "over"
        view.hand.asked.clear()
    view.carried = event.carried
    for share in event.refunds:
        if share.seat in view.seats:
            view.seats[share.seat].stack += share.amount


def _player_eliminated(view: TableView, event: events_pb2.PlayerEliminated) -> None:
    known = (*view.placings, PlacingView(event.player, event.place))
    # Best first; who shares a place stands in the order of going.
    view.placings = tuple(sorted(known, key=lambda each: each.place))


def _match_ended(view: TableView, event: events_pb2.MatchEnded) -> None:
    view.placings = tuple(PlacingView.from_wire(each) for each in event.placings)


def _dealer_drawn(view: TableView, event: events_pb2.DealerDrawn) -> None:
    view.dealer_seat = event.dealer_seat


def _hand_started(view: TableView, event: events_pb2.HandStarted) -> None:
    view.hand_number = event.hand_number
    view.dealer_seat = event.dealer_seat
    view.carried = 0
    view.hand = HandView(
        number=event.hand_number,
        phase="",
        dealer_seat=event.dealer_seat,
        deck=event.deck,
        players={s.seat: HandPlayerView(s.seat, s.player, s.stack) for s in event.seats},
        pot=event.carried,
        carried=event.carried,
    )
    for dealt in event.seats:
        if dealt.seat in view.seats:
            view.seats[dealt.seat].stack, view.seats[dealt.seat].pending = dealt.stack, 0


def _dealt_in(view: TableView, event: events_pb2.DealtIn) -> None:
    if view.hand is not None:
        view.hand.deck = event.deck


def _ante_posted(view: TableView, event: events_pb2.AntePosted) -> None:
    player = view.put_in(event.seat, event.amount, all_in=event.all_in)
    if player is not None and event.missed:  # dead money
        player.total -= event.amount


def _blind_posted(view: TableView, event: events_pb2.BlindPosted) -> None:
    player = view.player_in_hand(event.seat)
    if player is not None and view.hand is not None:
        view.put_in(event.seat, event.to - player.bet, all_in=event.all_in)
        player.bet = event.to
        # Who cannot pay the whole blind does not make it smaller for the others.
        forced = event.type == actions_pb2.ACTION_TYPE_UNSPECIFIED
        view.hand.level = max(view.hand.level, event.to, view.rules.blind if forced else 0)
        view.hand.asked.pop(event.seat, None)
        if action_name(event.type) == "karanlik":
            view.hand.opener_seat = event.seat


def _cards_dealt(view: TableView, event: events_pb2.CardsDealt) -> None:
    player = view.player_in_hand(event.seat)
    if player is not None:
        player.cards = list(event.cards) or [0] * event.count


def _phase_started(view: TableView, event: events_pb2.PhaseStarted) -> None:
    if view.hand is None:
        return
    view.hand.enter_phase(phase_name(event.phase))
    if view.hand.phase == "round2":
        view.hand.level = 0
        for player in view.hand.players.values():
            player.bet = 0


def _decision_asked(view: TableView, event: events_pb2.DecisionAsked) -> None:
    if view.hand is not None:
        decision = Decision.from_wire(event.decision)
        view.hand.asked[decision.seat] = decision
        if decision.phase != "proof":  # a proof may be asked for while others play on
            view.hand.enter_phase(decision.phase)


def _acted(view: TableView, event: events_pb2.Acted) -> None:
    if view.hand is None:
        return
    view.hand.asked.pop(event.seat, None)
    player = view.player_in_hand(event.seat)
    if player is None:
        return
    if event.amount:
        view.put_in(event.seat, event.amount, all_in=event.all_in)
    name = action_name(event.type)
    if name == "fold":
        player.folded = True
        return
    if name == "stay_out":
        player.stays_out = True
        return
    if name == "ask_proof":  # one request is enough: nobody else is asked any more
        view.hand.asked = {seat: each for seat, each in view.hand.asked.items() if each.phase != "proof"}
    if name == "open":
        view.hand.opener_seat = event.seat
    if event.amount:
        player.bet = event.to
        view.hand.level = max(view.hand.level, event.to)


def _cards_drawn(view: TableView, event: events_pb2.CardsDrawn) -> None:
    if view.hand is None:
        return
    player = view.player_in_hand(event.seat)
    view.hand.asked.pop(event.seat, None)
    if player is None:
        return
    if not event.fourth:
        player.drawn = event.count
    if event.discarded or event.received:
        thrown = set(event.discarded)
        player.cards = [card for card in player.cards if card not in thrown] + list(event.received)
    elif event.fourth:
        player.cards.append(0)
    elif event.count == 4 and view.rules.four_card_draw == rules_pb2.FOUR_CARD_DRAW_THREE_THEN_ONE:
        player.cards.pop()


def _uncalled_returned(view: TableView, event: events_pb2.UncalledReturned) -> None:
    player = view.put_in(event.seat, -event.amount, all_in=False)
    if player is not None:
        player.bet = max(0, player.bet - event.amount)


def _hand_shown(view: TableView, event: events_pb2.HandShown) -> None:
    player = view.player_in_hand(event.seat)
    if player is not None:
        player.cards = list(event.cards)


def _pot_awarded(view: TableView, event: events_pb2.PotAwarded) -> None:
    for share in event.shares:
        player, seat = view.player_in_hand(share.seat), view.seats.get(share.seat)
        if player is not None:
            player.stack += share.amount
        if seat is not None:
            seat.stack += share.amount
        if view.hand is not None:
            view.hand.pot -= share.amount


def _pot_carried(view: TableView, event: events_pb2.PotCarried) -> None:
    view.carried = event.amount


def _hand_ended(view: TableView, event: events_pb2.HandEnded) -> None:
    if view.hand is not None:
        view.hand.phase = "over"
        view.hand.asked.clear()
    for share in event.stacks:
        seat, player = view.seats.get(share.seat), view.player_in_hand(share.seat)
        if player is not None:
            player.stack = share.amount
            if seat is not None and seat.player == player.player:
                # What was bought in mid-hand comes to the stack now.
                seat.stack, seat.pending = share.amount + seat.pending, 0


#: What each event changes; an event that is not here changes nothing.
HANDLERS: dict[str, Callable[[TableView, Any], None]] = {
    "player_joined": _player_joined,
    "player_left": _player_left,
    "chips_added": _chips_added,
    "sat_out": _sat_out,
    "sat_in": _sat_in,
    "table_closed": _table_closed,
    "time_bank_started": _time_bank_started,
    "deadline_changed": _deadline_changed,
    "table_paused": _table_paused,
    "table_resumed": _table_resumed,
    "leave_announced": _leave_announced,
    "auto_top_up_set": _auto_top_up_set,
    "waiting_list_changed": _waiting_list_changed,
    "rules_changed": _rules_changed,
    "session_ending": _session_ending,
    "carried_pot_shared": _carried_pot_shared,
    "buy_in_confirmed": _buy_in_confirmed,
    "buy_in_refused": _buy_in_refused,
    "hand_stopped": _hand_stopped,
    "player_eliminated": _player_eliminated,
    "match_ended": _match_ended,
    "dealer_drawn": _dealer_drawn,
    "hand_started": _hand_started,
    "dealt_in": _dealt_in,
    "ante_posted": _ante_posted,
    "blind_posted": _blind_posted,
    "cards_dealt": _cards_dealt,
    "phase_started": _phase_started,
    "decision_asked": _decision_asked,
    "acted": _acted,
    "cards_drawn": _cards_drawn,
    "uncalled_returned": _uncalled_returned,
    "hand_shown": _hand_shown,
    "pot_awarded": _pot_awarded,
    "pot_carried": _pot_carried,
    "hand_ended": _hand_ended,
}
