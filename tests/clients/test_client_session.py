"""Sessions against a real server: playing, refusals, other sessions, broken connections, restarts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import timedelta
from functools import partial
from typing import Any

import grpc
import pytest
from turkpoker.client import (
    ActionNotLegalError,
    AmountOutOfRangeError,
    Client,
    Decision,
    NotYourTurnError,
    ReplacedError,
    Session,
    StaleDecisionError,
    TurkpokerError,
    rules,
)
from turkpoker.client.bots import Bot
from turkpoker.v1 import events_pb2

ORDER = {"check": 0, "call": 1, "draw": 2, "fold": 3}


async def table_for(*clients: Client) -> str:
    """A table at which the clients sit, the first one on seat 0."""
    table = await clients[0].create_table(rules(), seat_count=max(2, len(clients)), hand_pause=timedelta(0))
    for seat, client in enumerate(clients):
        await client.join(table.name, seat=seat)
    return table.name


def quiet_answer(decision: Decision) -> str:
    """Check, else call, else stand pat."""
    return min((name for name in decision.legal if name in ORDER), key=lambda name: ORDER[name])


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, ten seconds at most."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def to_its_end(session: Session) -> None:
    """Read a session until it ends, and answer nothing."""
    async with asyncio.timeout(10):
        async for _ in session:
            pass


async def first_of(*plays: Coroutine[Any, Any, None]) -> None:
    """Run until the first of them is done; a failure of any is ours."""
    async with asyncio.timeout(30):
        tasks = [asyncio.create_task(play) for play in plays]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        for task in done:
            task.result()


async def answer(asked: Session, *others: Session) -> None:
    """Answer the decision of a session quietly, and wait until all have heard of it."""
    decision = await anext(asked)
    accepted = await asked.act(decision, quiet_answer(decision))
    await until(lambda: all(each.view.version >= accepted.version for each in (asked, *others)))


async def asked_first(*sessions: Session) -> tuple[Session, Session]:
    """The session that has a decision, and another one."""
    await until(lambda: any(session.view.decision for session in sessions))
    asked = next(session for session in sessions if session.view.decision)
    return asked, next(other for other in sessions if other is not asked)


async def test_two_players_play_and_their_views_are_those_of_the_server(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    compared = 0

    async def play(client: Client, bot: Bot) -> None:
        nonlocal compared
        async with client.play(name) as session:
            async for decision in session:
                view = session.view
                fresh = await client.get_table(name)
                if fresh.version == view.version:
                    # What events have made of the first snapshot is what a new snapshot shows.
                    assert view.hand == fresh.hand
                    assert view.seats == fresh.seats
                    assert view.decision == decision
                    assert (view.carried, view.dealer_seat) == (fresh.carried, fresh.dealer_seat)
                    compared += 1
                if view.hand_number > 12:
                    return
                move = bot.decide(decision, view)
                await session.act(decision, move.action, to=move.to, cards=move.cards)

    await first_of(play(ann, Bot("ann", seed=1)), play(bob, Bot("bob", seed=1)))
    assert compared > 20


async def test_refusals_are_typed_change_nothing_and_give_the_decision_again(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    async with ann.play(name) as first, bob.play(name) as second:
        asked, other = await asked_first(first, second)
        decision = await anext(asked)
        version = asked.view.version

        with pytest.raises(ActionNotLegalError) as not_legal:
            await asked.act(decision, "call")
        assert not_legal.value.legal == decision.legal
        assert not_legal.value.code is grpc.StatusCode.FAILED_PRECONDITION
        assert await anext(asked) == decision

        with pytest.raises(NotYourTurnError):
            await other.act(decision, "check")
        with pytest.raises(StaleDecisionError) as stale:
            await asked.act(decision.id.replace("h1.", "h9."), "check")
        assert stale.value.code is grpc.StatusCode.ABORTED
        with pytest.raises(TurkpokerError) as bad:
            await asked.act(decision, "check", request_id="x" * 65)
        assert bad.value.code is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(ValueError, match="no action"):
            await asked.act(decision, "bluff")
        assert (await ann.get_table(name)).version == version

        # Play on to somebody who may open, and let him bid too much.
        for _ in range(60):
            asked, other = await asked_first(first, second)
            decision = asked.view.decision
            assert decision is not None
            if "open" in decision.legal:
                break
            await answer(asked, other)
        low, high = decision.range("open")
        with pytest.raises(AmountOutOfRangeError) as out_of_range:
            await asked.act(decision, "open", to=high + 1)
        assert out_of_range.value.legal["open"] == (low, high)
        with pytest.raises(TurkpokerError, match="to"):
            await asked.act(decision, "open")
        await asked.act(decision, "open", to=low)


async def test_an_answered_decision_is_given_once(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    given: Counter[str] = Counter()

    async def play(client: Client) -> None:
        async with client.play(name) as session:
            async for decision in session:
                given[decision.id] += 1
                if session.view.hand_number > 6:
                    return
                await session.act(decision, quiet_answer(decision))

    await first_of(play(ann), play(bob))
    assert len(given) > 6
    assert set(given.values()) == {1}


async def test_a_second_session_replaces_the_first_which_does_not_come_back(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    async with ann.play(name) as first:
        again = venue.client("ann")
        async with again.play(name) as second:
            with pytest.raises(ReplacedError):
                await to_its_end(first)
            await asyncio.sleep(0.5)
            assert first.connections == 1
            assert second.connections == 1
            assert second.view.your_seat == 0
            with pytest.raises(ReplacedError):
                await first.act("h1.round1.s0.d1", "check")


async def test_who_does_not_sit_there_or_has_no_token_is_told_so_at_once(venue: Any) -> None:
    ann, bob, eve = venue.client("ann"), venue.client("bob"), venue.client("eve")
    name = await table_for(ann, bob)
    with pytest.raises(TurkpokerError) as refused:
        async with eve.play(name):
            pass
    assert refused.value.reason == "NOT_YOUR_SEAT"
    nobody = venue.client(None)
    with pytest.raises(TurkpokerError) as unknown:
        await nobody.get_table(name)
    assert unknown.value.reason == "NO_CREDENTIALS"
    with pytest.raises(TurkpokerError) as no_table:
        async with eve.play("tables/none"):
            pass
    assert no_table.value.reason == "TABLE_NOT_FOUND"
    with pytest.raises(TurkpokerError) as taken:
        await eve.join(name, seat=0)
    assert taken.value.code in (grpc.StatusCode.ALREADY_EXISTS, grpc.StatusCode.FAILED_PRECONDITION)


async def test_leaving_ends_the_session_and_pays(venue: Any) -> None:
    ann, bob, cid = venue.client("ann"), venue.client("bob"), venue.client("cid")
    name = await table_for(ann, bob, cid)
    async with cid.play(name) as session:
        stack = session.view.seats[2].stack
        paid = await cid.leave(name)
        assert paid.amount == stack or paid.pending
        await to_its_end(session)
    assert 2 not in (await ann.get_table(name)).seats


async def test_an_action_whose_answer_was_lost_counts_once(
    venue: Any, cut_before: Callable[[str], Any]
) -> None:
    bob = venue.client("bob")
    events: list[events_pb2.TableEvent] = []

    async with cut_before(venue.address) as cut:
        ann = venue.client("ann", address=cut.address)
        name = await table_for(ann, bob)
        async with (
            ann.play(name, on_event=lambda event, _: events.append(event)) as session,
            bob.play(name) as other,
        ):
            asked, _ = await asked_first(session, other)
            if asked is other:
                await answer(other, session)
            decision = await anext(session)
            before = (await bob.get_table(name)).version
            cut.swallow = True
            waiting = asyncio.create_task(session.act(decision, quiet_answer(decision)))
            await until(lambda: other.view.version > before)  # it was carried out, but he does not hear of it
            assert not waiting.done()
            cut.swallow = False
            cut.cut()
            async with asyncio.timeout(15):
                accepted = await waiting
            assert session.connections == 2
            assert accepted.version == before + 1
            await until(lambda: session.view.version >= accepted.version)
            await asyncio.sleep(0.2)
            acted = [event for event in events if event.version > before and event.HasField("acted")]
            assert [event.acted.seat for event in acted] == [decision.seat]
            assert session.view.decision is None or session.view.decision.id != decision.id


async def test_a_session_outlives_a_restart_of_the_server(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    async with ann.play(name) as first, bob.play(name) as second:
        while True:
            asked, other = await asked_first(first, second)
            decision = asked.view.decision
            assert decision is not None
            # The first question of a hand that is not the first: whatever is answered, the hand goes on.
            if asked.view.hand_number > 1 and decision.id.endswith(".d1"):
                break
            await answer(asked, other)
        me = asked.view.me
        assert me is not None
        cards, hand_number = list(me.cards), asked.view.hand_number

        await venue.stop()
        waiting = asyncio.create_task(asked.act(decision, quiet_answer(decision)))  # while nobody serves
        await asyncio.sleep(0.3)
        assert not waiting.done()
        await venue.start()

        async with asyncio.timeout(20):
            await waiting
            await until(lambda: other.connections == 2)
            fresh = await (ann if asked is first else bob).get_table(name)
        assert asked.connections == 2
        assert fresh.me is not None
        assert fresh.hand_number == hand_number
        assert fresh.me.cards == cards
        # And on it goes.
        now, _ = await asked_first(first, second)
        later = await anext(now)
        assert later.id != decision.id
        await now.act(later, quiet_answer(later))


async def test_unary_calls_wait_for_a_server_that_is_away_but_not_for_ever(venue: Any) -> None:
    ann = venue.client("ann")
    table = await ann.create_table(rules(), seat_count=2)
    await venue.stop()
    waiting = asyncio.create_task(ann.join(table.name))
    hurried = venue.client("bob", patience=0.5)
    with pytest.raises(TurkpokerError) as away:
        await hurried.get_table(table.name)
    assert away.value.code is grpc.StatusCode.UNAVAILABLE
    assert not waiting.done()
    await venue.start()
    async with asyncio.timeout(15):
        view = await waiting
    assert view.your_seat == 0


async def test_the_same_request_id_changes_nothing_twice(venue: Any) -> None:
    ann = venue.client("ann")
    made = await ann.create_table(rules(), seat_count=3, request_id="once")
    again = await ann.create_table(rules(), seat_count=3, request_id="once")
    assert made.name == again.name
    with pytest.raises(TurkpokerError) as reused:
        await ann.create_table(rules(), seat_count=4, request_id="once")
    assert reused.value.reason == "REQUEST_ID_REUSED"


async def test_a_watch_sees_every_version_over_cuts_and_a_restart(
    venue: Any, cut_before: Callable[[str], Any]
) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    seen: list[int] = []
    snapshots = 0

    async with cut_before(venue.address) as cut:
        eve = venue.client("eve", address=cut.address)

        async def watch() -> None:
            nonlocal snapshots
            async for update in eve.watch(name):
                snapshots += update.is_snapshot
                seen.append(update.view.version)
                if update.view.hand is not None:  # a spectator sees no card before the showdown
                    shown = [card for player in update.view.hand.players.values() for card in player.cards]
                    assert not any(shown) or update.view.hand.phase == "over"

        watching = asyncio.create_task(watch())
        async with ann.play(name) as first, bob.play(name) as second:
            for step in range(30):
                await answer(*await asked_first(first, second))
                if step in (8, 16):
                    cut.cut()
                    # It is back before the next cut, which would hit nobody else.
                    await until(partial(lambda before: cut.connections > before, cut.connections))
                if step == 22:
                    await venue.stop()
                    await venue.start()
            await until(lambda: watching.done() or seen[-1] >= first.view.version)
            assert not watching.done()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert cut.connections >= 3
    assert snapshots == 1
    assert seen == sorted(set(seen))
    assert seen[-1] - seen[0] + 1 == len(seen)


async def test_lists_tables_page_by_page(venue: Any) -> None:
    ann = venue.client("ann")
    made = [(await ann.create_table(rules(), seat_count=2)).name for _ in range(5)]
    listed = [summary.name async for summary in ann.list_tables(page_size=2)]
    assert sorted(listed) == sorted(made)


async def test_evaluations_need_no_token(venue: Any) -> None:
    nobody = venue.client(None)
    royal = await nobody.evaluate("Ah Kh Qh Jh Th")
    assert royal.strength == royal.levels
    strengths = await nobody.evaluate_batch(bytes([51, 47, 43, 39, 35]) * 3)
    assert strengths == royal.strength.to_bytes(2, "little") * 3


async def test_buying_chips_and_sitting_out(venue: Any) -> None:
    ann, bob = venue.client("ann"), venue.client("bob")
    name = await table_for(ann, bob)
    bought = await ann.add_chips(name, 50)
    assert (bought.amount, bought.pending) == (50, True)  # a hand is on
    assert bought.table.seats[0].pending == 50
    assert (await bob.sit_out(name)).seats[1].sitting_out
    assert not (await bob.sit_in(name)).seats[1].sitting_out
    with pytest.raises(TurkpokerError) as too_much:
        await ann.add_chips(name, 10**6)
    assert too_much.value.reason == "BUY_IN_OUT_OF_RANGE"
    with pytest.raises(TurkpokerError) as stranger:
        await venue.client("eve").add_chips(name)
    assert stranger.value.code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.FAILED_PRECONDITION)
    async with ann.play(name) as first, bob.play(name) as second:
        while first.view.hand_number < 2:
            await answer(*await asked_first(first, second))
        seats = first.view.seats
        assert seats[0].pending == 0
        assert sum(seat.stack for seat in seats.values()) + first.view.hand.pot == 250


async def test_rules_are_explained(venue: Any) -> None:
    ann = venue.client("ann")
    text = await ann.explain_rules(rules("turkish", ante=7))
    assert "7" in text
    table = await ann.create_table(rules("turkish", ante=7))
    assert await ann.explain_rules(table.name, "tr") != await ann.explain_rules(table.name, "en")
    assert await ann.explain_rules(table.name) == text
