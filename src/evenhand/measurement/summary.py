"""A plan, a batch and an estimate in a few lines for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from evenhand.audits.accuracy.blind_spots import ROBUST
from evenhand.audits.accuracy.verdicts import ADJUDICATED, AccuracyTopic
from evenhand.catalogue import Measure, Unit
from evenhand.catalogue.accuracy import MISSED, PREVALENCE
from evenhand.catalogue.shared import ACCURACY, COUNT, F1, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.measurement.campaign import CampaignOutcome, WrittenBatch
from evenhand.measurement.design_table import design_rows, half_width, part_rows
from evenhand.measurement.plan import ALL, REMOVED, VISIBLE, SamplingPlan
from evenhand.measurement.plan_file import seal_of
from evenhand.measurement.planning import PlannedCampaign, has_constant_score
from evenhand.measurement.sheets import ANSWERS
from evenhand.measurement.verdicts import amount_with_interval, share_with_interval, what_was_measured
from evenhand.sampling.sizes import SampleSize

SHOWN_MEASURES = (PREVALENCE, MISSED, RECALL, PRECISION, F1, ACCURACY)
GROUND_TRUTH_UNNAMED = (
    "The plan does not say what counts as violating. Before labelling starts, name it with `ground_truth` and "
    "`codebook`, and the items with `population` and `period`: the results cannot be interpreted without them."
)

NOTHING_SHOWN = "No `text` or `link` column is named: annotators will see ids only."
SWAPPED_POOLS = (
    "According to the score, removed items violate less often than visible ones. Check that `removes` names the "
    "decisions that remove an item."
)
SMALL_MARK = "°"
MOST_OF_POOL = 0.5  # of its items, from which a target is said to need most of them
ROBUST_HEAD = "whatever the score misses:"
USUAL_HEAD = "if the score misses no kind of violation:"
SECOND_PLAN = (
    "For a narrower interval, make a second plan with more labels and another seed (`n` {n} `seed` {seed}, or "
    "`prevalence` set to this estimate). Report this result as it is, and report that there were two plans."
)
EXTENSION = (
    "`evenhand sample extend` makes a longer plan of this one (`n` {n}): all batches and labels so far stay valid. "
    "Report that the plan was extended."
)


def plan_summary(made: PlannedCampaign, per_hour: float, annotators: int) -> dict[str, Any]:
    """What a plan comes to, as plain data."""
    plan = made.plan
    n = sum(pool.labels for pool in plan.pools)
    return {
        "plan": seal_of(plan),
        "design": plan.design.name,
        "items": plan.items.rows,
        "n": n,
        "hours": SampleSize(n, 0.0).hours(per_hour=per_hour, annotators=annotators),
        "pools": {
            pool.name: {"items": pool.items, "labels": pool.labels, "batches": list(plan.sizes(pool))}
            | ({"clusters": pool.wanted} if pool.clusters else {})
            | ({"expected_prevalence": made.expected[pool.name].prevalence} if _expects(made) else {})
            for pool in plan.pools
        },
        "groups": list(plan.groups),
        "ids_looked_at_one_in": 1,  # all of them
        "designs": [row.record() for row in design_rows(plan, made.expected, per_hour, annotators)],
        "targets": [need.record() for need in made.needs],
        "parts": [asdict(row) for row in part_rows(plan, made.expected)],
    }


def plan_lines(made: PlannedCampaign, per_hour: float, annotators: int) -> list[str]:
    """The same in sentences."""
    plan, summary = made.plan, plan_summary(made, per_hour, annotators)
    constant = _expects(made) and has_constant_score(pool.counted for pool in plan.pools)
    people = "" if annotators == 1 else f" for each of {annotators} annotators"
    hours = f"{_duration(summary['hours'])} at {per_hour:,g} items per hour (`per_hour`){people}"
    lines = [
        f"{summary['n']:,} of {summary['items']:,} items to label ({summary['design']} design), {hours}.",
        what_was_measured(plan.measurement),
    ]
    if made.promised is not None:
        enough = f"The target precision needs {made.promised:,} labels"
        lines.append(f"{enough}; the minimum for this design is {summary['n']:,}.")
    if made.needs:
        lines += ["Labels that each target drives:", *(need.line() for need in made.needs), *_demanding_parts(made)]
    for name, pool in summary["pools"].items():
        if "clusters" in pool:
            lines.append(f"{pool['clusters']:,} whole clusters, which contain about {pool['labels']:,} items.")
        if name != ALL:
            lines.append(f"{pool['labels']:,} of {pool['items']:,} {name} items to label.")
        if "expected_prevalence" in pool and not constant:
            where = "" if name == ALL else f" among {name} items"
            expected = f"{100 * pool['expected_prevalence']:.3g} %"
            source = "as given" if made.prevalence is not None and name != REMOVED else "according to the score"
            lines.append(f"Expected prevalence{where}, {source}: {expected}.")
    if constant:
        lines.append("The score is the same for all items, so the plan is no better than `design` random.")
    lines += _batches(plan)
    lines += _design_lines(made, per_hour, annotators) if not constant else []
    if plan.columns["id"] is None:
        lines.append("No `id` column is named: row numbers are used as ids.")
    if not any(plan.columns.get(role) for role in ("text", "context", "link")):
        lines.append(NOTHING_SHOWN)
    if _looks_swapped(made):
        lines.append(SWAPPED_POOLS)
    if not plan.measurement.ground_truth:
        lines.append(GROUND_TRUTH_UNNAMED)
    return [*lines, f"Plan {summary['plan'][:12]}."]


def extension_summary(longer: SamplingPlan) -> dict[str, Any]:
    """What a longer plan comes to, as plain data."""
    pools = {pool.name: {"labels": pool.labels, "drawn": longer.drawn(pool.name)} for pool in longer.pools}
    n, drawn = (sum(pool[name] for pool in pools.values()) for name in ("labels", "drawn"))
    return {"plan": seal_of(longer), "extends": longer.extends, "n": n, "drawn": drawn, "pools": pools}


def extension_lines(longer: SamplingPlan, out: Path) -> list[str]:
    """The same in sentences."""
    known = extension_summary(longer)
    lines = [f"{out}: {known['n']:,} labels in all, of which {known['drawn']:,} have been drawn."]
    if known["drawn"]:
        lines.append("Batches that were drawn, and their labels, stay as they are: use this plan from now on.")
    return [*lines, f"Plan {known['plan'][:12]}, which extends plan {str(longer.extends)[:12]}."]


def _design_lines(made: PlannedCampaign, per_hour: float, annotators: int) -> list[str]:
    """What other designs would need, and what the parts will know."""
    plan = made.plan
    rows, parts = design_rows(plan, made.expected, per_hour, annotators), part_rows(plan, made.expected)
    if not rows:
        return []
    what = "recall" if len(plan.pools) > 1 else "prevalence"
    lines = [f"Expected half-width of {what} with as many labels, by design:"]
    if plan.target is not None:
        lines = [f"Labels needed for {what} ({plan.target.described(plan.target.amount)}), by design:"]
    lines += [row.line() for row in rows]
    if parts:
        best, worst = parts[0], parts[-1]
        among = f" among {plan.pools[-1].name} items" if len(plan.pools) > 1 else ""
        lines.append(
            f"Expected half-width of prevalence{among} by {plan.group_key}: from {half_width(best.within)} "
            f"({best.name}, about {best.labels:,.0f} labels) to {half_width(worst.within)} ({worst.name}, about "
            f"{worst.labels:,.0f})."
        )
    return lines


def _demanding_parts(made: PlannedCampaign) -> list[str]:
    """Where a target for parts takes most of what there is."""
    items = made.plan.pools[-1].items
    return [
        f"{need.part} alone needs {need.total:,} of {items:,} items: choose a less precise target for parts, or "
        "combine small parts."
        for need in made.needs
        if need.part and need.total > MOST_OF_POOL * items
    ]


def _duration(hours: float) -> str:
    if hours < 1.0:
        minutes = max(1, round(60.0 * hours))
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {hours:,.1f} hours"


def _looks_swapped(made: PlannedCampaign) -> bool:
    """Whether the score finds fewer violations among what was removed: decisions may be the wrong way round."""
    if not _expects(made) or len(made.expected) < 2:
        return False
    return made.expected[REMOVED].prevalence < made.expected[VISIBLE].prevalence


def _expects(made: PlannedCampaign) -> bool:
    """Whether the score says what to expect."""
    return bool(made.expected) and made.plan.columns["score"] is not None


def _batches(plan: SamplingPlan) -> list[str]:
    if plan.design.traits.open_ended:
        return ["Labelling ends when the interval is narrow enough; the number of labels is only an estimate."]
    sizes: list[int] = []
    for pool in plan.pools:
        for number, size in enumerate(plan.sizes(pool)):
            sizes[number : number + 1] = [(sizes[number] if number < len(sizes) else 0) + size]
    if len(sizes) < 2:
        return []
    listed = ", ".join(f"{size:,}" for size in sizes)
    return [f"{len(sizes)} batches ({listed}); each is drawn on the basis of the labels so far."]


def batch_lines(written: WrittenBatch) -> list[str]:
    """What was written, and what to do with it."""
    files = " and ".join(str(path) for path in written.files)
    again = ", the same as before" if written.again else ""
    items = f"{written.items:,} item{'' if written.items == 1 else 's'}"
    lines = [f"{files}: batch {written.number}, {items} in random order{again}."]
    if written.files[0].suffix.lower() == ".json":
        return [*lines, "Import the tasks into Label Studio and paste the second file into its labelling interface."]
    return [*lines, f"Annotators fill in the column label: {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}."]


def panel_lines(written: WrittenBatch) -> list[str]:
    """The panel's sheet, and what to do with it."""
    files = " and ".join(str(path) for path in written.files)
    return [
        f"{files}: {written.items:,} items for the panel in random order, without the reviewers' labels.",
        f"The panel judges all of them; then run `evenhand sample estimate` with `panel` {written.files[0]}.",
    ]


