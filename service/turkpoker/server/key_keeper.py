"""Keeps the key ring up to date while the server runs: files that change, and a JWKS behind a URL.

A source that fails keeps its last keys: an identity provider that is down for an hour must lock nobody out,
and half-written files are looked at again. A key is removed by a good source that no longer holds it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import jwt
from turkpoker.server.setting import SettingsError
from turkpoker.server.token_keys import (
    KeyRing,
    TokenKey,
    public_keys,
    read_jwks_file,
    read_key_file,
)

logger = logging.getLogger(__name__)

_FETCH_SECONDS = 5.0


class WatchedFile:
    """Tells when a file is another than it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None

    def changed(self) -> bool:
        """Whether it has changed since this was last asked; a file that is not there has not."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        seen, self._seen = self._seen, (found.st_mtime_ns, found.st_size, found.st_ino)
        return seen != self._seen


class FileSource:
    """Keys in a file.

    Args:
        path: the file.
        read: reads it; raises SettingsError.
        put: takes the keys into the ring; tells whether they differ.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[Path], tuple[TokenKey, ...]],
        put: Callable[[tuple[TokenKey, ...]], bool],
    ) -> None:
        self._file = WatchedFile(path)
        self._read = read
        self._put = put
        self._failing = False

    def load(self) -> None:
        """Read the file.

        Raises:
            SettingsError: it cannot be used.
        """
        self._file.changed()
        self._put(self._read(self._file.path))  # what the start uses is no news

    def look_again(self, *, now: bool = False) -> None:
        """Read the file if it has changed, could not be used before, or ``now`` is said; on failure the last
        keys stay.
        """
        if not self._file.changed() and not self._failing and not now:
            return
        try:
            keys = self._read(self._file.path)
        except SettingsError as error:
            if not self._failing:
                logger.error("%s; the keys before it stay", error)
            self._failing = True
            return
        self._failing = False
        self._take(keys)

    def _take(self, keys: tuple[TokenKey, ...]) -> None:
        if self._put(keys):
            logger.info("%d keys from %s", len(keys), self._file.path)


class UrlSource:
    """Keys behind a URL, fetched in a thread.

    Args:
        url: http or https.
        put: takes the keys into the ring; tells whether they differ.
        refresh: how often it is fetched.
        pause: the least time between two fetches.
    """

    def __init__(
        self, url: str, put: Callable[[tuple[TokenKey, ...]], bool], refresh: timedelta, pause: timedelta
    ) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_FETCH_SECONDS)
        self._put = put
        self._refresh = refresh.total_seconds()
        self._pause = pause.total_seconds()
        self._tried = self._succeeded = float("-inf")
        self._fetching: asyncio.Task[None] | None = None
        self._failing = False

    async def load(self) -> None:
        """Fetch the keys for the first time.

        Raises:
            SettingsError: they cannot be had.
        """
        try:
            await self._fetch()
        except Exception as error:  # an endpoint may answer anything
            why = f": {error}" if type(error) is ValueError else ""
            raise SettingsError(f"the JWKS cannot be fetched from {self._client.uri}{why}") from None

    async def look_again(self, *, now: bool = False) -> None:
        """Fetch the keys if it is time, or sooner with ``now``, but never more often than the pause allows.

        Whoever asks while they are being fetched waits for that. On failure the last keys stay.
        """
        if self._fetching is None:
            age = time.monotonic() - self._succeeded
            if time.monotonic() - self._tried < self._pause or (age < self._refresh and not now):
                return
            self._fetching = asyncio.create_task(self._try(), name="jwks")
        # Shielded: the caller may go, the others wait for it all the same.
        await asyncio.shield(self._fetching)

    async def stop(self) -> None:
        """Wait no longer for what is being fetched."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)

    async def _try(self) -> None:
        try:
            await self._fetch()
            if self._failing:
                logger.info("the JWKS is there again")
            self._failing = False
        except Exception as error:  # as above; whoever waits for the keys must get an answer, too
            if not self._failing:
                logger.error("the JWKS cannot be fetched (%s); the keys before it stay", type(error).__name__)
            self._failing = True
        finally:
            self._fetching = None

    async def _fetch(self) -> None:
        self._tried = time.monotonic()
        data = await asyncio.to_thread(self._client.fetch_data)
        keys = public_keys(json.dumps(data).encode(), strict=False)
        self._succeeded = time.monotonic()
        if self._put(keys):
            logger.info("%d keys from the JWKS", len(keys))


class KeyKeeper:
    """Looks again and again at where the keys come from.

    Args:
        ring: the keys.
        key_file: the file of secret keys, if they come from one.
        jwks: a file or URL of public keys, if there is one.
        interval: how often files are looked at.
        refresh: how often a URL is fetched.
        pause: the least time between two fetches, also for tokens with an unknown kid.
    """

    def __init__(
        self,
        ring: KeyRing,
        *,
        key_file: Path | None,
        jwks: str | None,
        interval: timedelta,
        refresh: timedelta,
        pause: timedelta,
    ) -> None:
        self._files: list[FileSource] = []
        self._url: UrlSource | None = None
        self._interval = interval
        self._called = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        if key_file is not None:
            self._files.append(FileSource(key_file, read_key_file, ring.set_secret))
        if jwks is not None and is_url(jwks):
            self._url = UrlSource(jwks, ring.set_public, refresh, pause)
        elif jwks is not None:
            self._files.append(FileSource(Path(jwks), read_jwks_file, ring.set_public))

    async def start(self) -> None:
        """Load all keys and begin to watch.

        Raises:
            SettingsError: some cannot be had or used.
        """
        for source in self._files:
            source.load()
        if self._url is not None:
            await self._url.load()
        if self._files or self._url is not None:
            self._task = asyncio.create_task(self._run(), name="key keeper")

    async def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._url is not None:
            await self._url.stop()

    def look_now(self) -> None:
        """Look at everything at once; for signal handlers."""
        self._called.set()

    async def unknown_kid(self) -> None:
        """A token names a key that is not known: it may be a new one."""
        if self._url is not None:
            await self._url.look_again(now=True)

    async def _run(self) -> None:
        while True:
            called = False
            try:
                async with asyncio.timeout(self._interval.total_seconds()):
                    called = await self._called.wait()
            except TimeoutError:
                pass
            self._called.clear()
            for source in self._files:
                source.look_again(now=called)
            if self._url is not None:
                await self._url.look_again(now=called)


def is_url(text: str) -> bool:
    """Whether it is an http or https URL, and not a path."""
    return text.lower().startswith(("http://", "https://"))
