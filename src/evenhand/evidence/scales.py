"""The units that scores come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scipy import special

from evenhand.tally import FloatArray


@dataclass(frozen=True, slots=True)
class Scale:
    """The unit of a score: its range, where it is cut unless told otherwise, and the probability it stands for."""

    name: str
    lowest: float | None
    highest: float | None
    threshold: float | None
    probability: Callable[[FloatArray], FloatArray] | None


SCALES = {
    scale.name: scale
    for scale in (
        Scale("probability", 0.0, 1.0, 0.5, lambda score: score),
        Scale("percent", 0.0, 100.0, 50.0, lambda score: score / 100.0),
        Scale("logit", None, None, 0.0, lambda score: special.expit(score)),
        Scale("rank", None, None, None, None),
    )
}
