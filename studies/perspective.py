"""Do the two-way intervals hold the truth, when people differ and items differ?

A person violates with chance expit(level + item + person + shift), the shift for the second of two groups. The truth is
the mean over many worlds of the same design. `percentile` is the interval without its stretch; `rows` is what a
bootstrap over rows gives, which takes every label for independent.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

from evenhand.intervals.two_way_bootstrap import TwoWayBootstrap, effective_number, two_way_interval
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
    sums_by_group,
)
from evenhand.measures.perspective.agreement import KAPPA, fold_unweighted, label_counts, label_strata, pair_tables
from evenhand.measures.perspective.group_statistics import SumStatistic
from studies.study import Row, Study

LEVEL, REPLICATES, WORLDS = 0.95, 200, 3000
TAILS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
Numbers = dict[str, tuple[SumStatistic, np.ndarray]]


def cells() -> list[Row]:
    """People, items, labels per person, and the spread of people and items; last people who differ more than items."""
    designs = (
        (20, 100, 40, 0.5, 1.5, "even"),
        (20, 100, 40, 1.5, 1.5, "even"),
        (60, 12, 10, 0.3, 2.0, "even"),
        (40, 200, 30, 1.0, 1.5, "even"),
        (40, 200, 30, 1.0, 1.5, "uneven"),
        (100, 500, 25, 1.0, 1.5, "even"),
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


def read(sums: np.ndarray, tables: np.ndarray, pairs: np.ndarray | None) -> Numbers:
    """Each number with what it is read from, for the data or for draws; the second group is the one that is shifted."""
    found = {
        "conformity_delta": (MEAN_DELTA, sums[..., 0, :2]),
        "conformity_delta shifted": (MEAN_DELTA, sums[..., 1, :2]),
        "differs shifted": (ANNOTATION_RATE, sums[..., 1, [4, 1]]),
        "f1": (F1, tables[..., 0, :, :]),
        "f1 shifted": (F1, tables[..., 1, :, :]),
        "f1_gap shifted": (F1_GAP, tables[..., [1, 2], :, :]),
    }
    if pairs is not None:
        found |= {
            "cohen_kappa": (KAPPA, pairs[..., 0, 0, :, :]),
            "cohen_kappa between": (KAPPA, pairs[..., 0, 1, :, :]),
        }
    return found


class Taken:
    """One world, measured and redrawn."""

    def __init__(self, cell: Row, rng: np.random.Generator) -> None:
        self.annotations, self.p, self.group = world(cell, rng)
        self.deltas = ConformityDeltas.from_labels(self.annotations, self.p, majority_labels(self.annotations))
        self.confusion = confusion_columns(self.annotations, decided_classes(self.p))

    def measured(self) -> Numbers:
        sums = sums_by_group(self.deltas.annotations, self.deltas.columns, self.group, 2)
        tables = as_confusion_tables(sums_by_group(self.annotations, self.confusion, self.group, 2))
        return read(sums, tables, fold_unweighted(pair_tables, label_counts(self.annotations, self.group, 2)))

    def redrawn(self, seed: int) -> Numbers:
        kept, all_rows = (
            TwoWayBootstrap(a.annotator, a.item, a.annotators, a.items, REPLICATES, seed)
            for a in (self.deltas.annotations, self.annotations)
        )
        sums = kept.sums(self.deltas.columns, self.group, 2)
        tables = as_confusion_tables(all_rows.sums(self.confusion, self.group, 2))
        pairs = all_rows.folded(*label_strata(self.annotations, self.group, 2), pair_tables)
        return read(sums, tables, pairs)

    def by_rows(self, rng: np.random.Generator) -> Numbers:
        """Every label weighed by itself."""
        found = []
        parts = ((self.deltas.annotations, self.deltas.columns), (self.annotations, self.confusion))
        for labels, columns in parts:
            weights = rng.poisson(1.0, (REPLICATES, len(labels)))
            own = [(weights * (self.group[labels.annotator] == g)) @ columns for g in range(2)]
            found.append(np.stack((*own, weights @ columns), axis=1))
        return read(found[0], as_confusion_tables(found[1]), None)

    def size(self, name: str) -> float:
        """Effectively so many people of the group, or items."""
        people = self.annotations.labels_given[self.group == int(name.endswith("shifted"))]
        return min(effective_number(people), effective_number(np.bincount(self.annotations.item)))


@cache
def truth(number: int) -> dict[str, float]:
    rng = np.random.default_rng([number, 1])
    drawn = [{k: n.of(s) for k, (n, s) in Taken(cells()[number], rng).measured().items()} for _ in range(WORLDS)]
    return {name: float(np.mean([one[name] for one in drawn])) for name in drawn[0]}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    right = truth(cells().index(cell))
    sums = {name: np.zeros(4) for name in right}
    for draw in range(draws):
        taken = Taken(cell, rng)
        drawn, rows = taken.redrawn(draw), taken.by_rows(rng)
        for name, (number, data) in taken.measured().items():
            value, redrawn = number.of(data), number.drawn(drawn[name][1])
            low, high = two_way_interval(redrawn, value, level=LEVEL, size=taken.size(name))
            plain = np.quantile(redrawn, TAILS)
            naive = np.quantile(number.drawn(rows[name][1]), TAILS) if name in rows else np.full(2, np.nan)
            holds = [a <= right[name] <= b for a, b in ((low, high), plain, naive)]
            sums[name] += [holds[0], high - low, holds[1], holds[2] if name in rows else np.nan]
    columns = ("coverage", "width", "percentile", "rows")
    shares = {name: dict(zip(columns, (s / draws).tolist(), strict=True)) for name, s in sums.items()}
    return [{"measure": name, "truth": right[name], **found} for name, found in shares.items()]


STUDY = Study("perspective", cells(), run, draws=1000)
