"""Records of finished hands, each as the caller may see it."""

from collections.abc import AsyncIterator
from datetime import datetime

from google.protobuf import timestamp_pb2
from grpc import aio
from turkpoker.client.connection import Connection
from turkpoker.client.errors import TurkpokerError
from turkpoker.v1 import hand_history_service_pb2 as pb

_FORMATS = {"json": pb.RECORD_FORMAT_JSON, "phh": pb.RECORD_FORMAT_PHH}


class HistoryCalls(Connection):
    """The calls about finished hands. Refusals raise TurkpokerError."""

    async def hand_record(self, name: str) -> pb.HandRecord:
        """The record of a finished hand, `tables/{table}/hands/{number}`."""
        request = pb.GetHandRecordRequest(name=name)
        return (await self.unary(self.history.GetHandRecord, request)).record

    async def hand_records(
        self, parent: str = "players/me", page_size: int = 0
    ) -> AsyncIterator[pb.HandRecord]:
        """Finished hands, newest first, page by page as needed: one's own, or those of `tables/{table}`."""
        token = ""
        while True:
            request = pb.ListHandRecordsRequest(parent=parent, page_size=page_size, page_token=token)
            page = await self.unary(self.history.ListHandRecords, request)
            for record in page.records:
                yield record
            token = page.next_page_token
            if not token:
                return

    async def export_hands(
        self,
        parent: str = "players/me",
        *,
        form: str = "json",
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> AsyncIterator[bytes]:
        """Finished hands as the pieces of a file, oldest first, whole hands in each piece.

        form: `json` (one record a line, as `turkpoker replay` reads them) or `phh` (poker hand history).
        start, end: from when on, and before when, they were over.
        """
        if form not in _FORMATS:
            raise ValueError(f"form is one of {', '.join(_FORMATS)}, not {form!r}")
        request = pb.ExportHandRecordsRequest(
            parent=parent, format=_FORMATS[form], start_time=_timestamp(start), end_time=_timestamp(end)
        )
        call = self.history.ExportHandRecords(request, metadata=self.metadata())
        try:
            async for piece in call:
                yield piece.data
        except aio.AioRpcError as failure:
            raise TurkpokerError.from_rpc_error(failure) from None
        finally:
            call.cancel()


def _timestamp(moment: datetime | None) -> timestamp_pb2.Timestamp | None:
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    message = timestamp_pb2.Timestamp()
    message.FromDatetime(moment)
    return message
