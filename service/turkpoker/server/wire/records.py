"""Records of finished hands on the wire and in files, each viewer's own side of them.

What a viewer may see of a record is the engine's to say (``engine.seen``). A finished hand's full record is
for the house: operators get it, except of hands that they played themselves.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from turkpoker.engine import HOUSE, HandRecord, Viewer, seen_record, write_phh
from turkpoker.engine.record import seat_letter
from turkpoker.server.wire.names import hand_name
from turkpoker.table.ports import FinishedHand
from turkpoker.v1 import hand_history_service_pb2 as pb


def viewer_of(finished: FinishedHand, player: str, operator: bool) -> Viewer:
    """As whom somebody looks at a finished hand; who was not dealt in sees what a spectator does."""
    for seat, name in finished.players.items():
        if name == player:
            return seat
    return HOUSE if operator else None


def record_to_wire(finished: FinishedHand, viewer: Viewer) -> pb.HandRecord:
    """A record as a viewer may see it."""
    record = _with_names(finished)
    seen = seen_record(record, viewer)
    final = seen["expect"]["final"]
    message = pb.HandRecord(
        name=hand_name(finished.table_id, finished.hand_number),
        json=_json(seen),
        partial=seen.get("partial", False),
        players=[
            pb.RecordedPlayer(
                seat=seat,
                player=finished.players[seat],
                final=final[seat_letter(seat)],
                net=final[seat_letter(seat)] - before,
            )
            for seat, before in record.stacks
            if seat in finished.players
        ],
    )
    if finished.end_time is not None:
        message.end_time.FromDatetime(finished.end_time)
    return message


def record_to_json(finished: FinishedHand, viewer: Viewer) -> str:
    """A line of a file of records."""
    return _json(seen_record(_with_names(finished), viewer)) + "\n"


def record_to_phh(finished: FinishedHand, viewer: Viewer, number: int) -> str:
    """A numbered table of a .phhs file."""
    return f"[{number}]\n{write_phh(_with_names(finished), viewer)}\n"


def _with_names(finished: FinishedHand) -> HandRecord:
    record = HandRecord.from_dict(finished.record)
    extra = {"players": {seat_letter(number): name for number, name in finished.players.items()}}
    if finished.end_time is not None:
        extra["end_time"] = _moment(finished.end_time)  # type: ignore[assignment]
    return replace(record, extra={**record.extra, **extra})


def _moment(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