def second_lines(written: WrittenBatch) -> list[str]:
    """The sheet for second labels, and what to do with it."""
    files = " and ".join(str(path) for path in written.files)
    return [
        f"{files}: {written.items:,} items to label a second time, in random order.",
        f"Give it to people who have not labelled them; then run `evenhand sample annotators` with `second` "
        f"{written.files[0]}.",
    ]


def drawn_lines(out: Path, written: WrittenBatch | None) -> list[str]:
    """What became of the next batch."""
    return batch_lines(written) if written else [f"All planned labels have been drawn, so {out} was not written."]


def outcome_lines(outcome: CampaignOutcome, *, per_hour: float | None = None) -> list[str]:
    """Every measure in a line, over all and by group; then what is left to do, at so many labels an hour."""
    finding, plan = outcome.finding, outcome.given.plan
    lines = [f"Plan {seal_of(plan)[:12]}: {finding.get(COUNT).value:,.0f} labels of {plan.items.rows:,} items."]
    lines += [line for name in (SliceKey.POOL, *_by(plan)) for line in _table(finding, name)]
    headline = [reading.text for reading in finding.readings if reading.topic == AccuracyTopic.MODERATION][:1]
    lines = [lines[0], *headline, *_blind_spot_lines(finding), *_rows(finding, {}), *lines[1:]]
    for name in finding.values(SliceKey.AS_IF):
        lines += [f"if {name}:", *_rows(finding, {SliceKey.AS_IF: name})]
    if adjudicated := [reading.text for reading in finding.readings if reading.topic == AccuracyTopic.ADJUDICATED]:
        lines += [*adjudicated, "by the adjudicated verdict:", *_rows(finding, ADJUDICATED)]
    if any(line.endswith(SMALL_MARK) for line in lines):
        few = [reading.text for reading in finding.readings if reading.topic == AccuracyTopic.FEW_LABELS]
        lines.append(" ".join([f"{SMALL_MARK} Conservative interval: too wide rather than too narrow.", *few]))
    return [*lines, *(f"· {caveat}" for caveat in finding.caveats), *_remaining_lines(outcome, per_hour)]


