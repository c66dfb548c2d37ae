"""An operator's bank as the contract in service/README.md asks for one: a ledger in a file, orders over HTTP.

It can be told to go wrong in every way that a bank and a network can. Run as a program it serves until it is
killed; its ledger outlives that.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
import sqlite3
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from aiohttp import web

KEY = b"a key of the operator's own bank 0123456789"
#: A request whose signature is older is refused.
OLDEST_SIGNATURE = 300
FAULTS = (
    "fail_before",  # an error, and nothing is done
    "fail_after",  # done, but the answer is an error
    "cut",  # done, but the connection is cut
    "garbage",  # done, but the answer is not one
    "elsewhere",  # nothing is done, and somebody who is not the bank is named to ask instead
    "another",  # done, but the answer is one to another transfer
    "late",  # done, but the answer comes after the time-out
    "done_late",  # done only after the time-out
)


class Ledger:
    """Accounts and transfers in a file; each transfer once, whatever happens."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("create table if not exists account (player text primary key, balance int not null)")
        self._db.execute(
            "create table if not exists transfer (id text primary key, content text, result text not null)"
        )

    def give(self, player: str, chips: int) -> None:
        """Fill an account."""
        self._db.execute(
            "insert into account values (?, ?) on conflict do update set balance = balance + ?",
            (player, chips, chips),
        )

    def balance(self, player: str) -> int:
        found = self._db.execute("select balance from account where player = ?", (player,)).fetchone()
        return found[0] if found else 0

    def total(self) -> int:
        return self._db.execute("select coalesce(sum(balance), 0) from account").fetchone()[0]

    def transfers(self) -> dict[str, str]:
        """Results by transfer id."""
        return dict(self._db.execute("select id, result from transfer"))

    def apply(self, order: dict[str, Any], *, refuse_credits: bool = False) -> str:
        """Carry an order out, or tell what became of it the first time."""
        content = json.dumps([order["player"], order["direction"], order["amount"]])
        self._db.execute("begin immediate")
        try:
            result = self._result(order, content, refuse_credits)
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")
        return result

    def _result(self, order: dict[str, Any], content: str, refuse_credits: bool) -> str:
        name = order["transfer_id"]
        known = self._db.execute("select content, result from transfer where id = ?", (name,)).fetchone()
        if known is not None:
            if known[0] != content:
                raise ValueError("another transfer has this id")
            return known[1]
        debit = order["direction"] == "debit"
        if debit and self.balance(order["player"]) < order["amount"]:
            result = "refused"
        elif not debit and refuse_credits:
            return "refused"  # a mistake of the bank; not for ever
        else:
            result = "done"
            self.give(order["player"], -order["amount"] if debit else order["amount"])
        self._db.execute("insert into transfer values (?, ?, ?)", (name, content, result))
        return result


class OperatorBank:
    """The bank's server.

    Attributes:
        faults: what goes wrong with the next requests, one each.
        chance: how likely each other request goes wrong in some way.
        asked: transfer ids in the order of their requests.
        refuse_credits: the bank does what it must not do.
        held: while it is not set, requests wait.
        misled: how often somebody else was asked in its place.
    """

    def __init__(self, ledger: Ledger, *, key: bytes = KEY, late: float = 0.5) -> None:
        self.ledger = ledger
        self.faults: deque[str] = deque()
        self.chance = 0.0
        self.rng = random.Random(1)
        self.asked: list[str] = []
        self.refuse_credits = False
        self.held = asyncio.Event()
        self.held.set()
        self.misled = 0
        self._key = key
        self._late = late
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/turkpoker/transfers"

    async def start(self) -> None:
        """Serve; on the same port as before, if there was one."""
        app = web.Application()
        app.router.add_put("/turkpoker/transfers/{transfer_id}", self._transfer)
        app.router.add_put("/elsewhere/{transfer_id}", self._elsewhere)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    async def _elsewhere(self, request: web.Request) -> web.Response:
        self.misled += 1
        return web.json_response({"transfer_id": request.match_info["transfer_id"], "result": "done"})

    async def _transfer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if not self._signed(request.headers.get("Turkpoker-Signature", ""), body):
            return web.Response(status=401)
        order = json.loads(body)
        assert order["transfer_id"] == request.match_info["transfer_id"]
        self.asked.append(order["transfer_id"])
        await self.held.wait()
        fault = self._fault()
        if fault == "fail_before":
            return web.Response(status=503)
        if fault == "elsewhere":
            return web.Response(status=307, headers={"Location": f"/elsewhere/{order['transfer_id']}"})
        if fault == "done_late":
            await asyncio.sleep(self._late)
        try:
            result = self.ledger.apply(order, refuse_credits=self.refuse_credits)
        except ValueError as error:
            return web.Response(status=409, text=str(error))
        if fault == "fail_after":
            return web.Response(status=500)
        if fault == "cut" and request.transport is not None:
            request.transport.abort()
        if fault == "garbage":
            return web.Response(text="<html>we are cleaning up</html>")
        if fault == "late":
            await asyncio.sleep(self._late)
        name = "another" if fault == "another" else order["transfer_id"]
        return web.json_response({"transfer_id": name, "result": result})

    def _fault(self) -> str:
        if self.faults:
            return self.faults.popleft()
        return self.rng.choice(FAULTS) if self.rng.random() < self.chance else ""

    def _signed(self, header: str, body: bytes) -> bool:
        fields = dict(part.partition("=")[::2] for part in header.split(","))
        when = fields.get("t", "")
        if not when.isdecimal() or abs(time.time() - int(when)) > OLDEST_SIGNATURE:
            return False
        wanted = hmac.new(self._key, f"{when}.".encode() + body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted, fields.get("v1", ""))


async def _serve(ledger: Path, port: int, chance: float) -> None:
    bank = OperatorBank(Ledger(ledger))
    bank.port, bank.chance = port, chance
    await bank.start()
    print(f"bank on {bank.port}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
