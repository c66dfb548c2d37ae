"""A table whose chips come from a bank: they are nobody's until the bank has paid, in whatever order things
happen."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from table.desks import Desk, SeededDealer, snapshot
from table.test_table_random import random_command
from turkpoker.storage.encoding import Codec
from turkpoker.storage.seal import Seal
from turkpoker.table.commands import (
    AddChips,
    ConfirmBuyIn,
    Join,
    Leave,
    RefuseBuyIn,
    SetAutoTopUp,
    SitIn,
    SitOut,
)
from turkpoker.table.decide import Decision, decide
from turkpoker.table.errors import NotDue, Reason, TableError
from turkpoker.table.events import BoughtIn, BuyInAsked, CashedOut, ChipsAdded, PlayerJoined
from turkpoker.table.seating import MAX_AWAITED
from turkpoker.table.transfers import Direction, Transfer


class Counter(Desk):
    """A table with a bank that answers when the test says so.

    Attributes:
        orders: what waits for the bank, in order.
        balance: what the bank holds for each player, counted from 0.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(SeededDealer(1), opening_requirement="none", **options)
        self.state.config = replace(self.state.config, bank=True)
        self.orders: list[Transfer] = []
        self.balance: dict[str, int] = {}

    def do(self, command: Any) -> Decision:
        decision = super().do(command)
        self.orders += decision.orders
        return decision

    def pay(self, *, say: bool = True) -> Decision | None:
        """The bank answers the oldest order."""
        order = self.orders.pop(0)
        sign = -1 if order.direction is Direction.DEBIT else 1
        if say:
            self.balance[order.player] = self.balance.get(order.player, 0) + sign * order.amount
        if order.direction is Direction.CREDIT:
            return None
        return self.do((ConfirmBuyIn if say else RefuseBuyIn)(order.transfer_id, "1-1"))

    def pay_all(self) -> None:
        while self.orders:
            self.pay()

    def total(self) -> int:
        """Chips at the bank, at the table and on the way; never anything but 0."""
        on_the_way = sum(each.amount for each in self.orders if each.direction is Direction.CREDIT)
        return sum(self.balance.values()) + on_the_way + self.state.chips()


def test_chips_are_nobodys_until_the_bank_has_paid() -> None:
    desk = Counter()
    decision = desk.do(Join("ayse", "Ayse", seat=2, buy_in=120))
    assert decision.events[:2] == (
        PlayerJoined(2, "ayse", "Ayse", 0, 120),
        BuyInAsked(2, "ayse", 120, decision.transfer_id),
    )
    (order,) = decision.orders
    assert (order.transfer_id, order.player, order.amount) == (decision.transfer_id, "ayse", 120)
    assert (order.direction, order.version, order.table_id) == (Direction.DEBIT, 2, "t1")
    assert desk.state.chips() == desk.state.ledger.bought_in == 0
    assert (desk.state.seats[2].stack, desk.state.seats[2].awaiting_bank) == (0, 120)
    paid = desk.pay()
    assert paid is not None
    assert paid.answered == "1-1"
    assert [event.name for event in paid.events] == ["bought_in", "buy_in_confirmed"]
    assert paid.events[0] == BoughtIn(2, "ayse", 120, decision.transfer_id)
    assert (desk.state.seats[2].stack, desk.state.seats[2].awaiting_bank) == (120, 0)
    assert desk.state.transfers == {}


def test_play_money_asks_no_bank() -> None:
    desk = Desk(SeededDealer(1))
    decision = desk.do(Join("ayse", "Ayse"))
    assert decision.orders == ()
    assert decision.transfer_id == ""
    assert desk.leave("ayse").orders == ()


def test_who_waits_for_the_bank_is_not_dealt_in() -> None:
    desk = Counter(players="2-5")
    desk.join("ayse", "bora")
    assert not desk.state.hand_running
    desk.pay()
    assert not desk.state.hand_running
    desk.pay()
    assert desk.state.hand_players.keys() == {0, 1}
    desk.join("can")
    assert desk.state.seats[2].awaiting_bank
    desk.do(Join("can", "Can"))
    assert desk.orders[0].player == "can"
    assert len(desk.orders) == 1


