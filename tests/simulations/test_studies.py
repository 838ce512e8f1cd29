"""What the intervals promise, held against the committed studies, and a short run of each that must agree with them."""

from __future__ import annotations

import math

import pytest
from studies import coverage, design, differences, families, familywise, gaps, summaries
from studies.study import Row

from simulations.agreement import again


def in_cell(row: Row) -> bool:
    return row["shape"] in coverage.PROMISED


def test_five_thousand_draws_or_more() -> None:
    assert coverage.STUDY.draws >= 5000
    assert len(coverage.STUDY.read()) == sum(3 if cell["layout"] == "aucs" else 2 for cell in coverage.STUDY.cells)


def test_every_metric_covers_at_least_93_percent_in_every_cell() -> None:
    promised = [row for row in coverage.STUDY.read() if in_cell(row)]
    assert {row["metric"] for row in promised} == {c.name for c in coverage.bias.COMPARISONS}
    low = [row for row in promised if row["coverage"] < 0.93]
    assert low == []


def test_large_samples_are_neither_too_short_nor_too_wide() -> None:
    large = [
        row
        for row in coverage.STUDY.read()
        if in_cell(row) and min(row["high"], row["low"]) >= 100 and 0.6 <= row["auc"] <= 0.95
    ]
    assert len(large) > 100
    assert [row for row in large if not 0.93 <= row["coverage"] <= 0.97] == []


def test_over_coverage_stays_where_samples_hardly_misrank_anything() -> None:
    """Above 99.5 % in few cells, all with an AUC of .95 or more, and never all the time."""
    rows = [row for row in coverage.STUDY.read() if in_cell(row)]
    over = [row for row in rows if row["coverage"] > 0.995]
    assert len(over) <= 0.06 * len(rows)
    assert all(row["auc"] >= 0.95 for row in over)
    assert max(row["coverage"] for row in over) < 0.9995


def test_ours_is_better_than_the_alternatives() -> None:
    """Fewer cells out of bounds than each of the other three, and none below."""
    rows = [row for row in coverage.STUDY.read() if in_cell(row)]

    def out(column: str) -> int:
        return sum(not 0.93 <= row[column] <= 0.995 for row in rows)

    assert out("coverage") < min(out(name) for name in ("logit_delong", "newcombe", "envelope"))


@pytest.mark.verify
@pytest.mark.parametrize("number", range(0, len(coverage.STUDY.cells), 97))
def test_coverage_again(number: int) -> None:
    again(coverage.STUDY, number, 400, ("coverage",))


@pytest.mark.verify
def test_differences_between_models_cover() -> None:
    rows = differences.STUDY.read()
    assert min(row["coverage"] for row in rows) >= 0.92
    assert sum(row["coverage"] < 0.93 for row in rows) <= 2
    assert min(row["paired_delong"] for row in rows) < 0.8  # what is usually done
    for number in (0, 30, 71):
        again(differences.STUDY, number, 400, ("coverage",))


def test_gaps_between_rates_cover() -> None:
    """With ten or fifteen items and rates near 0 or 1 a little less than 93 %."""
    rows = gaps.STUDY.read()
    assert min(row["coverage"] for row in rows) >= 0.88
    assert min(row["coverage"] for row in rows if row["items"] >= 30) >= 0.945
    for number in (0, 17):
        assert gaps.STUDY.cell(number, 1)[0]["coverage"] == pytest.approx(rows[number]["coverage"], abs=1e-5)


def test_designs_are_unbiased_and_cover() -> None:
    """Ratios and AUCs are biased in order 1/n; counts are not at all."""
    rows = design.STUDY.read()
    for row in rows:
        assert abs(row["relative_bias"]) < 0.05, row
        if row["measure"] == "count":
            assert abs(row["bias_in_errors"]) < 4.0
        if row["share"] == 1.0:
            assert row["coverage"] == 1.0
    sampled = [row for row in rows if row["share"] < 1.0]
    assert min(row["coverage"] for row in sampled) >= 0.915
    rates = [row["coverage"] for row in sampled if row["measure"] in ("fpr", "fpr_gap")]
    assert 0.93 <= min(rates) <= max(rates) <= 0.97
    again(design.STUDY, 1, 150, ("coverage",))


@pytest.mark.verify
def test_summaries_over_overlapping_groups_cover() -> None:
    for row in summaries.STUDY.read():
        assert row["coverage"] >= 0.93, row
        if row["rows"] == 10_000 and row["aucs"] == ".8 to .9":
            assert row["coverage"] <= 0.97, row
    again(summaries.STUDY, 2, 200, ("coverage", "marked"))


@pytest.mark.verify
def test_false_marks_are_rare() -> None:
    for row in familywise.STUDY.read():
        assert row["audits_with_a_false_mark"] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / familywise.STUDY.draws), row
    again(familywise.STUDY, 3, 150, ("audits_with_a_false_mark",))


@pytest.mark.verify
def test_each_family_keeps_its_error_and_finds_more() -> None:
    """Than one correction of everything, with 24 groups, two models and slices; headline intervals hold at once."""
    draws = families.STUDY.draws
    for row in families.STUDY.read():
        for name in families.FALSE:
            assert row[name] <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / draws), row
        assert row["held_together"] >= 0.94 - 2 * math.sqrt(0.94 * 0.06 / draws), row
        assert row["separate"] >= row["together"] - 0.02
        assert not row["together"] or row["separate"] >= row["together"] + 0.15, row
    again(families.STUDY, 1, 20, ("held_together",))
