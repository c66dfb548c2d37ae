"""What a deal of so many players needs of the rules, looked up once and kept.

Rules are a value with some fifty fields; a running hand asks the same few things again and again.
``plan_for`` answers them from one small object for each pair of rules and number of players.
"""

from __future__ import annotations

from turkpoker.engine.rules import Rules
from turkpoker.evaluator import Evaluator, deck_cards


class Plan:
    """The rules as a hand of ``dealt_in`` players reads them."""

    __slots__ = (
        "all_check_carries",
        "capped",
        "check_raise",
        "deck_size",
        "declares_split",
        "draw_max",
        "evaluator",
        "fold_unopened",
        "free_fold",
        "jackpot",
        "keeps_discards",
        "last_raise",
        "opener_draws_first",
        "opening_capped",
        "penalise",
        "pot_limit",
        "rules",
        "stake_max",
        "stake_min",
        "three_and_one",
    )

    def __init__(self, rules: Rules, dealt_in: int) -> None:
        self.rules = rules
        self.deck_size = rules.deck_size(dealt_in)
        self.evaluator: Evaluator = rules.evaluator(dealt_in)
        self.stake_min = rules.stake_min
        self.stake_max = rules.stake_max
        self.pot_limit = rules.limit == "pot"
        self.jackpot = rules.limit == "jackpot"
        self.capped = self.stake_max is not None or self.pot_limit or self.jackpot
        self.opening_capped = (
            self.capped
            or rules.opening_cap_on_carried_pot == "pot"
            or rules.opening_max is not None
            or rules.opening_max_pots is not None
        )
        self.last_raise = rules.min_raise == "last_raise"
        self.fold_unopened = rules.fold_unopened
        self.free_fold = rules.free_fold_round2
        self.check_raise = rules.check_raise == "allowed"
        self.penalise = rules.false_opening == "penalise"
        self.draw_max = rules.draw_max
        self.three_and_one = rules.four_card_draw == "3+1"
        self.opener_draws_first = rules.draw_start == "opener"
        self.declares_split = rules.split_openers == "declared_kept_aside"
        self.keeps_discards = rules.split_openers == "own_discard_kept"
        self.all_check_carries = rules.all_check_after_draw == "carry"

    @property
    def whole_deck(self) -> tuple[int, ...]:
        """The ids of the deck, lowest first."""
        return deck_cards(self.deck_size)


def plan_for(rules: Rules, dealt_in: int) -> Plan:
    """The plan of a deal; it is kept with the rules.

    Raises:
        RulesError: these rules cannot be dealt to so many.
    """
    plans = rules.plans
    plan = plans.get(dealt_in)
    if plan is None:
        plan = plans[dealt_in] = Plan(rules, dealt_in)
    return plan
