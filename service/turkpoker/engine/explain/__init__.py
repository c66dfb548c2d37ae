"""Rules and hands for people: what a table plays, and how a hand went, in the reader's language."""

from turkpoker.engine.explain.page import explain
from turkpoker.engine.explain.story import tell
from turkpoker.engine.explain.writing import LANGUAGES

__all__ = ["LANGUAGES", "explain", "tell"]
