"""What the calibration numbers are said to mean: the rule from estimates to verdicts, on numbers set by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import evenhand as eh
from audits.calibration.made import COLUMNS, made
from evenhand.audits.calibration.statements import CALIBRATE
from evenhand.audits.calibration.verdicts import (
    CLASSES_OFF,
    COLUMNS_OFF,
    CalibrationTendency,
    CalibrationTopic,
    calibration_verdicts,
    classes_by_excess,
)
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Status, Verdict
from evenhand.findings_file import from_json, to_json


@pytest.fixture(scope="module")
def finding() -> Finding:
    frame = made(600, 1, temperature=2.0)
    return eh.audit(frame, audits="calibration", probabilities=COLUMNS, label="kind", replicates=60).findings[0]


def marked(finding: Finding, *which: tuple[str, str | None]) -> Finding:
    """Exactly these marks, each a measure and a class or none."""
    estimates = []
    for m in finding:
        is_marked = (m.measure, m.slice.get("class")) in which and set(m.slice) <= {"class"}
        estimates.append(replace(m, estimate=replace(m.estimate, flags=(Flag.STANDS_OUT,) if is_marked else ())))
    return replace(finding, estimates=tuple(estimates))


def verdict(finding: Finding) -> Verdict:
    """What is said of errors over all items by a finding of an earlier version, without regions of scores."""
    found = calibration_verdicts(replace(finding, estimates=tuple(m for m in finding if "scored" not in m.slice)))
    return next(iter(found))


def test_the_finding_carries_its_verdict_and_topics(finding: Finding) -> None:
    assert finding.verdicts == tuple(calibration_verdicts(finding))
    assert finding.verdicts[-1].statement.endswith(verdict(finding).statement[1:])
    (overall,) = finding.readings_about(CalibrationTopic.OVERALL)
    assert overall.tendency == CalibrationTendency.OVERCONFIDENT
    assert len(finding.readings_about(CalibrationTopic.CLASS)) == 4
    assert [r.slice for r in finding.readings_about(CalibrationTopic.BINS)] == [{"bins": "all"}]
    (again,) = from_json(to_json([finding]), source="here")
    assert (again.verdicts, again.readings) == (finding.verdicts, finding.readings)
    assert to_json([again]) == to_json([finding])


@pytest.mark.parametrize(
    ("marks", "statement"),
    [
        ([("ece", None)], "Overconfident."),
        ([("ece", None), ("class_ece", "hostility")], "Overconfident; miscalibrated for class hostility."),
        ([("ace", None)], f"{COLUMNS_OFF}."),
        (
            [("class_ace", "criticism"), ("class_ece", "neutral")],
            f"{CLASSES_OFF}; miscalibrated for classes neutral and criticism.",
        ),
    ],
)
def test_what_stands_out_is_said(finding: Finding, marks: list[tuple[str, str | None]], statement: str) -> None:
    found = verdict(marked(finding, *marks))
    assert (found.status, found.statement, found.action) == (Status.STANDS_OUT, statement, CALIBRATE)
    assert re.search(r"differ by [\d.]+ percentage points \(expected by chance: [\d.]+ ", found.certainty)


def test_nothing_that_stands_out_says_how_much_could_be_there(finding: Finding) -> None:
    found = verdict(marked(finding))
    assert found.status is Status.QUIET
    assert found.statement == "No miscalibration detected in 600 items."
    assert f"up to {finding.get('ece').high:.4f}" in found.certainty
    assert found.action == ""


def test_a_finding_without_values_is_open(finding: Finding) -> None:
    nothing = Estimate.undefined("nobody was asked", level=0.95, n=0)
    found = verdict(replace(finding, estimates=tuple(replace(m, estimate=nothing) for m in finding)))
    assert (found.status, found.statement) == (Status.OPEN, "Calibration could not be measured: nobody was asked.")


@pytest.mark.verify
def test_each_model_has_a_verdict_of_its_own() -> None:
    frame = made(400, 2, temperature=3.0).with_columns(y=made(400, 2)["kind"] == "neutral")
    (finding,) = eh.audit(
        frame, audits="calibration", score=["p_neutral", "p_hostility"], label="y", replicates=50
    ).findings
    assert [dict(model) for model in {tuple(found.slice.items()): None for found in finding.verdicts}] == [
        {"model": "p_neutral"},
        {"model": "p_hostility"},
    ]


def test_the_class_furthest_beyond_a_calibrated_model_comes_first(finding: Finding) -> None:
    found = classes_by_excess(finding, {})
    excess = [one.error.value - one.reference.value for one in found]
    assert excess == sorted(excess, reverse=True)
    assert {one.name for one in found} == {"neutral", "criticism", "hostility", "discussion"}


@pytest.mark.verify
def test_a_calibrated_model_has_no_warning() -> None:
    (finding,) = eh.audit(made(800, 3), audits="calibration", probabilities=COLUMNS, label="kind", replicates=60)
    assert not any(found.status is Status.STANDS_OUT for found in finding.verdicts)
