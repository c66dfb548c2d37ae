"""Records in PHH, the open poker hand history format (TOML), and back. Text in, text out.

PHH knows neither openers nor carried pots, so the variant code ``TURK`` is our own and everything the format
cannot say stands in fields with an underscore: the rules (``_profile``, ``_options``), the dealer, the
carried pot, the whole deck, reshuffles, and actions without a PHH notation (``_beside``: how many player
actions came before, who, what). Actions with one are written in it, so that any PHH parser reads the
structure: ``p2 cbr 6`` opens, bets or raises (also unseen), ``cc`` checks or calls, ``sd`` stands pat or
discards, ``sm`` shows. Players are p1, p2 ... from the dealer's left.

In what a viewer may see of a hand ``??`` stands for each hidden card and ``_partial`` is true: others can
read such a file, but nobody can play it again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from turkpoker.engine.actions import Action
from turkpoker.engine.errors import BadAction, RecordError, Refused, ReshuffleError, RulesError
from turkpoker.engine.events import CardsDealt, CardsDrawn, Event, FourthCardDealt, HandShown
from turkpoker.engine.hand import Hand
from turkpoker.engine.record import HandRecord, seat_letter
from turkpoker.engine.seen import HOUSE, Cards, Seen, Viewer, card_text, is_partial
from turkpoker.evaluator import parse_cards

VARIANT = "TURK"

_NOTATION = {"check": "cc", "call": "cc", "fold": "f"}
_BETS = ("open", "bet", "raise", "karanlik", "over_blind")
_BESIDE = frozenset({"decline", "enter", "stay_out", "leave", "ask_proof", "pass"})


# -- writing ------------------------------------------------------------------------------------------


def write_phh(record: HandRecord, viewer: Viewer = HOUSE) -> str:
    """A record as one PHH file as a viewer may see it; for the house with the whole deck.

    Raises:
        RulesError, Refused, BadAction, ReshuffleError: the record is not one of a playable hand.
    """
    seen = Seen(record, viewer)
    discards = iter(seen.discards)
    hand = record.start()
    players = _players(record)
    actions = [line for event in hand.events for line in _dealing(event, players, seen)]
    beside: list[str] = []
    done = 0
    for step in record.steps:
        if not isinstance(step, Action) or step.action == "blind":
            continue
        before = hand.event_count
        hand.apply(step)
        name = f"p{players.index(step.seat) + 1}"
        if step.action in _BESIDE:
            beside.append(f"{done} {name} {step.action}")
        else:
            thrown = next(discards) if step.cards else ()
            actions.append(f"{name} {_notation(hand, step, before, thrown)}")
            done += 1
        actions += [line for event in hand.events[before:] for line in _dealing(event, players, seen)]
    return _toml(_fields(seen, hand, players, actions, beside))


def write_phhs(records: Iterable[HandRecord]) -> str:
    """Many records as one file, a numbered table for each.

    Raises:
        RulesError, Refused, BadAction, ReshuffleError: as for ``write_phh``.
    """
    return "\n".join(f"[{number}]\n{write_phh(record)}" for number, record in enumerate(records, 1))


def _players(record: HandRecord) -> list[int]:
    seats = [seat for seat, _ in record.stacks]
    first = seats.index(record.dealer) + 1
    return seats[first:] + seats[:first]


def _notation(hand: Hand, step: Action, before: int, thrown: Cards) -> str:
    if step.action in _NOTATION:
        return _NOTATION[step.action]
    if step.action == "draw":
        return f"sd {_packed(thrown)}".strip()
    to = next((getattr(event, "to", None) for event in hand.events[before:]), None)
    return f"cbr {to}"


def _dealing(event: Event, players: Sequence[int], seen: Seen) -> list[str]:
    if isinstance(event, HandShown):
        return [f"p{players.index(event.seat) + 1} sm {_packed(event.cards)}"]
    cards: Cards = ()
    if isinstance(event, CardsDealt):
        cards = seen.dealt(event)
    elif isinstance(event, CardsDrawn | FourthCardDealt):
        own = seen.project(event)
        assert isinstance(own, CardsDrawn | FourthCardDealt)
        cards = [None] * len(event.drawn or ()) if own.drawn is None else own.drawn
    if not cards:
        return []
    return [f"d dh p{players.index(event.seat) + 1} {_packed(cards)}"]  # type: ignore[attr-defined]


def _packed(cards: Cards) -> str:
    return card_text(cards).replace(" ", "")


def _fields(
    seen: Seen, hand: Hand, players: Sequence[int], actions: list[str], beside: list[str]
) -> dict[str, Any]:
    record = seen.record
    stacks = dict(record.stacks)
    rules = hand.rules
    blind = rules.blind if rules.deal_mode == "blind" else 0
    ante = rules.ante if rules.deal_mode == "ante" else 0
    result = hand.result
    fields: dict[str, Any] = {
        "variant": VARIANT,
        "ante_trimming_status": True,
        "antes": [ante] * len(players),
        "blinds_or_straddles": [blind] + [0] * (len(players) - 1),
        "min_bet": rules.stake_min,
        "starting_stacks": [stacks[seat] for seat in players],
        "actions": actions,
        "seats": [seat + 1 for seat in players],
    }
    if result is not None:
        fields["finishing_stacks"] = [result.final[seat] for seat in players]
        fields["winnings"] = [result.payouts.get(seat, 0) for seat in players]
    fields |= {
        "_id": record.id,
        "_profile": record.profile,
        "_options": dict(record.options),
        "_order": [seat + 1 for seat, _ in record.stacks],
        "_dealer": record.dealer + 1,
        "_carried": record.carried,
        "_dead_before": record.dead_before,
        "_deck": card_text(seen.deck),
        "_reshuffles": [card_text(order) for order in seen.reshuffles],
        "_beside": beside,
    }
    if record.missed:
        fields["_missed"] = [[seat + 1, chips] for seat, chips in record.missed]
    if is_partial(seen):
        fields["_partial"] = True
    names = record.extra.get("players")
    if isinstance(names, Mapping):
        fields["players"] = [str(names.get(seat_letter(seat), "")) for seat in players]
    fields |= {f"_{name}": content for name, content in record.extra.items() if name != "players"}
    return fields


def _toml(fields: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {_value(content)}\n" for name, content in fields.items())


def _value(content: object) -> str:
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, int):
        return str(content)
    if isinstance(content, str):
        escaped = content.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
    if isinstance(content, Mapping):
        inner = ", ".join(f"{_value(str(name))} = {_value(part)}" for name, part in content.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(content, Sequence):
        return "[" + ", ".join(_value(part) for part in content) + "]"
    raise RecordError("record", f"cannot be written: {type(content).__name__}")


# -- reading ------------------------------------------------------------------------------------------


def read_phh(text: str) -> HandRecord:
    """The record in a PHH file that ``write_phh`` made, or that says as much.

    Raises:
        RecordError: not TOML, another variant, a field missing, an action that the hand does not allow, or
            chips at the end that do not come of it.
    """
    return _record(_parse(text))


def read_phhs(text: str) -> list[HandRecord]:
    """The records in a file of numbered tables; a file of one hand is a list of one.

    Raises:
        RecordError: as for ``read_phh``.
    """
    tables = _parse(text)
    if "variant" in tables:
        return [_record(tables)]
    records = []
    for name, fields in tables.items():
        if not isinstance(fields, dict):
            raise RecordError(name, "must be a table with a hand")
        try:
            records.append(_record(fields))
        except RecordError as error:
            raise RecordError(f"{name}.{error.field}", error.reason) from None
    return records


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RecordError("phh", f"is no TOML: {error}") from None


def _need(fields: Mapping[str, Any], name: str, kind: type) -> Any:
    if name not in fields:
        raise RecordError(name, "is missing")
    if not isinstance(fields[name], kind) or (kind is int and isinstance(fields[name], bool)):
        raise RecordError(name, f"must be of type {kind.__name__}")
    return fields[name]


def _record(fields: Mapping[str, Any]) -> HandRecord:
    if fields.get("variant") != VARIANT:
        raise RecordError("variant", f"only {VARIANT} can be played, not {str(fields.get('variant'))[:20]!r}")
    if fields.get("_partial"):
        raise RecordError("_partial", "cards are hidden in it, so it cannot be played")
    players = [_seat("seats", number) for number in _need(fields, "seats", list)]
    chips = _need(fields, "starting_stacks", list)
    order = [_seat("_order", number) for number in _need(fields, "_order", list)]
    if len(chips) != len(players) or sorted(order) != sorted(players) or len(set(players)) != len(players):
        raise RecordError("starting_stacks", "must be one for each of seats and _order")
    stacks = dict(zip(players, chips, strict=True))
    deck = _need(fields, "_deck", str)
    try:
        record = HandRecord(
            id=str(fields.get("_id", "")),
            profile=_need(fields, "_profile", str),
            options=dict(_need(fields, "_options", dict)),
            dealer=_seat("_dealer", _need(fields, "_dealer", int)),
            stacks=tuple((seat, stacks[seat]) for seat in order),
            carried=fields.get("_carried", 0),
            dead_before=fields.get("_dead_before", 0),
            deck=parse_cards(deck),
            reshuffles=tuple(parse_cards(order_) for order_ in fields.get("_reshuffles", [])),
            missed=tuple((_seat("_missed", seat), owed) for seat, owed in fields.get("_missed", [])),
        )
    except (ValueError, TypeError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError("phh", str(error)) from None
    beside = _need(fields, "_beside", list) if "_beside" in fields else []
    steps, hand = _steps(record, _need(fields, "actions", list), beside, players)
    _check_end(fields, hand, players)
    return replace(record, steps=steps)


def _check_end(fields: Mapping[str, Any], hand: Hand, players: Sequence[int]) -> None:
    """Hold what a file says came of the hand against what came of it."""
    result = hand.result
    if result is None:
        return
    for name, chips in (("finishing_stacks", result.final), ("winnings", result.payouts)):
        found = [chips.get(seat, 0) for seat in players]
        said = fields.get(name, found)
        if said != found or any(type(each) is not int for each in said):
            raise RecordError(name, f"must be {found}, which is what comes of these actions")


def _seat(name: str, number: object) -> int:
    if type(number) is not int or not 1 <= number <= 26:
        raise RecordError(name, "seats are numbers from 1 to 26")
    return number - 1


def _steps(
    record: HandRecord, actions: Sequence[object], beside: Sequence[object], players: Sequence[int]
) -> tuple[tuple[Action, ...], Hand]:
    """Actions by our names, and the hand after them.

    What ``cc`` and ``cbr`` are depends on where the hand stands, so it is played along.
    """
    waiting = [_read_beside(line, players) for line in beside]
    steps: list[Action] = []
    done = 0
    try:
        hand = record.start()
        for line in actions:
            action = _read_action(line, players)
            if action is None:
                continue
            while waiting and waiting[0][0] <= done:
                _do(hand, waiting.pop(0)[1], steps)
            _do(hand, _named(hand, action), steps)
            done += 1
        for _, action in waiting:
            _do(hand, action, steps)
    except (Refused, BadAction, ReshuffleError, RulesError) as error:
        raise RecordError(f"actions[{len(steps)}]", str(error)) from None
    return tuple(steps), hand


def _do(hand: Hand, action: Action, steps: list[Action]) -> None:
    hand.apply(action)
    steps.append(action)


def _player(name: str, text: str, players: Sequence[int]) -> int:
    number = _whole(text[1:])
    if not text.startswith("p") or number is None or not 1 <= number <= len(players):
        raise RecordError(name, f"no player: {text[:20]!r}")
    return players[number - 1]


def _whole(text: str) -> int | None:
    """A number of at most eighteen digits, none if it is anything else."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None


