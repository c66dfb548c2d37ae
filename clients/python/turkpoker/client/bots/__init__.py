"""Bots that play by simple, sensible rules on what the API shows them."""

from turkpoker.client.bots.bot import Bot, Move, play
from turkpoker.client.bots.judgement import Judgement, judge
from turkpoker.client.bots.match import BotMatch, MatchFailedError
from turkpoker.client.bots.tally import Tally
from turkpoker.client.bots.temperament import TEMPERAMENTS, Temperament

__all__ = [
    "TEMPERAMENTS",
    "Bot",
    "BotMatch",
    "Judgement",
    "MatchFailedError",
    "Move",
    "Tally",
    "Temperament",
    "judge",
    "play",
]
