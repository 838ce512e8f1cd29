"""A plan at work: the first batch, what its labels show, the next batch. The plan's file is kept up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from evenhand.audits.measurement import remarks
from evenhand.audits.measurement.drawing import History, draw_again, draw_round
from evenhand.audits.measurement.estimating import estimate
from evenhand.audits.measurement.figures import Sample
from evenhand.audits.measurement.given import Files, Given
from evenhand.audits.measurement.labels import check_free
from evenhand.audits.measurement.sheets import write_sheet
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.intervals.bounded import quantile
from evenhand.progress import Progress, silent
from evenhand.sampling.plan import Clusters, Plan, Round
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.storage import read_plan, write_plan


@dataclass(frozen=True)
class Written:
    """A sheet that was written: which batch, how many items, into which files, and whether it was drawn before."""

    number: int
    items: int
    files: tuple[Path, ...]
    again: bool


@dataclass(frozen=True)
class Outcome:
    """What labels show, and what is left: the number of the batch that waits, and labels still to be drawn.

    `to_come` is None where nobody can say beforehand.
    """

    finding: Finding
    given: Given
    waiting: int | None
    to_come: int | None


@dataclass(frozen=True)
class Work:
    """The file of a plan, where its items are if not where they were, and who looks at the progress."""

    file: Path
    items: Path | None = None
    progress: Progress = silent

    def draw(self, out: Path, *, number: int | None = None) -> Written:
        """Draw the first batch; or write the last one again, or the one of a number."""
        plan = read_plan(self.file)
        check_free(out)
        if plan.rounds or (number or 1) != 1:
            return self._again(plan, out, len(plan.rounds) if number is None else number)
        return self._fresh(plan, out, {}, None)

    def take(self, files: Files) -> Outcome:
        """Estimate from labels."""
        plan = read_plan(self.file)
        given = Given.read(plan, files)
        try:
            finding = estimate(given)
        except Undefined as reason:
            raise InputError(str(reason)) from None
        waiting = len(plan.rounds) if given.rounds < len(plan.rounds) else None
        left = to_come(plan, finding.get("prevalence"))
        return Outcome(_standing(finding, plan, given, left), given, waiting, left)

    def go_on(self, out: Path, outcome: Outcome) -> Written | None:
        """The batch that comes after these labels; the one that waits, if there is one; None where all is drawn."""
        check_free(out)
        plan, labels = read_plan(self.file), outcome.given.labels
        if outcome.waiting is not None:
            return self._again(plan, out, outcome.waiting)
        if outcome.given.unfinished:
            raise InputError("the next batch is drawn by the labels of this one: label all of it first")
        if outcome.to_come == 0:
            return None
        after = labels.digest(id_ for one in plan.rounds for id_ in one.ids)
        return self._fresh(plan, out, Sample.of(plan, labels, len(plan.rounds)).histories(), after)

    def _fresh(self, plan: Plan, out: Path, histories: Mapping[str, History], after: tuple[int, str] | None) -> Written:
        parts, sheet = draw_round(plan, self.file.parent, histories, items=self.items, progress=self.progress)
        plan = plan.with_round(Round(parts, after))
        write_plan(plan, self.file)
        return self._written(sheet, out, len(plan.rounds), again=False)

    def _again(self, plan: Plan, out: Path, number: int) -> Written:
        if not 1 <= number <= len(plan.rounds):
            there = f"batches up to {len(plan.rounds)} were" if plan.rounds else "none was"
            raise InputError(f"there is no batch {number}: {there} drawn", source=str(self.file))
        sheet = draw_again(plan, number - 1, self.file.parent, items=self.items, progress=self.progress)
        return self._written(sheet, out, number, again=True)

    def _written(self, sheet: pl.DataFrame, out: Path, number: int, *, again: bool) -> Written:
        return Written(number, len(sheet), tuple(write_sheet(sheet, out)), again)


def _standing(finding: Finding, plan: Plan, given: Given, left: int | None) -> Finding:
    """With how many labels are in of how many planned; said first where some are still to come."""
    drawn, told = {id_ for one in plan.rounds for id_ in one.ids}, len(given.labels.values)
    planned = None if left is None else len(drawn) + left
    finding = replace(finding, provenance={**finding.provenance, "labels_in": told, "labels_planned": planned})
    if planned == told:
        return finding
    return replace(finding, caveats=(remarks.unfinished(told, planned), *finding.caveats))


def to_come(plan: Plan, share: Estimate) -> int | None:
    """Labels that are planned and not drawn yet. A sequential plan goes on until its promise is kept."""
    if isinstance(plan.design, Clusters):
        return 0
    if isinstance(plan.design, Sequential):
        if plan.promise:
            return 0 if kept(plan.promise, share) else None
        return max(0, plan.pools[0].labels - sum(len(part.ids) for one in plan.rounds for part in one.parts))
    return sum(sum(plan.sizes(pool)[len(plan.rounds) :]) for pool in plan.pools)


def kept(promise: Mapping[str, float], share: Estimate) -> bool:
    """Whether an interval is as narrow as was promised."""
    assert share.value is not None  # who asks has looked
    assert share.low is not None
    assert share.high is not None
    ((name, value),) = promise.items()
    half = (share.high - share.low) / 2.0
    ways = {
        "within": half <= value * share.value,
        "cv": half <= value * share.value * quantile(share.level),
        "width": 2.0 * half <= value,
        "below": share.high < value,
    }
    return ways[name]
