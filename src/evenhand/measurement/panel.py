"""The panel: a random part of the labelled items goes to people whose verdict is final, without the reviewers' labels.

Items are sorted by what reviewers said: violating, benign, or split ("cannot tell" too). All split ones go to the
panel; of the others the first of a random order that the plan's seed fixes, so that nobody chooses which. The
adjudicated verdict of all items follows from these (`intervals/two_phase.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.two_phase import PanelVerdicts, TwoPhaseShare, two_phase_share
from evenhand.measurement.labels import ItemLabels
from evenhand.measurement.plan import PlanPool, SamplingPlan
from evenhand.measurement.sample import CampaignSample, CollectedLabels
from evenhand.sampling.allocation import share_out

ASSUMED_ERROR = 0.1  # of reviewers, by which the panel is spread before anybody knows better
FEWEST_OF_A_CELL = 10


class ReviewerVerdict(StrEnum):
    """What the labels of an item come to."""

    VIOLATING = "violating"
    BENIGN = "benign"
    SPLIT = "split"  # half of the annotators, or "cannot tell"

    @classmethod
    def from_label(cls, label: float | None) -> ReviewerVerdict:
        """Of one label."""
        if label is None or label == 0.5:
            return cls.SPLIT
        return cls.VIOLATING if label > 0.5 else cls.BENIGN


@dataclass(frozen=True)
class PanelCell:
    """Labelled items of one pool whose reviewers said the same, in the order in which the panel gets them."""

    pool: str
    verdict: ReviewerVerdict
    ids: tuple[str, ...]


def random_order(plan: SamplingPlan, purpose: str, ids: Iterable[str]) -> list[str]:
    """Ids in an order that follows from the plan's seed and the id alone."""
    return sorted(ids, key=lambda id_: hashlib.sha256(f"{plan.seed}\x1f{purpose}\x1f{id_}".encode()).digest())


def panel_cells(plan: SamplingPlan, labels: ItemLabels) -> list[PanelCell]:
    """The labelled items by pool and reviewers' verdict; no empty cells."""
    cells = []
    for pool in plan.pools:
        drawn = dict.fromkeys(
            id_ for one in plan.rounds for part in one.parts if part.pool == pool.name for id_ in part.ids
        )
        for verdict in ReviewerVerdict:
            own = [
                id_
                for id_ in drawn
                if id_ in labels.values and ReviewerVerdict.from_label(labels.values[id_]) is verdict
            ]
            if own:
                cells.append(PanelCell(pool.name, verdict, tuple(random_order(plan, "panel", own))))
    return cells


def choose_for_panel(collected: CollectedLabels, n: int) -> list[str]:
    """Which n items the panel gets, in the order of its sheet: all split ones, and a random part of the others."""
    plan, cells = collected.plan, panel_cells(collected.plan, collected.labels)
    sizes = np.array([len(cell.ids) for cell in cells])
    split = np.array([cell.verdict is ReviewerVerdict.SPLIT for cell in cells])
    least = np.where(split, sizes, np.minimum(FEWEST_OF_A_CELL, sizes))
    if not least.sum() <= n <= sizes.sum():
        what = f"all {int(sizes[split].sum()):,} split votes, and {FEWEST_OF_A_CELL} of each other kind"
        raise InputError(
            f"invalid `n`: {n:,} (must be from {least.sum():,}, {what}, to all {sizes.sum():,} labelled items)"
        )
    numbers = share_out(n, _spread(collected, cells), sizes, least=least)
    chosen = [id_ for cell, number in zip(cells, numbers.tolist(), strict=True) for id_ in cell.ids[:number]]
    return random_order(plan, "sheet of the panel", chosen)


