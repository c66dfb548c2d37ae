"""What happens in a hand, one small value each, in order.

Fields marked hidden hold cards that not everybody may see: ``views.project_event`` blanks them to ``None``
for who may not, and nothing else does. In the hand itself they are always set.
Amounts are chips; ``to`` is a player's total in the round; seats are the numbers the hand was made with.
"""

from __future__ import annotations

from turkpoker.engine.event import Cards
from turkpoker.engine.event import Event as Event  # noqa: PLC0414 - told on
from turkpoker.engine.event import Over as Over  # noqa: PLC0414
from turkpoker.engine.values import value
from turkpoker.evaluator import Category


@value
class HandStarted(Event):
    """The deal begins; ``seats`` clockwise from the dealer's left, ``stacks`` before any ante."""

    __repr__ = Event.__repr__
    name = "hand_started"
    dealer: int
    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    carried: int
    dead_before: int


@value
class Entered(Event):
    """A seated player plays this deal (opt-in entry)."""

    __repr__ = Event.__repr__
    name = "entered"
    seat: int


@value
class StayedOut(Event):
    """A seated player does not play this deal (opt-in entry)."""

    __repr__ = Event.__repr__
    name = "stayed_out"
    seat: int


@value
class AntePosted(Event):
    """An ante, or what is left of a stack below it."""

    __repr__ = Event.__repr__
    name = "ante_posted"
    seat: int
    amount: int
    all_in: bool


@value
class MissedAntesPosted(Event):
    """Antes missed since a carried pot began, put into it before playing for it."""

    __repr__ = Event.__repr__
    name = "missed_antes_posted"
    seat: int
    amount: int
    all_in: bool


@value
class AnteReturned(Event):
    """An ante given back because there is no deal."""

    __repr__ = Event.__repr__
    name = "ante_returned"
    seat: int
    amount: int


@value
class BlindPosted(Event):
    """The forced blind; ``level`` is the full blind even when the seat is short."""

    __repr__ = Event.__repr__
    name = "blind_posted"
    seat: int
    amount: int
    level: int
    all_in: bool


@value
class OverBlindPosted(Event):
    """A blind doubled unseen."""

    __repr__ = Event.__repr__
    name = "over_blind_posted"
    seat: int
    to: int
    amount: int
    all_in: bool


@value
class KaranlikBet(Event):
    """A bet unseen by the seat left of the dealer: it opens the pot without openers."""

    __repr__ = Event.__repr__
    name = "karanlik_bet"
    seat: int
    to: int
    amount: int
    all_in: bool


@value
class Declined(Event):
    """No to karanlik or an over-blind."""

    __repr__ = Event.__repr__
    name = "declined"
    seat: int


@value
class DealtIn(Event):
    """Which deck is in use: ``deck_size`` cards for the players ``seats``, clockwise from the dealer's
    left."""

    __repr__ = Event.__repr__
    name = "dealt_in"
    seats: tuple[int, ...]
    deck_size: int


@value
class CardsDealt(Event):
    """Five cards face down. With ``unseen`` the seat itself may not look yet."""

    __repr__ = Event.__repr__
    name = "cards_dealt"
    card_fields = ("cards",)
    hidden = ("cards",)
    seat: int
    count: int
    unseen: bool
    cards: Cards | None


@value
class CardsSeen(Event):
    """A seat that had to decide unseen may look now."""

    __repr__ = Event.__repr__
    name = "cards_seen"
    card_fields = ("cards",)
    hidden = ("cards",)
    seat: int
    cards: Cards | None


@value
class RoundStarted(Event):
    """A betting round, 1 before and 2 after the draw."""

    __repr__ = Event.__repr__
    name = "round_started"
    round: int
    first: int


@value
class RoundSkipped(Event):
    """A betting round in which nobody is asked: fewer than two players have chips."""

    __repr__ = Event.__repr__
    name = "round_skipped"
    round: int


@value
class Checked(Event):
    """No bet, cards kept."""

    __repr__ = Event.__repr__
    name = "checked"
    seat: int


@value
class Opened(Event):
    """The first bet before the draw; the seat is the opener."""

    __repr__ = Event.__repr__
    name = "opened"
    seat: int
    to: int
    amount: int
    all_in: bool


@value
class Bet(Event):
    """The first bet after the draw."""

    __repr__ = Event.__repr__
    name = "bet"
    seat: int
    to: int
    amount: int
    all_in: bool


@value
class Called(Event):
    """The level matched, or all that was left put in."""

    __repr__ = Event.__repr__
    name = "called"
    seat: int
    to: int
    amount: int
    all_in: bool


