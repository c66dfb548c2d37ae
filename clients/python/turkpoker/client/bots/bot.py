"""A bot: one decision in, one move out."""

from dataclasses import dataclass

from turkpoker.client.bots.discards import choose_discards
from turkpoker.client.bots.judgement import Judgement, judge
from turkpoker.client.bots.temperament import TEMPERAMENTS, Chance, Temperament
from turkpoker.client.decisions import Decision
from turkpoker.client.errors import StaleDecisionError
from turkpoker.client.session import Session
from turkpoker.client.view import TableView
from turkpoker.client.view_parts import HandView

# What a bot answers where its cards do not matter: nobody has seen his, or they are no longer at stake.
_UNSEEN: dict[str, float] = {
    "enter": 0.90,
    "stay_out": 0.10,
    "karanlik": 0.35,
    "over_blind": 0.35,
    "decline": 0.65,
    "ask_proof": 0.40,
    "pass": 0.60,
}
_MADE = 0.75  # from this place on a hand is good as it is


@dataclass(frozen=True, slots=True)
class Move:
    """An action as `Session.act` takes it."""

    action: str
    to: int | None = None
    cards: tuple[int, ...] = ()


class Bot:
    """Plays by its cards, the price and its temperament.

    The same seed, name and decision in the same state of the table always give the same move.
    """

    def __init__(self, name: str, *, seed: int | str = 0, temperament: Temperament = TEMPERAMENTS[0]) -> None:
        self.name = name
        self.temperament = temperament
        self._seed = seed

    def decide(self, decision: Decision, view: TableView) -> Move:
        """The move for one's own open decision; one of its legal actions."""
        chance = Chance(f"{self._seed}/{self.name}/{decision.id}")
        unseen = {name: _UNSEEN[name] for name in decision.legal if name in _UNSEEN}
        if unseen:
            return Move(chance.pick(unseen))
        hand, me = view.hand, view.me
        if hand is None or me is None:
            raise ValueError("a decision without a hand")
        # Where players are asked whether they play, the size of the deck is not told: take the usual one.
        judged = judge(me.cards, hand.deck or 36, view.rules.ranking)
        if "draw" in decision.legal:
            return Move("draw", cards=choose_discards(me.cards, judged, decision.range("draw")[1], chance))
        rivals = len(hand.live) - 1
        if decision.phase == "round1":
            weights = self._before_draw(decision, judged, hand, rivals)
        else:
            weights = self._after_draw(decision, judged, hand, rivals)
        action = chance.pick({name: weight for name, weight in weights.items() if name in decision.legal})
        if action in ("open", "bet", "raise"):
            low, high = decision.range(action)
            return Move(action, to=self._amount(low, high, hand, judged, chance))
        return Move(action)

    def _before_draw(
        self, decision: Decision, judged: Judgement, hand: HandView, rivals: int
    ) -> dict[str, float]:
        mood = self.temperament
        if "call" not in decision.legal:
            # Unopened: with openers usually open; waiting with them is a trap or fear.
            opens = 0.80 + 0.14 * mood.bold
            return {
                "open": opens,
                "raise": 0.3,
                "check": 1 - opens,
                "fold": 0.08 if judged.place < 0.15 else 0,
            }
        hope = 0.4 * judged.hope
        return self._facing_a_bet(decision, hand, rivals, worth=0.30 + 0.70 * judged.place + hope)

    def _after_draw(
        self, decision: Decision, judged: Judgement, hand: HandView, rivals: int
    ) -> dict[str, float]:
        mood = self.temperament
        if "call" in decision.legal:
            return self._facing_a_bet(decision, hand, rivals, worth=judged.place)
        lead = judged.place ** max(1.0, 0.7 * rivals)
        if lead > _MADE:
            bets = 0.55 + 0.40 * mood.bold
        elif lead > 0.45:
            bets = 0.20 + 0.30 * mood.bold
        else:
            bets = 0.04 + 0.16 * mood.sly
        gives_up = 0.05 if judged.place < 0.2 else 0.0  # a free fold: nothing to hope for
        return {"bet": bets, "raise": bets / 2, "check": 1 - bets, "fold": gives_up}

    def _facing_a_bet(
        self, decision: Decision, hand: HandView, rivals: int, *, worth: float
    ) -> dict[str, float]:
        mood = self.temperament
        price = decision.legal.get("call", 0)
        if not isinstance(price, int):
            price = 0
        odds = price / (hand.pot + price) if price else 0.0
        needed = 0.27 + 0.90 * odds + 0.03 * (rivals - 1) - 0.20 * mood.loose
        margin = worth - needed
        if margin > 0.45:
            raises = 0.18 + 0.40 * mood.bold
            return {"raise": raises, "call": 1 - raises, "fold": 0.0}
        if margin > 0.0:
            raises = 0.04 + 0.10 * mood.sly
            return {"raise": raises, "call": 0.92 - raises, "fold": 0.08}
        stays = 0.08 + 0.20 * mood.loose
        bluffs = 0.03 + 0.07 * mood.sly
        return {"raise": bluffs, "call": stays, "fold": 1 - stays - bluffs}

    def _amount(self, low: int, high: int, hand: HandView, judged: Judgement, chance: Chance) -> int:
        """A total from low to high: by the pot and the hand, sometimes everything."""
        mood = self.temperament
        everything = 0.02 + (0.06 * mood.bold if judged.place > _MADE else 0.02 * mood.sly)
        if chance.roll() < everything:
            return high
        fraction = 0.10 + (0.30 + 0.60 * mood.bold) * chance.roll() * (1.0 if judged.place > 0.5 else 0.6)
        return max(low, min(high, low + round(fraction * hand.pot)))


async def play(session: Session, bot: Bot) -> None:
    """Let a bot answer every decision of a session until it ends."""
    async for decision in session:
        move = bot.decide(decision, session.view)
        try:
            await session.act(decision, move.action, to=move.to, cards=move.cards)
        except StaleDecisionError:
            continue  # the clock was faster
