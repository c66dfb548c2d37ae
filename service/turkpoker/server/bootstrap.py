"""The adapters of a server: store, event feed, dealer and keys, opened in order and closed in reverse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from turkpoker.server.dealing import SystemDealer
from turkpoker.server.key_keeper import KeyKeeper
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.store_keeper import OwnStore
from turkpoker.server.token_keys import TOKEN_KEY_NAME, KeyRing, make_key_file, read_secret, secret_keys
from turkpoker.storage.audit import RedisAuditStore
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.event_log import RedisEventFeed
from turkpoker.storage.outbox import RedisOutbox
from turkpoker.storage.player_tables import RedisPlayerTables
from turkpoker.storage.records import RedisRecordStore
from turkpoker.storage.redis_store import RedisTableStore, StoreSettings
from turkpoker.storage.seal import Seal, parse_keys, read_key_file, read_or_make_key_file
from turkpoker.storage.takeovers import RedisTakeovers
from turkpoker.table.allowance import PlayerTables
from turkpoker.table.errors import StoreError
from turkpoker.table.ports import AuditStore, Dealer, EventFeed, RecordStore, TableStore, Takeovers
from turkpoker.table.transfers import Bank, Outbox

SEAL_KEY_NAME = "seal.key"


@dataclass(frozen=True, slots=True)
class Adapters:
    """What a server is put together from.

    Attributes:
        store: where tables are kept.
        records: finished hands.
        audit: who did what, and whether an operator lets nothing begin.
        feed: the commits of watched tables.
        takeovers: who plays where.
        player_tables: whose tables are whose.
        dealer: who shuffles.
        rehearsal: the dealer is a scripted one.
        keys: sign and check tokens.
        key_keeper: keeps them up to date.
        resume_key: signs resume tokens; the same on all servers of a store.
        key_file: the file of the secret key; None: it came from the settings, or there is none.
        key_made: the file was made just now.
        store_name: where tables lie, for people; holds no password.
        ping: asks the store for a sign of life.
        own_store: how to start the store again; None: it is not this program's own.
        bank: the operator's ledger; None: play money.
        outbox: where orders to the bank wait.
    """

    store: TableStore
    records: RecordStore
    audit: AuditStore
    feed: EventFeed
    takeovers: Takeovers
    player_tables: PlayerTables
    dealer: Dealer
    rehearsal: bool
    keys: KeyRing
    key_keeper: KeyKeeper
    resume_key: bytes = field(repr=False)
    key_file: Path | None
    key_made: bool
    store_name: str
    ping: Callable[[], Awaitable[None]]
    own_store: OwnStore | None
    bank: Bank | None
    outbox: Outbox


@asynccontextmanager
async def open_adapters(
    settings: ServerSettings, dealer: Dealer | None = None, bank: Bank | None = None
) -> AsyncIterator[Adapters]:
    """The adapters that the settings ask for, open while the block runs.

    Args:
        settings: the settings.
        dealer: a scripted dealer for a rehearsal; None: the honest one.
        bank: an adapter of the caller's own; None: what the settings say.

    Raises:
        SettingsError: a key or the store cannot be used as set.
    """
    keys = KeyRing(() if settings.token_key is None else secret_keys(settings.token_key))
    key_file, key_made = _key_file(settings)
    key_keeper = KeyKeeper(
        keys,
        key_file=key_file,
        jwks=settings.jwks,
        interval=settings.key_check_interval,
        refresh=settings.jwks_refresh,
        pause=settings.jwks_pause,
    )
    async with AsyncExitStack() as stack:
        await key_keeper.start()
        stack.push_async_callback(key_keeper.stop)
        try:
            seal = _seal(settings)
            bank = bank or await _bank(settings, stack)
            embedded: EmbeddedRedis | None = None
            if settings.redis_url is None:
                embedded = await stack.enter_async_context(
                    EmbeddedRedis(settings.data_dir, flush_each=bank is not None)
                )
                url, store_name = embedded.url, f"{settings.data_dir} (embedded Redis)"
            else:
                # An URL may hold a password, so people are shown what follows it.
                url, store_name = settings.redis_url, settings.redis_url.rpartition("@")[2]
            store = await RedisTableStore.connect(url, seal, store_settings(settings))
            stack.push_async_callback(store.close)
            if embedded is not None:  # nobody could act while the store was down
                await store.restart_clocks()
            outbox = RedisOutbox(store)
            stack.push_async_callback(outbox.close)
            feed = RedisEventFeed(store, url)
            stack.push_async_callback(feed.stop)
            await feed.start()
        except (StoreError, OSError) as error:
            raise SettingsError(f"the store cannot be used: {error}") from error
        yield Adapters(
            store=store,
            records=RedisRecordStore(store),
            audit=RedisAuditStore(store),
            feed=feed,
            takeovers=RedisTakeovers(store, feed),
            player_tables=RedisPlayerTables(store),
            dealer=SystemDealer() if dealer is None else dealer,
            rehearsal=dealer is not None,
            keys=keys,
            key_keeper=key_keeper,
            resume_key=seal.derived(b"resume"),
            key_file=key_file,
            key_made=key_made,
            store_name=store_name,
            ping=store.ping,
            own_store=None if embedded is None else _own_store(embedded, store),
            bank=bank,
            outbox=outbox,
        )


def store_settings(settings: ServerSettings) -> StoreSettings:
    """What of the settings is the store's."""
    return StoreSettings(
        record_life=settings.record_life,
        record_count=settings.record_count,
        audit_life=settings.audit_life,
        audit_count=settings.audit_count,
    )


async def _bank(settings: ServerSettings, stack: AsyncExitStack) -> Bank | None:
    if settings.bank_url is None or settings.bank_key_file is None:
        return None
    key = read_secret(settings.bank_key_file)
    try:
        from turkpoker.server.bank_http import HttpBank  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise SettingsError("a bank needs more: pip install 'turkpoker[bank]'") from None
    return await stack.enter_async_context(HttpBank(settings.bank_url, key, settings.bank_timeout))


def _own_store(embedded: EmbeddedRedis, store: RedisTableStore) -> OwnStore:
    async def start_again() -> None:
        await embedded.start_again()
        await store.restart_clocks()

    return OwnStore(lambda: embedded.lives, start_again)


def _key_file(settings: ServerSettings) -> tuple[Path | None, bool]:
    """The file of the secret key, and whether it was made just now."""
    if settings.token_key is not None or settings.token_key_file is not None:
        return settings.token_key_file, False
    if settings.jwks is not None:
        return None, False
    path = settings.data_dir / TOKEN_KEY_NAME
    return path, make_key_file(path)


def _seal(settings: ServerSettings) -> Seal:
    if settings.seal_key is not None:
        return Seal(parse_keys(settings.seal_key, "the seal key"))
    if settings.seal_key_file is not None:
        return Seal(read_key_file(settings.seal_key_file))
    return Seal(read_or_make_key_file(settings.data_dir / SEAL_KEY_NAME))
