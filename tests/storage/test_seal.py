"""What lies in Redis tells nobody a card, whoever reads it and however."""

from __future__ import annotations

import asyncio
import random
import socket
import stat
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from storage.evenings import Evening, everything
from turkpoker.engine import Hand
from turkpoker.evaluator import format_cards
from turkpoker.storage.redis_store import RedisTableStore
from turkpoker.storage.seal import KEY_BYTES, Seal, key_id, parse_keys, read_key_file, read_or_make_key_file
from turkpoker.table.errors import StoreRefused

OLD, NEW = bytes(range(32)), bytes(range(1, 33))


def traces(cards: tuple[int, ...]) -> Iterator[bytes]:
    """Encodings in which eight cards in a row could stand in the clear.

    In raw bytes fewer than eight would now and then be found by mere chance among those that are sealed.
    """
    yield bytes(cards)
    yield bytes([card + 1 for card in cards])
    few = cards[:5]
    yield format_cards(few).encode()
    yield format_cards(few).replace(" ", "").encode()
    yield ",".join(str(card) for card in few).encode()
    yield ", ".join(str(card) for card in few).encode()
    yield " ".join(str(card) for card in few).encode()


class Monitor:
    """Everything that the server is sent, as an operator with MONITOR sees it."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._socket.settimeout(0.3)
        self._socket.sendall(b"MONITOR\r\n")
        assert self._socket.recv(5) == b"+OK\r\n"

    def read(self) -> bytes:
        """All that has come, with the escapes of MONITOR taken back."""
        parts = []
        try:
            while part := self._socket.recv(1 << 20):
                parts.append(part)
        except TimeoutError:
            pass
        self._socket.close()
        text = b"".join(parts)
        return text + text.decode("unicode_escape").encode("latin-1", "replace")


async def test_no_card_stands_in_monitor_in_a_dump_or_on_disk(evening: Evening, redis_url: str) -> None:
    path = redis_url.removeprefix("unix://")
    monitor = Monitor(path)
    rng, decks, hands = random.Random(6), set(), set()
    for _ in range(60):
        await evening.play(rng, 1)
        assert evening.state.hand is not None
        decks.add(evening.state.hand.record().deck)
        for seat in evening.state.hand_players:
            hands.add(tuple(evening.own_cards(seat)))
    seen = await asyncio.to_thread(monitor.read)
    dumps = await everything(evening.store.client, evening.store.keys.prefix)
    seen += b"".join(dumps.values())
    seen += b"".join(file.read_bytes() for file in Path(path).parent.rglob("*.aof"))
    assert evening.table_id.encode() in seen  # we do look where the writes are
    searched = 0
    for deck in sorted(decks)[:6]:
        for start in range(0, len(deck) - 7, 3):
            for trace in traces(deck[start : start + 8]):
                assert trace not in seen
                searched += 1
    for hand in sorted(hands)[:8]:
        for order in permutations(hand):
            assert format_cards(order).encode() not in seen
            searched += 1
    for word in (b"opening_requirement", b"cards_dealt", b"discarded"):
        assert word not in seen
    print(f"{searched} traces of {len(decks)} decks searched for in {len(seen)} bytes")
    assert len(decks) > 3


async def test_a_commits_size_does_not_depend_on_the_cards(evening: Evening) -> None:
    codec, state = evening.store.codec, evening.state
    assert state.hand is not None
    sizes = set()
    for seed in range(20):
        order = list(state.hand.record().deck)
        random.Random(seed).shuffle(order)
        other = state.copy()
        other.hand = Hand(state.config.rules, dict(state.hand.record().stacks), state.hand.dealer, order)
        sizes.add(len(codec.seal_state(other)))
    assert len(sizes) == 1


@pytest.mark.parametrize(
    ("table_id", "kind", "version"), [("other", "state", 3), ("t", "events", 3), ("t", "state", 4)]
)
def test_a_blob_in_anothers_place_is_refused(table_id: str, kind: str, version: int) -> None:
    seal = Seal([OLD])
    sealed = seal.seal(b"As Kd", "t", "state", 3)
    assert seal.open(sealed, "t", "state", 3) == b"As Kd"
    with pytest.raises(StoreRefused, match="is not what was sealed"):
        seal.open(sealed, table_id, kind, version)


def test_a_changed_byte_is_refused() -> None:
    seal = Seal([OLD])
    sealed = seal.seal(b"As Kd", "t", "state", 3)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(StoreRefused):
            seal.open(bytes(changed), "t", "state", 3)
    for length in range(len(sealed)):
        with pytest.raises(StoreRefused):
            seal.open(sealed[:length], "t", "state", 3)


def test_the_same_bytes_are_sealed_differently_each_time() -> None:
    seal = Seal([OLD])
    assert len({seal.seal(b"As Kd", "t", "state", 3) for _ in range(50)}) == 50


def test_keys_rotate() -> None:
    before, between, after = Seal([OLD]), Seal([NEW, OLD]), Seal([NEW])
    old, new = (seal.seal(b"x", "t", "state", 1) for seal in (before, between))
    assert between.open(old, "t", "state", 1) == between.open(new, "t", "state", 1) == b"x"
    assert after.open(new, "t", "state", 1) == b"x"
    with pytest.raises(StoreRefused, match="not configured"):
        after.open(old, "t", "state", 1)
    assert key_id(OLD) in old
    assert key_id(NEW) in new


async def test_a_table_lives_through_a_change_of_keys(evening: Evening, redis_url: str) -> None:
    settings = evening.store.settings
    store = await RedisTableStore.connect(redis_url, Seal([NEW, OLD]), settings)
    loaded = await store.load(evening.table_id)
    assert loaded is not None
    assert loaded.state.hand is not None
    assert evening.state.hand is not None
    assert loaded.state.hand.record() == evening.state.hand.record()
    await store.close()
    stranger = await RedisTableStore.connect(redis_url, Seal([NEW]), settings)
    with pytest.raises(StoreRefused, match="not configured"):
        await stranger.load(evening.table_id)
    await stranger.close()


def test_neither_seal_nor_errors_show_a_key(tmp_path: Path) -> None:
    seal = Seal([OLD])
    assert OLD.hex() not in repr(seal)
    file = tmp_path / "key"
    file.write_text(OLD.hex()[:-2] + "\n")
    with pytest.raises(StoreRefused, match="chmod 600"):
        read_key_file(file)
    file.chmod(0o600)
    with pytest.raises(StoreRefused) as caught:
        read_key_file(file)
    assert OLD.hex()[:8] not in str(caught.value)
    assert "line 1" in str(caught.value)


@pytest.mark.parametrize("content", ["", "# only a comment\n", "zz" * 32, "00" * 31, "\xff"])
def test_a_key_file_without_keys_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "key"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(StoreRefused):
        read_key_file(file)
    with pytest.raises(StoreRefused):
        read_key_file(tmp_path / "none")


def test_a_key_file_is_made_private_and_once(tmp_path: Path) -> None:
    file = tmp_path / "data" / "seal.key"
    first = read_or_make_key_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_or_make_key_file(file) == first
    assert len(first[0]) == KEY_BYTES
    assert [each.name for each in file.parent.iterdir()] == ["seal.key"]
    file.write_text("# new first\n" + NEW.hex() + "\n\n" + first[0].hex() + "\n")
    assert read_key_file(file) == [NEW, first[0]]


@pytest.mark.parametrize("key", ["00" * 32, "ab" * 32, "0123456789abcdef" * 4])
def test_a_seal_key_that_can_be_guessed_is_refused(key: str) -> None:
    with pytest.raises(StoreRefused, match="guessed") as caught:
        parse_keys(f"# old\n{key}\n", "the seal key")
    assert "line 2" in str(caught.value)
    assert key not in str(caught.value)


def test_keys_for_other_purposes_follow_from_the_sealing_key() -> None:
    assert Seal([OLD]).derived(b"a") == Seal([OLD, NEW]).derived(b"a")
    assert len({Seal([key]).derived(purpose) for key in (OLD, NEW) for purpose in (b"a", b"b")}) == 4


async def sealed_state(evening: Evening) -> bytes:
    held = await evening.store.client.hget(evening.store.keys.table(evening.table_id), "s")
    assert isinstance(held, bytes)
    return held


async def test_every_commit_seals_the_state_anew(evening: Evening) -> None:
    """Never twice the same nonce, and nothing of the sealed text stays the same, so that nobody sees what an
    action has changed.
    """
    rng = random.Random(2)
    blobs = [await sealed_state(evening)]
    for _ in range(60):
        await evening.play(rng, 1)
        blobs.append(await sealed_state(evening))
    nonces = {blob[5:17] for blob in blobs}
    assert len(nonces) == len(blobs)
    for before, after in pairwise(blobs):
        same = sum(a == b for a, b in zip(before[17:], after[17:], strict=False))
        assert same < len(after) / 8


@pytest.mark.parametrize("planted", ["of another table", "of an earlier version"])
async def test_a_state_in_anothers_place_is_refused_by_the_store(evening: Evening, planted: str) -> None:
    store = evening.store
    blob = await sealed_state(evening)
    if planted == "of another table":
        other = Evening(evening.tables, store)
        await other.begin("d", "e", "f")
        # The same version, so that only the table tells them apart.
        while other.state.version < evening.state.version:
            await other.play(random.Random(1), 1)
        blob = await sealed_state(other)
        version = other.state.version
        await store.client.hset(store.keys.table(evening.table_id), "v", version)
    else:
        await evening.act(evening.answer(random.Random(1)))
    await store.client.hset(store.keys.table(evening.table_id), "s", blob)
    with pytest.raises(StoreRefused, match="not what was sealed"):
        await store.load(evening.table_id)
