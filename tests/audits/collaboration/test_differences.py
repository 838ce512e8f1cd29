"""Two strategies on the same items, and numbers that another audit prints too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.audits.collaboration import differences
from evenhand.finding import Finding
from evenhand.intervals.mover import mover_difference
from evenhand.intervals.significance import simultaneous_quantile

ROLES = {"score": "p", "label": "y", "capacities": ["0.05", "0.2"]}


def scored(items: int, seed: int, **more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 2.0, items)
    return {"p": p, "y": rng.random(items) < p, **more}


def found(table: dict[str, Any], **more: Any) -> Finding:
    return eh.audit(table, **ROLES, audits="collaboration", **more).findings[0]


def difference(finding: Finding, measure: str, capacity: str = "0.05") -> Any:
    return finding.get(measure, strategy="toxicity", against="uncertainty", capacity=capacity)


def test_a_difference_is_that_of_the_two_numbers_and_known_better_than_either() -> None:
    finding = found(scored(3000, 1))
    for measure in (
        "oc_recall",
        "oc_precision",
        "oc_accuracy",
        "oc_auroc",
        "review_efficiency",
        "review_effectiveness",
    ):
        both = [finding.get(measure, strategy=name, capacity="0.2") for name in ("toxicity", "uncertainty")]
        paired = difference(finding, measure, "0.2")
        assert paired.value == pytest.approx(both[0].value - both[1].value, abs=1e-12)
        assert paired.low < paired.value < paired.high
    ends = [(e.value, e.low, e.high) for e in both]
    low, high = mover_difference(ends[0], ends[1])
    assert paired.high - paired.low < 1.3 * (high - low)


def test_a_difference_of_many_standard_errors_is_called_one() -> None:
    text = next(r.text for r in found(scored(4000, 2)).readings if r.topic == "ranking")
    assert "at no capacity" not in text
    assert "intervals" not in text


def test_one_interval_whichever_audit_prints_it() -> None:
    table = scored(900, 3, g=np.arange(900) % 3 == 0, author=np.arange(900) // 6)
    for more in ({"cluster": "author"}, {"level": 0.9, "seed": 5}):
        ours, theirs = eh.audit(
            table, **ROLES, groups=["g"], audits=["collaboration", "calibration"], replicates=50, **more
        ).findings
        for measure, slice_ in (("ece", {}), ("brier", {}), ("brier", {"group": "g"})):
            one, other = ours.get(measure, **slice_), theirs.get(measure, **slice_)
            assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)
            assert one.method == other.method


def test_clusters_widen_what_people_and_model_achieve() -> None:
    table = scored(1200, 4)
    pairs = {name: np.repeat(values, 2) for name, values in table.items()} | {"pair": np.repeat(np.arange(1200), 2)}
    once, twice = found(table), found(pairs, cluster="pair")
    for measure in ("accuracy", "precision", "recall", "f1", "auroc", "auprc", "brier"):
        widths = [f.get(measure).high - f.get(measure).low for f in (once, twice)]
        assert widths[1] / widths[0] == pytest.approx(1.0, abs=0.2), measure
        assert twice.get(measure).method.endswith("_by_cluster")
    widths = [difference(f, "oc_accuracy").high - difference(f, "oc_accuracy").low for f in (once, twice)]
    assert widths[1] / widths[0] == pytest.approx(1.0, abs=0.2)
    assert "carry as much information as" in " ".join(twice.caveats)


@pytest.mark.parametrize(
    "strategies",
    [["uncertainty", "toxicity"], pytest.param(["toxicity", "column:u"], marks=pytest.mark.verify)],
    ids=["usual", "column"],
)
def test_influence_beside_items_left_out(strategies: list[str]) -> None:
    """The jackknife: what leaving out each item in turn does to the difference, with the cut moving along."""
    rng = np.random.default_rng(6)
    table = scored(400, 5, u=rng.random(400))
    roles = {**ROLES, "capacities": ["0.2"], "audits": "collaboration", "strategies": strategies, "uncertainty": "u"}
    view_of = lambda t: eh.audit(t, **roles, replicates=50).findings[0]  # noqa: E731
    slice_ = {"strategy": strategies[1], "against": strategies[0], "capacity": "0.2"}
    draws = []
    for _ in range(40):
        rows = rng.integers(0, 400, 400)
        draws.append(view_of({name: values[rows] for name, values in table.items()}).get("oc_accuracy", **slice_).value)
    found = view_of(table).get("oc_accuracy", **slice_)
    assert (found.high - found.low) / 3.92 == pytest.approx(np.std(draws), rel=0.4)


@pytest.mark.verify
def test_recall_and_precision_differ_as_much_as_samples_scatter() -> None:
    """Over 40 samples; half the width is 2.24 standard errors, as the two hold together."""
    found_in = [found(scored(600, 50 + seed), replicates=50) for seed in range(40)]
    for measure in ("oc_recall", "oc_precision"):
        paired = [difference(one, measure, "0.2") for one in found_in]
        errors = [(one.high - one.low) / (2 * 2.24) for one in paired]
        assert np.mean(errors) == pytest.approx(np.std([one.value for one in paired]), rel=0.4), measure


def test_simultaneous_intervals_hold_together() -> None:
    rng = np.random.default_rng(0)
    covariance = np.cov(rng.normal(size=(6, 10)) @ rng.normal(size=(10, 500)))
    reach = simultaneous_quantile(covariance, 0.95)
    errors = np.abs(rng.multivariate_normal(np.zeros(6), covariance, 4000)) / np.sqrt(np.diag(covariance))
    assert np.mean(errors.max(axis=1) <= reach) == pytest.approx(0.95, abs=0.015)


@pytest.mark.verify
def test_differences_cover() -> None:
    """Over 100 samples; both capacities must hold together, and recall and precision with each other."""
    large, right = found(scored(400_000, 0), replicates=50), {"accuracy": 0, "headline": 0}
    families = {"accuracy": ("oc_accuracy",), "headline": ("oc_recall", "oc_precision")}
    for seed in range(100):
        finding = found(scored(800, 10 + seed), replicates=50)
        for family, measures in families.items():
            right[family] += all(
                difference(finding, measure, at).low
                <= difference(large, measure, at).value
                <= difference(finding, measure, at).high
                for measure in measures
                for at in ("0.05", "0.2")
            )
    assert right["accuracy"] / 100 == pytest.approx(0.95, abs=0.06)
    assert right["headline"] / 100 == pytest.approx(0.96, abs=0.04)


def test_steps_of_the_score_give_the_interval_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    p = rng.random(3000)
    table = {"p": p, "y": rng.random(3000) < p**2}

    def found(steps: int) -> eh.Finding:
        monkeypatch.setattr(differences, "FEWEST_STEPS", steps)
        return eh.audit(table, audits="collaboration", score="p", label="y").findings[0]

    rows, steps = found(10_000), found(1000)
    compared = [m for m in rows if "against" in m.slice]
    assert compared
    for measured in compared:
        one, other = measured.estimate, steps.get(measured.measure, **measured.slice)
        assert other.value == one.value
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.02 * (one.high - one.low))