def _blind_spot_lines(finding: Finding) -> list[str]:
    """Where intervals assume that the score misses nothing: both kinds, the ones that do not first."""
    sentences = [reading.text for reading in finding.readings if reading.topic == AccuracyTopic.BLIND_SPOT]
    if not sentences:
        return []
    return [*sentences, ROBUST_HEAD, *_rows(finding, ROBUST), USUAL_HEAD]


def _by(plan: SamplingPlan) -> list[str]:
    return [plan.group_key] if plan.groups else []


def _table(finding: Finding, key: str) -> list[str]:
    return [line for value in finding.values(key) for line in [f"{value}:", *_rows(finding, {key: value})]]


def _rows(finding: Finding, slice_: Slice) -> list[str]:
    rows = []
    for measure in SHOWN_MEASURES:
        if finding.has(measure, **slice_):
            estimate = finding.get(measure, **slice_)
            few = f" {SMALL_MARK}" if estimate.small else ""
            rows.append(f"  {measure.title:14} {_estimate_text(measure, estimate)}{few}")
    return rows


def _estimate_text(measure: Measure, estimate: Estimate) -> str:
    if not estimate.defined:
        return f"unknown: {estimate.note}"
    return amount_with_interval(estimate) if measure.unit is Unit.COUNT else share_with_interval(estimate)


