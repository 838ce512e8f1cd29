"""All that can be reproduced of the paper, and its claims judged, from the probabilities of runs made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evenhand.audits.collaboration.exhibits import CollaborationExhibit
from evenhand.audits.collaboration.settings import PAPER_CAPACITIES
from evenhand.catalogue import Direction, Measure
from evenhand.catalogue.collaboration import CALIBRATION_AUPRC, OC_AUROC, REVIEW_EFFICIENCY
from evenhand.catalogue.shared import ACCURACY, AUPRC, AUROC, BRIER, ECE
from evenhand.figures import Figure
from evenhand.figures.collaboration import draw_model_reliability, draw_review_curves
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.intervals.rank_correlation import FEWEST_PAIRS, spearman
from evenhand.reports import audit
from evenhand.reproduce.collaboration.runs import (
    ENVIRONMENTS,
    LOSSES,
    METHODS,
    STRATEGIES,
    UNCERTAIN_FIRST,
    AuditedEnvironment,
    audit_environment,
    read_environments,
)
from evenhand.reproduce.collaboration.tables import CAPACITY_MEASURES, environment_tables, model_uncertainty_table
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    ReproducedTable,
    claims_about,
    judge_claim,
    not_testable,
    range_of_intervals,
)
from evenhand.reproduce.workspace import PUBLISHED_KEYS, Workspace, published_tables

ENSEMBLES = ("ensemble", "sngp-ensemble")
NEAR_FACTOR = 2.0


def judge_claims(test: AuditedEnvironment, deployment: AuditedEnvironment) -> Iterator[Claim]:
    """All of them. What needs both losses or several methods is undecided without."""
    yield from claims_about(f"{test.description} and {deployment.description}", _shift_claims(test, deployment))
    for audited in (test, deployment):
        for judge in (
            _uncertainty_claim,
            _crossing_claim,
            _ensemble_claim,
            _focal_claim,
            _strategy_claim,
            _ranking_claim,
        ):
            yield from claims_about(audited.description, [judge(audited)])


def _shift_claims(test: AuditedEnvironment, deployment: AuditedEnvironment) -> Iterator[Claim]:
    slices: dict[Measure, Slice] = {AUROC: {}, AUPRC: {}, CALIBRATION_AUPRC: UNCERTAIN_FIRST}
    drops = {m: test.mean_over_methods(m, **s) - deployment.mean_over_methods(m, **s) for m, s in slices.items()}
    printed = published_tables("collaboration")["drop_test_to_deployment"]
    yield judge_claim(
        "From test to deployment AUROC and AUPRC drop much, calibration AUPRC less",
        0 < min(drops[AUROC], drops[AUPRC]) > drops[CALIBRATION_AUPRC],
        "drops: " + ", ".join(f"{m} {value:.3f} (paper {printed[PUBLISHED_KEYS[m]]})" for m, value in drops.items()),
        interval="; ".join(f"{m}: {_over_both(test, deployment, m, **s)}" for m, s in slices.items()),
    )
    by_loss = {
        loss: test.mean_over_methods(AUROC, loss) - deployment.mean_over_methods(AUROC, loss) for loss in test.losses
    }
    yield judge_claim(
        "Focal loss softens the drop in AUROC",
        by_loss["focal"] < by_loss["cross-entropy"] if len(by_loss) == 2 else None,
        ", ".join(f"{loss} {value:.3f}" for loss, value in by_loss.items()),
        interval="; ".join(f"{loss}: {_over_both(test, deployment, AUROC, loss=loss)}" for loss in by_loss),
    )
    accuracy, brier = (deployment.mean_over_methods(m) - test.mean_over_methods(m) for m in (ACCURACY, BRIER))
    yield judge_claim(
        "Accuracy and Brier score improve under the shift, because violating items are rarer there",
        accuracy > 0 > brier,
        f"accuracy {accuracy:+.3f}, Brier {brier:+.3f}; violating: test {test.violating_share:.1%}, deployment "
        f"{deployment.violating_share:.1%} (paper 9.6 % and 2.5 %)",
        interval="; ".join(f"{m}: {_over_both(test, deployment, m)}" for m in (ACCURACY, BRIER)),
    )


def _over_both(
    test: AuditedEnvironment,
    deployment: AuditedEnvironment,
    measure: Measure,
    *,
    loss: str | None = None,
    **slice_: str,
) -> str:
    ranges = [_over_runs(one, measure, loss=loss, **slice_) for one in (test, deployment)]
    return f"test, {ranges[0]}; deployment, {ranges[1]}"


def _over_runs(audited: AuditedEnvironment, measure: Measure, *, loss: str | None = None, **slice_: str) -> str:
    """From the lowest run of any method to the highest."""
    settings = [(one, method) for one, method in audited.settings if loss in (None, one)]
    return range_of_intervals("runs", (audited.estimate(one, m, measure, **slice_) for one, m in settings))


def _gains(audited: AuditedEnvironment, measure: Measure) -> list[float]:
    """What review by uncertainty has over review by score, mean over all models, at each capacity."""
    means = [[audited.mean_over_methods(measure, strategy=s, capacity=c) for s in STRATEGIES] for c in PAPER_CAPACITIES]
    return [first - second for first, second in means]


def _uncertainty_claim(audited: AuditedEnvironment) -> Claim:
    ahead = [
        audited.mean(loss, m, OC_AUROC, strategy=STRATEGIES[0], capacity=c)
        >= audited.mean(loss, m, OC_AUROC, strategy=STRATEGIES[1], capacity=c)
        for loss, m in audited.settings
        for c in PAPER_CAPACITIES
    ]
    return judge_claim(
        f"Review by uncertainty beats review by score in OC-AUROC, for each model at each capacity ({audited.title})",
        all(ahead),
        f"in {sum(ahead)} of {len(ahead)} comparisons",
        interval=not_testable("the comparisons share their items, and no paired interval is computed"),
    )


def _crossing_claim(audited: AuditedEnvironment) -> Claim:
    """Where review by score overtakes, in Review Efficiency, OC-Acc and Effectiveness, which all cross together."""
    gains = _gains(audited, REVIEW_EFFICIENCY)
    crossed = [float(c) for c, gain in zip(PAPER_CAPACITIES, gains, strict=True) if gain < 0]
    share = audited.violating_share
    near = bool(crossed) and share / NEAR_FACTOR <= crossed[0] <= share * NEAR_FACTOR and gains[0] > 0
    crossing = f"first overtaken at {crossed[0]:g}" if crossed else "never overtaken up to 0.2"
    return judge_claim(
        f"Review by uncertainty finds more errors per review at first; review by score overtakes it at a capacity "
        f"within a factor of {NEAR_FACTOR:g} of the share of violating items ({audited.title})",
        near,
        f"{crossing}; violating {share:.3f}; Review Efficiency ahead by {gains[0]:+.3f} at 0.001, {gains[-1]:+.3f} "
        "at 0.2 (the paper: near .15 in-domain, .02 in deployment)",
        interval=not_testable("where two curves cross has no interval here"),
    )


def _ensemble_claim(audited: AuditedEnvironment) -> Claim:
    best = []
    for loss in audited.losses:
        methods = audited.methods(loss)
        if set(ENSEMBLES) & set(methods) and len(methods) > len(ENSEMBLES):
            best += [
                max(methods, key=_method_score(audited, loss, OC_AUROC, capacity)) for capacity in PAPER_CAPACITIES
            ]
    wins = sum(method in ENSEMBLES for method in best)
    return judge_claim(
        f"Ensembles have the best OC-AUROC ({audited.title}, review by uncertainty)",
        wins == len(best) if best else None,
        f"an ensemble is best in {wins} of {len(best)} pairs of loss and capacity",
        interval=not_testable("the pairs share their items, and an ensemble has few runs"),
    )


def _method_score(audited: AuditedEnvironment, loss: str, measure: Measure, capacity: str) -> Callable[[str], float]:
    return lambda method: audited.mean(loss, method, measure, **UNCERTAIN_FIRST, capacity=capacity)


def _focal_claim(audited: AuditedEnvironment) -> Claim:
    text = f"Focal loss raises AUROC and lowers calibration AUPRC ({audited.title})"
    if len(audited.losses) < 2:
        return judge_claim(text, None, "needs runs with both losses", interval=not_testable("runs of one loss only"))
    steps = [
        audited.mean_over_methods(m, "focal", **s) - audited.mean_over_methods(m, "cross-entropy", **s)
        for m, s in ((AUROC, {}), (CALIBRATION_AUPRC, UNCERTAIN_FIRST))
    ]
    return judge_claim(
        text,
        steps[0] > 0 > steps[1],
        f"AUROC {steps[0]:+.4f}, calibration AUPRC {steps[1]:+.4f}",
        interval="; ".join(f"AUROC, {loss}, {_over_runs(audited, AUROC, loss=loss)}" for loss in audited.losses),
    )


def _strategy_claim(audited: AuditedEnvironment) -> Claim:
    """The step between strategies against the range over methods, at each capacity."""
    larger, shown = 0, ""
    gains = _gains(audited, OC_AUROC)
    for capacity, gain in zip(PAPER_CAPACITIES, gains, strict=True):
        ranges = []
        for loss in audited.losses:
            scores = [_method_score(audited, loss, OC_AUROC, capacity)(m) for m in audited.methods(loss)]
            ranges.append(max(scores) - min(scores))
        larger += abs(gain) > max(ranges)
        shown = f"at {capacity} the strategy {gain:+.4f}, the model {max(ranges):.4f}" if capacity == "0.1" else shown
    return judge_claim(
        f"The strategy matters more than the model, in OC-AUROC ({audited.title})",
        larger > len(PAPER_CAPACITIES) / 2,
        f"at {larger} of {len(PAPER_CAPACITIES)} capacities; {shown}",
        interval=not_testable("the capacities share their items"),
    )


def _ranking_claim(audited: AuditedEnvironment) -> Claim:
    """Do calibration AUPRC, Brier and ECE rank methods as Review Efficiency at 1 % does?"""
    text = (
        f"Calibration AUPRC ranks methods as Review Efficiency at a low capacity does, Brier score and ECE do not "
        f"({audited.title})"
    )
    correlations: dict[Measure, list[float]] = {CALIBRATION_AUPRC: [], BRIER: [], ECE: []}
    for loss in audited.losses:
        methods = audited.methods(loss)
        if len(methods) < FEWEST_PAIRS:
            why = f"needs at least {FEWEST_PAIRS} methods"
            return judge_claim(text, None, why, interval=not_testable("too few methods"))
        efficiency = [_method_score(audited, loss, REVIEW_EFFICIENCY, "0.01")(m) for m in methods]
        for measure, by_loss in correlations.items():
            slice_ = UNCERTAIN_FIRST if measure == CALIBRATION_AUPRC else {}
            sign = 1.0 if measure.direction is Direction.HIGHER else -1.0
            ours = [sign * audited.mean(loss, m, measure, **slice_) for m in methods]
            by_loss.append(spearman(list(zip(ours, efficiency, strict=True)), 0.95).value or 0.0)
    means = {measure: float(np.mean(by_loss)) for measure, by_loss in correlations.items()}
    return judge_claim(
        text,
        means[CALIBRATION_AUPRC] > max(means[BRIER], means[ECE], 0.5),
        "mean rank correlation with Review Efficiency at 1 %: "
        + ", ".join(f"{measure} {value:+.2f}" for measure, value in means.items())
        + f" (of {', '.join(METHODS[m] for m in audited.methods(audited.losses[0]))})",
        interval=not_testable("five methods are too few for an interval of a mean correlation"),
    )


RELIABILITY_METHODS = ("deterministic", "sngp")  # whose reliability the paper draws
SLIPS = (
    "Section 3 describes precision and recall of uncertainty in swapped words; its formulas, and Review Efficiency and "
    "Effectiveness, are right.",
    "Section 6.1 explains better accuracy in deployment by toxic examples being “slightly less rare” in CivilComments; "
    "by its own counts they are far rarer (2.5 % against 9.6 %).",
    "Figures 11 and 12 have the same caption.",
)


def reproduce(place: Workspace) -> PaperResult:
    """Both environments, with every run that is there."""
    test, deployment = (audit_environment(place, environment) for environment in read_environments(place.folder))
    result = PaperResult(
        claims=tuple(judge_claims(test, deployment)),
        slips=SLIPS,
        omissions=(Omission("Figure 1", "a drawing of the definitions; the audit counts its four cells"),),
        sources=(test.environment.facts, deployment.environment.facts),
    )
    for audited in (test, deployment):
        drawn = (*_curve_figures(audited), *_reliability_figures(audited))
        result += PaperResult((*environment_tables(audited), *_uncertainty_tables(place, audited)), figures=drawn)
    return result


def _uncertainty_tables(place: Workspace, audited: AuditedEnvironment) -> Iterator[ReproducedTable]:
    """The variance over samples or members as a review score, where runs have one."""
    runs = audited.environment.unsure
    if not runs:
        return
    columns = {run.column: run.variance for run in runs}
    report = audit(
        audited.environment.frame.select("label", *columns, *columns.values()),
        audits="collaboration",
        score=list(columns),
        uncertainty=list(columns.values()),
        label="label",
        capacities=["0.01"],
        strategies=list(UNCERTAIN_FIRST.values()),
        replicates=50,
        seed=place.seed,
        progress=place.progress,
    )
    alone = AuditedEnvironment(replace(audited.environment, runs=tuple(runs)), report.findings[0])
    yield model_uncertainty_table(audited, alone)


def _curve_figures(audited: AuditedEnvironment) -> Iterator[Figure]:
    """Figures 2 to 4 and 7 to 14: a drawing for each loss, the band from the lowest run to the highest."""
    name = audited.environment.name
    for loss in LOSSES:
        measured = [
            Measured(measure, _curve_slice(method, strategy, capacity), estimate)
            for method in audited.methods(loss)
            for measure in CAPACITY_MEASURES
            for strategy in STRATEGIES
            for capacity in PAPER_CAPACITIES
            if (estimate := audited.estimate(loss, method, measure, strategy=strategy, capacity=capacity))
        ]
        finding = Finding("collaboration", "", tuple(measured), (), {})
        drawn = draw_review_curves(finding, bands="Bands go from the lowest run to the highest.")
        if drawn:
            title = f"Figures 2 to 4 and 7 to 14: {ENVIRONMENTS[name]}, {LOSSES[loss]}"
            yield replace(drawn, name=f"curves_{name}_{loss}", title=title)


def _curve_slice(method: str, strategy: str, capacity: str) -> Slice:
    return {SliceKey.MODEL: METHODS[method], SliceKey.STRATEGY: strategy, SliceKey.CAPACITY: capacity}


def _reliability_figures(audited: AuditedEnvironment) -> Iterator[Figure]:
    """Figures 5 and 6: of the first run of each."""
    name = audited.environment.name
    number = {"test": 5, "deployment": 6}[name]
    kind = CollaborationExhibit.RELIABILITY
    exhibits = {e.slice[SliceKey.MODEL]: e for e in audited.finding.exhibits if e.kind == kind}
    for loss in LOSSES:
        for method in RELIABILITY_METHODS:
            run = next((r for r in audited.environment.runs if (r.method, r.loss) == (method, loss)), None)
            if run and run.column in exhibits:
                drawn = draw_model_reliability(METHODS[method], exhibits[run.column])
                title = f"Figure {number}: {METHODS[method]}, {LOSSES[loss]}, {ENVIRONMENTS[name]}, one run"
                yield replace(drawn, name=f"reliability_{name}_{loss}_{method}", title=title, about={})
