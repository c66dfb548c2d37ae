"""Events on the wire: each commit as one viewer may see it.

Who may see what is decided by ``table.events.project`` before anything here looks at an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.engine import events as hand
from turkpoker.server.wire.actions import action_type, decision_to_wire
from turkpoker.server.wire.cards import cards_to_wire, category_to_wire
from turkpoker.table import events as table
from turkpoker.table.ports import LogEntry
from turkpoker.v1 import actions_pb2
from turkpoker.v1 import events_pb2 as pb

_OVER = {
    hand.Over.SHOWDOWN: pb.HAND_OVER_SHOWDOWN,
    hand.Over.FOLDS: pb.HAND_OVER_FOLDS,
    hand.Over.UNOPENED: pb.HAND_OVER_UNOPENED,
    hand.Over.PASSED_OUT: pb.HAND_OVER_PASSED_OUT,
    hand.Over.NO_DEAL: pb.HAND_OVER_NO_DEAL,
}


class EntryTranslator:
    """Translates one commit for one viewer.

    Args:
        entry: the commit, unprojected.
        player: who looks.
        seat: whose cards he may see when the commit begins. ``seat`` follows him into a new hand.
    """

    def __init__(self, entry: LogEntry, player: str, seat: int | None) -> None:
        self._entry = entry
        self._player = player
        self.seat = seat
        self._over: hand.Over | None = None
        self._hand_starts_here = False

    def events(self) -> list[pb.TableEvent]:
        """The events that the viewer may know of, in order; may be called once."""
        messages = []
        time = Timestamp()
        time.FromDatetime(self._entry.time)
        for event in self._entry.events:
            if isinstance(event, table.DealStarted):
                self._hand_starts_here = True
                # In a new hand his cards are those of the seat in which he was dealt in, if any.
                dealt_in = {dealt.player: dealt.seat for dealt in event.seats}
                self.seat = dealt_in.get(self._player)
            if isinstance(event, hand.DealtIn) and self._hand_starts_here:
                continue  # hand_started has told it
            seen = table.project(event, self.seat, self._player)
            fields = None if seen is None else self._translate(seen)
            if fields is not None:
                messages.append(pb.TableEvent(version=self._entry.version, create_time=time, **fields))
        return messages

    def _translate(self, event: table.TableEvent) -> dict[str, Any] | None:
        match event:
            case hand.HandEnded():
                self._over = event.over
                return None
            case table.DealStarted():
                return {"hand_started": self._hand_started(event)}
            case table.HandSettled():
                return {"hand_ended": self._hand_ended(event)}
            case table.DecisionAsked():
                decision = decision_to_wire(event, self._entry.time)
                return {"decision_asked": pb.DecisionAsked(decision=decision)}
            case (
                table.TimeBankStarted()
                | table.DeadlineChanged()
                | table.WaitingListChanged()
                | table.SatOut()
            ):
                return self._clock_changed(event)
        translate = _TRANSLATIONS.get(type(event))
        return None if translate is None else translate(event)

    def _sat_out(self, event: table.SatOut) -> pb.SatOut:
        sat_out = pb.SatOut(seat=event.seat, timed_out=event.timed_out, at_next_ante=event.at_next_ante)
        if event.leaves is not None:
            sat_out.leaves_time.FromDatetime(event.leaves.moment(self._entry.time))
        return sat_out

    def _clock_changed(
        self,
        event: table.TimeBankStarted | table.DeadlineChanged | table.WaitingListChanged | table.SatOut,
    ) -> dict[str, Any]:
        if isinstance(event, table.SatOut):
            return {"sat_out": self._sat_out(event)}
        if isinstance(event, table.WaitingListChanged):
            waiting = waiting_to_wire(event.waiting, self._entry.time)
            return {"waiting_list_changed": pb.WaitingListChanged(waiting=waiting)}
        deadline = event.alarm.moment(self._entry.time)
        if isinstance(event, table.DeadlineChanged):
            changed = pb.DeadlineChanged(seat=event.seat, decision_id=event.decision_id)
            changed.deadline.FromDatetime(deadline)
            if event.proof_alarm is not None:
                changed.proof_deadline.FromDatetime(event.proof_alarm.moment(self._entry.time))
            return {"deadline_changed": changed}
        started = pb.TimeBankStarted(seat=event.seat, decision_id=event.decision_id)
        started.time_bank.FromTimedelta(event.time_bank)
        started.deadline.FromDatetime(deadline)
        return {"time_bank_started": started}

    def _hand_started(self, event: table.DealStarted) -> pb.HandStarted:
        # Where players are asked first whether they play, the deck follows from their answers.
        after = self._entry.events[self._entry.events.index(event) :]
        deck = next((each.deck_size for each in after if isinstance(each, hand.DealtIn)), 0)
        return pb.HandStarted(
            hand_number=event.hand_number,
            dealer_seat=event.dealer_seat,
            deck=deck,
            seats=[
                pb.DealtSeat(seat=each.seat, player=each.player, stack=each.stack) for each in event.seats
            ],
            carried=event.carried,
        )

    def _hand_ended(self, event: table.HandSettled) -> pb.HandEnded:
        message = pb.HandEnded(
            hand_number=event.hand_number,
            over=pb.HAND_OVER_UNSPECIFIED if self._over is None else _OVER[self._over],
            stacks=_shares(event.stacks),
            rake=event.rake,
        )
        if event.next_hand is not None:
            message.deals_again_time.FromDatetime(event.next_hand.moment(self._entry.time))
        return message


def _shares(pairs: Iterable[tuple[int, int]]) -> list[pb.PotShare]:
    return [pb.PotShare(seat=seat, amount=amount) for seat, amount in pairs]


def _acted(name: str) -> Callable[[Any], dict[str, Any]]:
    kind = action_type(name)

    def translate(event: Any) -> dict[str, Any]:
        return {"acted": pb.Acted(seat=event.seat, type=kind)}

    return translate


def _wagered(name: str) -> Callable[[Any], dict[str, Any]]:
    kind = action_type(name)

    def translate(event: Any) -> dict[str, Any]:
        return {
            "acted": pb.Acted(
                seat=event.seat, type=kind, amount=event.amount, to=event.to, all_in=event.all_in
            )
        }

    return translate


def _unseen(name: str) -> Callable[[Any], dict[str, Any]]:
    kind = action_type(name)

    def translate(event: Any) -> dict[str, Any]:
        return {"blind_posted": pb.BlindPosted(seat=event.seat, to=event.to, all_in=event.all_in, type=kind)}

    return translate


def _phase(phase: actions_pb2.Phase.ValueType) -> Callable[[Any], dict[str, Any]]:
    return lambda event: {"phase_started": pb.PhaseStarted(phase=phase)}


def _round_started(event: hand.RoundStarted) -> dict[str, Any]:
    phase = actions_pb2.PHASE_ROUND1 if event.round == 1 else actions_pb2.PHASE_ROUND2
    return {"phase_started": pb.PhaseStarted(phase=phase)}


def _cards_dealt(event: hand.CardsDealt) -> dict[str, Any]:
    cards = cards_to_wire(event.cards or ())
    return {"cards_dealt": pb.CardsDealt(seat=event.seat, count=event.count, cards=cards)}


def _cards_seen(event: hand.CardsSeen) -> dict[str, Any] | None:
    if event.cards is None:
        return None
    cards = cards_to_wire(event.cards)
    return {"cards_dealt": pb.CardsDealt(seat=event.seat, count=len(cards), cards=cards)}


def _cards_drawn(event: hand.CardsDrawn) -> dict[str, Any]:
    return {
        "cards_drawn": pb.CardsDrawn(
            seat=event.seat,
            count=event.count,
            discarded=cards_to_wire(event.discarded or ()),
            received=cards_to_wire(event.drawn or ()),
        )
    }


def _fourth_card(event: hand.FourthCardDealt) -> dict[str, Any]:
    received = cards_to_wire(event.drawn or ())
    return {"cards_drawn": pb.CardsDrawn(seat=event.seat, count=1, received=received, fourth=True)}


def _hand_shown(event: hand.HandShown) -> dict[str, Any]:
    return {
        "hand_shown": pb.HandShown(
            seat=event.seat,
            cards=cards_to_wire(event.cards),
            category=category_to_wire(event.category),
        )
    }


def _pot_awarded(event: hand.PotAwarded) -> dict[str, Any]:
    return {
        "pot_awarded": pb.PotAwarded(
            pot=event.pot,
            amount=event.amount,
            eligible=event.eligible,
            shares=_shares(event.shares),
            low=event.half == "low",
        )
    }


def _pot_shared(event: table.CarriedPotShared) -> dict[str, Any]:
    return {"carried_pot_shared": pb.CarriedPotShared(amount=event.amount, shares=_shares(event.shares))}


def waiting_to_wire(waiting: Iterable[table.Waiting], time: datetime) -> list[pb.Waiting]:
    """Who waits for a seat; ``time`` is that of the commit which tells of it."""
    messages = []
    for each in waiting:
        message = pb.Waiting(
            player=each.player, display_name=each.display_name, offered_seat=each.offered_seat
        )
        if each.offer is not None:
            message.offer_expire_time.FromDatetime(each.offer.moment(time))
        messages.append(message)
    return messages


def _player_joined(event: table.PlayerJoined) -> dict[str, Any]:
    return {
        "player_joined": pb.PlayerJoined(
            seat=event.seat,
            player=event.player,
            display_name=event.display_name,
            stack=event.stack,
            awaiting_bank=event.awaiting_bank,
        )
    }


def _player_left(event: table.PlayerLeft) -> dict[str, Any]:
    return {"player_left": pb.PlayerLeft(seat=event.seat, player=event.player, cashed_out=event.cashed_out)}


def _dealer_drawn(event: table.DealerDrawn) -> dict[str, Any]:
    draws = [pb.SeatCards(seat=seat, cards=cards_to_wire((card,))) for seat, card in event.draws]
    return {"dealer_drawn": pb.DealerDrawn(draws=draws, dealer_seat=event.dealer_seat)}


def _match_ended(event: table.MatchEnded) -> dict[str, Any]:
    placings = [pb.Placing(player=each.player, place=each.place, chips=each.chips) for each in event.placings]
    return {"match_ended": pb.MatchEnded(placings=placings)}


def _ante_posted(event: hand.AntePosted | hand.MissedAntesPosted) -> dict[str, Any]:
    missed = isinstance(event, hand.MissedAntesPosted)
    return {
        "ante_posted": pb.AntePosted(seat=event.seat, amount=event.amount, all_in=event.all_in, missed=missed)
    }


#: Events that are not here have nothing to tell a client that others do not tell.
_TRANSLATIONS: dict[type, Callable[[Any], dict[str, Any] | None]] = {
    table.PlayerJoined: _player_joined,
    table.PlayerLeft: _player_left,
    table.SatIn: lambda event: {"sat_in": pb.SatIn(seat=event.seat)},
    table.TableClosed: lambda event: {"table_closed": pb.TableClosed(reason=event.reason)},
    table.TablePaused: lambda event: {
        "table_paused": pb.TablePaused(by_operator=event.by_operator, reason=event.reason)
    },
    table.TableResumed: lambda event: {"table_resumed": pb.TableResumed()},
    table.PlayerRemoved: lambda event: {
        "player_removed": pb.PlayerRemoved(
            seat=event.seat, player=event.player, by_operator=event.by_operator
        )
    },
    table.LeaveAnnounced: lambda event: {
        "leave_announced": pb.LeaveAnnounced(seat=event.seat, cancelled=event.cancelled)
    },
    table.AutoTopUpSet: lambda event: {
        "auto_top_up_set": pb.AutoTopUpSet(seat=event.seat, target=event.target)
    },
    table.RulesChanged: lambda event: {"rules_changed": pb.RulesChanged(deal_mode=event.deal_mode)},
    table.SessionEnding: lambda event: {"session_ending": pb.SessionEnding(by_operator=event.by_operator)},
    table.HandStopped: lambda event: {
        "hand_stopped": pb.HandStopped(
            hand_number=event.hand_number,
            refunds=_shares(event.refunds),
            carried=event.carried,
            reason=event.reason,
        )
    },
    table.DealerDrawn: _dealer_drawn,
    table.TimedOut: lambda event: {"timed_out": pb.TimedOut(seat=event.seat)},
    table.CarriedPotShared: _pot_shared,
    table.ChipsAdded: lambda event: {
        "chips_added": pb.ChipsAdded(
            seat=event.seat,
            amount=event.amount,
            pending=event.pending,
            automatic=event.automatic,
            awaiting_bank=event.awaiting_bank,
        )
    },
    table.BuyInConfirmed: lambda event: {
        "buy_in_confirmed": pb.BuyInConfirmed(seat=event.seat, amount=event.amount, pending=event.pending)
    },
    table.BuyInRefused: lambda event: {
        "buy_in_refused": pb.BuyInRefused(seat=event.seat, player=event.player, amount=event.amount)
    },
    table.LevelStarted: lambda event: {
        "level_started": pb.LevelStarted(
            level=event.level, ante=event.ante, blind=event.blind, stake_min=event.stake_min
        )
    },
    table.PlayerEliminated: lambda event: {
        "player_eliminated": pb.PlayerEliminated(seat=event.seat, player=event.player, place=event.place)
    },
    table.MatchEnded: _match_ended,
    hand.Entered: _acted("enter"),
    hand.StayedOut: _acted("stay_out"),
    hand.AntePosted: _ante_posted,
    hand.MissedAntesPosted: _ante_posted,
    hand.AnteReturned: lambda event: {
        "uncalled_returned": pb.UncalledReturned(seat=event.seat, amount=event.amount)
    },
    hand.BlindPosted: lambda event: {
        "blind_posted": pb.BlindPosted(seat=event.seat, to=event.amount, all_in=event.all_in)
    },
    hand.OverBlindPosted: _unseen("over_blind"),
    hand.KaranlikBet: _unseen("karanlik"),
    hand.Declined: _acted("decline"),
    hand.DealtIn: lambda event: {"dealt_in": pb.DealtIn(deck=event.deck_size, seats=event.seats)},
    hand.CardsDealt: _cards_dealt,
    hand.CardsSeen: _cards_seen,
    hand.RoundStarted: _round_started,
    hand.DrawStarted: _phase(actions_pb2.PHASE_DRAW),
    hand.ProofWindowOpened: _phase(actions_pb2.PHASE_PROOF),
    hand.Checked: _acted("check"),
    hand.Opened: _wagered("open"),
    hand.Bet: _wagered("bet"),
    hand.Called: _wagered("call"),
    hand.Raised: _wagered("raise"),
    hand.Folded: _acted("fold"),
    hand.LeftFolded: lambda event: {
        "acted": pb.Acted(seat=event.seat, type=actions_pb2.ACTION_TYPE_FOLD, left=True)
    },
    hand.OpenersSplit: lambda event: {"openers_split": pb.OpenersSplit(seat=event.seat)},
    hand.CardsDrawn: _cards_drawn,
    hand.FourthCardDealt: _fourth_card,
    hand.Reshuffled: lambda event: {"reshuffled": pb.Reshuffled(count=event.count)},
    hand.UncalledReturned: lambda event: {
        "uncalled_returned": pb.UncalledReturned(seat=event.seat, amount=event.amount)
    },
    hand.HandShown: _hand_shown,
    hand.ProofAsked: _acted("ask_proof"),
    hand.ProofPassed: _acted("pass"),
    hand.OpenersProved: lambda event: {
        "openers_proved": pb.OpenersProved(seat=event.seat, cards=cards_to_wire(event.cards))
    },
    hand.FalseOpening: lambda event: {"false_opening": pb.FalseOpening(seat=event.seat)},
    hand.PotAwarded: _pot_awarded,
    hand.PotCarried: lambda event: {"pot_carried": pb.PotCarried(amount=event.amount)},
}
