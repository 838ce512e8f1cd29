"""A labelling campaign: draw the first batch, estimate from its labels, draw the next; the plan's file is updated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from evenhand import arrays
from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.verdicts import AccuracyTopic
from evenhand.audits.settings import SMALLEST_GROUP, Settings
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading
from evenhand.inputs import note_input, protected_inputs
from evenhand.measurement import verdicts
from evenhand.measurement.answers import check_sheet_path
from evenhand.measurement.draw import check_population, draw_again, draw_round
from evenhand.measurement.estimate import estimate_measures
from evenhand.measurement.labelled_items import write_labelled_items
from evenhand.measurement.panel import choose_for_panel, random_order
from evenhand.measurement.plan import PlanRound, SamplingPlan
from evenhand.measurement.plan_file import read_plan, update_plan
from evenhand.measurement.sample import AnswerFiles, CampaignSample, CollectedLabels
from evenhand.measurement.sheets import check_companion, write_sheet
from evenhand.measurement.target_progress import TargetProgress, target_progress
from evenhand.measurement.targets import leading_target, target_progresses
from evenhand.progress import Progress, silent
from evenhand.sampling.design import DrawnSoFar


@dataclass(frozen=True)
class WrittenBatch:
    """A sheet that was written: which batch, how many items, into which files, and whether it was drawn before.

    >>> from pathlib import Path
    >>> eh.measurement.WrittenBatch(1, 100, (Path("sheet.csv"),), again=False).items
    100
    """

    number: int
    items: int
    files: tuple[Path, ...]
    again: bool


@dataclass(frozen=True)
class CampaignOutcome:
    """What labels show, and what is left: the number of the batch that waits, and labels still to be drawn.

    `to_come` is None if it is not known in advance; `kept` is whether the target precision is reached, if there is
    one. Of several `targets` the one that needs most labels is the `progress`; `unknown` are those without a number.

    >>> import polars as pl
    >>> from pathlib import Path
    >>> campaign = eh.measurement.Campaign(Path("plan.json"))
    >>> batch = campaign.draw(Path("sheet.csv"))
    >>> sheet = pl.read_csv("sheet.csv", infer_schema=False)
    >>> sheet.with_columns(label=pl.Series(["yes", "no"] * 50)).write_csv("sheet.csv")
    >>> outcome = campaign.take(eh.measurement.AnswerFiles((Path("sheet.csv"),)))
    >>> outcome.finding.audit, outcome.to_come
    ('accuracy', 0)
    """

    finding: Finding
    given: CollectedLabels
    waiting: int | None
    to_come: int | None
    kept: bool | None
    progress: TargetProgress | None = None
    targets: tuple[TargetProgress, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Campaign:
    """The file of a plan, where its items are if not where they were, and who looks at the progress.

    >>> import polars as pl
    >>> from pathlib import Path
    >>> campaign = eh.measurement.Campaign(Path("plan.json"))
    >>> batch = campaign.draw(Path("sheet.csv"))
    >>> sheet = pl.read_csv("sheet.csv", infer_schema=False)
    >>> sheet.with_columns(label=pl.Series(["yes", "no"] * 50)).write_csv("sheet.csv")
    >>> outcome = campaign.take(eh.measurement.AnswerFiles((Path("sheet.csv"),)))
    >>> outcome.finding.get("prevalence").value
    0.5
    """

    file: Path
    items: Path | None = None
    progress: Progress = silent

    @protected_inputs()
    def draw(self, out: Path, *, number: int | None = None) -> WrittenBatch:
        """Draw the first batch; or write the last one again, or the one of a number."""
        plan = self._read_plan()
        check_sheet_path(out)
        if plan.rounds or (number or 1) != 1:
            return self._again(plan, out, len(plan.rounds) if number is None else number)
        return self._fresh(plan, out, {}, None)

    @protected_inputs()
    def take(
        self, files: AnswerFiles, *, evidence: Path | None = None, smallest_group: int = SMALLEST_GROUP
    ) -> CampaignOutcome:
        """Estimate from labels; write the labelled items as evidence for other audits, where a file is given.

        Groups with fewer items than `smallest_group` are not shown.
        """
        Settings(smallest_group=smallest_group)  # refuses what is not a size
        plan = self._read_plan()
        check_population(plan, self.file.parent, self.items)
        collected = CollectedLabels.read(plan, files)
        outcome = campaign_outcome(plan, collected, smallest_group=smallest_group)
        if evidence is not None:
            write_labelled_items(collected, evidence)
        return outcome

    @protected_inputs()
    def go_on(self, out: Path, outcome: CampaignOutcome) -> WrittenBatch | None:
        """The batch that comes after these labels; the one that waits, if there is one; None where all is drawn."""
        check_sheet_path(out)
        plan = self._read_plan()
        if outcome.waiting is not None:
            return self._again(plan, out, outcome.waiting)
        if outcome.given.unfinished:
            raise InputError("the next batch depends on the labels of this one: label all of its items first")
        if outcome.to_come == 0:
            return None
        return self._fresh(plan, out, *basis_of_next_batch(plan, outcome))

    @protected_inputs()
    def draw_panel(self, out: Path, files: AnswerFiles, *, n: int) -> WrittenBatch:
        """Write the panel's sheet: all split votes, and a random part of the other labelled items, n in all."""
        plan = self._read_plan()
        check_sheet_path(out)
        if plan.design.traits.clusters or plan.design.traits.open_ended:
            raise InputError(f"a plan of the {plan.design.name} design has no panel")
        collected = CollectedLabels.read(plan, files)
        return self._written_sheet(plan, choose_for_panel(collected, n), out)

    @protected_inputs()
    def draw_second(self, out: Path, *, n: int) -> WrittenBatch:
        """Write a sheet for second labels: n of the drawn items, at random."""
        plan = self._read_plan()
        check_sheet_path(out)
        drawn = list(dict.fromkeys(id_ for one in plan.rounds for id_ in one.ids))
        if not 1 <= arrays.whole(n, "`n`") <= len(drawn):
            raise InputError(f"invalid `n`: {n:,} (must be from 1 to the {len(drawn):,} items drawn so far)")
        return self._written_sheet(plan, random_order(plan, "second", drawn)[:n], out)

    def _written_sheet(self, plan: SamplingPlan, ids: Sequence[str], out: Path) -> WrittenBatch:
        """A sheet of items that were drawn before, in this order."""
        batches = (
            draw_again(plan, number, self.file.parent, items=self.items, progress=self.progress)
            for number in range(len(plan.rounds))
        )
        shown = pl.concat([batch.filter(pl.col("id").is_in(list(ids))) for batch in batches])
        place = {id_: number for number, id_ in enumerate(ids)}
        sheet = shown.sort(pl.col("id").replace_strict(place, return_dtype=pl.Int64))
        return self._written(sheet, out, 0, again=False)

    def _read_plan(self) -> SamplingPlan:
        """The plan; its items count as read too, also where only labels are looked at."""
        plan = read_plan(self.file)
        note_input(self.items or self.file.parent / plan.items.file)
        return plan

    def _fresh(
        self, plan: SamplingPlan, out: Path, histories: Mapping[str, DrawnSoFar], after: tuple[int, str] | None
    ) -> WrittenBatch:
        parts, sheet = draw_round(plan, self.file.parent, histories, items=self.items, progress=self.progress)
        plan = plan.with_round(PlanRound(parts, after))
        check_companion(sheet, out)
        update_plan(plan, self.file)
        return self._written(sheet, out, len(plan.rounds), again=False)

    def _again(self, plan: SamplingPlan, out: Path, number: int) -> WrittenBatch:
        if not 1 <= number <= len(plan.rounds):
            drawn = f"{len(plan.rounds)} drawn so far" if plan.rounds else "none has been drawn"
            raise InputError(f"batch {number} does not exist ({drawn})", source=str(self.file))
        sheet = draw_again(plan, number - 1, self.file.parent, items=self.items, progress=self.progress)
        return self._written(sheet, out, number, again=True)

    def _written(self, sheet: pl.DataFrame, out: Path, number: int, *, again: bool) -> WrittenBatch:
        return WrittenBatch(number, len(sheet), tuple(write_sheet(sheet, out)), again)


