"""Commands about seats: come, go, buy chips, sit out, sit in."""

from __future__ import annotations

from turkpoker.engine import MAX_CHIPS, Event
from turkpoker.table.checking import check_whole, checked_person
from turkpoker.table.commands import AddChips, Join, Leave, SetAutoTopUp, SitIn, SitOut
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError, not_now
from turkpoker.table.events import (
    AutoTopUpSet,
    ChipsAdded,
    LeaveAnnounced,
    PlayerJoined,
    PlayerLeft,
    SatIn,
    SatOut,
)
from turkpoker.table.matches import give_up
from turkpoker.table.state import Seat, TableState
from turkpoker.table.waiting import check_comer, free_seats, strike

#: So many buy-ins of one player may wait for the bank at a table: they are part of its state.
MAX_AWAITED = 4
#: What a ledger counts to at most, so that it fits an int64 of the wire.
_LEDGER_MOST = 2**63 - 1


def join(desk: Desk, command: Join) -> bool:
    """Take a seat; whether anything changed."""
    state, config = desk.state, desk.state.config
    player, display_name = checked_person(command.player, command.display_name)
    if command.seat is not None:
        check_whole("seat", command.seat, 0, config.seat_count - 1)
    held = state.seat_of(player)
    if held is not None:
        return _join_again(desk, held, command.seat)
    check_comer(state, player, command.invitation, operator=command.operator)
    _check_awaited(state, player)
    number = _free_seat(desk, player, command.seat)
    buy_in = _checked_buy_in(desk, command.buy_in, state.left_with.get(player, 0))
    if not config.bank:
        desk.forget_left_with(player)
    strike(state, player)
    state.seats[number] = Seat(player, display_name, 0, owed=state.carried_antes)
    # In clockwise order, whoever came first: the engine and the views rely on it.
    state.seats = dict(sorted(state.seats.items()))
    paid, awaiting = (0, buy_in) if config.bank else (buy_in, 0)
    desk.events.append(PlayerJoined(number, player, display_name, paid, awaiting))
    desk.buy_in(number, buy_in, joining=True)
    desk.note_bought(buy_in)
    return True


def _join_again(desk: Desk, held: int, wanted: int | None) -> bool:
    if desk.state.seats[held].leaving:
        raise not_now("you have left and can come back when the hand is over")
    if wanted is not None and wanted != held:
        raise TableError(
            Reason.ALREADY_SEATED, f"you sit on seat {held}", field="seat", metadata={"seat": str(held)}
        )
    return _back(desk, held)


def _free_seat(desk: Desk, player: str, wanted: int | None) -> int:
    seats = desk.state.seats
    free = free_seats(desk.state, player)
    if wanted is None:
        if free:
            return free[0]
        kept = len(seats) < desk.state.config.seat_count
        raise TableError(
            Reason.TABLE_FULL, "every free seat is kept for who waits" if kept else "no seat is free"
        )
    if wanted not in free:
        why = "taken" if wanted in seats else "kept for who waits"
        raise TableError(
            Reason.SEAT_TAKEN, f"seat {wanted} is {why}", field="seat", metadata={"seat": str(wanted)}
        )
    return wanted


def _checked_buy_in(desk: Desk, buy_in: int | None, left_with: int) -> int:
    """What a comer buys in for; who left a short while ago brings at least what he left with."""
    rules = desk.state.config.rules
    least, most = max(rules.buy_in_min, left_with), max(rules.buy_in_max, left_with)
    if rules.match == "tournament":
        least = most = rules.start_stack
    if buy_in is None:
        buy_in = least = max(rules.start_stack, left_with)
    most = min(max(most, least), _room(desk.state))
    if most < least:
        raise not_now("the table cannot count any more chips")
    return _checked_amount("buy_in", buy_in, least, most)


def _check_awaited(state: TableState, player: str) -> None:
    if sum(each.player == player for each in state.transfers.values()) >= MAX_AWAITED:
        raise not_now("the bank has not answered for your last buy-ins yet")


def _room(state: TableState) -> int:
    """How many more chips may come, so that whoever wins them all has a stack that the rules can count."""
    awaited = sum(each.amount for each in state.transfers.values())
    return min(MAX_CHIPS - state.chips(), _LEDGER_MOST - state.ledger.bought_in) - awaited