def _spread(collected: CollectedLabels, cells: list[PanelCell]) -> Floats:
    """What each cell adds to the width: its size times the spread of verdicts in it, if reviewers err as assumed.

    Where there are two pools, relative to the violations of each, as recall needs it.
    """
    sample = complete_sample(collected)
    sizes = {pool.name: _label_weights(sample, pool) for pool in collected.plan.pools}
    parts = []
    for cell in cells:
        weights = sizes[cell.pool]
        total, labels = sum(weights.values()), collected.labels.values
        violating = sum(
            w for id_, w in weights.items() if ReviewerVerdict.from_label(labels[id_]) is ReviewerVerdict.VIOLATING
        )
        share = min(max(violating / total, 1.0 / len(weights)), 1.0 - 1.0 / len(weights))
        own = sum(weights[id_] for id_ in cell.ids) / total
        wrong = ASSUMED_ERROR if cell.verdict is not ReviewerVerdict.BENIGN else ASSUMED_ERROR * share / (1.0 - share)
        wrong = min(wrong, ASSUMED_ERROR)
        parts.append(own * np.sqrt(wrong * (1.0 - wrong)) / (share if len(sizes) > 1 else 1.0))
    return np.array(parts)


def complete_sample(collected: CollectedLabels) -> CampaignSample:
    """All items with an answer, also those nobody could tell: each stands for the items that it was drawn for."""
    return CampaignSample.from_labels(collected.plan, collected.labels.as_if(0.0), collected.rounds)


def _labelled_ids(sample: CampaignSample, pool: PlanPool) -> list[str]:
    """The item of each label of a pool."""
    parts = sample.parts[pool.name]
    return [id_ for one in parts for id_, known in zip(one.part.ids, one.known, strict=True) if known]


def _label_weights(sample: CampaignSample, pool: PlanPool) -> dict[str, float]:
    """How many items each labelled item stands for."""
    weights: dict[str, float] = {}
    for id_, weight in zip(_labelled_ids(sample, pool), sample.weights(pool).weights.tolist(), strict=True):
        weights[id_] = weights.get(id_, 0.0) + weight
    return weights


@dataclass(frozen=True)
class Adjudication:
    """The verdicts of the panel on labelled items: those that count, and what became of the others."""

    collected: CollectedLabels
    verdicts: Mapping[str, float | None]

    @cached_property
    def cells(self) -> list[PanelCell]:
        """Of all labelled items."""
        return panel_cells(self.collected.plan, self.collected.labels)

    @cached_property
    def counted(self) -> dict[str, float | None]:
        """Those before the first item of its cell without an answer: a random part of it, whatever the answers."""
        counted: dict[str, float | None] = {}
        for cell in self.cells:
            for id_ in cell.ids:
                if id_ not in self.verdicts:
                    break
                counted[id_] = self.verdicts[id_]
        return counted

    @property
    def left_out(self) -> int:
        """Verdicts behind an item that has none."""
        return sum(id_ in self.verdicts for cell in self.cells for id_ in cell.ids) - len(self.counted)

    @property
    def unclear(self) -> int:
        """Items that the panel could not judge either; the other items of their cell stand for them."""
        return sum(verdict is None for verdict in self.counted.values())

    def chances(self) -> dict[str, float]:
        """Of each counted item with a verdict, which part of its cell has one."""
        chances: dict[str, float] = {}
        for cell in self.cells:
            judged = [id_ for id_ in cell.ids if self.counted.get(id_) is not None]
            chances |= dict.fromkeys(judged, len(judged) / len(cell.ids))
        return chances

    def share(self, pool: PlanPool) -> TwoPhaseShare:
        """The share of violating items in a pool by the adjudicated verdict."""
        sample = complete_sample(self.collected)
        ids, said = _labelled_ids(sample, pool), list(ReviewerVerdict)
        cells = [said.index(ReviewerVerdict.from_label(self.collected.labels.values[id_])) for id_ in ids]
        verdicts = [self.counted.get(id_) for id_ in ids]
        panel = PanelVerdicts(
            _numbers(ids), np.array(cells), np.array([np.nan if one is None else float(one) for one in verdicts])
        )
        return two_phase_share(sample.weights(pool).planned, panel)

    def sentence(self) -> str:
        """How often the panel and the reviewers said the same, as counts."""
        parts = []
        for said in ReviewerVerdict:
            own = [self.counted.get(id_) for cell in self.cells if cell.verdict is said for id_ in cell.ids]
            judged = [verdict for verdict in own if verdict is not None]
            if judged:
                parts.append(f"{sum(map(int, judged)):,} of {len(judged):,} that reviewers called {said}")
        return f"The panel called these violating: {'; '.join(parts)} (counts of labels, not of the population)."


def _numbers(ids: list[str]) -> Ints:
    return np.unique(np.array(ids), return_inverse=True)[1].astype(np.int64)
