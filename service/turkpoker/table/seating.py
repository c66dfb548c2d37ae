"""Commands about seats: come, go, sit out, sit in, and the end of the table."""

from __future__ import annotations

from turkpoker.table.commands import AddChips, Close, Join, Leave, SitIn, SitOut
from turkpoker.table.config import MAX_DISPLAY_NAME
from turkpoker.table.desk import Desk
from turkpoker.table.errors import Reason, TableError
from turkpoker.table.events import ChipsAdded, PlayerJoined, PlayerLeft, SatIn, SatOut, TableClosed
from turkpoker.table.matches import give_up, match_ended
from turkpoker.table.state import Seat

MAX_PLAYER_NAME = 256


def join(desk: Desk, command: Join) -> bool:
    """Take a seat; whether anything changed."""
    state, config = desk.state, desk.state.config
    player = checked_name("player", command.player, MAX_PLAYER_NAME)
    display_name = checked_name(
        "display_name", command.display_name or player[:MAX_DISPLAY_NAME], MAX_DISPLAY_NAME
    )
    if command.seat is not None:
        check_whole("seat", command.seat, 0, config.seat_count - 1)
    held = state.seat_of(player)
    if held is not None:
        return _join_again(desk, held, command.seat)
    if config.rules.match == "tournament" and state.hand_number:
        raise _not_now("the tournament has begun")
    number = _free_seat(desk, command.seat)
    buy_in = _checked_buy_in(desk, command.buy_in)
    state.seats[number] = Seat(player, display_name, 0, owed=state.carried_antes)
    # In clockwise order, whoever came first: the engine and the views rely on it.
    state.seats = dict(sorted(state.seats.items()))
    desk.events.append(PlayerJoined(number, player, display_name, buy_in))
    desk.buy_in(number, buy_in)
    return True


def _join_again(desk: Desk, held: int, wanted: int | None) -> bool:
    if desk.state.seats[held].leaving:
        raise _not_now("you have left and can come back when the hand is over")
    if wanted is not None and wanted != held:
        raise TableError(
            Reason.ALREADY_SEATED, f"you sit on seat {held}", field="seat", metadata={"seat": str(held)}
        )
    return _back(desk, held)


def _free_seat(desk: Desk, wanted: int | None) -> int:
    seats = desk.state.seats
    if wanted is None:
        for number in range(desk.state.config.seat_count):
            if number not in seats:
                return number
        raise TableError(Reason.TABLE_FULL, "no seat is free")
    if wanted in seats:
        raise TableError(
            Reason.SEAT_TAKEN, f"seat {wanted} is taken", field="seat", metadata={"seat": str(wanted)}
        )
    return wanted


def _checked_buy_in(desk: Desk, buy_in: int | None) -> int:
    rules = desk.state.config.rules
    if buy_in is None:
        return rules.start_stack
    least, most = rules.buy_in_min, rules.buy_in_max
    if rules.match == "tournament":
        least = most = rules.start_stack
    return _checked_amount("buy_in", buy_in, least, most)


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
    """Give the seat up; whether anything changed."""
    state = desk.state
    number = state.seat_of(command.player)
    if number is None or state.seats[number].paid_out:
        raise not_seated()
    if state.seats[number].leaving:
        # All-in and gone already: the same answer again.
        desk.pending = True
        return False
    desk.last_leaver = number
    if state.hand_running and number in state.hand_players:
        _leave_hand(desk, number, state.seats[number])
    else:
        given_up = give_up(state, number)
        if given_up is not None:
            desk.events.append(given_up)
        desk.pay_and_free(number)
        desk.end_tournament()
    return True


def _leave_hand(desk: Desk, number: int, seat: Seat) -> None:
    hand = desk.state.hand
    assert hand is not None
    seat.leaving = True
    # Who stayed out of an opt-in deal sits beside the hand, not in it.
    events = hand.leave(number) if number in hand.seats else []
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


def add_chips(desk: Desk, command: AddChips) -> bool:
    """Buy more chips: at once between hands, else when the hand is over."""
    state, rules = desk.state, desk.state.config.rules
    number = own_seat(desk, command.player)
    seat = state.seats[number]
    in_hand = state.hand_running and number in state.hand_players
    held = seat.stack + seat.pending
    if rules.rebuy == "none":
        raise _not_now("no chips can be added at this table")
    if rules.rebuy == "when_bust":
        # All-in is not bust yet; what he gets then is the starting amount.
        if held or in_hand:
            raise _not_now("chips can be added when you have none left")
        least = most = rules.start_stack
    else:
        least, most = (1 if held else rules.buy_in_min), rules.buy_in_max - held
    amount = command.amount
    if amount is None:
        amount = rules.start_stack - held
        if amount <= 0:
            raise _not_now(f"you have the {rules.start_stack} chips of a start already")
    elif most <= 0:
        raise _not_now(f"you have the {rules.buy_in_max} chips that may lie here already")
    amount = _checked_amount("amount", amount, least, most)
    desk.events.append(ChipsAdded(number, seat.player, amount, in_hand))
    desk.buy_in(number, amount, pending=in_hand)
    desk.pending = in_hand
    return True


def _not_now(why: str) -> TableError:
    return TableError(Reason.NOT_NOW, why, metadata={"why": why})


def _back(desk: Desk, number: int) -> bool:
    seat = desk.state.seats[number]
    if not seat.sitting_out:
        return False
    seat.sitting_out, seat.timeouts = False, 0
    desk.events.append(SatIn(number, seat.player))
    return True


def sit_in(desk: Desk, command: SitIn) -> bool:
    """Be dealt in again; whether anything changed."""
    return _back(desk, own_seat(desk, command.player))


def sit_out(desk: Desk, command: SitOut) -> bool:
    """Not be dealt in any more; whether anything changed."""
    number = own_seat(desk, command.player)
    seat = desk.state.seats[number]
    if seat.sitting_out:
        return False
    seat.sitting_out = True
    desk.events.append(SatOut(number, seat.player))
    return True


def close(desk: Desk, command: Close) -> bool:
    """End the table and pay everybody out."""
    state = desk.state
    if command.player != state.config.host:
        raise TableError(Reason.NOT_THE_HOST, "only who made the table may close it")
    if state.hand_running:
        raise _not_now("a hand is on")
    with_chips = [number for number, seat in state.seats.items() if seat.stack + seat.pending]
    if state.carried and state.seats:
        desk.share_carried(with_chips or list(state.seats))
    if state.hand_number and state.seats and not state.match_over:
        desk.events.append(match_ended(state))
    for number in list(state.seats):
        desk.pay_and_free(number)
    state.closed = True
    desk.events.append(TableClosed())
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


def checked_name(name: str, text: str, longest: int) -> str:
    """A name of a length that can be shown.

    Raises:
        TableError: INVALID_FIELD.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > longest or not text.isprintable():
        raise TableError(
            Reason.INVALID_FIELD, f"{name} must have 1 to {longest} printable characters", field=name
        )
    return text


def check_whole(name: str, number: int, least: int, most: int) -> None:
    """Refuse what is not a whole number of a range.

    Raises:
        TableError: INVALID_FIELD.
    """
    if type(number) is not int or not least <= number <= most:
        raise TableError(Reason.INVALID_FIELD, f"{name} must be from {least} to {most}", field=name)
