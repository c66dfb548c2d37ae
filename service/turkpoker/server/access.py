"""Which method needs which role: one table, so that no service can forget to ask.

What is not named here needs a token with the role player. Some methods that operators may call ask further
questions themselves (is the caller the host of this table, say).
"""

from __future__ import annotations

from dataclasses import dataclass

from turkpoker.server.auth import HOST, OPERATOR, PLAYER


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call a method.

    Attributes:
        roles: one of these is needed; the first is named when it is missing. Empty: any good token will do.
        open: no token is needed.
    """

    roles: tuple[str, ...] = ()
    open: bool = False


_OPEN = Access(open=True)
_ANYBODY = Access()
_PLAYER = Access((PLAYER,))
_HOST = Access((HOST,))
_OPERATOR = Access((OPERATOR,))
_PLAYER_OR_OPERATOR = Access((PLAYER, OPERATOR))
_OPERATOR_OR_PLAYER = Access((OPERATOR, PLAYER))

#: By service, and by method where a method differs from its service.
_ACCESS = {
    "turkpoker.v1.EvaluatorService": _OPEN,
    "turkpoker.v1.OperatorService": _OPERATOR,
    # A host may ask for his own table; the method looks.
    "turkpoker.v1.OperatorService/ListAuditEntries": _OPERATOR_OR_PLAYER,
    "turkpoker.v1.SessionService/CreateGuest": _OPEN,
    "turkpoker.v1.SessionService/GetSession": _ANYBODY,
    "turkpoker.v1.HandHistoryService": _PLAYER_OR_OPERATOR,
    "turkpoker.v1.TableService/CreateTable": _HOST,
    **{
        f"turkpoker.v1.TableService/{method}": _PLAYER_OR_OPERATOR
        for method in (
            *("GetTable", "ListTables", "WatchTable", "ExplainRules"),
            *("CloseTable", "PauseTable", "ResumeTable", "RemovePlayer", "EndSession"),
        )
    },
}


def access_of(method: str) -> Access:
    """Who may call a method, given as ``/turkpoker.v1.TableService/Play``."""
    name = method.removeprefix("/")
    return _ACCESS.get(name) or _ACCESS.get(name.partition("/")[0], _PLAYER)
