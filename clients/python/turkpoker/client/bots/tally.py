"""What happened in a match of bots, counted from the events that any viewer sees."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from turkpoker.client.bots.bot import Move
from turkpoker.client.cards import category_name
from turkpoker.client.decisions import Decision
from turkpoker.v1 import events_pb2


@dataclass(slots=True)
class PlayerTally:
    """One player's match. `hands_won` counts hands in which he got a share of a pot; chips are totals."""

    hands_won: int = 0
    bought_in: int = 0
    cashed_out: int = 0


@dataclass(slots=True)
class Tally:
    """Counts of one match. `splits` and `side_pots` count pots; the rest counts what its name says."""

    hands: int = 0
    over: Counter[str] = field(default_factory=Counter)
    splits: int = 0
    side_pots: int = 0
    reshuffles: int = 0
    time_outs: int = 0
    biggest_pot: int = 0
    rake: int = 0
    players: dict[str, PlayerTally] = field(default_factory=dict)
    categories: Counter[str] = field(default_factory=Counter)
    legal: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    _seats: dict[int, str] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)
    _winners: set[str] = field(default_factory=set)

    @property
    def dead_hands(self) -> int:
        """Hands that left their pot to the next deal."""
        return self.over["unopened"] + self.over["passed_out"]

    @property
    def not_dealt(self) -> int:
        """Deals for which fewer than two players came in."""
        return self.over["no_deal"]

    @property
    def chips_in(self) -> int:
        """Every chip that was bought."""
        return sum(player.bought_in for player in self.players.values())

    @property
    def chips_out(self) -> int:
        """Every chip that was taken home."""
        return sum(player.cashed_out for player in self.players.values())

    def answered(self, decision: Decision, move: Move) -> None:
        """Count a decision of a bot: what was legal, and what it did."""
        for action, allowed in decision.legal.items():
            if action == "draw" and isinstance(allowed, tuple):
                self.legal.update(f"draw_{count}" for count in range(allowed[0], allowed[1] + 1))
            else:
                self.legal[action] += 1
        self.taken[f"draw_{len(move.cards)}" if move.action == "draw" else move.action] += 1

    def happened(self, event: events_pb2.TableEvent, *, within: int) -> None:
        """Count an event; once `within` hands have been counted, only chips that come and go."""
        kind = event.WhichOneof("event")
        if kind == "player_joined":
            joined = event.player_joined
            self._seats[joined.seat] = joined.player
            self._left.discard(joined.seat)
            self.players.setdefault(joined.player, PlayerTally()).bought_in += joined.stack
        elif kind == "player_left":
            left = event.player_left
            self._left.add(left.seat)
            self.players.setdefault(left.player, PlayerTally()).cashed_out += left.cashed_out
        elif kind == "buy_in_confirmed":
            player = self._seats.get(event.buy_in_confirmed.seat, "")
            self.players.setdefault(player, PlayerTally()).bought_in += event.buy_in_confirmed.amount
        elif kind == "chips_added" and not event.chips_added.awaiting_bank:
            player = self._seats.get(event.chips_added.seat, "")
            self.players.setdefault(player, PlayerTally()).bought_in += event.chips_added.amount
        elif kind == "uncalled_returned" and event.uncalled_returned.seat in self._left:
            # Who has left before his last bet came back gets it all the same.
            player = self._seats[event.uncalled_returned.seat]
            self.players[player].cashed_out += event.uncalled_returned.amount
        if kind == "hand_ended":
            self.rake += event.hand_ended.rake
        if kind is not None and self.hands < within:
            self._in_hand(kind, event)

    def _in_hand(self, kind: str, event: events_pb2.TableEvent) -> None:
        if kind == "hand_shown":
            self.categories[category_name(event.hand_shown.category)] += 1
        elif kind == "reshuffled":
            self.reshuffles += 1
        elif kind == "timed_out":
            self.time_outs += 1
        elif kind == "pot_awarded":
            pot = event.pot_awarded
            winners = {share.seat for share in pot.shares}
            self.splits += len(winners) > 1
            self.side_pots += pot.pot > 0 and not pot.low
            self.biggest_pot = max(self.biggest_pot, pot.amount)
            self._winners.update(self._seats[seat] for seat in winners if seat in self._seats)
        elif kind == "hand_ended":
            self.hands += 1
            self.over[_over_name(event.hand_ended.over)] += 1
            for player in self._winners:
                self.players[player].hands_won += 1
            self._winners.clear()

    def action_shares(self) -> dict[str, dict[str, float]]:
        """For each kind of action how often it was legal, how often taken, and the share of the two."""
        return {
            kind: {
                "legal": count,
                "taken": self.taken[kind],
                "share": round(self.taken[kind] / count, 4),
            }
            for kind, count in sorted(self.legal.items())
        }

    def to_json(self) -> dict[str, Any]:
        """The counts as JSON values, in an order that does not change."""
        return {
            "hands": self.hands,
            "dead_hands": self.dead_hands,
            "showdowns": self.over["showdown"],
            "won_by_folds": self.over["folds"],
            "not_dealt": self.not_dealt,
            "splits": self.splits,
            "side_pots": self.side_pots,
            "reshuffles": self.reshuffles,
            "time_outs": self.time_outs,
            "biggest_pot": self.biggest_pot,
            "winners": {name: tally.hands_won for name, tally in sorted(self.players.items())},
            "net": {name: tally.cashed_out - tally.bought_in for name, tally in sorted(self.players.items())},
            "categories": dict(sorted(self.categories.items())),
            "actions": self.action_shares(),
            "chips": {
                "in": self.chips_in,
                "out": self.chips_out,
                "rake": self.rake,
                "ok": self.chips_in == self.chips_out + self.rake,
            },
        }


def _over_name(over: events_pb2.HandOver.ValueType) -> str:
    return events_pb2.HandOver.Name(over).removeprefix("HAND_OVER_").lower()
