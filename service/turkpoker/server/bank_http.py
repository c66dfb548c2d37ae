"""The operator's bank over HTTP: one request an order, signed, repeated until it is answered.

The contract is in service/README.md. Whatever is not an answer in its form (another status, another body, a
cut connection, silence) says nothing about what became of the order, so it is sent again under the same id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

import aiohttp
from turkpoker.table.transfers import BankAnswer, BankError, Transfer

SIGNATURE_HEADER = "Turkpoker-Signature"
#: No answer of a bank is longer.
_MAX_ANSWER = 64 * 1024
_MAX_CONNECTIONS = 32


class HttpBank:
    """Implements ``turkpoker.table.transfers.Bank``; open while its block runs.

    Args:
        url: orders go to ``url/TRANSFER_ID``.
        key: what requests are signed with; it is never sent.
        timeout: how long one request may take.
    """

    def __init__(self, url: str, key: bytes, timeout: timedelta) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = aiohttp.ClientTimeout(total=timeout.total_seconds())
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            timeout=self._timeout,
            connector=aiohttp.TCPConnector(limit=_MAX_CONNECTIONS),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def transfer(self, transfer: Transfer) -> BankAnswer:
        assert self._session is not None
        body = encode_order(transfer)
        headers = {
            "Content-Type": "application/json",
            SIGNATURE_HEADER: signature(self._key, body, int(time.time())),
        }
        try:
            async with self._session.put(
                f"{self._url}/{transfer.transfer_id}", data=body, headers=headers, allow_redirects=False
            ) as response:
                if response.status != 200:
                    raise BankError(f"status {response.status}")
                content = await response.content.read(_MAX_ANSWER)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise BankError(type(error).__name__) from None
        return read_answer(content, transfer.transfer_id)


def encode_order(transfer: Transfer) -> bytes:
    """The body of a request: the same bytes however often it is sent."""
    order: dict[str, Any] = {
        "transfer_id": transfer.transfer_id,
        "direction": transfer.direction.value,
        "player": transfer.player,
        "amount": transfer.amount,
        "table": f"tables/{transfer.table_id}",
        "version": transfer.version,
        "time": None if transfer.time is None else transfer.time.isoformat(timespec="milliseconds"),
    }
    return json.dumps(order, ensure_ascii=False, separators=(",", ":")).encode()


def signature(key: bytes, body: bytes, now: int) -> str:
    """The value of the signature's header: HMAC-SHA256 over the time (s since 1970), a dot and the body."""
    digest = hmac.new(key, f"{now}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={now},v1={digest}"


def read_answer(content: bytes, transfer_id: str) -> BankAnswer:
    """What a bank has written.

    Raises:
        BankError: it is no answer to this order.
    """
    try:
        answer = json.loads(content)
    except ValueError:
        raise BankError("the answer is no JSON") from None
    if not isinstance(answer, dict) or answer.get("transfer_id") != transfer_id:
        raise BankError("the answer is not one to this transfer")
    try:
        return BankAnswer(answer.get("result"))
    except ValueError:
        raise BankError("the answer has no result that is done or refused") from None
