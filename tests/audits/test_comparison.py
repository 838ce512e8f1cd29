"""What changed between two runs, and what may not be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.comparison import compare
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.intervals.independent import difference
from evenhand.reports.comparison import changes, tables_of
from evenhand.reports.words import interval, number

NOW = {"run": "now", "against": "earlier"}


def made(seed: int, *, shift: float = 0.0, rows: int = 3000) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    label, group = rng.random(rows) < 0.3, rng.random(rows) < 0.4
    logit = 2.0 * label - 1.0 + shift * (group & ~label) + rng.normal(size=rows)
    return pl.DataFrame({"p": 1.0 / (1.0 + np.exp(-logit)), "y": label, "g": group})


def audited(frame: pl.DataFrame, **options: object) -> Finding:
    return eh.audit(frame, score="p", label="y", groups=["g"], audits="bias", **options).findings[0]  # type: ignore[arg-type]


def test_a_planted_change_is_found_and_others_are_not() -> None:
    found = compare([audited(made(1, shift=1.2))], [audited(made(2))])
    changed = {m.measure for m in found if "stands_out" in m.estimate.flags and m.slice.get("group") == "g"}
    assert {"bpsn_auc", "negative_aeg"} <= changed
    assert "positive_aeg" not in changed
    assert found.readings[0].tendency == "changed"


def test_the_interval_is_that_of_two_independent_numbers() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    found = compare([now], [earlier])
    one, two = (finding.get("bpsn_auc", group="g") for finding in (now, earlier))
    e = found.get("bpsn_auc", of="bias", group="g", **NOW)
    assert e.value == pytest.approx(one.value - two.value)
    assert (e.low, e.high) == pytest.approx(difference((one.value, one.low, one.high), (two.value, two.low, two.high)))
    assert found.get("bpsn_auc", of="bias", group="g", run="earlier").value == two.value


def test_both_runs_stand_there_with_their_intervals() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    found = compare([now], [earlier])
    for one in changes(found):
        rest = {"group": one.where} if one.depth else {}
        assert (one.now.low, one.now.high) == (now.get(one.measure, **rest).low, now.get(one.measure, **rest).high)
    (table,) = [table for table in tables_of(changes(found)) if table.title.endswith("BPSN AUC")]
    assert all(interval("bpsn_auc", estimate) for estimate in table.rows[0][1])


def test_a_difference_between_models_is_not_taken_for_a_number_of_one() -> None:
    frames = [made(seed, rows=500).with_columns(q=pl.col("p") ** 2) for seed in (1, 2)]
    now, earlier = (eh.audit(frame, score=["p", "q"], label="y", groups=["g"], audits="bias") for frame in frames)
    found = compare(now.findings, earlier.findings)
    slices = [(m.measure, frozenset(m.slice.items())) for m in found]
    assert len(set(slices)) == len(slices)


def test_counts_differ_by_a_count() -> None:
    found = compare([audited(made(1, rows=2000))], [audited(made(2))])
    assert number("count", found.get("count", of="bias", **NOW).value, signed=True) == "−1,000"
    assert number("count", 0.0, signed=True) == "0"
    assert number("count", 12.0, signed=True) == "+12"


def test_without_a_change_hardly_any_run_marks_one() -> None:
    before = audited(made(100, rows=800))
    marked = [
        compare([audited(made(seed, rows=800))], [before]).readings[0].tendency == "changed" for seed in range(30)
    ]
    assert sum(marked) <= 3


def test_the_same_items_are_never_tested() -> None:
    frame = made(3)
    again = frame.with_columns(p=pl.col("p") ** 2)  # new scores of the same items
    found = compare([audited(again)], [audited(frame)])
    assert any("same items" in caveat for caveat in found.caveats)
    assert not any("stands_out" in m.estimate.flags for m in found)
    e = found.get("tpr", of="bias", **NOW)
    assert e.method == "exact"
    assert e.low == e.value == e.high


def test_settings_and_columns_that_differ_are_named() -> None:
    other = made(4).rename({"p": "q"})
    now = eh.audit(other, score="q", label="y", groups=["g"], audits="bias", threshold=0.7).findings[0]
    found = compare([now], [audited(made(5))])
    text = " ".join(found.caveats)
    assert "threshold none → 0.7" in text
    assert "score p → q" in text
    assert "3,000 items" in text  # as many in both


def test_other_levels_are_not_mixed_up() -> None:
    found = compare([audited(made(1), level=0.9)], [audited(made(2))])
    e = found.get("bpsn_auc", of="bias", group="g", **NOW)
    assert e.value is None
    assert "0.9 now and at 0.95" in str(e.note)


def test_what_only_one_run_has_is_told() -> None:
    now = eh.audit(made(1).with_columns(h=pl.col("g")), score="p", label="y", groups=["g", "h"], audits="bias")
    found = compare(now.findings, [audited(made(2))])
    assert any("Only now" in r.text and "group h" in r.text for r in found.readings)


def test_numbers_without_an_interval_or_value_have_no_difference() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    tested = Measured("divergence", {}, Estimate.tested(0.2, 0.3, level=0.95, method="permutation", n=9))
    gone = Measured("gone", {}, Estimate.undefined("nobody is there", level=0.95, n=0))
    now, earlier = (replace(f, estimates=(*f.estimates, tested, gone)) for f in (now, earlier))
    found = compare([now], [earlier])
    assert "without an interval" in str(found.get("divergence", of="bias", **NOW).note)
    assert "nobody is there" in str(found.get("gone", of="bias", **NOW).note)


def test_runs_without_an_audit_in_common_are_refused() -> None:
    finding = audited(made(1))
    with pytest.raises(InputError, match="no audit in common"):
        compare([finding], [replace(finding, audit="calibration")])


def test_a_report_carries_the_comparison_everywhere(tmp_path: Path) -> None:
    eh.audit(made(1), score="p", label="y", groups=["g"]).save(tmp_path / "before")
    options = {"score": "p", "label": "y", "groups": ["g"]}
    report = eh.audit(made(2, shift=1.5), **options, compare=tmp_path / "before" / "findings.json")
    assert [finding.audit for finding in report] == ["bias", "comparison"]
    page = report.html()
    assert "What has changed since the earlier run?" in page
    assert '"audit": "comparison"' in report.json()
    report.save(tmp_path / "after")
    assert eh.load(tmp_path / "after" / "findings.json", audit="comparison").estimates == report.findings[1].estimates


def test_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="holds no findings"):
        eh.audit(made(1), score="p", label="y", groups=["g"], compare=tmp_path / "x.json")
