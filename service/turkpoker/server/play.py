"""Answers to decisions: the one piece of code that carries them out for SubmitAction and for Play."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

from turkpoker.server.auth import Identity
from turkpoker.server.errors import invalid
from turkpoker.server.interceptors import Context
from turkpoker.server.resume import ResumeTokens
from turkpoker.server.streams import expired, replaced
from turkpoker.server.watch import Viewer, Viewing, position_of, send_updates, viewer_of
from turkpoker.server.wire.actions import action_from_wire
from turkpoker.server.wire.errors import translate_error
from turkpoker.server.wire.names import check_request_id, parse_table_name
from turkpoker.table.commands import Act
from turkpoker.table.seating import not_seated
from turkpoker.table.tables import Tables
from turkpoker.v1 import table_service_pb2 as pb

_MAX_DECISION_ID = 64
_PLAY = "/turkpoker.v1.TableService/Play"
#: How long a stream may be open before it says which table it is for: until then it is in no register, and
#: neither its age nor how many of them one player has is limited.
START_PATIENCE = timedelta(seconds=10)


async def carry_out(
    tables: Tables,
    tokens: ResumeTokens,
    identity: Identity,
    table_id: str,
    request: pb.SubmitActionRequest | pb.PlayAction,
) -> pb.SubmitActionResponse:
    """Carry out one action.

    Raises:
        ServiceError, TableError, StoreError: it was refused, and nothing has changed.
    """
    request_id = check_request_id(request.request_id)
    if not request.decision_id:
        raise invalid("decision_id", "decision_id is missing")
    if len(request.decision_id) > _MAX_DECISION_ID:
        raise invalid("decision_id", f"decision_id is longer than {_MAX_DECISION_ID} characters")
    if not request.HasField("action"):
        raise invalid("action", "action is missing")
    action = action_from_wire(request.action)
    command = Act(identity.player, request.decision_id, action.name, action.to, action.cards)
    outcome = await tables.act(table_id, command, request_id)
    token = tokens.make(table_id, identity.player, position_of(outcome, identity.player))
    return pb.SubmitActionResponse(version=outcome.version, resume_token=token)


async def play_table(
    viewing: Viewing, identity: Identity, requests: AsyncIterator[pb.PlayRequest], context: Context
) -> None:
    """Carry out Play.

    Actions are carried out one after another in the order sent, and no further one is read while as many
    results as are allowed wait for the client: grpc's flow control then holds the sender back. Closing the
    sending side lets the rest finish.

    Raises:
        ServiceError: the first message is no start; the stream's time is up.
        TableError: NOT_YOUR_SEAT, TABLE_NOT_FOUND.
    """
    try:
        async with asyncio.timeout(START_PATIENCE.total_seconds()):
            start = await anext(requests, None)
    except TimeoutError:
        raise invalid("start", "the first message of Play did not come in time") from None
    if start is None or start.WhichOneof("request") != "start":
        raise invalid("start", "the first message of Play must be start")
    table_id = parse_table_name(start.start.name, "start.name")
    outcome = await viewing.tables.get(table_id)
    if outcome.state.seat_of(identity.player) is None:
        raise not_seated()

    async def write(message: pb.TableUpdate | pb.PlayResult) -> None:
        if isinstance(message, pb.PlayResult):
            await context.write(pb.PlayResponse(result=message))
        else:
            await context.write(pb.PlayResponse(update=message))

    async with viewer_of(viewing, table_id, identity.player, (table_id, identity.player)) as viewer:
        # The older ones of this process are ended by now; those of other servers are told here.
        leave = await viewing.takeovers.enter(
            table_id, identity.player, lambda: viewer.mailbox.end(replaced())
        )
        reader = asyncio.create_task(_read(viewer, identity, requests), name="play reader")
        try:
            await send_updates(viewer, identity, start.start.resume_token, write)
            # An action that closes the table may be heard of before it has its own answer.
            async for result in viewer.mailbox.last_results():
                await write(result)
        finally:
            leave()
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)


async def _read(viewer: Viewer, identity: Identity, requests: AsyncIterator[pb.PlayRequest]) -> None:
    try:
        async for request in requests:
            if request.WhichOneof("request") != "action":
                viewer.mailbox.end(invalid("action", "every message of Play after the first must be action"))
                return
            if identity.is_revoked():
                raise expired(viewer.resume_token)
            with viewer.mailbox.owing():
                await viewer.mailbox.put_result(await _answer(viewer, identity, request.action))
            if viewer.over:
                return
        viewer.mailbox.finish()
    except Exception as error:
        # The stream ends with it: refusals with their own code, faults of ours as such.
        viewer.mailbox.end(error)


async def _answer(viewer: Viewer, identity: Identity, action: pb.PlayAction) -> pb.PlayResult:
    """Carry out one action of a stream; a refusal is an answer too."""
    viewing = viewer.viewing
    result = pb.PlayResult(request_id=action.request_id)
    try:
        viewing.limits.check_call(_PLAY, identity.player)
        viewing.limits.check_table(viewer.table_id)
        accepted = await carry_out(viewing.tables, viewing.tokens, identity, viewer.table_id, action)
        result.accepted.CopyFrom(accepted)
    except Exception as error:
        refusal = translate_error(error)
        if refusal is None:
            raise
        result.refused.CopyFrom(refusal.to_status())
    return result
