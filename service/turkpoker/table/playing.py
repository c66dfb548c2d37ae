"""Commands about the hand: answer a decision, let the table answer, and go on to the next question or
hand.
"""

from __future__ import annotations

from turkpoker.engine import Action, BadAction, RefusalReason, Refused
from turkpoker.table.alarms import BANK, NEXT_HAND, PROOF, TURN
from turkpoker.table.away import close_empty, run_away_clocks, send_away, send_away_after_the_hand
from turkpoker.table.between import between_hands, sit_out_before_the_ante
from turkpoker.table.clocks import deadline_changed, ring, run_hand_clocks, run_pause, start_bank
from turkpoker.table.commands import Act
from turkpoker.table.dealing import can_deal, deal, take_stacks
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.events import DecisionAsked, TimedOut
from turkpoker.table.seating import own_seat
from turkpoker.table.state import DecisionName, TableState, parse_decision_id
from turkpoker.table.waiting import offer_seats

#: What the table answers for somebody who does not: the first of these that is legal.
_ANSWERS_OF_THE_TABLE = ("stay_out", "decline", "draw", "check", "fold")
#: What it answers for who sits out in a tournament: if he stayed out, he would keep his chips, and the match
#: could not end.
_ANSWERS_FOR_THE_ABSENT = ("enter", *_ANSWERS_OF_THE_TABLE)


def act(desk: Desk, command: Act) -> bool:
    """Answer a decision."""
    state = desk.state
    try:
        name = parse_decision_id(command.decision_id)
    except (ValueError, TypeError):
        raise TableError(
            Reason.INVALID_FIELD, "a decision id looks like h12.round1.s2.d3", field="decision_id"
        ) from None
    number = own_seat(desk, command.player)
    hand = state.hand

    def own() -> DecisionAsked | None:
        """What he is asked, for a refusal."""
        return desk.base.decision(number)

    if hand is None or not _is_open(state, name, command.action):
        raise TableError(
            Reason.STALE_DECISION,
            "this decision has been answered or is gone",
            metadata={"decision_id": command.decision_id},
            decision=own(),
        )
    if name.seat != number:
        raise TableError(
            Reason.NOT_YOUR_TURN,
            f"this decision is that of seat {name.seat}",
            metadata={"seat": str(name.seat)},
            decision=own(),
        )
    if command.action == "leave":
        raise TableError(
            Reason.INVALID_FIELD, "leaving is not an answer to a decision", field="action", decision=own()
        )
    try:
        desk.events += hand.apply(Action(number, command.action, command.to, tuple(command.cards)))
    except BadAction as error:
        field = "action" if error.field in ("action", "seat") else f"action.{error.field}"
        raise TableError(Reason.INVALID_FIELD, str(error), field=field, decision=own()) from None
    except Refused as error:
        raise _refusal(error, command, own()) from None
    state.seats[number].timeouts = 0
    # In time is what comes before the end of its own question, whatever else is due.
    alarm = desk.base.alarm_of(number, command.action)
    desk.moment = None if alarm is None else alarm.at
    return True


def _is_open(state: TableState, name: DecisionName, action: str) -> bool:
    """Whether the question stands.

    Its number is unique in a hand; a proof may also be asked under the turn's name.
    """
    hand = state.hand
    if hand is None or name.hand_number != state.hand_number or name.question == 0:
        return False
    return name.question in (hand.question(name.seat, action), hand.question(name.seat))


def _refusal(error: Refused, command: Act, own: DecisionAsked | None) -> TableError:
    if error.reason is RefusalReason.AMOUNT_OUT_OF_RANGE:
        allowed = error.legal.get(command.action)
        metadata = {"min": str(allowed[0]), "max": str(allowed[1])} if isinstance(allowed, tuple) else {}
        return TableError(Reason.AMOUNT_OUT_OF_RANGE, str(error), metadata=metadata, decision=own)
    if error.reason is RefusalReason.BAD_CARDS:
        return TableError(Reason.BAD_DISCARD, str(error), decision=own)
    return TableError(Reason.ACTION_NOT_LEGAL, str(error), metadata={"action": command.action}, decision=own)