def campaign_outcome(
    plan: SamplingPlan, collected: CollectedLabels, *, smallest_group: int = SMALLEST_GROUP
) -> CampaignOutcome:
    """What the labels of a plan show, how far they are from its target, and what is left to draw."""
    try:
        finding = estimate_measures(collected, smallest_group=smallest_group)
    except Undefined as reason:
        raise InputError(str(reason)) from None
    waiting = len(plan.rounds) if collected.rounds < len(plan.rounds) else None
    sample = CampaignSample.from_labels(collected.plan, collected.labels, collected.rounds)
    progress = target_progress(collected.plan, finding, sample, collected.gold)
    reached = target_reached(plan, published_estimate(finding, PREVALENCE)) if progress is None else progress.reached
    targets, unknown = target_progresses(collected.plan, finding, sample, collected.gold)
    if plan.targets:
        progress, reached = leading_target(targets), not unknown and all(one.reached for one in targets)
    left = labels_to_come(plan, reached)
    finding = _with_targets(finding, targets, unknown, progress)
    finding = _with_labels_in(finding, plan, collected, left)
    return CampaignOutcome(finding, collected, waiting, left, reached, progress, tuple(targets), tuple(unknown))


def basis_of_next_batch(
    plan: SamplingPlan, outcome: CampaignOutcome
) -> tuple[Mapping[str, DrawnSoFar], tuple[int, str]]:
    """What the batch after these labels is drawn by: the labels of each pool; how many there are, and their hash."""
    labels = outcome.given.labels
    after = labels.digest(id_ for one in plan.rounds for id_ in one.ids)
    histories = CampaignSample.from_labels(plan, labels, len(plan.rounds)).histories()
    return _as_expected(plan, histories, outcome.progress), after


