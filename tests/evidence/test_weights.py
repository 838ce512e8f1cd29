"""Items that matter more or less than others: by their views, which are neither copies nor a design."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.finding import Finding

ROLES = {"score": "p", "label": "y", "groups": ["g"]}


@pytest.fixture(scope="module")
def items() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    p = rng.beta(0.6, 1.6, 900)
    views = np.exp(rng.normal(size=900))
    return {"p": p, "y": rng.random(900) < p, "g": rng.random(900) < 0.4, "views": views, "times": np.ceil(5 * views)}


def audited(table: dict[str, Any], audit: str = "bias", **more: Any) -> Finding:
    return eh.audit(table, **ROLES, audits=[audit], replicates=200, **more).findings[0]


def width(finding: Finding, measure: str, **slice_: str) -> float:
    e = finding.get(measure, **slice_)
    return e.high - e.low


def test_values_are_those_of_copies_and_intervals_are_not(items: dict[str, Any]) -> None:
    """Five hundred views of one comment are one comment."""
    weighed, copied = audited(items, weight="times"), audited(items, count="times")
    for measure, slice_ in (("auroc", {}), ("fpr", {}), ("bpsn_auc", {"group": "g"}), ("positive_share", {})):
        assert weighed.get(measure, **slice_).value == pytest.approx(copied.get(measure, **slice_).value, abs=1e-12)
        assert width(weighed, measure, **slice_) > 2.0 * width(copied, measure, **slice_)
    assert weighed.get("count").value == 900.0
    assert copied.get("count").value == items["times"].sum()


@pytest.mark.parametrize("audit", ["bias", "calibration"])
def test_only_the_ratio_of_weights_matters(items: dict[str, Any], audit: str) -> None:
    one, thousand = (audited({**items, "w": items["views"] * by}, audit, weight="w") for by in (1.0, 1000.0))
    for m in one:
        other = thousand.get(m.measure, **m.slice)
        if m.estimate.defined:
            ends = (other.value, other.low, other.high)
            assert ends == pytest.approx((m.estimate.value, m.estimate.low, m.estimate.high), rel=1e-9, abs=1e-12)


def test_equal_weights_are_next_to_none(items: dict[str, Any]) -> None:
    plain, equal = audited(items), audited({**items, "w": np.full(900, 7.0)}, weight="w")
    for measure, slice_ in (("auroc", {}), ("fpr", {}), ("negative_aeg", {"group": "g"}), ("fpr_gap", {"group": "g"})):
        assert equal.get(measure, **slice_).value == pytest.approx(plain.get(measure, **slice_).value, abs=1e-12)
        assert width(equal, measure, **slice_) == pytest.approx(width(plain, measure, **slice_), rel=0.05)


def test_what_nobody_saw_is_left_out(items: dict[str, Any]) -> None:
    seen = items["views"] > 0.5
    some = audited({**items, "w": np.where(seen, items["views"], 0.0)}, weight="w")
    only = audited({name: values[seen] for name, values in items.items()}, weight="views")
    assert some.get("auroc") == only.get("auroc")
    assert some.get("count").value == seen.sum()


def test_the_report_says_what_they_are_worth(items: dict[str, Any]) -> None:
    worth = items["views"].sum() ** 2 / np.sum(items["views"] ** 2)
    for audit in ("bias", "calibration"):
        text = " ".join(audited(items, audit, weight="views").caveats)
        assert "Items are weighted by 'views'" in text
        assert f"as much information as about {float(f'{worth:.2g}'):,.0f} of equal weight" in text


def test_audits_that_count_items_are_left_out_with_the_reason(items: dict[str, Any]) -> None:
    report = eh.audit(items, **ROLES, weight="views", replicates=50)
    assert [finding.audit for finding in report.findings] == ["bias", "calibration"]
    assert "counts items: leave out `weight`" in report.not_run["collaboration"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"weight": "views", "count": "times"}, "`weight` cannot be used together with `count`"),
        ({"weight": "views", "inclusion": "p"}, "declared as|together with `inclusion`"),
        ({"weight": "below"}, "must be 0 or more"),
        ({"weight": "none"}, "all weights are 0"),
        ({"weight": "views", "audits": ["collaboration"]}, "the audit 'collaboration' counts items"),
    ],
)
def test_what_is_refused(items: dict[str, Any], more: dict[str, Any], problem: str) -> None:
    table = {**items, "below": items["views"] - 2.0, "none": np.zeros(900)}
    with pytest.raises(InputError, match=problem):
        eh.audit(table, **{**ROLES, "audits": ["bias"], **more})