def time_out(desk: Desk) -> bool:
    """Carry out what is due; ``go_on`` deals the next hand.

    Raises:
        NotDue: no clock runs.
    """
    ring(desk)
    if desk.state.hand_running:
        _answer_for_the_late(desk)
    send_away(desk)
    close_empty(desk)
    return True


def _answer_for_the_late(desk: Desk) -> None:
    """Answer for whoever has run out of time, unless his time bank runs now, and close a window."""
    state, hand = desk.state, desk.state.hand
    assert hand is not None
    if TURN in desk.due or BANK in desk.due:
        for number in [seat for seat in hand.asked if _has_turn(state, seat)]:
            if TURN in desk.due and start_bank(desk, number):
                continue
            state.seats[number].timeouts += 1
            _answer_for(desk, number)
    if PROOF in desk.due:
        for number in hand.proof_asked_of:
            if number in hand.proof_asked_of:
                desk.events += hand.apply(Action(number, "pass"))


def _answer_for(desk: Desk, number: int, answers: tuple[str, ...] = _ANSWERS_OF_THE_TABLE) -> None:
    state, hand = desk.state, desk.state.hand
    decision = state.decision(number)
    assert hand is not None
    if decision is None or decision.legal is None:
        return
    desk.events.append(TimedOut(number, state.seats[number].player, decision.decision_id))
    answer = next(action for action in answers if action in decision.legal)
    desk.events += hand.apply(Action(number, answer))


def _answer_for_the_absent(desk: Desk) -> None:
    """In a tournament who sits out is dealt in and answered for at once, so that the others need not wait."""
    state, hand = desk.state, desk.state.hand
    if not state.tournament or hand is None:
        return
    while absent := [seat for seat in hand.asked if state.seats[seat].sitting_out and _has_turn(state, seat)]:
        _answer_for(desk, absent[0], _ANSWERS_FOR_THE_ABSENT)


def _has_turn(state: TableState, seat: int) -> bool:
    """Whether a seat is asked something else than whether it wants to see a proof."""
    hand = state.hand
    assert hand is not None
    return hand.question(seat) != hand.question(seat, "pass")


def go_on(desk: Desk) -> None:
    """Settle a hand that is over, deal the next one if it is time, set the clocks, and ask."""
    state, base = desk.state, desk.base
    desk.forget_who_left_long_ago()
    if base.hand_running and not state.closed:
        _answer_for_the_absent(desk)
        take_stacks(state)
        if not state.hand_running:
            desk.settle()
    if not state.hand_running and not state.closed:
        send_away_after_the_hand(desk)
        between_hands(desk)
    if not desk.held and (NEXT_HAND in desk.due or not state.config.hand_pause):
        sit_out_before_the_ante(desk)
        if can_deal(state):
            _deal(desk)
    offer_seats(desk)
    run_hand_clocks(desk)
    run_pause(desk)
    run_away_clocks(desk)
    if state.closed:
        state.alarms.clear()
    if state.hand_running:
        _ask(desk)


def _deal(desk: Desk) -> None:
    state = desk.state
    desk.events += deal(state, desk.dealer)
    assert state.hand is not None
    desk.events += state.hand.events
    _answer_for_the_absent(desk)
    take_stacks(state)
    if not state.hand_running:
        desk.settle()
        between_hands(desk)


def _ask(desk: Desk) -> None:
    """Put the questions that are new or changed, and tell of those that only have another deadline."""
    state, base = desk.state, desk.base
    same_hand = base.hand_running and base.hand_number == state.hand_number
    for asked in state.decisions():
        old = base.decision(asked.seat) if same_hand else None
        if old is None or old.decision_id != asked.decision_id or old.legal != asked.legal:
            desk.events.append(asked)
        elif (changed := deadline_changed(old, asked)) is not None:
            desk.events.append(changed)
