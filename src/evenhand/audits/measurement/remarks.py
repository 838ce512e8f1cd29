"""What is said beside the numbers: what was measured, what they mean in a sentence, and what to beware of."""

from __future__ import annotations

from evenhand.audits.accuracy import readings as accuracy
from evenhand.audits.accuracy.caveats import BLIND
from evenhand.audits.measurement.figures import Sample
from evenhand.audits.measurement.given import Given
from evenhand.audits.measurement.matching import counted, named
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Reading
from evenhand.intervals.clusters import design_effect
from evenhand.sampling.designs import Adaptive
from evenhand.sampling.plan import Clusters, Measurement, Plan
from evenhand.sampling.sequential import Sequential
from evenhand.sampling.stratifying import Stratified

NAMED = ("ground_truth", "codebook", "population", "period", "metric")
PILOT = (
    "Pilot and later labels are pooled, as in the literature: in simulations that is one or two per cent too low, "
    "since strata where the pilot missed something get fewer labels. --design score-driven has no such bias."
)
SKIPPED = "That is fair only if nobody chose which to leave out."
JOINED = " Strata with less than two labels were joined to a neighbour."
ANYTIME = (
    "The interval may be looked at after every label: it holds the truth at all times at once, and is wider for it."
)
LEAST = 1e-6  # a share below which digits are noise


def readings(finding: Finding) -> tuple[Reading, ...]:
    """What the numbers say; of one pool of visible items also how many violations are still there."""
    said = list(accuracy.of(finding))
    if not finding.has("recall") and finding.has("missed") and finding.get("missed").defined:
        said.insert(1, Reading({}, f"{amount(finding.get('missed'))} violations are still visible."))
    return tuple(said)


def caveats(given: Given, sample: Sample) -> tuple[str, ...]:
    """What the numbers rest on."""
    plan, found = given.plan, [measured_what(given.plan.measurement)]
    unclear = [id_ for id_ in given.labels.unclear if id_ not in given.labels.tied]
    if unclear:
        found.append(
            f"Of {counted(unclear, 'item')} nobody can tell ({named(unclear)}): left out, so that others of the same "
            "stratum stand for them. What it would be if all, or none, of them violated is said beside."
        )
    if given.labels.tied:
        tied = given.labels.tied
        found.append(f"{counted(tied, 'item')} with a split vote ({named(tied)}): as if nobody can tell.")
    if given.unfinished:
        found.append(f"{given.unfinished:,} drawn items have no label yet: the others stand for them.")
        found.append(SKIPPED + ("" if isinstance(plan.design, Sequential | Clusters) else JOINED))
    if given.gold:
        found.append(
            f"Put right for errors of annotators, who caught {given.gold.caught} of {given.gold.violating} violating "
            f"gold items and passed {given.gold.passed} of {given.gold.others} others."
        )
    return (*found, *_of_design(plan, sample))


def measured_what(m: Measurement) -> str:
    """Ground truth, population and metric, which every number needs beside it."""
    book = f" (codebook: {m.codebook})" if m.codebook else ""
    period = f", {m.period}" if m.period else ""
    truth = m.ground_truth or "not named"
    return f"Ground truth: {truth}{book}. Population: {m.population} content{period}. Metric: {m.metric}."


def unfinished(labels: int, planned: int | None) -> str:
    """What stands above numbers that will change; `planned` is None where nobody can say."""
    of = f" of {planned:,}" if planned is not None else ""
    return f"Not finished: {labels:,}{of} labels are in. The rest is still to come, and the numbers will change."


def _of_design(plan: Plan, sample: Sample) -> list[str]:
    if isinstance(plan.design, Adaptive):
        return [BLIND]
    if isinstance(plan.design, Stratified) and plan.design.allocation == "pilot":
        return [PILOT]
    if isinstance(plan.design, Sequential):
        return [ANYTIME]
    if isinstance(plan.design, Clusters):
        try:
            times = design_effect(sample.figure(plan.pools[0]))
        except Undefined:
            return []
        alike = "are alike" if times > 1.0 else "are no more alike than others in this sample"
        return [f"Items of one cluster {alike}: the variance is {times:.2g} times that of as many drawn one by one."]
    return []


def span(estimate: Estimate) -> str:
    """A share with its interval, in per cent."""
    value, low, high = (_per_cent(part or 0.0) for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} %, all of it labelled" if estimate.method == "exact" else f"{value} % ({low} to {high} %)"


def _per_cent(share: float) -> str:
    return f"{100.0 * share:.3g}" if share >= LEAST else "0"


def amount(estimate: Estimate) -> str:
    """A number of items with its interval."""
    value, low, high = (f"{part or 0.0:,.0f}" for part in (estimate.value, estimate.low, estimate.high))
    return value if estimate.method == "exact" else f"{value} ({low} to {high})"
