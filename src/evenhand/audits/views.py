"""What an audit measures: one model on one part of the evidence.

A `View` is the tally of one model with its threshold; it counts splits and confusion tables once. A `Scope` is all of a
view, or one group of it against its background. Views are made here from evidence, one for each model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from evenhand.arrays import Floats
from evenhand.audits.settings import Settings
from evenhand.errors import InputError, Undefined
from evenhand.evidence import Evidence, EvidencePart, TalliedEvidence, Thresholds
from evenhand.finding import SliceKey
from evenhand.intervals import auc as auc_interval
from evenhand.intervals.proportions import WilsonInterval
from evenhand.measures.ranking import auroc, clip_share
from evenhand.memo import Memo
from evenhand.tally import Classes, Clusters, Confusion, GroupSample, PlacedRows, Split, Tally, Weights, dot


@dataclass(frozen=True)
class View:
    """A tally with the threshold that items are flagged at (None: there is no natural one) and the rows behind it."""

    tally: Tally
    threshold: float | None
    placed: PlacedRows | None = None
    unsure: Floats | None = None  # how unsure the model says it is of each row
    scale: str = "probability"  # of the score

    @property
    def rows(self) -> PlacedRows:
        """The rows behind the tally."""
        if self.placed is None:
            raise ValueError("this tally was counted elsewhere: its rows are not available")
        return self.placed

    @property
    def clusters(self) -> Clusters | None:
        """Which rows belong together, where that is declared."""
        return None if self.placed is None else self.placed.rows.clusters

    @property
    def are_weighted(self) -> bool:
        """Whether items matter more or less than others, by their views for example."""
        return self.weights is not None and self.weights.are_importances

    @property
    def weights(self) -> Weights | None:
        """What each row stands for, where rows are at hand and not all alike."""
        return None if self.placed is None else self.placed.rows.weights

    @property
    def everything(self) -> Scope:
        """All items."""
        return Scope(self)

    def group(self, name: str) -> Scope:
        """One group."""
        return Scope(self, name)

    def split(self, group: str) -> Split:
        """The four samples of a group, made once."""
        return self.memo.once(("split", group), lambda: self.tally.split(group))

    def confusion(self, group: str | None, *, background: bool = False) -> Confusion:
        """What the threshold does to everybody, to a group or to its background, counted once."""
        if self.threshold is None:
            raise Undefined("the score has no default threshold: set `threshold`")
        threshold = self.threshold
        if group is not None and background:
            return self.memo.once(
                ("background confusion", group),
                lambda: self.tally.universe_confusion(threshold, group) - self.confusion(group),
            )
        return self.memo.once(("confusion", group), lambda: self.tally.confusion(threshold, group))

    @cached_property
    def overall(self) -> WilsonInterval:
        """The overall AUC."""
        if not all(mass.total.weight for mass in self.tally.everyone):
            raise Undefined("all items have the same label")
        split = self.tally.base(violating=True).split
        violating, benign = GroupSample(inside=True, violating=True), GroupSample(inside=False, violating=False)
        mass = split.sample(violating)
        auc = clip_share(dot(mass.weight, split.placements(violating, benign)) / mass.total.weight)
        return auc_interval.split_auc_interval(split, violating, benign, auc)

    def reference(self, group: str) -> WilsonInterval:
        """What the AUCs of a group are compared with: the AUC of all items annotated for it."""
        universe = self.tally.groups[group].universe
        if universe is self.tally.everyone:
            return self.overall
        return self.memo.once(
            ("reference", id(universe)), lambda: auc_interval.classes_auc_interval(universe, auroc(universe))
        )

    @cached_property
    def memo(self) -> Memo:
        """What was made of the tally once and is used again: by what it is, and of which group."""
        return Memo()


class Scope(NamedTuple):
    """What a quantity is taken of: everything, or one group against its background."""

    view: View
    group: str | None = None

    @property
    def classes(self) -> Classes:
        """The items themselves."""
        tally = self.view.tally
        return tally.everyone if self.group is None else tally.groups[self.group].inside

    @property
    def items(self) -> int:
        """How many there are."""
        return round(sum(mass.total.count for mass in self.classes))

    @property
    def split(self) -> Split:
        """The four samples of the group."""
        assert self.group is not None, "only a group has a background"
        return self.view.split(self.group)

    @property
    def inside(self) -> Confusion:
        """What the threshold does to the items."""
        return self.view.confusion(self.group)

    @property
    def outside(self) -> Confusion:
        """What the threshold does to the background of the group."""
        return self.view.confusion(self.group, background=True)


Views = Mapping[str, View]  # by model


def model_slice(models: Collection[str], model: str) -> dict[str, str]:
    """The slice of one of these models; one model alone has none."""
    return {SliceKey.MODEL: model} if len(models) > 1 else {}


def thresholds_by_model(evidence: Evidence, settings: Settings) -> dict[str, float | None]:
    """Where each model's items are flagged: as told, or where its scale is usually cut."""
    scales = {model: evidence.scale(model) for model in evidence.models}
    threshold = settings.threshold
    if threshold is None:
        return {model: scale.threshold for model, scale in scales.items()}
    if len(set(scales.values())) > 1:
        raise InputError("the models have different scales: one threshold cannot serve them all", source=evidence.name)
    for model, scale in scales.items():
        if scale.lowest is not None and scale.highest is not None and not scale.lowest <= threshold <= scale.highest:
            problem = f"the threshold {threshold:g} is outside {scale.lowest:g} to {scale.highest:g} ({scale.name})"
            remedy = "set `threshold` on the scale of the scores"
            raise InputError(problem, source=evidence.name, column=model, remedy=remedy)
    return dict.fromkeys(scales, threshold)


def views_by_model(evidence: TalliedEvidence, part: EvidencePart, thresholds: Thresholds) -> Views:
    """Every model on one part of the evidence."""
    return {
        scored.model: View(
            scored.tally, thresholds[scored.model], scored.placed, scored.unsure, evidence.scale(scored.model).name
        )
        for scored in evidence.tallies(part, thresholds)
    }
