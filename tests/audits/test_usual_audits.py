"""Without names, every audit is run whose columns are declared, and the report says what the others would need."""

from __future__ import annotations

import polars as pl
import pytest

import evenhand as eh

ROLES = {"score": "first", "label": "y", "groups": ["a", "b"], "replicates": 50, "capacities": ["0.1"]}


def names(report: eh.Report) -> list[str]:
    return [finding.audit for finding in report]


@pytest.fixture(scope="module")
def report(small: pl.DataFrame) -> eh.Report:
    return eh.audit(small.head(150), **ROLES)


def test_all_whose_columns_are_declared(report: eh.Report) -> None:
    assert names(report) == ["bias", "collaboration", "calibration"]
    assert report.not_run == {
        "accuracy": "needs `decision` or `inclusion`",
        "perspective": "needs `annotator`, `annotator_groups`, `item`",
    }


def test_decisions_add_their_accuracy(small: pl.DataFrame) -> None:
    table = small.head(40).with_columns(removed=pl.col("first") > 0.5)
    report = eh.audit(table, **ROLES, decision="removed", bins=50)
    assert names(report) == ["bias", "collaboration", "accuracy"]
    assert set(report.not_run) == {"calibration", "perspective"}


@pytest.mark.verify
def test_numbers_are_those_of_the_audit_alone(report: eh.Report, small: pl.DataFrame) -> None:
    for finding in report:
        (alone,) = eh.audit(small.head(150), **ROLES, audits=finding.audit).findings
        assert [m.estimate for m in finding] == [m.estimate for m in alone]


def test_audits_that_are_named_are_all_that_is_asked(small: pl.DataFrame) -> None:
    report = eh.audit(small, **ROLES, audits="bias")
    assert names(report) == ["bias"]
    assert not report.not_run


def test_what_stands_in_the_way_of_a_companion_is_told(small: pl.DataFrame) -> None:
    few = small.head(40)
    report = eh.audit(few, **ROLES, bins=50)
    assert "calibration" not in names(report)
    assert report.not_run["calibration"] == "50 bins, but only 40 items; lower `bins`"
    with pytest.raises(eh.InputError, match="50 bins, but only 40 items"):
        eh.audit(few, **ROLES, bins=50, audits=["bias", "calibration"])


def test_without_groups_a_problem_is_an_error(small: pl.DataFrame) -> None:
    with pytest.raises(eh.InputError, match="50 bins, but only 40 items"):
        eh.audit(small.head(40), score="first", label="y", bins=50, replicates=50)
