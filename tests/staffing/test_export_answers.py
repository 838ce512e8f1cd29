"""What the first reader of a report on the export stumbled over, each held against the numbers of that export.

Sentences on the first page agree with the numbers, also of groups that are found by words; calibration leads with what
scores mean; a queue gets a calibrator that keeps its order; the report is short.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.audits.bias.verdicts import worst_first, worst_group
from evenhand.evidence import Declaration, open_evidence
from evenhand.recalibration import RecalibrationSettings, calibrate_one_file, compare_calibrators
from evenhand.staffing import StaffingSettings, plan_staffing
from staffing.wikipedia_export import write_export

MODELS = ("tox_pct", "vendor_pct")
GROUPS = {"women": ["women", "woman"], "gay people": ["gay", "gays"]}
ROLES = {"scale": "percent", "label": "verdict", "positive": "remove"}
pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def export(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(real_data, tmp_path_factory.mktemp("export"))


@pytest.fixture(scope="module")
def report(export: Path) -> eh.Report:
    audits = ["bias", "calibration", "collaboration"]
    options = {"text": "text", "terms": GROUPS, "capacities": ["1%", "5%", "10%"], "replicates": 50}
    return eh.audit(export, score=list(MODELS), audits=audits, **ROLES, **options)  # type: ignore[arg-type]


def found(report: eh.Report, audit: str) -> eh.Finding:
    return next(finding for finding in report if finding.audit == audit)


def texts(finding: eh.Finding, model: str) -> list[str]:
    return [verdict.statement for verdict in finding.verdicts if verdict.slice.get("model") == model]


def test_the_first_page_names_whom_it_flags_by_mistake(report: eh.Report) -> None:
    """The card said that nothing stands out, of a group that was marked."""
    bias = found(report, "bias")
    assert bias.get("fpr_ratio", model="vendor_pct", group="gay people").low > 1.25
    assert bias.verdicts[0].slice["model"] == "vendor_pct" or not texts(bias, "tox_pct")[0].startswith("Benign")
    for model in MODELS:
        named = re.findall(
            r"Benign items that mention ([a-z ]+?) are flagged [\d.]+ times", " ".join(texts(bias, model))
        )
        ratios = {group: bias.get("fpr_ratio", model=model, group=group) for group in GROUPS}
        assert set(named) == {group for group, ratio in ratios.items() if ratio.low and ratio.low > 1.25}
    assert "allowing for 8 comparisons" in " ".join(v.certainty for v in bias.verdicts)  # not for everything measured


def test_a_marked_gap_is_told_and_the_worst_group_comes_first(report: eh.Report) -> None:
    """Two marked gaps read as "not clearly scored differently"; the card named another group than the table."""
    bias = found(report, "bias")
    for model in MODELS:
        told = " ".join(texts(bias, model))
        for group in GROUPS:
            gaps = [bias.get(f"{side}_aeg", model=model, group=group) for side in ("negative", "positive")]
            if any("stands_out" in gap.flags for gap in gaps):
                assert group in told
        worst = worst_group(bias, {"model": model})
        assert worst is None or worst.group == worst_first(bias)[0]


def test_a_mark_in_favour_of_a_group_is_not_that_of_harm(report: eh.Report) -> None:
    page = eh.Report((found(report, "bias"),)).html()
    assert '<sup class="good"' in page
    assert "○" in page


def test_calibration_leads_with_what_scores_mean(report: eh.Report) -> None:
    """Page one said "off beyond chance: benign", while comments scored 30 to 40 % violated half of the time."""
    calibration = found(report, "calibration")
    for model in MODELS:
        assert texts(calibration, model)[0].startswith("Items scored ")
        told = [reading for reading in calibration.readings if reading.topic == "class"]
        for reading in told:
            own = calibration.get("class_ece", **reading.slice)
            low, high = (float(n) for n in re.findall(r"\(([\d.]+) to ([\d.]+)\)", reading.text)[0])
            inside = low - 5e-5 <= own.value <= high + 5e-5
            assert ("as expected for a calibrated model" in reading.text) == inside, reading.text


def test_a_strategy_is_better_only_where_it_is(report: eh.Report) -> None:
    """It "beat, but not at" two of three capacities."""
    collaboration = found(report, "collaboration")
    for reading in collaboration.readings:
        if reading.topic != "ranking":
            continue
        shares = collaboration.values("capacity")
        ahead = [
            collaboration.get("oc_auroc", strategy="uncertainty", capacity=share, **reading.slice).value
            > collaboration.get("oc_auroc", strategy="toxicity", capacity=share, **reading.slice).value
            for share in shares
        ]
        if "the most uncertain items is better" in reading.text:
            assert sum(ahead) > len(ahead) / 2
            assert all(ahead) == ("at every capacity" in reading.text)


def test_the_calibrator_in_the_sentence_is_the_one_that_is_best_in_its_column(export: Path) -> None:
    """The text said isotonic, the table starred beta; "F1 moves most", from .961 to .961."""
    frame = pl.read_csv(export).with_columns(p=pl.col("tox_pct") / 100.0, y=pl.col("verdict") == "remove")
    halves = [open_evidence(half, Declaration.of({"score": "p", "label": "y"})) for half in (frame[::2], frame[1::2])]
    finding = compare_calibrators(*halves, RecalibrationSettings())
    errors = {name: finding.get("cece", calibrator=name) for name in finding.values("calibrator")}
    (named,) = (reading.slice["calibrator"] for reading in finding.readings if "has the lowest CECE" in reading.text)
    assert errors[named].value == min(error.value for error in errors.values())
    assert "best" in errors[named].flags
    told = " ".join(reading.text for reading in finding.readings)
    ((before, name, after),) = re.findall(r"F1 is ([\d.]+) before .+ most with ([\w ]+), to ([\d.]+)\.", told)
    assert before != after
    assert name == "histogram binning"


def test_calibrating_in_one_step_keeps_scale_and_order(export: Path, tmp_path: Path) -> None:
    """A histogram with 18 values was recommended for a queue, from 0 to 1 beside 0 to 100, with two files."""
    done = calibrate_one_file(export, tmp_path / "out.parquet", {"score": "tox_pct", **ROLES}, split="0.5")
    out = pl.read_parquet(tmp_path / "out.parquet").sort(pl.col("tox_pct").cast(float))  # what a CSV says stays text
    assert done.method not in ("histogram", "isotonic")
    assert out["tox_pct_calibrated"].n_unique() > 1000
    assert out["tox_pct_calibrated"].max() > 90.0
    assert np.diff(out["tox_pct_calibrated"].to_numpy()).min() >= -1e-9


def test_a_target_that_the_model_alone_reaches_says_what_is_missed(export: Path) -> None:
    """ "For accuracy of .95: nobody, the model alone is enough", with a third of the violations missed."""
    evidence = open_evidence(export, Declaration.of({"score": "tox_pct", **ROLES}))
    finding = plan_staffing(evidence, StaffingSettings(targets=("oc_accuracy=0.95",), replicates=50))
    told = re.findall(r"it misses ([\d.]+) % of the violations", " ".join(v.statement for v in finding.verdicts))
    labels, scores = evidence.rows.label, np.asarray(evidence.scores["tox_pct"])
    assert [float(missed) for missed in told] == pytest.approx(
        [100.0 * (scores[labels == 1] < 50.0).mean()] * 2, abs=0.06
    )


def test_the_report_is_short(report: eh.Report) -> None:
    """75 pages and 9 MB, with tables of short items of nobody."""
    page = report.html()
    assert len(page.encode()) < 1_500_000
    assert not re.search(r"<td[^>]*>\s*nan", page)