def _as_expected(
    plan: SamplingPlan, histories: Mapping[str, DrawnSoFar], progress: TargetProgress | None
) -> Mapping[str, DrawnSoFar]:
    """The next batch is what the target is expected to need, where the plan has more; each pool has what it drives."""
    drawn = {pool.name: plan.drawn(pool.name) for pool in plan.pools}
    left = {pool.name: max(0, pool.labels - drawn[pool.name]) for pool in plan.pools}
    if progress is None or progress.reached or not sum(left.values()):
        return histories
    most = progress.next_of_pools(drawn, left)
    return {name: replace(done, most=most[name]) for name, done in histories.items()}


def _with_targets(
    finding: Finding, targets: Sequence[TargetProgress], unknown: Sequence[str], progress: TargetProgress | None
) -> Finding:
    """With the target, or with several, that the labels are meant for."""
    lines = [one.line() for one in targets or ([progress] if progress else [])]
    lines += [f"Target for {name}: no number yet." for name in unknown]
    known = dict(finding.provenance) | ({"target": progress.record()} if progress else {})
    known |= {"targets": [one.record() for one in targets]} if targets else {}
    readings = [Reading({}, line, topic=AccuracyTopic.TARGET) for line in lines]
    return replace(finding, readings=(*finding.readings, *readings), provenance=known)


def _with_labels_in(finding: Finding, plan: SamplingPlan, collected: CollectedLabels, left: int | None) -> Finding:
    """With how many labels are in of how many planned, said first where some are still to come."""
    drawn, labelled = {id_ for one in plan.rounds for id_ in one.ids}, len(collected.labels.values)
    planned = None if left is None else len(drawn) + left
    finding = replace(finding, provenance={**finding.provenance, "labels_in": labelled, "labels_planned": planned})
    if planned == labelled:
        return finding
    unfinished = verdicts.unfinished_caveat(labelled, planned)
    reading = Reading({}, unfinished, topic=AccuracyTopic.UNFINISHED)
    return replace(finding, readings=(*finding.readings, reading), caveats=(unfinished, *finding.caveats))


def labels_to_come(plan: SamplingPlan, reached: bool | None) -> int | None:
    """Labels that are planned and not drawn yet, of all pools; None where nobody can say."""
    left = 0
    for pool in plan.pools:
        drawn = plan.drawn(pool.name)
        more = plan.design.labels_to_come(pool, batches=len(plan.rounds), drawn=drawn, kept=reached)
        if more is None:
            return None
        left += more
    return left


def target_reached(plan: SamplingPlan, share: Estimate) -> bool | None:
    """Whether an interval has the target precision; None if there is no target, or the share is undefined."""
    target = plan.target
    return None if target is None or not share.defined else target.kept_by(share)
