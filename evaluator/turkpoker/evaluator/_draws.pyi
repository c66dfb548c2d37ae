from array import array
from collections.abc import Callable, Iterable

from turkpoker.evaluator._kernels import HandTables
from typing_extensions import disjoint_base

__test__: dict[str, str]

@disjoint_base
class DeckHands:
    def __new__(cls, evaluator: HandTables) -> DeckHands: ...
    def sweep(
        self,
        mine: bytes,
        dead: int,
        draw_max: int,
        of_strength: array[int] | None = None,
        masks: array[int] | None = None,
        of_mask: array[int] | None = None,
    ) -> tuple[list[tuple[int, int, int, int, int, int, list[int]]], int]: ...

def sample_showdowns(
    evaluator: HandTables,
    mine: bytes,
    thrown_places: int,
    unseen: bytes,
    opponents: int,
    draw_max: int,
    samples: int,
    seed: int,
    policy_name: str,
    policy: Callable[[tuple[int, ...]], Iterable[int]] | None,
    of_strength: array[int] | None,
) -> tuple[int, list[int], int]: ...