def _checked_amount(field: str, amount: int, least: int, most: int) -> int:
    if type(amount) is not int:
        raise TableError(Reason.INVALID_FIELD, f"{field} must be a whole number of chips", field=field)
    if not least <= amount <= most:
        raise TableError(
            Reason.BUY_IN_OUT_OF_RANGE,
            f"{field} is from {least} to {most} chips here",
            field=field,
            metadata={"min": str(least), "max": str(most)},
        )
    return amount


def leave(desk: Desk, command: Leave) -> bool:
    """Give the seat up, now or after the hand; whether anything changed."""
    state = desk.state
    number = state.seat_of(command.player)
    if number is None or state.seats[number].paid_out:
        raise not_seated()
    seat = state.seats[number]
    if command.when not in ("now", "after_hand", "cancelled"):
        raise TableError(Reason.INVALID_FIELD, "when is now, after_hand or cancelled", field="when")
    if seat.leaving:
        if command.when == "cancelled":
            raise not_now("you have left already")
        # All-in and gone already: the same answer again.
        desk.pending = True
        return False
    if command.when == "cancelled":
        return _announce_leave(desk, number, cancelled=True)
    if command.when == "after_hand" and state.hand_running and number in state.hand_players:
        desk.pending = True
        return _announce_leave(desk, number, cancelled=False)
    awaits = state.seats[number].awaiting_bank > 0
    leave_now(desk, number)
    desk.pending = desk.pending or awaits
    return True


def _announce_leave(desk: Desk, number: int, *, cancelled: bool) -> bool:
    seat = desk.state.seats[number]
    if seat.leaves_after_hand is not cancelled:
        return False
    seat.leaves_after_hand = not cancelled
    desk.events.append(LeaveAnnounced(number, seat.player, cancelled))
    return True


def leave_now(desk: Desk, number: int) -> None:
    """Take a player from his seat: folded and paid at once, or when the hand is over where he is all-in."""
    state = desk.state
    if state.hand_running and number in state.hand_players:
        desk.last_leaver = number
        _leave_hand(desk, number, state.seats[number])
    else:
        depart(desk, number)


def depart(desk: Desk, number: int) -> None:
    """Take a player from his seat who is in no running hand: paid out, and out of a tournament."""
    desk.last_leaver = number
    given_up = give_up(desk.state, number)
    if given_up is not None:
        desk.events.append(given_up)
    desk.pay_and_free(number)
    desk.end_tournament()


def _leave_hand(desk: Desk, number: int, seat: Seat) -> None:
    hand = desk.state.hand
    assert hand is not None
    seat.leaving, seat.leaves_after_hand = True, False
    desk.no_longer_await(number)
    events = _fold(desk, number)
    desk.events += events
    if hand.result is not None:
        return  # paid with all others when the hand is settled
    if any(event.name == "left_all_in" for event in events):
        desk.pending = True
        return
    chips = hand.stacks[number]
    desk.cash_out(number, chips + seat.pending)
    seat.pending, seat.paid, seat.paid_out = 0, chips, True
    desk.events.append(PlayerLeft(number, seat.player, desk.paid_to.get(seat.player, 0)))


def _fold(desk: Desk, number: int) -> list[Event]:
    """Take a seat out of the running hand; what happened there. An all-in player is kept in it.

    Who stayed out of an opt-in deal sits beside the hand, not in it, and nobody goes twice.
    """
    hand = desk.state.hand
    assert hand is not None
    return [] if number not in hand.seats or hand.has_left(number) else hand.leave(number)


def add_chips(desk: Desk, command: AddChips) -> bool:
    """Buy more chips: at once between hands, else when the hand is over."""
    rules = desk.state.config.rules
    number = own_seat(desk, command.player)
    seat = desk.state.seats[number]
    _check_awaited(desk.state, command.player)
    least, most = chips_allowed(desk, number)
    amount = command.amount
    if amount is None:
        amount = rules.start_stack - seat.stack - seat.pending - seat.awaiting_bank
        if amount <= 0:
            raise not_now(f"you have the {rules.start_stack} chips of a start already")
    elif most <= 0:
        full = "the table cannot count any more chips"
        most_here = f"you have the {rules.buy_in_max} chips that may lie here already"
        raise not_now(most_here if _room(desk.state) > 0 else full)
    amount = _checked_amount("amount", amount, least, most)
    desk.pending = buy_more(desk, number, amount)
    desk.note_bought(amount)
    return True