def test_players_without_chips_do_not_make_up_the_number_for_a_hand() -> None:
    desk = Counter(players="3-5")
    desk.join("ayse", "bora")
    desk.pay_all()
    desk.join("can")
    assert not desk.state.hand_running
    desk.pay_all()
    assert len(desk.state.hand_players) == 3


def test_an_answer_that_comes_again_changes_nothing() -> None:
    desk = Counter()
    desk.join("ayse")
    transfer_id = desk.orders[0].transfer_id
    desk.pay()
    before = snapshot(desk.state)
    for again in (ConfirmBuyIn(transfer_id, "1-1"), RefuseBuyIn(transfer_id, "1-1")):
        assert not desk.do(again).changed
        assert snapshot(desk.state) == before


def test_a_version_that_is_counted_again_is_not_taken_for_what_the_bank_has_seen() -> None:
    desk = Counter()
    base, dealer = desk.state, SeededDealer(1)

    def ordered(player: str, buy_in: int, mark: bytes = b"") -> str:
        return decide(replace(base, mark=mark), Join(player, player, buy_in=buy_in), dealer).transfer_id

    # The store has lost the version that ordered it: the same again is the same, anything else is not.
    before = ordered("ayse", 100)
    base.epoch += 1  # which the loss of a version brings
    assert ordered("ayse", 100) == before
    others = [ordered("ayse", 99), ordered("bora", 100), ordered("ayse", 100, b"another state")]
    assert len({ordered("ayse", 100), *others}) == 4


def test_only_so_many_buy_ins_of_one_player_wait_for_the_bank() -> None:
    desk = Counter()
    for _ in range(MAX_AWAITED):
        desk.join("ayse")
        desk.leave("ayse")
    assert desk.refuse(Join("ayse", "Ayse")).reason is Reason.NOT_NOW
    desk.join("bora")  # is another one
    assert len(desk.state.transfers) == MAX_AWAITED + 1
    desk.pay()
    desk.join("ayse")
    assert desk.refuse(AddChips("ayse", 1)).reason is Reason.NOT_NOW
    desk.pay_all()
    desk.leave("ayse")
    desk.pay_all()
    assert desk.total() == 0


def test_a_refused_buy_in_frees_the_seat() -> None:
    desk = Counter()
    desk.join("ayse")
    decision = desk.pay(say=False)
    assert decision is not None
    assert [event.name for event in decision.events] == ["buy_in_refused", "player_left"]
    assert desk.state.seats == {}
    assert desk.state.transfers == {}
    assert decision.orders == ()


def test_refused_further_chips_leave_the_seat_as_it_was() -> None:
    desk = Counter()
    desk.do(Join("ayse", "Ayse", buy_in=50))
    desk.pay()
    decision = desk.do(AddChips("ayse", 30))
    assert decision.pending
    assert decision.events[0] == ChipsAdded(0, "ayse", 30, True, awaiting_bank=True)
    desk.pay(say=False)
    assert (desk.state.seats[0].stack, desk.state.seats[0].awaiting_bank) == (50, 0)


def test_what_is_on_the_way_counts_for_the_most_one_may_buy() -> None:
    desk = Counter()
    most = desk.state.config.rules.buy_in_max
    desk.do(Join("ayse", "Ayse", buy_in=most))
    with pytest.raises(TableError) as caught:
        desk.do(AddChips("ayse", 1))
    assert caught.value.reason is Reason.NOT_NOW


def test_who_leaves_meanwhile_is_paid_back_and_gets_no_seat() -> None:
    desk = Counter()
    desk.join("ayse")
    left = desk.leave("ayse")
    assert left.pending
    assert desk.state.seats == {}
    desk.do(Join("ayse", "Ayse", seat=0))
    decision = desk.pay()
    assert decision is not None
    names = [type(event) for event in decision.events]
    assert names == [BoughtIn, CashedOut]
    assert desk.state.seats[0].stack == 0
    assert desk.state.seats[0].awaiting_bank == 100
    desk.pay_all()
    assert desk.state.seats[0].stack == 100
    assert desk.balance == {"ayse": -100}


