"""Who may do what: roles come from the token alone, and no request can say who calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from turkpoker.server.access import access_of
from turkpoker.server.auth import Authenticator, make_token
from turkpoker.server.token_keys import KeyRing, TokenKey
from turkpoker.v1 import (
    evaluator_service_pb2,
    hand_history_service_pb2,
    operator_service_pb2,
    session_service_pb2,
    table_service_pb2,
)
from turkpoker.v1 import table_service_pb2 as pb
from wire_players import KEY, Caller, refused

Make = Callable[..., Caller]
FILES = (
    evaluator_service_pb2,
    hand_history_service_pb2,
    operator_service_pb2,
    session_service_pb2,
    table_service_pb2,
)
METHODS = [
    method
    for module in FILES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]


def with_roles(player: Make, name: str, *roles: str) -> Caller:
    return player(name, make_token(KEY, name, roles=roles))


async def missing(call: object) -> str:
    """The role that a call must be refused for."""
    refusal = await refused(call)  # type: ignore[arg-type]
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_MISSING")
    return refusal.metadata["role"]


async def test_tables_are_made_by_hosts(player: Make) -> None:
    guest = with_roles(player, "guest", "player")
    assert await missing(guest.create()) == "host"
    host = with_roles(player, "host", "host")
    name = (await host.create()).name
    assert await missing(host.join(name)) == "player"
    assert (await guest.join(name)).your_seat is not None
    both = player("both")
    assert (await both.create()).host == "both"


async def test_operators_look_and_close_but_do_not_play(player: Make) -> None:
    operator, host = with_roles(player, "operator", "operator"), player("host")
    name = (await host.create()).name
    assert (await operator.get(name)).name == name
    assert (await operator.tables.ListTables(pb.ListTablesRequest(), metadata=operator.metadata)).tables
    stream = operator.watch(name)
    assert (await stream.read()).update.snapshot.name == name
    stream.cancel()
    assert await missing(operator.create()) == "host"
    assert await missing(operator.join(name)) == "player"
    assert await missing((await operator.play(name)).read()) == "player"


async def test_a_token_without_any_of_our_roles_may_do_nothing(player: Make) -> None:
    import jwt
    from turkpoker.server.settings import AUDIENCE

    claims = {"sub": "x", "aud": AUDIENCE, "exp": 9999999999}
    stranger = player("x", jwt.encode(claims | {"roles": ["admin"]}, KEY))
    assert await missing(stranger.get("tables/a")) == "player"
    for roles in ("operator", ["player", 7], {"player": True}, None):
        odd = player("x", jwt.encode(claims | {"roles": roles}, KEY))
        refusal = await refused(odd.get("tables/a"))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_CREDENTIALS")


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        (None, {"player", "host"}),
        (["operator"], {"operator"}),
        (["host", "player", "host"], {"player", "host"}),
    ],
)
def test_roles_of_a_made_token(roles: list[str] | None, expected: set[str]) -> None:
    assert (
        Authenticator(KeyRing((TokenKey.of_secret(KEY),))).check(make_token(KEY, "ayse", roles=roles)).roles
        == expected
    )


@pytest.mark.parametrize("roles", [[], ["admin"], ["player", ""]])
def test_a_token_is_not_made_with_odd_roles(roles: list[str]) -> None:
    with pytest.raises(ValueError, match="roles"):
        make_token(KEY, "ayse", roles=roles)


def test_every_method_has_a_stated_access() -> None:
    """A new method is closed until somebody opens it here."""
    access = {
        f"{method.containing_service.name}/{method.name}": access_of(
            f"/{method.containing_service.full_name}/{method.name}"
        )
        for method in METHODS
    }
    assert {name for name, each in access.items() if each.open} == {
        *(name for name in access if name.startswith("EvaluatorService/")),
        "SessionService/CreateGuest",
    }
    assert {name for name, each in access.items() if not each.open and not each.roles} == {
        "SessionService/GetSession"
    }
    assert {name for name, each in access.items() if each.roles == ("host",)} == {"TableService/CreateTable"}
    assert {name for name, each in access.items() if each.roles[:1] == ("operator",)} == {
        name for name in access if name.startswith("OperatorService/")
    }
    assert access["OperatorService/ListAuditEntries"].roles == ("operator", "player")
    for name in ("JoinTable", "Play", "SubmitAction", "AddChips", "LeaveTable", "SitIn", "SitOut"):
        assert access[f"TableService/{name}"].roles == ("player",)
    assert access_of("/turkpoker.v1.NewService/Anything").roles == ("player",)


def fields_of(message: Descriptor, path: str, seen: frozenset[str]) -> Iterator[tuple[str, FieldDescriptor]]:
    if message.full_name in seen:
        return
    for field in message.fields:
        yield f"{path}.{field.name}", field
        if field.message_type is not None:
            yield from fields_of(field.message_type, f"{path}.{field.name}", seen | {message.full_name})


def test_x8_no_field_of_any_request_can_say_who_calls() -> None:
    """Fields that name a person are all known here, and each names somebody else."""
    words = (
        "player",
        "user",
        "host",
        "caller",
        "subject",
        "identity",
        "account",
        "owner",
        "role",
        "operator",
    )
    found = {
        path
        for method in METHODS
        for path, field in fields_of(method.input_type, method.input_type.name, frozenset())
        if field.type == FieldDescriptor.TYPE_STRING and any(word in field.name for word in words)
    }
    # Whom the host sends away; the request itself is the caller's.
    assert found == {"RemovePlayerRequest.player"}
