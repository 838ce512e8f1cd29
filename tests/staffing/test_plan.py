"""The finding of a staffing plan: it carries its verdicts, and one from a file is shown as the one that was made."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import evenhand as eh
from evenhand import findings_file
from evenhand.catalogue.collaboration import CAPACITY
from evenhand.errors import InputError
from evenhand.evidence import Declaration, open_evidence
from evenhand.figures import draw_figures
from evenhand.finding import Status
from evenhand.progress import silent
from evenhand.reports.terminal import print_findings
from evenhand.staffing import StaffingSettings, StaffingTarget, plan_staffing
from evenhand.staffing.settings import LEAST_COST
from evenhand.staffing.verdicts import StaffingTopic, staffing_caveats


def planned(*models: str, **settings) -> eh.Finding:
    rng = np.random.default_rng(4)
    p = rng.beta(0.5, 2.0, 800)
    table = pl.DataFrame({"p": p, "q": np.sqrt(p), "y": rng.random(800) < p})
    evidence = open_evidence(table, Declaration.of({"score": list(models or ("p",)), "label": "y"}))
    return plan_staffing(evidence, StaffingSettings.of({"replicates": 50, **settings}), silent)


def printed(finding: eh.Finding) -> str:
    out = io.StringIO()
    print_findings((finding,), Console(file=out, width=120))
    return out.getvalue()


@pytest.mark.verify
def test_a_finding_from_a_file_is_shown_as_the_one_that_was_made() -> None:
    prices = {"false_removal": 2.0, "missed_violation": 5.0, "review": 0.25}
    finding = planned("p", "q", targets=["oc_recall=0.9"], wrong_removals=0.4, missed_violations=0.01, **prices)
    report = eh.Report((finding,))
    (loaded,) = findings_file.from_json(report.json(), source="findings.json")
    again = eh.Report((loaded,))
    assert loaded.verdicts == finding.verdicts
    assert (again.json(), again.html(), again.csv()) == (report.json(), report.html(), report.csv())
    assert (printed(loaded), again.tables()) == (printed(finding), report.tables())
    assert draw_figures(loaded) == draw_figures(finding) == []


def test_verdicts_are_about_targets_and_promises() -> None:
    finding = planned("p", "q", targets=["oc_recall=0.9", "oc_accuracy=1"], benign_error=0.2, missed_violations=0.001)
    found = [(verdict.status, verdict.slice["model"], verdict.statement) for verdict in finding.verdicts]
    reached = [text for status, _, text in found if status is Status.MEASURED]
    assert reached == [reading.text for reading in finding.readings if reading.topic == StaffingTopic.PEOPLE]
    unreached = [text for status, model, text in found if status is Status.OPEN and model == "p"]
    assert unreached[0].startswith("For oc_accuracy of 1, with review by uncertainty: oc_accuracy does not reach 1")
    assert "cannot show that at most 0.1 % of violations are missed" in unreached[-1]


def test_a_target_is_a_measure_and_a_share() -> None:
    for text in ("oc_recall=0.9", " oc_recall = 90% "):
        assert StaffingTarget.parse(text) == StaffingTarget("oc_recall", 0.9)
    assert str(StaffingTarget("oc_recall", 0.9)) == "oc_recall 0.9"
    assert (str(LEAST_COST), LEAST_COST.aim) == ("least cost", "At the lowest cost")
    with pytest.raises(eh.InputError, match="invalid `targets`"):
        StaffingTarget.parse("oc_recall")


def table(rows: int = 200, **columns) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, rows)
    base = {
        "p": p,
        "q": rng.random(rows),
        "y": rng.random(rows) < p,
        "g": rng.random(rows) < 0.5,
        "text": ["a b"] * rows,
    }
    return pl.DataFrame({**base, **columns})


@pytest.mark.parametrize(
    ("roles", "settings", "says"),
    [
        ({"scale": "rank"}, {"targets": ("oc_accuracy=0.9",)}, "column 'p': a plan needs probabilities"),
        (
            {"inclusion": "pi"},
            {"targets": ("oc_accuracy=0.9",)},
            "counts of identical rows, but not inclusion probabilities",
        ),
        ({"count": "n"}, {"wrong_removals": 0.1}, "one row per labelled item, without counts or weights"),
    ],
)
def test_histories_that_cannot_be_planned_with(roles: dict[str, str], settings: dict, says: str) -> None:
    frame = table().with_columns(pi=pl.lit(0.5), n=pl.lit(2))
    evidence = open_evidence(frame, Declaration.of({"score": "p", "label": "y", **roles}))
    with pytest.raises(InputError, match=says):
        plan_staffing(evidence, StaffingSettings(strategies=("toxicity",), replicates=50, **settings), silent)


def test_a_plan_counts_authors() -> None:
    """Every item five times: without the authors, intervals and a guarantee take the copies for evidence."""
    rng = np.random.default_rng(3)
    p = np.repeat(rng.beta(0.3, 0.8, 300), 5)
    table = {"p": p, "y": np.repeat(rng.random(300) < p[::5], 5), "by": np.repeat(np.arange(300), 5)}
    settings = StaffingSettings(targets=("oc_recall=0.9",), missed_violations=0.03, replicates=50)
    alone, counted = (
        plan_staffing(open_evidence(table, Declaration.of({"score": "p", "label": "y", **more})), settings)
        for more in ({}, {"cluster": "by"})
    )
    narrow, wide = (
        next(m.estimate for m in finding if m.measure == CAPACITY and m.estimate.defined)
        for finding in (alone, counted)
    )
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert "Items belong together by by (300 clusters)" in " ".join(counted.caveats)
    assert "carry as much information as 300 independent ones" in " ".join(counted.caveats)
    assert any("label items of more clusters" in verdict.statement for verdict in counted.verdicts)
    assert not any("label items of more clusters" in verdict.statement for verdict in alone.verdicts)


def test_a_guarantee_says_what_voids_it() -> None:
    said = " ".join(staffing_caveats(StaffingSettings(wrong_removals=0.1)))
    assert all(word in said for word in ("share of violations", "languages", "`cluster`", "chosen again"))
    assert "A guarantee" not in " ".join(staffing_caveats(StaffingSettings(reviewers=2)))
