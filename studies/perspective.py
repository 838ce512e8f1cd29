"""Do two-way intervals hold the truth, when people differ and items differ, and are they no wider than they must be?

A person violates with chance expit(level + item + person + shift), the shift for the second of two groups. The truth is
the mean over many worlds of the same design. `relative` is the width over that of the ideal interval, which knows how
the number scatters over worlds; `rows` is the coverage if every label is taken for independent. κ is from a bootstrap.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

from evenhand.intervals.two_way_bootstrap import TwoWayBootstrap, effective_number, two_way_interval
from evenhand.intervals.two_way_jackknife import TwoWaySums
from evenhand.measures.perspective import (
    ANNOTATION_RATE,
    F1,
    F1_GAP,
    MEAN_DELTA,
    Annotations,
    ConformityDeltas,
    as_confusion_tables,
    confusion_columns,
    decided_classes,
    majority_labels,
)
from evenhand.measures.perspective.agreement import KAPPA, fold_unweighted, label_counts, label_strata, pair_tables
from studies.study import Row, Study

LEVEL, REPLICATES, WORLDS, REACH = 0.95, 200, 2000, 1.96
READ = {
    "conformity_delta": ("deltas", MEAN_DELTA, lambda s: s[..., -1, :2], (-1.0, 1.0)),
    "conformity_delta shifted": ("deltas", MEAN_DELTA, lambda s: s[..., 1, :2], (-1.0, 1.0)),
    "differs shifted": ("deltas", ANNOTATION_RATE, lambda s: s[..., 1, [4, 1]], (0.0, 1.0)),
    "f1": ("decisions", F1, lambda s: as_confusion_tables(s)[..., -1, :, :], (0.0, 1.0)),
    "f1 shifted": ("decisions", F1, lambda s: as_confusion_tables(s)[..., 1, :, :], (0.0, 1.0)),
    "f1_gap shifted": ("decisions", F1_GAP, lambda s: as_confusion_tables(s)[..., [1, -1], :, :], (-1.0, 1.0)),
}


def cells() -> list[Row]:
    """People, items, labels per person, and the spread of people and items; last people who differ more than items."""
    designs = (
        (20, 100, 40, 0.5, 1.5, "even"),
        (20, 100, 40, 1.5, 1.5, "even"),
        (60, 12, 10, 0.3, 2.0, "even"),
        (40, 200, 30, 1.0, 1.5, "even"),
        (40, 200, 30, 1.0, 1.5, "uneven"),
        (100, 500, 25, 1.0, 1.5, "even"),
        (16, 100, 40, 1.0, 1.5, "uneven"),
        (30, 200, 40, 0.7, 1.5, "uneven"),
        (60, 200, 30, 1.0, 1.5, "uneven"),
        (20, 400, 150, 2.0, 0.3, "even"),
    )
    names = ("people", "items", "labels", "people_spread", "items_spread", "loads")
    return [dict(zip(names, design, strict=True)) for design in designs]


def world(cell: Row, rng: np.random.Generator) -> tuple[Annotations, np.ndarray, np.ndarray]:
    """Annotations, a model that knows the items roughly, and two groups."""
    people, items = int(cell["people"]), int(cell["items"])
    load = np.full(people, int(cell["labels"]))
    if cell["loads"] == "uneven":
        load = np.clip(rng.geometric(1 / load), 3, items)
    first = np.argsort(rng.random((people, items)), axis=1)
    annotator, place = np.nonzero(np.arange(items) < load[:, None])
    item, group = first[annotator, place], np.arange(people) % 2
    own, other = (cell[f"{name}_spread"] * rng.standard_normal(n) for name, n in (("items", items), ("people", people)))
    p = expit(0.8 * own - 0.5 + 0.5 * rng.standard_normal(items))
    label = rng.random(len(item)) < expit(own[item] + (other + 0.6 * group)[annotator] - 0.5)
    annotations = Annotations.from_columns(item, annotator, label.astype(int), size=(items, people, 2))
    return annotations, np.column_stack((1.0 - p, p)), group


class Taken:
    """One world, and what is read from it."""

    def __init__(self, cell: Row, rng: np.random.Generator) -> None:
        self.annotations, p, self.group = world(cell, rng)
        deltas = ConformityDeltas.from_labels(self.annotations, p, majority_labels(self.annotations))
        confusion = confusion_columns(self.annotations, decided_classes(p))
        parts = {"deltas": (deltas.annotations, deltas.columns), "decisions": (self.annotations, confusion)}
        self.sums = {
            name: TwoWaySums(labels.annotator, labels.item, self.group, 2, columns)
            for name, (labels, columns) in parts.items()
        }

    def values(self) -> dict[str, float]:
        found = {name: number.of(read(self.sums[part].plain)) for name, (part, number, read, _) in READ.items()}
        return {**found, "cohen_kappa": KAPPA.of(self.pairs()[0, 0])}

    def pairs(self) -> np.ndarray:
        return fold_unweighted(pair_tables, label_counts(self.annotations, self.group, 2))

    def intervals(self, seed: int) -> dict[str, tuple[float, float, float]]:
        """Both ends, and half the width if labels were independent."""
        found = {}
        for name, (part, number, read, bounds) in READ.items():
            spread = self.sums[part].spread(lambda sums, n=number, r=read: n.formula(r(sums)))
            found[name] = (*spread.interval(LEVEL, bounds), REACH * spread.between_labels**0.5)
        return found | {"cohen_kappa": (*self.kappa_interval(seed), np.nan)}

    def kappa_interval(self, seed: int) -> tuple[float, float]:
        a = self.annotations
        crossed = TwoWayBootstrap(a.annotator, a.item, a.annotators, a.items, REPLICATES, seed)
        drawn = KAPPA.drawn(crossed.folded(*label_strata(a, self.group, 2), pair_tables)[:, 0, 0])
        loads = a.labels_given[self.group == 0], np.bincount(a.item)
        return two_way_interval(
            drawn, KAPPA.of(self.pairs()[0, 0]), level=LEVEL, size=min(effective_number(load) for load in loads)
        )


@cache
def truth(number: int) -> dict[str, tuple[float, float]]:
    """The mean over worlds, and the width of an interval that knows how they scatter."""
    rng = np.random.default_rng([number, 1])
    drawn = [Taken(cells()[number], rng).values() for _ in range(WORLDS)]
    every = {name: np.array([one[name] for one in drawn]) for name in drawn[0]}
    return {name: (float(values.mean()), 2.0 * REACH * float(values.std())) for name, values in every.items()}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    right = truth(cells().index(cell))
    found: dict[str, list[list[float]]] = {name: [] for name in right}
    for draw in range(draws):
        taken = Taken(cell, rng)
        values = taken.values()
        for name, (low, high, alone) in taken.intervals(draw).items():
            true = right[name][0]
            rows = abs(values[name] - true) <= alone if alone == alone else np.nan
            found[name].append([low <= true <= high, high - low, rows])
    means = {name: np.mean(rows, axis=0).tolist() for name, rows in found.items()}
    return [
        {"measure": name, "truth": right[name][0], "coverage": c, "width": w, "relative": w / right[name][1], "rows": r}
        for name, (c, w, r) in means.items()
    ]


STUDY = Study("perspective", cells(), run, draws=500)
