"""TLS and mutual TLS with certificates of the tests' own, which change while the server runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from certificates import Authority, put
from serving import Served
from turkpoker.client import Client, TurkpokerError
from turkpoker.server.app import running_server
from turkpoker.server.auth import make_token
from turkpoker.server.settings import ServerSettings, SettingsError
from wire_players import KEY

HOME, ELSEWHERE = Authority("home"), Authority("elsewhere")
Connect = Callable[..., Client]


@pytest.fixture
def secure(settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    certificate, key = HOME.issue("server")
    return replace(
        settings,
        tls_cert=put(tmp_path / "tls.crt", certificate),
        tls_key=put(tmp_path / "tls.key", key),
    )


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Makes clients of an address; None is plain text. They share no connection."""
    async with AsyncExitStack() as stack:

        def make(address: str, root: bytes | None, own: tuple[bytes, bytes] | None = None) -> Client:
            certificate, key = own or (None, None)
            credentials = None if root is None else grpc.ssl_channel_credentials(root, key, certificate)
            options: list[tuple[str, int | str]] = [("grpc.use_local_subchannel_pool", 1)]
            client = Client(
                address, make_token(KEY, "ayse"), credentials=credentials, patience=0.4, options=options
            )
            stack.push_async_callback(client.close)
            return client

        yield make


async def gets_in(client: Client) -> bool:
    try:
        await client.create_table()
    except TurkpokerError as error:
        assert error.code is grpc.StatusCode.UNAVAILABLE, error  # noqa: PT017
        assert not error.reason  # noqa: PT017
        return False
    return True


async def test_a_server_with_a_certificate_speaks_tls_only(secure: ServerSettings, connect: Connect) -> None:
    async with running_server(secure) as server:
        assert await gets_in(connect(server.address, HOME.root))
        assert not await gets_in(connect(server.address, ELSEWHERE.root))
        assert not await gets_in(connect(server.address, None))
        async with Client(server.address, credentials=grpc.ssl_channel_credentials(HOME.root)) as stranger:
            with pytest.raises(TurkpokerError) as caught:
                await stranger.create_table()
            assert caught.value.reason == "NO_CREDENTIALS"


async def test_mutual_tls_lets_in_who_shows_a_certificate(
    secure: ServerSettings, connect: Connect, tmp_path: Path
) -> None:
    mutual = replace(secure, tls_client_ca=put(tmp_path / "clients.crt", ELSEWHERE.root))
    async with running_server(mutual) as server:
        assert await gets_in(connect(server.address, HOME.root, ELSEWHERE.issue("ayse")))
        assert not await gets_in(connect(server.address, HOME.root))
        assert not await gets_in(connect(server.address, HOME.root, HOME.issue("ayse")))
        stranger = Authority("elsewhere")  # of the same name, with another key
        assert not await gets_in(connect(server.address, HOME.root, stranger.issue("ayse")))


