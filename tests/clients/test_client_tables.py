"""The calls around a game: private tables, lists, waiting, standing orders, pauses and ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from turkpoker.client import Client, TableView, TurkpokerError, Update, rules
from turkpoker.client.bots import Bot, play
from turkpoker.v1 import events_pb2, tables_pb2


async def watched(client: Client, name: str) -> AsyncIterator[Update]:
    """Updates of a table, ten seconds each at most."""
    updates = client.watch(name)
    while True:
        yield await asyncio.wait_for(anext(updates), 10)


async def test_a_private_table_opens_to_who_is_invited(venue: Any) -> None:
    host, friend, stranger = venue.client("host"), venue.client("friend"), venue.client("stranger")
    table = await host.create_table(private=True)
    assert table.private
    assert table.invitation
    assert table.invitation not in repr(table)
    with pytest.raises(TurkpokerError) as refused:
        await stranger.get_table(table.name)
    assert refused.value.reason == "NOT_INVITED"
    assert [each.name async for each in stranger.list_tables()] == []
    assert [each.name async for each in host.list_tables(mine=True)] == [table.name]
    joined = await friend.join(table.name, invitation=table.invitation)
    assert joined.your_seat == 0
    assert joined.invitation == ""  # the host's alone
    newer = await host.host.renew_invitation(table.name)
    assert newer not in ("", table.invitation)
    with pytest.raises(TurkpokerError, match="NOT_INVITED"):
        await stranger.join(table.name, invitation=table.invitation)
    assert (await stranger.get_table(table.name, invitation=newer)).your_seat is None


async def test_tables_are_found_by_what_is_played(venue: Any) -> None:
    host = venue.client("host")
    cheap = await host.create_table(rules("turkish", ante=1), display_name="Küçük masa")
    dear = await host.create_table(rules("turkish", ante=50, start_stack=5000), display_name="Grand")
    french = await host.create_table(rules("french"))

    async def found(**wanted: Any) -> set[str]:
        return {each.name async for each in host.list_tables(1, **wanted)}

    assert await found() == {cheap.name, dear.name, french.name}
    assert await found(profile="french") == {french.name}
    assert await found(profile="turkish", min_ante=2) == {dear.name}
    assert await found(profile="turkish", max_ante=2) == {cheap.name}
    assert await found(text="küçük") == {cheap.name}
    assert await found(match="tournament") == set()


async def test_a_view_follows_pauses_orders_leaves_and_the_end(venue: Any) -> None:
    host, ann, bob = venue.client("host"), venue.client("ann"), venue.client("bob")
    table = (await host.create_table(seat_count=2, hand_pause=timedelta(minutes=5))).name
    updates = watched(ann, table)
    view = (await anext(updates)).view
    await host.host.pause(table, "tea")
    await ann.join(table)
    await bob.join(table)
    await host.host.resume(table)
    await host.host.pause(table)
    await ann.set_auto_top_up(table, 40)
    await ann.sit_out(table, "next_ante")
    while not view.seats or not view.seats[0].sits_out_at_next_ante:
        await anext(updates)
    assert view.paused
    assert view.seats[0].auto_top_up == 40
    assert (await bob.get_table(table)).seats[0].auto_top_up == 0  # nobody else's business
    await ann.sit_in(table)
    await host.host.end_session(table)
    while not view.closed:
        await anext(updates)
    assert view.placings == ()  # nothing was played


async def test_a_session_ends_after_the_hand_and_tells_the_places(venue: Any) -> None:
    host, ann, bob = venue.client("host"), venue.client("ann"), venue.client("bob")
    table = (await host.create_table(seat_count=2, hand_pause=timedelta(0))).name
    await ann.join(table)
    await bob.join(table)
    updates = watched(host, table)
    view = (await anext(updates)).view
    assert view.hand is not None
    ending = await host.host.end_session(table)
    assert (ending.ending, ending.closed) == (True, False)
    async with ann.play(table) as first, bob.play(table) as second:
        async with asyncio.timeout(20):
            await asyncio.gather(play(first, Bot("ann")), play(second, Bot("bob")))
    while not view.closed:
        await anext(updates)
    assert sorted(each.player for each in view.placings) == ["ann", "bob"]
    chips = {each.player: each.chips for each in view.placings}
    assert chips[view.placings[0].player] >= chips[view.placings[1].player]
    assert view.placings[0].place == 1


async def test_who_waits_is_told_of_his_seat(venue: Any) -> None:
    ann, bob, cem = venue.client("ann"), venue.client("bob"), venue.client("cem")
    table = (await ann.create_table(seat_count=2, hand_pause=timedelta(minutes=5))).name
    await ann.join(table)
    with pytest.raises(TurkpokerError) as early:
        await cem.join_waiting_list(table)
    assert early.value.reason == "TABLE_NOT_FULL"
    await bob.join(table)
    waiting = await cem.join_waiting_list(table)
    assert [each.player for each in waiting.waiting] == ["cem"]
    updates = watched(cem, table)
    view = (await anext(updates)).view
    left = await bob.leave(table)
    assert left.amount > 0
    while not view.waiting or view.waiting[0].offered_seat is None:
        await anext(updates)
    assert view.waiting[0].offered_seat == 1
    assert (await cem.join(table)).your_seat == 1


async def test_a_host_sends_somebody_away(venue: Any) -> None:
    host, ann = venue.client("host"), venue.client("ann")
    table = (await host.create_table()).name
    await ann.join(table)
    with pytest.raises(TurkpokerError):
        await host.host.remove_player(table, 0, "bob")  # not who sits there
    assert (await host.host.remove_player(table, 0, "ann")).seats == {}
    with pytest.raises(TurkpokerError) as refused:
        await ann.join(table)
    assert refused.value.reason == "REMOVED"


async def test_words_that_are_none_are_refused_before_they_are_sent(venue: Any) -> None:
    ann = venue.client("ann")
    with pytest.raises(ValueError, match="now, after_hand, cancelled"):
        await ann.leave("tables/x", "soon")
    with pytest.raises(ValueError, match="json, phh"):
        async for _ in ann.export_hands(form="pdf"):
            pass


def test_who_goes_in_one_hand_shares_a_place_in_the_order_of_going() -> None:
    view = TableView.from_wire(tables_pb2.Table())
    for player, place in (("ann", 4), ("bob", 2), ("cem", 2)):
        gone = events_pb2.PlayerEliminated(player=player, place=place)
        view.apply(events_pb2.TableEvent(player_eliminated=gone))
    assert [(each.player, each.place) for each in view.placings] == [("bob", 2), ("cem", 2), ("ann", 4)]
