"""Items whose scores and labels are all known, as score-driven sampling sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.sampling.frame import Frame

MOST_TIMES, ENOUGH = 50, 5_000_000  # items, from which labelling some of them takes nothing away


@dataclass(frozen=True)
class Population:
    """Every item is there so many times, so that no design gains from having labelled much of what there is."""

    score: Floats
    label: Floats
    frame: Frame
    times: int = 1

    @classmethod
    def of(cls, score: npt.ArrayLike, label: npt.ArrayLike, *, times: int = 1) -> Population:
        """Checked."""
        p = arrays.probabilities(score, "score")
        violating = arrays.labels(label, size=len(p))
        frame, over = Frame.of(p), arrays.whole(times, "the times")
        if over > 1:
            every = np.repeat(frame.rows(np.arange(len(frame))), over)
            frame = Frame(every, frame.starts * over, frame.logits, frame.groups)
        return cls(p, violating, frame, over)

    def __len__(self) -> int:
        return len(self.label) * self.times

    @property
    def prevalence(self) -> float:
        """The share of violating items."""
        return float(self.label.mean())

    def endless(self) -> Population:
        """So many times over that what was labelled hardly counts."""
        times = min(MOST_TIMES, -(-ENOUGH // len(self.label)))
        return Population.of(self.score, self.label, times=max(1, times))

    def shuffled(self, rng: np.random.Generator) -> Population:
        """With a classifier that knows nothing: the same scores, dealt out to other items."""
        return replace(self, label=rng.permutation(self.label))

    def limit(self) -> float:
        """The least variance of one label that any design by this score has: q is the isotonic truth."""
        _, cell, sizes = np.unique(self.score, return_inverse=True, return_counts=True)
        rates = np.bincount(cell, self.label) / sizes
        q = np.clip(isotonic_regression(rates, weights=sizes).x, 0.0, 1.0)
        return float(sizes @ np.sqrt(q * (1.0 - q)) / len(self.label)) ** 2
