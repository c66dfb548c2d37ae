"""A hand told street by street, made of its events alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from turkpoker.engine.event import Event
from turkpoker.engine.events import (
    CardsDealt,
    CardsDrawn,
    CardsSeen,
    FourthCardDealt,
    HandEnded,
    HandShown,
    HandStarted,
    Over,
    PotAwarded,
)
from turkpoker.engine.explain.writing import Count, Held, Sentence, Value, Writer, chips, say
from turkpoker.engine.record import seat_letter
from turkpoker.evaluator import names

#: Events whose ``amount`` goes from a stack into the pot, and those whose comes back or out.
_INTO_THE_POT = frozenset(
    {
        "ante_posted",
        "missed_antes_posted",
        "blind_posted",
        "over_blind_posted",
        "karanlik_bet",
        "opened",
        "bet",
        "called",
        "raised",
    }
)
_OUT_OF_THE_POT = frozenset({"ante_returned", "uncalled_returned", "rake_taken"})
#: The event with which a part of the story begins, unless it is on already; other events go on with the part
#: in which they come.
_PARTS = {
    "entered": "entry",
    "stayed_out": "entry",
    "missed_antes_posted": "antes",
    "ante_posted": "antes",
    "blind_posted": "blinds",
    "over_blind_posted": "blinds",
    "dealt_in": "cards",
    "karanlik_bet": "karanlik",
    "draw_started": "draw",
    "hand_shown": "showdown",
    "rake_taken": "pots",
    "pot_awarded": "pots",
    "pot_carried": "pots",
    "hand_ended": "over",
}
_INDENT = "  "


def tell(events: Sequence[Event], language: str = "en", players: Mapping[int, str] | None = None) -> str:
    """How a hand went, street by street, as lines of text.

    Told is what the events hold: those of the hand itself tell all cards and are the house's alone; those
    that ``project_event`` leaves to a viewer tell what he saw.

    Args:
        events: of one hand, in order; it need not be over.
        language: one of ``tr``, ``en``, ``fr``, ``it``, ``nl``, ``fa``.
        players: names by seat; a seat without one is called by its letter.

    Raises:
        ValueError: there is no such language.
    """
    story = _Story(language, players or {}, events)
    for event in events:
        story.add(event)
    return "\n".join(story.lines) + "\n"


class _Story:
    """The lines so far, with what the next ones need to know."""

    def __init__(self, language: str, players: Mapping[int, str], events: Sequence[Event]) -> None:
        self.lines: list[str] = []
        self._writer = Writer("story", language)
        self._players = players
        self._side_pots = any(isinstance(event, PotAwarded) and event.pot for event in events)
        self._part = ""
        self._blind = any(event.name == "blind_posted" for event in events)
        self._pot = 0
        self._began: dict[int, int] = {}
        self._stacks: dict[int, int] = {}
        self._hands: dict[int, tuple[int, ...]] = {}
        self._told: dict[str, Callable[[Any], None]] = {
            "hand_started": self._hand_started,
            "cards_dealt": self._cards_dealt,
            "cards_seen": self._cards_seen,
            "cards_drawn": self._cards_drawn,
            "fourth_card_dealt": self._fourth_card_dealt,
            "hand_shown": self._hand_shown,
            "pot_awarded": self._pot_awarded,
            "hand_ended": self._hand_ended,
            "draw_started": lambda event: None,
            "round_started": lambda event: None,
        }

    def add(self, event: Event) -> None:
        """Tell one event."""
        self._head(self._part_of(event))
        self._told.get(event.name, self._plain)(event)

    # -- lines ------------------------------------------------------------------------------------

    def _part_of(self, event: Any) -> str:
        if event.name in ("round_started", "round_skipped"):
            return f"round{event.round}"
        if event.name == "declined":
            return "blinds" if self._blind else "karanlik"
        # With opt-in entry who comes in pays at once.
        if self._part == "entry" and event.name in ("missed_antes_posted", "ante_posted"):
            return "entry"
        return _PARTS.get(event.name, self._part)

    def _head(self, part: str) -> None:
        if part == self._part:
            return
        self._part = part
        own = part in ("antes", "cards", "pots")
        heading = self._writer.sentence(say(f"h_{part}")) if own else self._phase(part)
        if self._pot and part in ("round1", "draw", "round2", "showdown"):
            heading += self._pot_now()
        self.lines += ["", heading]

    def _phase(self, name: str) -> str:
        return names.phase_name(name, self._writer.language)

    def _pot_now(self) -> str:
        return " " + self._writer.sentence(say("pot_now", pot=chips(self._pot)))

    def _line(self, *sentences: Sentence, end: str = "") -> None:
        self.lines.append(_INDENT + self._writer.paragraph(sentences) + end)

    def _player(self, seat: int) -> str:
        return self._players.get(seat) or seat_letter(seat)

    def _list(self, parts: Iterable[str]) -> str:
        return self._writer.sentence(say("comma")).join(parts)

    # -- events -----------------------------------------------------------------------------------

    def _plain(self, event: Any) -> None:
        """An event told by one sentence with its player, amounts and cards."""
        values: dict[str, Value] = {}
        for field in event.__slots__:
            content = getattr(event, field)
            if field == "seat":
                values["player"] = self._player(content)
            elif field in ("amount", "to", "level"):
                values[field] = chips(content)
            elif field in ("count", "deck_size"):
                values["cards"] = Count(content, "card")
            elif field == "cards" and content is not None:
                values["cards"] = Held(content)
        if event.name in _INTO_THE_POT:
            self._move(event.seat, event.amount)
        elif event.name in _OUT_OF_THE_POT:
            self._move(getattr(event, "seat", None), -event.amount)
        short = event.name == "blind_posted" and event.amount < event.level
        told = [say("blind_short" if short else event.name, **values)]
        if getattr(event, "all_in", False):
            told.append(say("all_in"))
        moved = event.name in _INTO_THE_POT and self._part in ("round1", "round2", "blinds", "karanlik")
        self._line(*told, end=self._pot_now() if moved else "")

    def _move(self, seat: int | None, amount: int) -> None:
        self._pot += amount
        if seat is not None:
            self._stacks[seat] -= amount

    def _hand_started(self, event: HandStarted) -> None:
        self._pot = event.carried
        self._stacks = dict(zip(event.seats, event.stacks, strict=True))
        self._began = dict(self._stacks)
        self.lines.append(self._writer.sentence(say("dealer", player=self._player(event.dealer))))
        for seat, stack in self._stacks.items():
            self._line(say("stack", player=self._player(seat), stack=chips(stack)))
        if event.carried:
            self._line(say("carried", amount=chips(event.carried)))

    def _cards_dealt(self, event: CardsDealt) -> None:
        player = self._player(event.seat)
        if event.cards is None:
            self._line(say("cards_hidden", player=player, cards=Count(event.count, "card")))
        else:
            self._hands[event.seat] = event.cards
            self._line(say("cards_dealt", player=player, cards=_sorted(event.cards)))

    def _cards_seen(self, event: CardsSeen) -> None:
        self._line(say("cards_seen", player=self._player(event.seat)))
        if event.cards is not None and event.seat not in self._hands:
            self._hands[event.seat] = event.cards
            self._line(say("cards_dealt", player=self._player(event.seat), cards=_sorted(event.cards)))

    def _cards_drawn(self, event: CardsDrawn) -> None:
        player, count = self._player(event.seat), Count(event.count, "card")
        if not event.count:
            self._line(say("stands_pat", player=player))
        elif event.discarded is None or event.drawn is None:
            self._line(say("draws_hidden", player=player, cards=count))
        else:
            values: dict[str, Value] = {
                "player": player,
                "thrown": Held(event.discarded),
                "drawn": Held(event.drawn),
            }
            kept = tuple(card for card in self._hands.get(event.seat, ()) if card not in event.discarded)
            self._hands[event.seat] = kept + event.drawn
            if event.later:
                self._line(say("draws_first", **values))
            else:
                self._line(say("draws", hand=_sorted(self._hands[event.seat]), **values))

    def _fourth_card_dealt(self, event: FourthCardDealt) -> None:
        player = self._player(event.seat)
        if event.drawn is None:
            self._line(say("fourth_hidden", player=player))
            return
        self._hands[event.seat] = self._hands.get(event.seat, ()) + event.drawn
        hand = _sorted(self._hands[event.seat])
        self._line(say("fourth_card_dealt", player=player, drawn=Held(event.drawn), hand=hand))

    def _hand_shown(self, event: HandShown) -> None:
        shown = say(
            "hand_shown", player=self._player(event.seat), cards=_sorted(event.cards), hand=event.category
        )
        self._line(shown, *([say("low")] if event.low else []))

    def _pot_awarded(self, event: PotAwarded) -> None:
        self._pot -= event.amount
        for seat, amount in event.shares:
            self._stacks[seat] += amount
        shares = self._list(
            self._writer.sentence(say("share", player=self._player(seat), amount=chips(amount)))
            for seat, amount in event.shares
        )
        players = self._list(map(self._player, event.eligible))
        key = "pot" if not self._side_pots else "side_pot" if event.pot else "main_pot"
        told = say(
            key if event.half == "all" else f"{key}_{event.half}",
            amount=chips(event.amount),
            players=players,
            shares=shares,
            number=event.pot,
        )
        self._line(told)

    def _hand_ended(self, event: HandEnded) -> None:
        if event.over is Over.NO_DEAL:
            self._line(say("no_deal"))
        for seat, stack in self._stacks.items():
            change = stack - self._began[seat]
            end = f" ({change:+d})" if change else ""
            self._line(say("stack", player=self._player(seat), stack=chips(stack)), end=end)


def _sorted(cards: Sequence[int]) -> Held:
    """A hand as people hold it, the highest card first."""
    return Held(tuple(sorted(cards, reverse=True)))
