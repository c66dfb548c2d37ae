"""The adapters of a server: store, event feed, dealer and keys, opened in order and closed in reverse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from turkpoker.server.auth import TOKEN_KEY_NAME, load_key, load_or_make_key
from turkpoker.server.dealing import SystemDealer
from turkpoker.server.settings import ServerSettings, SettingsError
from turkpoker.server.store_keeper import OwnStore
from turkpoker.storage.embedded import EmbeddedRedis
from turkpoker.storage.event_log import RedisEventFeed
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import Seal, read_key_file, read_or_make_key_file
from turkpoker.storage.takeovers import RedisTakeovers
from turkpoker.table.errors import StoreError
from turkpoker.table.ports import Dealer, EventFeed, TableStore, Takeovers

SEAL_KEY_NAME = "seal.key"


@dataclass(frozen=True, slots=True)
class Adapters:
    """What a server is put together from.

    Attributes:
        store: where tables are kept.
        feed: the commits of watched tables.
        takeovers: who plays where.
        dealer: who shuffles.
        rehearsal: the dealer is a scripted one.
        token_key: signs and checks tokens.
        key_file: the file of that key; None: it came from the settings.
        key_made: the file was made just now.
        store_name: where tables lie, for people; holds no password.
        ping: asks the store for a sign of life.
        own_store: how to start the store again; None: it is not this program's own.
    """

    store: TableStore
    feed: EventFeed
    takeovers: Takeovers
    dealer: Dealer
    rehearsal: bool
    token_key: bytes = field(repr=False)
    key_file: Path | None
    key_made: bool
    store_name: str
    ping: Callable[[], Awaitable[None]]
    own_store: OwnStore | None


@asynccontextmanager
async def open_adapters(settings: ServerSettings, dealer: Dealer | None = None) -> AsyncIterator[Adapters]:
    """The adapters that the settings ask for, open while the block runs.

    Args:
        settings: the settings.
        dealer: a scripted dealer for a rehearsal; None: the honest one.

    Raises:
        SettingsError: a key or the store cannot be used as set.
    """
    token_key, key_file, key_made = _token_key(settings)
    async with AsyncExitStack() as stack:
        try:
            seal = _seal(settings)
            embedded: EmbeddedRedis | None = None
            if settings.redis_url is None:
                embedded = await stack.enter_async_context(EmbeddedRedis(settings.data_dir))
                url, store_name = embedded.url, f"{settings.data_dir} (embedded Redis)"
            else:
                # An URL may hold a password, so people are shown what follows it.
                url, store_name = settings.redis_url, settings.redis_url.rpartition("@")[2]
            store = await RedisTableStore.connect(url, seal)
            stack.push_async_callback(store.close)
            if embedded is not None:  # nobody could act while the store was down
                await store.restart_clocks()
            feed = RedisEventFeed(store, url)
            stack.push_async_callback(feed.stop)
            await feed.start()
        except (StoreError, OSError) as error:
            raise SettingsError(f"the store cannot be used: {error}") from error
        yield Adapters(
            store=store,
            feed=feed,
            takeovers=RedisTakeovers(store, feed),
            dealer=SystemDealer() if dealer is None else dealer,
            rehearsal=dealer is not None,
            token_key=token_key,
            key_file=key_file,
            key_made=key_made,
            store_name=store_name,
            ping=store.ping,
            own_store=None if embedded is None else _own_store(embedded, store),
        )


def _own_store(embedded: EmbeddedRedis, store: RedisTableStore) -> OwnStore:
    async def start_again() -> None:
        await embedded.start_again()
        await store.restart_clocks()

    return OwnStore(lambda: embedded.lives, start_again)


def _token_key(settings: ServerSettings) -> tuple[bytes, Path | None, bool]:
    if settings.token_key is not None:
        return settings.token_key, None, False
    if settings.token_key_file is not None:
        return load_key(settings.token_key_file), settings.token_key_file, False
    path = settings.data_dir / TOKEN_KEY_NAME
    key, made = load_or_make_key(path)
    return key, path, made


def _seal(settings: ServerSettings) -> Seal:
    if settings.seal_key_file is not None:
        return Seal(read_key_file(settings.seal_key_file))
    return Seal(read_or_make_key_file(settings.data_dir / SEAL_KEY_NAME))
