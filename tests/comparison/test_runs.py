"""What changed between two runs, and what may not be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from comparison.made import audited, made
from evenhand.comparison.changes import changed_numbers
from evenhand.comparison.runs import compare_runs
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Status
from evenhand.formatting import format_interval, format_number
from evenhand.intervals.mover import mover_difference
from evenhand.reports.comparison import grids_by_measure

NOW = {"run": "now", "against": "earlier"}


def test_a_planted_change_is_found_and_others_are_not() -> None:
    found = compare_runs([audited(made(1, shift=1.2))], [audited(made(2))])
    changed = {m.measure for m in found if "stands_out" in m.estimate.flags and m.slice.get("group") == "g"}
    assert {"bpsn_auc", "negative_aeg"} <= changed
    assert "positive_aeg" not in changed
    assert found.readings[0].tendency == "changed"


def test_the_interval_is_that_of_two_independent_numbers() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    found = compare_runs([now], [earlier])
    one, two = (finding.get("bpsn_auc", group="g") for finding in (now, earlier))
    e = found.get("bpsn_auc", of="bias", group="g", **NOW)
    assert e.value == pytest.approx(one.value - two.value)
    assert (e.low, e.high) == pytest.approx(
        mover_difference((one.value, one.low, one.high), (two.value, two.low, two.high))
    )
    assert found.get("bpsn_auc", of="bias", group="g", run="earlier").value == two.value


def test_both_runs_stand_there_with_their_intervals() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    found = compare_runs([now], [earlier])
    for one in changed_numbers(found):
        rest = {"group": one.where} if one.depth else {}
        assert (one.now.low, one.now.high) == (now.get(one.measure, **rest).low, now.get(one.measure, **rest).high)
    (table,) = [table for table in grids_by_measure(changed_numbers(found)) if table.title.endswith("BPSN AUC")]
    assert all(format_interval("bpsn_auc", estimate) for estimate in table.rows[0][1])


def test_a_difference_between_models_is_not_taken_for_a_number_of_one() -> None:
    frames = [made(seed, rows=500).with_columns(q=pl.col("p") ** 2) for seed in (1, 2)]
    now, earlier = (eh.audit(frame, score=["p", "q"], label="y", groups=["g"], audits="bias") for frame in frames)
    found = compare_runs(now.findings, earlier.findings)
    slices = [(m.measure, frozenset(m.slice.items())) for m in found]
    assert len(set(slices)) == len(slices)


def test_counts_differ_by_a_count() -> None:
    found = compare_runs([audited(made(1, rows=2000))], [audited(made(2))])
    assert format_number("count", found.get("count", of="bias", **NOW).value, signed=True) == "−1,000"
    assert format_number("count", 0.0, signed=True) == "0"
    assert format_number("count", 12.0, signed=True) == "+12"


def test_without_a_change_hardly_any_run_marks_one() -> None:
    before = audited(made(100, rows=800))
    marked = [
        compare_runs([audited(made(seed, rows=800))], [before]).readings[0].tendency == "changed" for seed in range(30)
    ]
    assert sum(marked) <= 3


def test_the_same_items_are_never_tested() -> None:
    frame = made(3)
    again = frame.with_columns(p=pl.col("p") ** 2)  # new scores of the same items
    found = compare_runs([audited(again)], [audited(frame)])
    assert any("same items" in caveat for caveat in found.caveats)
    assert not any("stands_out" in m.estimate.flags for m in found)
    e = found.get("tpr", of="bias", **NOW)
    assert e.method == "exact"
    assert e.low == e.value == e.high


def test_two_parts_of_one_file_are_not_the_same_items(tmp_path: Path) -> None:
    halves = [made(1, rows=1500, shift=1.5), made(2, rows=1500)]
    pl.concat(half.with_columns(month=pl.lit(k)) for k, half in enumerate(halves)).write_csv(tmp_path / "all.csv")
    roles = {"score": "p", "label": "y", "groups": ["g"], "audits": "bias"}
    now, earlier = (eh.audit(tmp_path / "all.csv", **roles, where=f"month = {k}").findings[0] for k in (0, 1))
    assert now.provenance["sha256"] == earlier.provenance["sha256"]
    found = compare_runs([now], [earlier])
    e = found.get("bpsn_auc", of="bias", group="g", **NOW)
    assert e.low < e.value < e.high < 0.0
    assert found.readings[0].tendency == "changed"
    assert any("each of other rows" in caveat for caveat in found.caveats)
    assert not any("cover the same items" in caveat for caveat in found.caveats)
    again = compare_runs([now], [now])
    assert again.get("bpsn_auc", of="bias", group="g", **NOW).method == "exact"


def test_the_same_rows_chosen_in_other_words_are_the_same_items(tmp_path: Path) -> None:
    made(1, rows=1500).with_row_index("n").write_csv(tmp_path / "all.csv")
    roles = {"score": "p", "label": "y", "groups": ["g"], "audits": "bias"}
    now, earlier = (eh.audit(tmp_path / "all.csv", **roles, where=f"n {c}").findings[0] for c in ("< 900", "<= 899"))
    assert compare_runs([now], [earlier]).get("bpsn_auc", of="bias", group="g", **NOW).method == "exact"


def test_settings_and_columns_that_differ_are_named() -> None:
    other = made(4).rename({"p": "q"})
    now = eh.audit(other, score="q", label="y", groups=["g"], audits="bias", threshold=0.7).findings[0]
    found = compare_runs([now], [audited(made(5))])
    text = " ".join(found.caveats)
    assert "threshold none → 0.7" in text
    assert "score p → q" in text
    assert "3,000 items" in text  # as many in both


def test_other_levels_are_not_mixed_up() -> None:
    found = compare_runs([audited(made(1), level=0.9)], [audited(made(2))])
    e = found.get("bpsn_auc", of="bias", group="g", **NOW)
    assert e.value is None
    assert "0.9 now and at 0.95" in str(e.note)


def test_what_only_one_run_has_is_told() -> None:
    now = eh.audit(made(1).with_columns(h=pl.col("g")), score="p", label="y", groups=["g", "h"], audits="bias")
    found = compare_runs(now.findings, [audited(made(2))])
    assert any("Only now" in r.text and "group h" in r.text for r in found.readings)


def test_numbers_without_an_interval_or_value_have_no_difference() -> None:
    now, earlier = audited(made(1)), audited(made(2))
    tested = Measured("divergence", {}, Estimate.tested(0.2, 0.3, level=0.95, method="permutation", n=9))
    gone = Measured("gone", {}, Estimate.undefined("nobody is there", level=0.95, n=0))
    now, earlier = (replace(f, estimates=(*f.estimates, tested, gone)) for f in (now, earlier))
    found = compare_runs([now], [earlier])
    assert "without an interval" in str(found.get("divergence", of="bias", **NOW).note)
    assert "nobody is there" in str(found.get("gone", of="bias", **NOW).note)


def test_runs_without_an_audit_in_common_are_refused() -> None:
    finding = audited(made(1))
    with pytest.raises(InputError, match="no audit in common"):
        compare_runs([finding], [replace(finding, audit="calibration")])


def test_a_report_carries_the_comparison_everywhere(tmp_path: Path) -> None:
    eh.audit(made(1), score="p", label="y", groups=["g"], audits="bias").save(tmp_path / "before")
    options = {"score": "p", "label": "y", "groups": ["g"], "audits": "bias"}
    report = eh.audit(made(2, shift=1.5), **options, compare=tmp_path / "before" / "findings.json")
    assert [finding.audit for finding in report] == ["bias", "comparison"]
    page = report.html()
    assert "What has changed since the earlier run?" in page
    assert '"audit": "comparison"' in report.json()
    report.save(tmp_path / "after")
    assert eh.load(tmp_path / "after" / "findings.json", audit="comparison").estimates == report.findings[1].estimates


def test_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="not a findings file"):
        eh.audit(made(1), score="p", label="y", groups=["g"], compare=tmp_path / "x.json", audits="bias")


HOSTILE = ("run", "of", "against", "model", "group", "pool", "as_if", "bins", "value", "a b.c", "язык")


def sliced(seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return made(seed, rows=600).with_columns(
        **{name: pl.Series(rng.choice(["now", "earlier", "b"], 600)) for name in HOSTILE}
    )


def test_columns_called_like_keys_of_a_comparison_collapse_nothing() -> None:
    now, earlier = (audited(sliced(seed), slices=list(HOSTILE)) for seed in (1, 2))
    found = compare_runs([now], [earlier])
    assert len(found.estimates) == 3 * len(now.estimates)
    for m in now:
        slice_ = {"of": "bias", **m.slice}
        assert found.get(m.measure, run="now", **slice_).value == m.estimate.value
        assert found.get(m.measure, run="earlier", **slice_).value == earlier.get(m.measure, **m.slice).value
    assert len(changed_numbers(found)) == len(now.estimates)


def earlier_version(finding: Finding) -> Finding:
    """As it was written before columns had keys of their own, and before findings had verdicts."""
    old = tuple(replace(m, slice={k.removesuffix("_column"): v for k, v in m.slice.items()}) for m in finding)
    return replace(finding, estimates=old, verdicts=(), exhibits=())


def test_a_run_of_an_earlier_version_is_compared_column_by_column() -> None:
    now, earlier = (audited(sliced(seed), slices=["run"]) for seed in (1, 2))
    assert {key for m in now for key in m.slice} == {"group", "run_column"}
    old = earlier_version(earlier)
    assert {key for m in old for key in m.slice} == {"group", "run"}
    found, expected = (compare_runs([now], [one]) for one in (old, earlier))
    assert found.estimates == expected.estimates
    assert found.readings == expected.readings


def test_what_is_about_a_column_keeps_its_audit() -> None:
    ranks = Measured("rank_agreement", {"of": "language"}, Estimate(0.5, 0.4, 0.6, 0.95, "fisher", 9))
    now, earlier = (replace(audited(made(seed)), estimates=(ranks,)) for seed in (1, 2))
    found = compare_runs([now], [earlier])
    assert found.get("rank_agreement", of="bias", of_column="language", run="now").value == 0.5
    (one,) = changed_numbers(found)
    assert (one.audit, one.where) == ("bias", "language")


def test_two_findings_of_one_audit_are_refused() -> None:
    finding = audited(made(1))
    with pytest.raises(InputError, match="2 findings to compare of the audit 'bias'"):
        compare_runs([finding], [audited(made(2)), audited(made(3))])


def test_the_verdict_follows_from_what_could_be_tested() -> None:
    quiet = compare_runs([audited(made(1))], [audited(made(2))]).verdicts
    untested = compare_runs([audited(made(1))], [audited(made(1).with_columns(p=pl.col("p") ** 2))]).verdicts
    assert [(one.status, one.action) for one in (*quiet, *untested)] == [(Status.QUIET, ""), (Status.OPEN, "")]
    assert "(−" in quiet[0].certainty


def test_the_same_authors_in_both_runs_are_said() -> None:
    """No item is in both, but items of one author are alike."""
    tables = [made(seed).with_columns(by=pl.Series(np.arange(3000) % 150)) for seed in (1, 2)]
    runs = [audited(table, cluster="by") for table in tables]
    assert any("Items belong together by 'by'" in text for text in compare_runs(runs[:1], runs[1:]).caveats)
    assert not any("'by'" in text for text in compare_runs([audited(tables[0])], [audited(tables[1])]).caveats)