async def test_a_certificate_changes_while_the_server_runs(
    secure: ServerSettings, connect: Connect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    new = Authority("new")
    certificate, key = new.issue("server")
    async with running_server(secure) as server:
        open_before = connect(server.address, HOME.root)
        assert await gets_in(open_before)
        # Half of the pair, and nonsense, leave the one before it in place.
        put(tmp_path / "tls.crt", certificate)
        assert await gets_in(connect(server.address, HOME.root))
        put(tmp_path / "tls.crt", b"nonsense")
        assert await gets_in(connect(server.address, HOME.root))
        put(tmp_path / "tls.crt", certificate)
        put(tmp_path / "tls.key", key)
        assert await gets_in(connect(server.address, new.root))
        assert not await gets_in(connect(server.address, HOME.root))
        assert await gets_in(open_before)
        # A key that others may read is not taken; once that is mended, it is.
        certificate, key = HOME.issue("server")
        draft = put(tmp_path / "next.key", key)
        draft.chmod(0o644)
        draft.replace(tmp_path / "tls.key")
        put(tmp_path / "tls.crt", certificate)
        assert await gets_in(connect(server.address, new.root))
        (tmp_path / "tls.key").chmod(0o600)
        assert await gets_in(connect(server.address, HOME.root))
    assert key.decode().splitlines()[1] not in caplog.text


async def test_whom_a_server_trusts_changes_while_it_runs(
    secure: ServerSettings, connect: Connect, tmp_path: Path
) -> None:
    roots = put(tmp_path / "clients.crt", ELSEWHERE.root)
    async with running_server(replace(secure, tls_client_ca=roots)) as server:
        assert not await gets_in(connect(server.address, HOME.root, HOME.issue("ayse")))
        put(roots, HOME.root)
        assert await gets_in(connect(server.address, HOME.root, HOME.issue("ayse")))
        assert not await gets_in(connect(server.address, HOME.root, ELSEWHERE.issue("ayse")))


async def test_certificates_that_cannot_be_used_are_refused_at_the_start(
    secure: ServerSettings, tmp_path: Path
) -> None:
    assert secure.tls_cert is not None
    assert secure.tls_key is not None
    other = put(tmp_path / "other.key", HOME.issue("other")[1])
    open_to_all = put(tmp_path / "open.key", secure.tls_key.read_bytes())
    open_to_all.chmod(0o644)
    nonsense = put(tmp_path / "nonsense", b"nonsense")
    for changed, why in (
        ({"tls_key": other}, "is not the key of"),
        ({"tls_key": open_to_all}, "chmod 600"),
        ({"tls_key": nonsense}, "no PEM private key"),
        ({"tls_cert": nonsense}, "no PEM certificate"),
        ({"tls_cert": tmp_path / "nowhere"}, "cannot read"),
        ({"tls_client_ca": nonsense}, "no PEM certificate"),
    ):
        with pytest.raises(SettingsError, match=why):
            async with running_server(replace(secure, **changed)):
                pass


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"listen": "0.0.0.0:0"}, "--insecure"),
        ({"listen": "[::]:0"}, "--insecure"),
        ({"listen": "poker.example:443"}, "--insecure"),
        ({"tls_cert": Path("a")}, "both"),
        ({"tls_key": Path("a")}, "both"),
        ({"tls_client_ca": Path("a")}, "--tls-client-ca needs"),
    ],
)
def test_settings_that_would_leave_callers_unprotected_are_refused(
    given: dict[str, object], why: str
) -> None:
    with pytest.raises(SettingsError, match=why):
        ServerSettings(**given)  # type: ignore[arg-type]


def test_plain_text_for_others_needs_to_be_asked_for(tmp_path: Path) -> None:
    assert ServerSettings(listen="0.0.0.0:0", insecure=True).listen
    assert ServerSettings(listen="0.0.0.0:0", tls_cert=Path("a"), tls_key=Path("b")).listen
    with pytest.raises(AssertionError, match=r"listen: 0\.0\.0\.0:0 is open to others"):
        Served(tmp_path / "data", "--listen", "0.0.0.0:0")


def test_the_command_serves_and_plays_over_tls(secure: ServerSettings, tmp_path: Path) -> None:
    roots = put(tmp_path / "root.crt", HOME.root)
    served = Served(
        tmp_path / "served",
        *("--tls-cert", str(secure.tls_cert), "--tls-key", str(secure.tls_key)),
        *("--tls-client-ca", str(roots)),
    )
    own, key = HOME.issue("demo")
    demo = [
        *(sys.executable, "-m", "turkpoker.server.cli", "demo", "--server", served.address),
        *("--players", "2", "--hands", "2", "--json"),
    ]
    mine = (
        "--client-cert",
        str(put(tmp_path / "own.crt", own)),
        "--client-key",
        str(put(tmp_path / "own.key", key)),
    )

    def run(*flags: str) -> subprocess.CompletedProcess[str]:
        environ = {"TURKPOKER_TOKEN_KEY": KEY.decode(), "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            [*demo, *flags], env=environ, capture_output=True, text=True, timeout=60, check=False
        )

    try:
        done = run("--ca", str(roots), *mine)
        assert done.returncode == 0, done.stderr
        done = run("--ca", str(roots))
        assert done.returncode == 2
        assert "a certificate that is trusted" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    finally:
        served.end()