def test_a_refusal_after_leaving_frees_nobody_elses_seat() -> None:
    desk = Counter()
    desk.join("ayse")
    desk.leave("ayse")
    desk.do(Join("bora", "Bora", seat=0))
    desk.pay(say=False)
    assert desk.state.seats[0].player == "bora"
    desk.pay_all()
    assert desk.balance == {"bora": -100}


def test_a_table_closed_meanwhile_pays_back() -> None:
    desk = Counter()
    desk.join("ayse", "bora")
    desk.pay()
    desk.close()
    assert desk.state.closed
    assert [each.gone for each in desk.state.transfers.values()] == [True]
    desk.pay_all()
    assert desk.state.transfers == {}
    assert desk.balance == {"ayse": 0, "bora": 0}
    assert desk.total() == 0


def test_chips_that_the_bank_pays_in_mid_hand_wait_for_its_end() -> None:
    desk = Counter(players="2-5")
    desk.do(Join("ayse", "Ayse", buy_in=50))
    desk.do(Join("bora", "Bora", buy_in=50))
    desk.pay()
    desk.do(AddChips("ayse", 20))
    desk.pay()
    assert desk.state.hand_running
    desk.pay()
    assert desk.state.seats[0].pending == 20
    assert desk.last.events[-1].name == "buy_in_confirmed"


def test_leaving_in_mid_hand_pays_back_what_the_bank_still_pays() -> None:
    desk = Counter(players="2-5")
    for player in ("ayse", "bora", "can"):
        desk.do(Join(player, player, buy_in=50))
        desk.pay()
    assert desk.state.hand_running
    leaver = desk.asked()[0]
    desk.do(AddChips(leaver, 20))
    assert desk.leave(leaver).pending
    # At once, though his seat stays his until the hand is over.
    paid = desk.pay()
    assert paid is not None
    assert [type(event) for event in paid.events] == [BoughtIn, CashedOut]
    desk.pay_all()
    while desk.state.hand_running and desk.state.hand_number == 1:
        desk.time_out()
    desk.pay_all()
    assert desk.total() == 0
    assert desk.balance[leaver] in (0, -desk.state.config.rules.ante)


@pytest.mark.parametrize("end", ["leave", "close"])
def test_who_lost_all_to_a_carried_pot_and_waits_for_more_chips_still_gets_it(end: str) -> None:
    desk = Counter()
    desk.join("ayse", "bora")
    desk.pay_all()
    while not desk.state.carried:
        desk.time_out()
    for seat in desk.state.seats.values():  # as where both were all-in when nobody could open
        desk.state.carried += seat.stack
        seat.stack = 0
    desk.state.hand = None
    desk.state.check_chips()
    carried = desk.state.carried
    desk.do(AddChips("ayse"))
    desk.do(AddChips("bora"))
    if end == "leave":
        assert desk.leave("ayse").cashed_out == 0  # bora may still play for it
        assert desk.leave("bora").cashed_out == carried
    else:
        desk.close()
        paid = {each.player: each.amount for each in desk.orders if each.direction is Direction.CREDIT}
        assert sum(paid.values()) == carried
        assert set(paid) == {"ayse", "bora"}
    desk.pay_all()
    assert desk.total() == 0
    assert desk.state.chips() == 0


def test_a_closed_table_keeps_nothing_but_the_rake() -> None:
    desk = Counter()
    desk.join("ayse", "bora")
    desk.pay_all()
    desk.state.closed = True
    with pytest.raises(AssertionError, match="left at a closed table"):
        desk.state.check_chips()


def test_a_stranger_who_never_paid_gets_no_carried_pot() -> None:
    desk = Counter(players="2-5")
    desk.join("ayse", "bora")
    desk.pay_all()
    while not desk.state.carried:
        desk.time_out()
    # All chips lie in the pot: as where both were all-in when nobody could open.
    for seat in desk.state.seats.values():
        desk.state.carried += seat.stack
        seat.stack = 0
    desk.state.hand = None
    carried = desk.state.carried
    desk.join("can")
    desk.leave("can")
    assert desk.state.carried == carried
    desk.join("can")
    desk.close()
    desk.pay_all()
    assert desk.balance["can"] == 0
    assert desk.total() == 0


