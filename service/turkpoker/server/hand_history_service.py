# ruff: noqa: N802 - the methods are named by the contract
"""HandHistoryService: records of finished hands, to each viewer his own side."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp
from turkpoker.engine import Viewer
from turkpoker.server.auth import OPERATOR, caller, require_role
from turkpoker.server.errors import invalid
from turkpoker.server.interceptors import Context
from turkpoker.server.streams import Mailbox, StreamRegister
from turkpoker.server.table_calls import is_operator
from turkpoker.server.wire.names import check_page_token, page_size, parse_hand_name, parse_table_name
from turkpoker.server.wire.records import record_to_json, record_to_phh, record_to_wire, viewer_of
from turkpoker.table.histories import Histories, OfPlayer, OfTable, Reader
from turkpoker.table.operations import Operations
from turkpoker.table.ports import FinishedHand
from turkpoker.v1 import hand_history_service_pb2 as pb
from turkpoker.v1.hand_history_service_pb2_grpc import HandHistoryServiceServicer

DEFAULT_PAGE = 20
GREATEST_PAGE = 100
#: A piece of an export is sent when it has so many bytes; whole hands only, so it may have a few more.
PIECE_BYTES = 64 * 1024
_ME = "players/me"
_PLAYERS = "players/"
_MAX_PLAYER = 64


class HandHistoryService(HandHistoryServiceServicer):
    """Finished hands over the wire.

    Args:
        histories: the hands.
        operations: writes down which hands operators look at.
        streams: the open streams of this process.
    """

    def __init__(self, histories: Histories, operations: Operations, streams: StreamRegister) -> None:
        self._histories = histories
        self._operations = operations
        self._streams = streams

    async def GetHandRecord(
        self, request: pb.GetHandRecordRequest, context: Context
    ) -> pb.GetHandRecordResponse:
        """One record."""
        table_id, hand_number = parse_hand_name(request.name)
        finished = await self._histories.get(_reader(), table_id, hand_number)
        await self._note(request.name)
        return pb.GetHandRecordResponse(record=record_to_wire(finished, _viewer(finished)))

    async def ListHandRecords(
        self, request: pb.ListHandRecordsRequest, context: Context
    ) -> pb.ListHandRecordsResponse:
        """A table's or a player's records, newest first."""
        check_page_token(request.page_token)
        parent = _parent(request.parent)
        size = page_size(request.page_size, default=DEFAULT_PAGE, greatest=GREATEST_PAGE)
        page = await self._histories.list(_reader(), parent, size, request.page_token)
        if not request.page_token:
            await self._note(request.parent)
        response = pb.ListHandRecordsResponse(next_page_token=page.next_page_token)
        for finished in page.records:
            response.records.append(record_to_wire(finished, _viewer(finished)))
            await _let_others_on()
        return response

    async def ExportHandRecords(  # type: ignore[override]
        self, request: pb.ExportHandRecordsRequest, context: Context
    ) -> None:
        """A table's or a player's records as a file, oldest first.

        Nothing is read ahead of the piece that is being sent, so a slow reader holds up nobody but himself.
        """
        parent = _parent(request.parent)
        as_phh = request.format == pb.RECORD_FORMAT_PHH
        if request.format not in pb.RecordFormat.values():
            raise invalid("format", "format is none of RecordFormat")
        since, until = _moment(request, "start_time"), _moment(request, "end_time")
        await self._note(request.parent)
        mailbox: Mailbox[None, None] = Mailbox(1, 1)
        with self._streams.entered(mailbox, caller().player):
            number = size = 0
            hands: list[str] = []
            async for finished in self._histories.all(_reader(), parent, since, until):
                number += 1
                viewer = _viewer(finished)
                text = record_to_phh(finished, viewer, number) if as_phh else record_to_json(finished, viewer)
                hands.append(text)
                size += len(text)
                if size >= PIECE_BYTES:
                    await _send(context, hands)
                    hands, size = [], 0
                await _let_others_on()
                mailbox.check()
            if hands:
                await _send(context, hands)

    async def _note(self, what: str) -> None:
        if is_operator() and what != _ME:
            await self._operations.note(caller().player, "read_hands", what)


def _reader() -> Reader:
    return Reader(caller().player, is_operator())


async def _let_others_on() -> None:
    """Each hand is played again to see what may be seen of it; meanwhile others are to have their turn."""
    await asyncio.sleep(0)


async def _send(context: Context, hands: list[str]) -> None:
    await context.write(pb.ExportHandRecordsResponse(data="".join(hands).encode(), count=len(hands)))


def _viewer(finished: FinishedHand) -> Viewer:
    return viewer_of(finished, caller().player, is_operator())


def _parent(text: str) -> OfTable | OfPlayer:
    if text == _ME:
        return OfPlayer(caller().player)
    if text.startswith(_PLAYERS):
        player = text.removeprefix(_PLAYERS)
        if not player or len(player) > _MAX_PLAYER:
            raise invalid("parent", "parent must read tables/{table}, players/me or players/{player}")
        require_role(OPERATOR)
        return OfPlayer(player)
    return OfTable(parse_table_name(text, "parent"))


def _moment(request: pb.ExportHandRecordsRequest, field: str) -> datetime | None:
    if not request.HasField(field):  # type: ignore[arg-type]
        return None
    timestamp: Timestamp = getattr(request, field)
    try:
        return timestamp.ToDatetime(UTC)
    except (ValueError, OverflowError):
        raise invalid(field, f"{field} is no moment between the years 1 and 9999") from None
