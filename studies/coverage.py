"""Do the 95 % intervals of the five bias metrics hold the truth as often as they say?

Scores of the sample that should be high are normal around a centre that gives the wanted AUC; those of the other
around 0. `confused`: a part of the high (or low) sample scores like the other one, and half of what the AUC lacks comes
from it. `heavily confused`: nearly all of it does, which is harder than what the promise is made for. `wide`: the high
sample scatters twice as much. `rounded`: ties.
Beside our interval: DeLong's on the logit scale, Newcombe's score interval, and the envelope of the two.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from evenhand.intervals import auc as auc_interval
from evenhand.measures import bias
from evenhand.tally import GroupSample, Membership, PlacedRows, Rows
from studies.study import Row, Study

LEVEL = 0.95
AUCS = (0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)
SIZES = (
    (10, 10),
    (10, 100),
    (100, 10),
    (10, 1000),
    (1000, 10),
    (30, 30),
    (30, 1000),
    (1000, 30),
    (100, 100),
    (100, 1000),
    (1000, 100),
    (300, 300),
)
SHAPES = ("binormal", "confused high", "confused low", "rounded", "wide", "heavily confused")
PROMISED = ("binormal", "confused high", "confused low", "rounded")

# Which samples are high: in the first layout the three AUCs have the wanted value, in the second the two gaps.
LAYOUTS = {
    "aucs": ((True, True), (False, True)),
    "gaps": ((True, True), (True, False)),
}


def cells() -> list[Row]:
    return [
        {"shape": shape, "auc": auc, "high": high, "low": low, "layout": layout}
        for shape, auc, (high, low), layout in itertools.product(SHAPES, AUCS, SIZES, LAYOUTS)
    ]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    metrics = bias.AUCS if cell["layout"] == "aucs" else tuple(c for c in bias.COMPARISONS if c.is_gap)
    source = Source.of(cell["shape"], cell["auc"])
    ours = {metric.name: np.zeros(2) for metric in metrics}  # hits and width
    others = {metric.name: np.zeros(3) for metric in metrics}  # hits; every fifth draw is enough for these
    for draw in range(draws):
        split = _split(cell, source, rng)
        for metric in metrics:
            value = metric(split) - metric.shift
            low, high = auc_interval.split_auc_interval(split, metric.high, metric.low, value).interval(LEVEL)
            ours[metric.name] += [low <= source.auc <= high, high - low]
            if draw % 5 == 0:
                others[metric.name] += [a <= source.auc <= b for a, b in _others(split, metric, value)]
    fifth = len(range(0, draws, 5))
    return [
        {
            "metric": metric.name,
            "coverage": ours[metric.name][0] / draws,
            "width": ours[metric.name][1] / draws,
            **dict(zip(("logit_delong", "newcombe", "envelope"), (others[metric.name] / fifth).tolist(), strict=True)),
        }
        for metric in metrics
    ]


class Source:
    """Draws scores of the high and the low sample."""

    def __init__(self, shape: str, auc: float, centre: float, confused: float) -> None:
        self.shape, self.centre, self.confused = shape, centre, confused
        self.auc = _rounded_auc(centre) if shape == "rounded" else auc

    @classmethod
    def of(cls, shape: str, auc: float) -> Source:
        if shape in ("binormal", "rounded"):
            return cls(shape, auc, math.sqrt(2.0) * ndtri(auc), 0.0)
        if shape == "wide":  # the high sample scatters twice as much
            return cls(shape, auc, math.sqrt(5.0) * ndtri(auc), 0.0)
        confused = (1.8 if shape == "heavily confused" else 1.0) * (1.0 - auc)
        clear = (auc - 0.5 * confused) / (1.0 - confused)
        return cls(shape, auc, math.sqrt(2.0) * ndtri(clear), confused)

    def high(self, size: int, rng: np.random.Generator) -> np.ndarray:
        scatter = 2.0 if self.shape == "wide" else 1.0
        share = self.confused if self.shape in ("confused high", "heavily confused") else 0.0
        return self._finish(scatter * rng.standard_normal(size) + self.centre * (rng.random(size) >= share))

    def low(self, size: int, rng: np.random.Generator) -> np.ndarray:
        share = self.confused if self.shape == "confused low" else 0.0
        return self._finish(rng.standard_normal(size) + self.centre * (rng.random(size) < share))

    def _finish(self, scores: np.ndarray) -> np.ndarray:
        return np.round(2.0 * scores) / 2.0 if self.shape == "rounded" else scores


def _rounded_auc(centre: float) -> float:
    """The AUC of two normals rounded to halves, ties counting one half."""
    edges = np.arange(-12.25, 24.5, 0.5)
    low, high = np.diff(ndtr(edges)), np.diff(ndtr(edges - centre))
    return float(high @ (np.cumsum(low) - 0.5 * low))


def _split(cell: Row, source: Source, rng: np.random.Generator):
    """Four samples: those that are high in this layout have `high` items, the others `low`."""
    parts, labels, inside = [], [], []
    for sample in itertools.product((True, False), repeat=2):
        is_high = sample in LAYOUTS[cell["layout"]]
        size = cell["high"] if is_high else cell["low"]
        parts.append((source.high if is_high else source.low)(size, rng))
        labels.append(np.full(size, sample[1]))
        inside.append(np.full(size, sample[0]))
    member = np.flatnonzero(np.concatenate(inside)).astype(np.int32)
    rows = Rows(np.concatenate(labels), {"g": Membership(member)})
    return PlacedRows.from_rows(np.concatenate(parts), rows).tally().split("g")


def _others(split, metric: bias.AucComparison, value: float) -> list[tuple[float, float]]:
    m, n = (split.sample(which).total.count for which in (metric.high, metric.low))
    newcombe = _newcombe(value, m, n)
    if not 0.0 < value < 1.0:
        return [(value, value), newcombe, newcombe]
    first, second = (_scatter(split, *pair) for pair in ((metric.high, metric.low), (metric.low, metric.high)))
    variance = first + second
    if variance == 0.0:
        return [(value, value), newcombe, newcombe]
    freedom = variance**2 / (first**2 / (m - 1) + second**2 / (n - 1))
    reach = stdtrit(max(freedom, 1.0), 0.5 + LEVEL / 2) * math.sqrt(variance) / (value * (1 - value))
    delong = float(expit(logit(value) - reach)), float(expit(logit(value) + reach))
    return [delong, newcombe, (min(delong[0], newcombe[0]), max(delong[1], newcombe[1]))]


def _scatter(split, own: GroupSample, other: GroupSample) -> float:
    mass, placements = split.sample(own), split.placements(own, other)
    mean = mass.weight @ placements / mass.total.weight
    return float(mass.weight @ (placements - mean) ** 2) / (mass.total.count - 1) / mass.total.count


def _newcombe(value: float, m: float, n: float) -> tuple[float, float]:
    """Newcombe 2006, method 5."""
    z, half = ndtri(0.5 + LEVEL / 2), (m + n) / 2 - 1

    def error(auc: float) -> float:
        return z * math.sqrt(auc * (1 - auc) * (1 + half * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (m * n))

    tiny = 1e-12  # at 0 and 1 the error vanishes, which is no root
    low = brentq(lambda a: value - a - error(a), 0.0, value - tiny) if value > 0 else 0.0
    high = brentq(lambda a: a - value - error(a), value + tiny, 1.0) if value < 1 else 1.0
    return low, high


STUDY = Study("coverage", cells(), run, draws=10_000)