def _remaining_lines(outcome: CampaignOutcome, per_hour: float | None) -> list[str]:
    plan, reached = outcome.given.plan, outcome.kept
    if outcome.waiting is not None:
        return [f"Batch {outcome.waiting} has been drawn and has no labels yet."]
    lines = []
    if outcome.progress is not None:
        several = (one.line(per_hour) for one in outcome.targets)
        lines = [*several] if outcome.targets else [outcome.progress.line(per_hour)]
        lines += [f"Target for {name}: no number yet." for name in outcome.unknown]
        lines += ["All targets are reached: labelling can stop here."] if outcome.targets and reached else []
    elif reached is not None and len(plan.pools) == 1:
        ((name, value),) = plan.promise.items()
        lines = [f"The target precision (`{name}` {value:g}) has {'' if reached else 'not yet '}been reached."]
    if outcome.to_come is None:
        return [*lines, "Draw another batch with `next` FILE, or stop: the interval is valid either way."]
    if outcome.to_come:
        return [*lines, f"{outcome.to_come:,} planned labels remain: `next` FILE draws the next batch."]
    return [*lines, planned_labels_line(outcome), *(_longer_plan(outcome) if lines and not reached else [])]


def planned_labels_line(outcome: CampaignOutcome) -> str:
    """Whether all labels are in that were planned."""
    missing = outcome.given.unfinished
    if not missing:
        return "All planned labels are in."
    return f"All planned items have been drawn; {missing:,} of them {'has' if missing == 1 else 'have'} no label."


def _longer_plan(outcome: CampaignOutcome) -> list[str]:
    """What to do where the target was not reached with all planned labels."""
    plan, progress = outcome.given.plan, outcome.progress
    if progress is None:
        return [SECOND_PLAN.format(**_second_plan(plan))]
    if progress.extended <= progress.labels:
        return []
    return [EXTENSION.format(n=progress.extended)]


def _second_plan(plan: SamplingPlan) -> dict[str, Any]:
    n = sum(pool.labels for pool in plan.pools)
    return {"n": min(2 * n, plan.items.rows), "seed": plan.seed + 1}