def test_a_standing_order_asks_once_and_ends_where_the_bank_refuses() -> None:
    desk = Counter(players="2-5")
    desk.do(Join("ayse", "Ayse", buy_in=50))
    desk.pay()
    ordered = desk.do(SetAutoTopUp("ayse", 100))
    assert [each.amount for each in ordered.orders] == [50]
    assert desk.do(SitOut("ayse")).orders == ()
    assert desk.do(SitIn("ayse")).orders == ()
    refused = desk.pay(say=False)
    assert refused is not None
    assert [event.name for event in refused.events] == ["buy_in_refused", "auto_top_up_set"]
    assert desk.state.seats[0].auto_top_up == 0
    assert desk.orders == []


def test_asking_the_bank_and_leaving_is_no_way_to_come_back_with_less() -> None:
    desk = Counter(players="2-5")
    most = desk.state.config.rules.buy_in_max
    desk.do(Join("ayse", "Ayse", buy_in=most))
    desk.pay_all()
    desk.leave("ayse")
    desk.do(Join("ayse", "Ayse", buy_in=most))
    desk.leave("ayse")
    with pytest.raises(TableError) as caught:
        desk.do(Join("ayse", "Ayse", buy_in=most - 1))
    assert caught.value.reason is Reason.BUY_IN_OUT_OF_RANGE
    desk.pay_all()
    desk.do(Join("ayse", "Ayse", buy_in=most))
    desk.pay_all()
    assert desk.state.left_with == {}


LEVELS = [{"hands": 3, "ante": ante, "stake_min": ante} for ante in (1, 4, 9)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [
        {"players": "2-5", "seat_count": 4},
        {"profile": "turkish-online", "rake_per_mille": 50, "players": "2-5", "seat_count": 4},
        {"profile": "french", "rebuy": "when_bust", "players": "2-6", "carried_pot_entry": "missed_antes"},
        {"match": "tournament", "levels": LEVELS, "seat_count": 3},
    ],
)
def test_random_evenings_with_a_bank_lose_no_chip(seed: int, options: dict[str, Any]) -> None:
    rng = random.Random(f"bank {seed}")
    desk = Counter(**options)
    codec = Codec(Seal([bytes(range(32))]))
    asked: set[str] = set()
    done = refused = 0
    for _ in range(1500):
        if done == 500:
            break
        try:
            if desk.orders and rng.random() < 0.25:
                # The bank keeps the order of one player, not of all.
                first = rng.choice(desk.orders).player
                desk.orders.sort(key=lambda each, first=first: each.player != first)
                say = desk.orders[0].direction is Direction.CREDIT or rng.random() < 0.7
                refused += not say
                desk.pay(say=say)
            else:
                player = f"p{rng.randrange(8)}"
                coming_and_going = [Join(player, player), Leave(player), AddChips(player, rng.randint(1, 60))]
                often = rng.random() < 0.3
                desk.do(rng.choice(coming_and_going) if often else random_command(rng, desk.state))
                assert not asked & {each.transfer_id for each in desk.last.orders}
                asked |= {each.transfer_id for each in desk.last.orders}
        except (TableError, NotDue):
            continue
        done += 1
        desk.state.check_chips()
        assert desk.total() == 0
        again = codec.open_state(codec.seal_state(desk.state), "t1", desk.state.version)
        assert snapshot(again) == snapshot(desk.state)
    while desk.state.hand_running:
        desk.state.config = replace(desk.state.config, hand_pause=timedelta(seconds=1))
        desk.time_out()
    desk.close()
    assert desk.state.chips() == desk.state.ledger.raked
    desk.pay_all()
    assert desk.state.transfers == {}
    assert desk.total() == 0
    assert len(asked) > 3
    print(f"seed {seed}: {done} commands, {len(asked)} orders, {refused} refused")
