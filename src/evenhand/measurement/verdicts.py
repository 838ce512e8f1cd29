"""What the estimates of a measurement say in sentences: readings, what was measured, and caveats."""

from __future__ import annotations

from evenhand.audits.accuracy import verdicts as accuracy
from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.verdicts import AccuracyTopic
from evenhand.catalogue.accuracy import MISSED
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading
from evenhand.intervals.survey import CorrectedShare, GoldCounts
from evenhand.measurement.labels import count_phrase, first_ids
from evenhand.measurement.panel import Adjudication
from evenhand.measurement.plan import Measurement
from evenhand.measurement.sample import CampaignSample, CollectedLabels

MEASUREMENT_FIELDS = ("ground_truth", "codebook", "population", "period", "metric")
SKIPPED = "This is valid only if nobody chose which items to leave out."
JOINED = " Strata with fewer than two labels were merged with a neighbour."
REVIEWERS_TARGET = "Verdict: the reviewers', taken as correct."
TARGETS = "Verdicts: the reviewers', and beside it the adjudicated one, of a panel that saw a random part of the items."
LEAST_SHARE = 1e-6  # a share below which digits are noise


def measurement_readings(finding: Finding, measurement: Measurement) -> tuple[Reading, ...]:
    """What the numbers say; of one pool of visible items also how many violations are still there.

    What the finding already says of a blind spot comes after the sentence on which interval is given.
    """
    readings = list(accuracy.accuracy_readings(finding))
    after = [number for number, reading in enumerate(readings, start=1) if reading.topic == AccuracyTopic.BLIND_SPOT]
    readings[max(after, default=0) : max(after, default=0)] = finding.readings_about(AccuracyTopic.BLIND_SPOT)
    if not finding.has(RECALL) and finding.has(MISSED) and finding.get(MISSED).defined:
        text = f"{amount_with_interval(published_estimate(finding, MISSED))} violations are still visible."
        readings.insert(1, Reading({}, text, topic=AccuracyTopic.STILL_VISIBLE))
    if by_panel := accuracy.adjudicated_sentence(finding):
        readings.append(Reading({}, by_panel, topic=AccuracyTopic.ADJUDICATED))
    measured = f"{what_was_measured(measurement)} {TARGETS if by_panel else REVIEWERS_TARGET}"
    return (*readings, Reading({}, measured, topic=AccuracyTopic.MEASUREMENT))


def measurement_caveats(collected: CollectedLabels, sample: CampaignSample) -> tuple[str, ...]:
    """What the numbers rest on."""
    plan, target = collected.plan, REVIEWERS_TARGET if collected.panel is None else TARGETS
    caveats = [f"{what_was_measured(plan.measurement)} {target}"]
    unclear = [id_ for id_ in collected.labels.unclear if id_ not in collected.labels.tied]
    if unclear:
        caveats.append(
            f"{count_phrase(unclear, 'item')} labelled 'cannot tell' ({first_ids(unclear)}): left out, and represented "
            "by the other items of the stratum. The estimates if all, or none, of them violated are given as well."
        )
    if collected.labels.tied:
        tied = collected.labels.tied
        caveats.append(f"{count_phrase(tied, 'item')} with a split vote ({first_ids(tied)}): treated as 'cannot tell'.")
    if collected.unfinished:
        caveats.append(f"Drawn items without a label: {collected.unfinished:,}. The labelled items represent them.")
        caveats.append(SKIPPED + (JOINED if plan.design.traits.joins_strata else ""))
    caveats += _gold_caveats(collected.gold, sample) if collected.gold else []
    caveats += [] if collected.panel is None else _panel_caveats(Adjudication(collected, collected.panel))
    first = plan.pools[0]
    return (*caveats, *plan.design.caveats(first, sample.past(first)))