def chips_allowed(desk: Desk, number: int) -> tuple[int, int]:
    """How many chips a seat may buy now, from and to; nothing where the second is not above 0.

    Raises:
        TableError: NOT_NOW.
    """
    state, rules = desk.state, desk.state.config.rules
    seat = state.seats[number]
    held = seat.stack + seat.pending + seat.awaiting_bank
    if rules.rebuy == "none":
        raise not_now("no chips can be added at this table")
    if rules.rebuy == "when_bust":
        # All-in is not bust yet; what he gets then is the starting amount.
        if held or (state.hand_running and number in state.hand_players):
            raise not_now("chips can be added when you have none left")
        if _room(state) < rules.start_stack:
            raise not_now("the table cannot count any more chips")
        return rules.start_stack, rules.start_stack
    return (1 if held else rules.buy_in_min), min(rules.buy_in_max - held, _room(state))


def buy_more(desk: Desk, number: int, amount: int, *, automatic: bool = False) -> bool:
    """Bring chips to a seat; whether they wait until the hand is over, or for the bank."""
    state = desk.state
    in_hand, bank = state.hand_running and number in state.hand_players, state.config.bank
    waits = in_hand or bank
    desk.events.append(ChipsAdded(number, state.seats[number].player, amount, waits, automatic, bank))
    desk.buy_in(number, amount, pending=in_hand)
    return waits


def set_auto_top_up(desk: Desk, command: SetAutoTopUp) -> bool:
    """Give or take back the order to fill a seat up between hands; whether anything changed."""
    rules = desk.state.config.rules
    number = own_seat(desk, command.player)
    seat, target = desk.state.seats[number], command.target
    if target:
        if rules.rebuy == "none":
            raise not_now("no chips can be added at this table")
        when_bust = rules.rebuy == "when_bust"
        least, most = (
            (rules.start_stack, rules.start_stack) if when_bust else (rules.buy_in_min, rules.buy_in_max)
        )
        target = _checked_amount("target", target, least, most)
    if seat.auto_top_up == target:
        return False
    seat.auto_top_up = target
    desk.events.append(AutoTopUpSet(number, seat.player, target))
    return True


def _back(desk: Desk, number: int) -> bool:
    seat = desk.state.seats[number]
    if not (seat.sitting_out or seat.sits_out_at_next_ante):
        return False
    seat.sitting_out, seat.sits_out_at_next_ante, seat.timeouts = False, False, 0
    desk.events.append(SatIn(number, seat.player))
    return True


def sit_in(desk: Desk, command: SitIn) -> bool:
    """Be dealt in again; whether anything changed."""
    return _back(desk, own_seat(desk, command.player))


def sit_out(desk: Desk, command: SitOut) -> bool:
    """Not be dealt in any more; whether anything changed."""
    state = desk.state
    number = own_seat(desk, command.player)
    seat = state.seats[number]
    if command.when not in ("next_deal", "now", "next_ante"):
        raise TableError(Reason.INVALID_FIELD, "when is next_deal, now or next_ante", field="when")
    if command.when == "next_ante":
        if seat.sitting_out or seat.sits_out_at_next_ante:
            return False
        seat.sits_out_at_next_ante = True
        desk.events.append(SatOut(number, seat.player, at_next_ante=True))
        return True
    folded: list[Event] = []
    if command.when == "now" and state.hand_running and state.hand is not None:
        # An all-in player stays in the hand, and may still draw.
        folded = _fold(desk, number) if state.hand.stacks.get(number) else []
    if seat.sitting_out:
        desk.events += folded
        return bool(folded)
    seat.sitting_out, seat.sits_out_at_next_ante = True, False
    desk.events += [SatOut(number, seat.player), *folded]
    return True


def own_seat(desk: Desk, player: str) -> int:
    """The seat of a player who has not given it up.

    Raises:
        TableError: NOT_YOUR_SEAT.
    """
    number = desk.state.seat_of(player)
    if number is None or desk.state.seats[number].leaving:
        raise not_seated()
    return number


def not_seated() -> TableError:
    """The refusal of somebody who does not sit here."""
    return TableError(Reason.NOT_YOUR_SEAT, "you do not sit at this table")
