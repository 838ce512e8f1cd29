"""What the paper claims, judged on the runs at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from evenhand.audits.collaboration.settings import PAPER
from evenhand.intervals.ranks import FEWEST, spearman
from evenhand.reproduce.collaboration.runs import ENVIRONMENTS, LOSSES, METHODS, Audited
from evenhand.reproduce.collaboration.tables import STRATEGIES
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Claim, claim

ENSEMBLES = ("ensemble", "sngp-ensemble")
NEAR = 2.0


def claims(test: Audited, deployment: Audited) -> Iterator[Claim]:
    """All of them. What needs both losses or several methods is undecided without."""
    yield from _shift(test, deployment)
    for audited in (test, deployment):
        for judge in (_uncertainty_wins, _crossing, _ensembles, _focal, _strategy, _ranking):
            yield judge(audited)


def _over(audited: Audited, measure: str, loss: str | None = None, **slice_: str) -> float:
    """The mean over methods, of one loss or all."""
    found = [audited.mean(one, m, measure, **slice_) for one, m in audited.settings if loss in (None, one)]
    known = [value for value in found if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def _share(audited: Audited) -> float:
    return float(audited.environment.frame["label"].cast(float).mean() or 0.0)  # type: ignore[arg-type]


def _shift(test: Audited, deployment: Audited) -> Iterator[Claim]:
    measures = {"auroc": {}, "auprc": {}, "calibration_auprc": {"strategy": "uncertainty"}}
    drops = {m: _over(test, m, None, **s) - _over(deployment, m, None, **s) for m, s in measures.items()}
    printed = published("collaboration")["drop_test_to_deployment"]
    yield claim(
        "From test to deployment AUROC and AUPRC drop much, calibration AUPRC less",
        0 < min(drops["auroc"], drops["auprc"]) > drops["calibration_auprc"],
        "drops: " + ", ".join(f"{m} {value:.3f} (paper {printed[m]})" for m, value in drops.items()),
    )
    by_loss = {loss: _over(test, "auroc", loss) - _over(deployment, "auroc", loss) for loss in _losses(test)}
    yield claim(
        "Focal loss softens the drop in AUROC",
        by_loss["focal"] < by_loss["cross-entropy"] if len(by_loss) == 2 else None,
        ", ".join(f"{loss} {value:.3f}" for loss, value in by_loss.items()),
    )
    accuracy, brier = (_over(deployment, m) - _over(test, m) for m in ("accuracy", "brier"))
    yield claim(
        "Accuracy and Brier score improve under the shift, because violating items are rarer there",
        accuracy > 0 > brier,
        f"accuracy {accuracy:+.3f}, Brier {brier:+.3f}; violating: test {_share(test):.1%}, deployment "
        f"{_share(deployment):.1%} (paper 9.6 % and 2.5 %)",
    )


def _losses(audited: Audited) -> list[str]:
    return [loss for loss in LOSSES if audited.methods(loss)]


def _where(audited: Audited) -> str:
    return ENVIRONMENTS[audited.environment.name]


def _gains(audited: Audited, measure: str) -> list[float]:
    """What review by uncertainty has over review by score, mean over all models, at each capacity."""
    means = [[_over(audited, measure, None, strategy=s, capacity=c) for s in STRATEGIES] for c in PAPER]
    return [first - second for first, second in means]


def _uncertainty_wins(audited: Audited) -> Claim:
    ahead = [
        audited.mean(loss, m, "oc_auroc", strategy="uncertainty", capacity=c)
        >= audited.mean(loss, m, "oc_auroc", strategy="toxicity", capacity=c)
        for loss, m in audited.settings
        for c in PAPER
    ]
    return claim(
        f"Review by uncertainty beats review by score in OC-AUROC, for each model at each capacity ({_where(audited)})",
        all(ahead),
        f"in {sum(ahead)} of {len(ahead)} comparisons",
    )


def _crossing(audited: Audited) -> Claim:
    """Where review by score overtakes, in Review Efficiency, OC-Acc and Effectiveness, which all cross together."""
    gains = _gains(audited, "review_efficiency")
    crossed = [float(c) for c, gain in zip(PAPER, gains, strict=True) if gain < 0]
    share = _share(audited)
    near = bool(crossed) and share / NEAR <= crossed[0] <= share * NEAR and gains[0] > 0
    told = f"first overtaken at {crossed[0]:g}" if crossed else "never overtaken up to 0.2"
    return claim(
        f"Review by uncertainty finds more errors a look at first; review by score overtakes it at a capacity within "
        f"a factor of {NEAR:g} of the share of violating items ({_where(audited)})",
        near,
        f"{told}; violating {share:.3f}; Review Efficiency ahead by {gains[0]:+.3f} at 0.001, {gains[-1]:+.3f} "
        "at 0.2 (the paper: near .15 in-domain, .02 in deployment)",
    )


def _ensembles(audited: Audited) -> Claim:
    best = []
    for loss in _losses(audited):
        methods = audited.methods(loss)
        if set(ENSEMBLES) & set(methods) and len(methods) > len(ENSEMBLES):
            best += [max(methods, key=_score(audited, loss, "oc_auroc", capacity)) for capacity in PAPER]
    held = sum(method in ENSEMBLES for method in best)
    return claim(
        f"Ensembles have the best OC-AUROC ({_where(audited)}, review by uncertainty)",
        held == len(best) if best else None,
        f"an ensemble is best in {held} of {len(best)} pairs of loss and capacity",
    )


def _score(audited: Audited, loss: str, measure: str, capacity: str) -> Callable[[str], float]:
    return lambda method: audited.mean(loss, method, measure, strategy="uncertainty", capacity=capacity)


def _focal(audited: Audited) -> Claim:
    text = f"Focal loss raises AUROC and lowers calibration AUPRC ({_where(audited)})"
    if len(_losses(audited)) < 2:
        return claim(text, None, "needs runs with both losses")
    steps = [
        _over(audited, m, "focal", **s) - _over(audited, m, "cross-entropy", **s)
        for m, s in (("auroc", {}), ("calibration_auprc", {"strategy": "uncertainty"}))
    ]
    return claim(text, steps[0] > 0 > steps[1], f"AUROC {steps[0]:+.4f}, calibration AUPRC {steps[1]:+.4f}")


def _strategy(audited: Audited) -> Claim:
    """The step between strategies against the range over methods, at each capacity."""
    larger, shown = 0, ""
    gains = _gains(audited, "oc_auroc")
    for capacity, gain in zip(PAPER, gains, strict=True):
        ranges = []
        for loss in _losses(audited):
            found = [_score(audited, loss, "oc_auroc", capacity)(m) for m in audited.methods(loss)]
            ranges.append(max(found) - min(found))
        larger += abs(gain) > max(ranges)
        shown = f"at {capacity} the strategy {gain:+.4f}, the model {max(ranges):.4f}" if capacity == "0.1" else shown
    return claim(
        f"The strategy matters more than the model, in OC-AUROC ({_where(audited)})",
        larger > len(PAPER) / 2,
        f"at {larger} of {len(PAPER)} capacities; {shown}",
    )


def _ranking(audited: Audited) -> Claim:
    """Do calibration AUPRC, Brier and ECE rank methods as Review Efficiency at 1 % does?"""
    text = (
        f"Calibration AUPRC ranks methods as Review Efficiency at a low capacity does, Brier score and ECE do not "
        f"({_where(audited)})"
    )
    found: dict[str, list[float]] = {"calibration_auprc": [], "brier": [], "ece": []}
    for loss in _losses(audited):
        methods = audited.methods(loss)
        if len(methods) < FEWEST:
            return claim(text, None, f"needs at least {FEWEST} methods")
        efficiency = [_score(audited, loss, "review_efficiency", "0.01")(m) for m in methods]
        for measure, kept in found.items():
            slice_ = {"strategy": "uncertainty"} if measure == "calibration_auprc" else {}
            sign = 1.0 if measure == "calibration_auprc" else -1.0
            ours = [sign * audited.mean(loss, m, measure, **slice_) for m in methods]
            kept.append(spearman(list(zip(ours, efficiency, strict=True)), 0.95).value or 0.0)
    means = {measure: float(np.mean(kept)) for measure, kept in found.items()}
    return claim(
        text,
        means["calibration_auprc"] > max(means["brier"], means["ece"], 0.5),
        "mean rank correlation with Review Efficiency at 1 %: "
        + ", ".join(f"{measure} {value:+.2f}" for measure, value in means.items())
        + f" (of {', '.join(METHODS[m] for m in audited.methods(_losses(audited)[0]))})",
    )