@value
class Raised(Event):
    """The level lifted; without ``full`` it is a short all-in that reopens nothing."""

    __repr__ = Event.__repr__
    name = "raised"
    seat: int
    to: int
    amount: int
    all_in: bool
    full: bool


@value
class Folded(Event):
    """The hand given up."""

    __repr__ = Event.__repr__
    name = "folded"
    seat: int


@value
class LeftFolded(Event):
    """A player left the table and is folded at once."""

    __repr__ = Event.__repr__
    name = "left_folded"
    seat: int


@value
class LeftAllIn(Event):
    """An all-in player left the table: he stays in the hand and stands pat."""

    __repr__ = Event.__repr__
    name = "left_all_in"
    seat: int


@value
class LeftOut(Event):
    """A player who is in this hand no more left the table."""

    __repr__ = Event.__repr__
    name = "left_out"
    seat: int


@value
class PlayedOn(Event):
    """Nobody opened but somebody is all-in: the hand is played on without an opener."""

    __repr__ = Event.__repr__
    name = "played_on_unopened"


@value
class DrawStarted(Event):
    """The exchange of cards begins with this seat."""

    __repr__ = Event.__repr__
    name = "draw_started"
    first: int


@value
class OpenersSplit(Event):
    """The opener declares that what he keeps would not open."""

    __repr__ = Event.__repr__
    name = "openers_split"
    seat: int


@value
class CardsDrawn(Event):
    """``count`` cards thrown; ``later`` of them are replaced after everybody has been served."""

    __repr__ = Event.__repr__
    name = "cards_drawn"
    card_fields = ("discarded", "drawn")
    hidden = ("discarded", "drawn")
    seat: int
    count: int
    later: int
    discarded: Cards | None
    drawn: Cards | None


@value
class FourthCardDealt(Event):
    """The fourth card of a draw of four."""

    __repr__ = Event.__repr__
    name = "fourth_card_dealt"
    card_fields = ("drawn",)
    hidden = ("drawn",)
    seat: int
    drawn: Cards | None


@value
class Reshuffled(Event):
    """Discards have become the stock; their order is the house's alone."""

    __repr__ = Event.__repr__
    name = "reshuffled"
    card_fields = ("order",)
    house_only = ("order",)
    count: int
    order: Cards | None


@value
class UncalledReturned(Event):
    """The part of a bet that nobody called goes back."""

    __repr__ = Event.__repr__
    name = "uncalled_returned"
    seat: int
    amount: int


@value
class HandShown(Event):
    """A hand at the showdown; ``low`` is its low strength among this table's (hi-lo only), larger is
    better."""

    __repr__ = Event.__repr__
    name = "hand_shown"
    card_fields = ("cards",)
    seat: int
    cards: Cards
    category: Category
    low: bool


@value
class ProofWindowOpened(Event):
    """From now the others may ask this opener for his openers."""

    __repr__ = Event.__repr__
    name = "ask_window_opened"
    seat: int


@value
class ProofAsked(Event):
    """Somebody asks for the openers."""

    __repr__ = Event.__repr__
    name = "asked_openers"
    seat: int


@value
class ProofPassed(Event):
    """Somebody does not ask for the openers."""

    __repr__ = Event.__repr__
    name = "passed"
    seat: int


@value
class OpenersProved(Event):
    """The smallest part of the dealt hand that entitled the opener."""

    __repr__ = Event.__repr__
    name = "openers_proved"
    card_fields = ("cards",)
    seat: int
    cards: Cards


@value
class FalseOpening(Event):
    """The opener had no openers."""

    __repr__ = Event.__repr__
    name = "false_opening"
    seat: int


@value
class PotAwarded(Event):
    """A pot, or half of one, paid out. ``shares`` are (seat, chips); ``half`` is ``all``, ``high`` or
    ``low``.

    ``amount`` is the pot after the house's part; pot 0 is the lowest.
    """

    __repr__ = Event.__repr__
    name = "pot_awarded"
    pot: int
    half: str
    amount: int
    eligible: tuple[int, ...]
    shares: tuple[tuple[int, int], ...]


@value
class RakeTaken(Event):
    """What the house keeps of this hand."""

    __repr__ = Event.__repr__
    name = "rake_taken"
    amount: int


@value
class PotCarried(Event):
    """The pot stays for the next deal."""

    __repr__ = Event.__repr__
    name = "pot_carried"
    amount: int


@value
class HandEnded(Event):
    """The last event of a hand."""

    __repr__ = Event.__repr__
    name = "hand_ended"
    over: Over


#: Every event by its name.
EVENTS: dict[str, type[Event]] = {event.name: event for event in Event.__subclasses__() if event.name}
