"""What a console shows: one short line, never arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand as eh

TABLE = pl.DataFrame({"p": np.linspace(0, 1, 40), "y": [False, True] * 20, "a": [True, False, False, True] * 10})
P = np.stack([1 - TABLE["p"].to_numpy(), TABLE["p"].to_numpy()], axis=1)


@pytest.fixture(scope="module")
def report() -> eh.Report:
    return eh.audit(TABLE, score="p", label="y", groups="a", audits="bias")


def test_an_estimate() -> None:
    estimate = eh.Estimate(0.91234, 0.89, 0.93, 0.95, "delong", 1800, flags=("small",))
    assert repr(estimate) == "<Estimate 0.912 (0.890 to 0.930), n = 1,800, small>"
    assert repr(eh.Estimate.undefined("no items", level=0.95, n=0)) == "<Estimate undefined: no items, n = 0>"


def test_a_report_and_its_parts(report: eh.Report) -> None:
    finding = report.findings[0]
    assert repr(report) == f"<Report of the frame (bias: {len(finding.estimates)} estimates)>"
    assert repr(finding) == f"<Finding bias: {len(finding.estimates)} estimates>"
    one = replace(finding, estimates=finding.estimates[:1])
    assert repr(one) == "<Finding bias: 1 estimate>"
    assert repr(eh.Report((one,))) == "<Report of findings (bias: 1 estimate)>"
    assert repr(report.figures[0]).startswith("<Figure bias/")


def test_evidence_and_its_declaration() -> None:
    declaration = eh.Declaration(score="p", label="y")
    assert repr(declaration) == "Declaration(score=('p',), label='y')"
    evidence = eh.open_evidence(TABLE, declaration)
    assert repr(evidence).startswith("<ScoreEvidence of the frame: ")
    assert len(repr(evidence)) < 200


def test_calibrators() -> None:
    assert repr(eh.calibrators.fit(P, TABLE["y"].cast(int))) == "<Calibrator ts: 0, 1; fitted to 40 items>"
    predictor = eh.conformal.calibrate(P, TABLE["y"].cast(int), alpha=0.1)
    assert repr(predictor) == "<ConformalPredictor lac, marginal: alpha = 0.1, 2 classes>"