def _read_beside(line: object, players: Sequence[int]) -> tuple[int, Action]:
    parts = line.split() if isinstance(line, str) else []
    number = _whole(parts[0]) if len(parts) == 3 else None
    if number is None or parts[2] not in _BESIDE:
        raise RecordError("_beside", f"cannot be read: {str(line)[:40]!r}")
    return number, Action(_player("_beside", parts[1], players), parts[2])


def _read_action(line: object, players: Sequence[int]) -> Action | None:
    """An action in PHH notation, its name still PHH's; ``None`` for dealing and showing."""
    parts = line.split("#")[0].split() if isinstance(line, str) else []
    if len(parts) >= 2 and parts[0] == "d":
        return None
    if len(parts) < 2 or parts[1] not in ("cc", "f", "cbr", "sd", "sm"):
        raise RecordError("actions", f"cannot be read: {str(line)[:40]!r}")
    seat = _player("actions", parts[0], players)
    if parts[1] == "sm":
        return None
    if parts[1] == "sd":
        try:
            return Action(seat, "sd", cards=parse_cards("".join(parts[2:])))
        except ValueError as error:
            raise RecordError("actions", str(error)) from None
    if parts[1] == "cbr":
        amount = _whole(parts[2]) if len(parts) == 3 else None
        if amount is None:
            raise RecordError("actions", f"needs an amount: {str(line)[:40]!r}")
        return Action(seat, "cbr", amount)
    return Action(seat, parts[1])


def _named(hand: Hand, action: Action) -> Action:
    legal = hand.legal(action.seat)
    if action.action == "cbr":
        name = next((bet for bet in _BETS if bet in legal), "raise")
        return Action(action.seat, name, action.to)
    if action.action == "sd":
        return Action(action.seat, "draw", cards=action.cards)
    if action.action == "f":
        return Action(action.seat, "fold")
    return Action(action.seat, "check" if "check" in legal else "call")