def _panel_caveats(panel: Adjudication) -> list[str]:
    """What the adjudicated verdict rests on, and how many more of the panel's verdicts are worth it."""
    caveats = [f"{panel.sentence()} The adjudicated verdict assumes nothing of how reviewers err."]
    if panel.left_out:
        caveats.append(
            f"Verdicts of the panel behind an item that has none: {panel.left_out:,}. They are left out, so that what "
            "was judged stays a random part: judge all items of the panel's sheet."
        )
    if panel.unclear:
        unclear = f"Items that the panel could not judge: {panel.unclear:,}."
        caveats.append(f"{unclear} Others that reviewers called the same represent them.")
    pools = panel.collected.plan.pools
    for pool in pools:
        share, where = panel.share(pool), "" if len(pools) == 1 else f" of {pool.name} items"
        part = share.panel_variance / share.variance if share.variance > 0.0 else 0.0
        if part > HEAVY_PANEL and share.verdicts_needed > share.n:
            caveats.append(
                f"{100.0 * part:.0f} % of the variance of the adjudicated share{where} comes from the panel. With "
                f"about {share.verdicts_needed:,} verdicts instead of {share.n:,} it would add no more than the labels."
            )
    return caveats


HEAVY_PANEL = 0.5  # of the variance, from which the panel is what makes an interval wide
GOLD_ASSUMPTION = (
    "The correction is valid if the gold items were drawn at random from items like those of the sample. The estimates "
    "without it are given as well."
)
HEAVY_GOLD = 0.5  # of the variance, from which the gold items are what makes an interval wide


def _gold_caveats(gold: GoldCounts, sample: CampaignSample) -> list[str]:
    """What the correction rests on, where it explains all that was seen, and where more gold items would help."""
    caveats = [
        f"Corrected for annotator error: annotators identified {gold.caught} of {gold.violating} violating gold "
        f"items and {gold.passed} of {gold.others} benign ones.",
        GOLD_ASSUMPTION,
    ]
    for pool in sample.plan.pools:
        share, where = sample.share(pool).corrected(gold), "" if len(sample.plan.pools) == 1 else f"{pool.name} "
        if isinstance(share, CorrectedShare) and share.explained:
            caveats.append(
                f"Annotators marked {share.hits:,.3g} of {share.n:,} {where}items as violating, no more than their "
                "errors on benign gold items explain. The corrected share is therefore 0, but it can be as large as "
                "the upper end of its interval."
            )
        elif isinstance(share, CorrectedShare) and share.gold_share > HEAVY_GOLD:
            caveats.append(
                f"{100.0 * share.gold_share:.0f} % of the variance of the share of violating {where}items comes from "
                f"the gold items. With about {share.gold_needed:,} benign gold items they would add no more than the "
                "sample itself."
            )
    return caveats


def what_was_measured(m: Measurement) -> str:
    """Ground truth, population and metric, which every number needs beside it."""
    book = f" (codebook: {m.codebook})" if m.codebook else ""
    period = f", {m.period}" if m.period else ""
    truth = m.ground_truth or "not named"
    return f"Ground truth: {truth}{book}. Population: {m.population} content{period}. Metric: {m.metric}."


def unfinished_caveat(labels: int, planned: int | None) -> str:
    """The caveat of an interim result; `planned` is None if the number is not known in advance."""
    planned_total = f" of {planned:,} planned" if planned is not None else ""
    return f"Interim result: {labels:,}{planned_total} labels are in, and the estimates will change."


def share_with_interval(estimate: Estimate) -> str:
    """A share with its interval, in per cent."""
    value, low, high = (_per_cent(part or 0.0) for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} % (census)" if estimate.method == "exact" else f"{value} % ({low} to {high} %)"


def _per_cent(share: float) -> str:
    return f"{100.0 * share:.3g}" if share >= LEAST_SHARE else "0"


def amount_with_interval(estimate: Estimate) -> str:
    """A number of items with its interval."""
    value, low, high = (f"{part or 0.0:,.0f}" for part in (estimate.value, estimate.low, estimate.high))
    return value if estimate.method == "exact" else f"{value} ({low} to {high})"
