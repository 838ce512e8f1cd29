"""Calibrators side by side: what is recommended of models whose honesty is known."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from audits.calibration.made import COLUMNS, made
from evenhand.calibrators import METHODS, fit
from evenhand.errors import InputError
from evenhand.evidence import Declaration, open_evidence
from evenhand.measures.calibration import ModelPredictions, measure_calibration
from evenhand.recalibration.comparison import RecalibrationSettings, compare_calibrators
from evenhand.recalibration.recommendation import _decisions

ROLES = {"probabilities": COLUMNS, "label": "kind"}


def compared(validation: pl.DataFrame, test: pl.DataFrame, *, beside=None, roles=None, **settings) -> eh.Finding:
    declaration = Declaration.of(roles or ROLES)
    first, second = (open_evidence(frame, declaration) for frame in (validation, test))
    others = {name: open_evidence(frame, declaration) for name, frame in (beside or {}).items()}
    return compare_calibrators(first, second, RecalibrationSettings.of(settings), beside=others)


def recommended(finding: eh.Finding) -> str:
    (found,) = [r for r in finding.readings if r.tendency == "recommended"]
    return found.slice["calibrator"]


@pytest.mark.verify
def test_a_sharpened_model_wants_a_temperature() -> None:
    finding = compared(made(3000, 1, 2.0), made(3000, 2, 2.0))
    assert recommended(finding) == "ts"
    assert finding.values("calibrator") == ("none", "ts", "wts", "vector", "isotonic", "histogram")
    before, after = (finding.get("ece", calibrator=name).value for name in ("none", "ts"))
    assert after < before / 4
    assert finding.get("weighted_f1", calibrator="ts").value == finding.get("weighted_f1", calibrator="none").value


@pytest.mark.verify
def test_an_honest_model_is_left_alone() -> None:
    assert recommended(compared(made(3000, 3), made(3000, 4))) == "none"


def test_a_score_has_the_binary_ones_too() -> None:
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 2.0, 4000)
    frame = pl.DataFrame({"p": p**2 / (p**2 + (1 - p) ** 2), "y": rng.random(4000) < p})
    finding = compared(frame[:2000], frame[2000:], roles={"score": "p", "label": "y"}, seeds=2)
    assert set(finding.values("calibrator")) == {"none", *METHODS}


@pytest.mark.verify
def test_numbers_are_means_over_fits_with_their_spread() -> None:
    validation, test = made(800, 5, 2.0), made(700, 6, 2.0)
    finding = compared(validation, test, seeds=4)
    found = finding.get("cece", calibrator="isotonic")
    assert found.low < found.value < found.high
    assert found.n == 700
    plain = finding.get("cece", calibrator="none")
    label = [COLUMNS.index(f"p_{kind}") for kind in test["kind"]]
    exact = measure_calibration(ModelPredictions.from_probabilities(test.select(COLUMNS).to_numpy()), label)
    assert plain.low == plain.value == plain.high == pytest.approx(exact.cece, abs=1e-12)
    assert finding.get("class_ece", calibrator="none", bins="40", **{"class": "hostility"}).defined


@pytest.mark.verify
def test_runs_are_fitted_one_by_one() -> None:
    runs = {"v": [], "t": []}
    for seed in range(3):
        runs["v"].append(made(600, 10 + seed, 2.0).with_columns(run=pl.lit(seed)))
        runs["t"].append(made(500, 20 + seed, 2.0).with_columns(run=pl.lit(seed)))
    validation, test = (pl.concat(frames) for frames in runs.values())
    roles = {**ROLES, "slices": ["run"]}
    finding = compared(validation, test, roles=roles, run="run")
    by_hand = []
    for before, after in zip(*runs.values(), strict=True):
        labels = [np.array([COLUMNS.index(f"p_{kind}") for kind in frame["kind"]]) for frame in (before, after)]
        found = fit(before.select(COLUMNS).to_numpy(), labels[0], method="ts")
        p = found.apply(after.select(COLUMNS).to_numpy())
        by_hand.append(measure_calibration(ModelPredictions.from_probabilities(p), labels[1]).ece)
    ts = finding.get("ece", calibrator="ts")
    assert ts.value == pytest.approx(np.mean(by_hand), abs=1e-12)
    assert (ts.low, ts.high) == pytest.approx((min(by_hand), max(by_hand)), abs=1e-12)
    with pytest.raises(eh.InputError, match="no rows of the run '2'"):
        compared(validation, pl.concat(runs["t"][:2]), roles=roles, run="run")


@pytest.mark.verify
def test_the_best_of_each_column_is_marked() -> None:
    finding = compared(made(900, 7, 2.0), made(900, 8, 2.0))
    for measure_, better in (("ece", min), ("cece", min), ("weighted_f1", max)):
        values = {name: finding.get(measure_, calibrator=name) for name in finding.values("calibrator")}
        best = better(e.value for e in values.values())
        assert {n for n, e in values.items() if "best" in e.flags} == {n for n, e in values.items() if e.value == best}


@pytest.mark.verify
def test_whether_weighting_helps_is_said_either_way() -> None:
    rare = compared(made(3000, 1, 2.0), made(3000, 2, 2.0))
    (said,) = [r.text for r in rare.readings if "(wts)" in r.text and "CECE" in r.text and "fits" in r.text]
    lower = rare.get("cece", calibrator="wts").value < rare.get("cece", calibrator="ts").value
    assert ("as the paper found" in said) == lower
    rng = np.random.default_rng(3)
    p = rng.random(4000)
    even = pl.DataFrame({"p": p, "y": rng.random(4000) < p})
    same = compared(even[:2000], even[2000:], roles={"score": "p", "label": "y"}, seeds=3)
    assert any("unlike in the paper" in r.text or "as the paper found" in r.text for r in same.readings)


def test_another_model_stands_beside() -> None:
    finding = compared(made(600, 1, 2.0), made(600, 2, 2.0), beside={"gentler": made(600, 2, 1.2)}, seeds=2)
    assert finding.get("ece", calibrator="gentler").value < finding.get("ece", calibrator="none").value
    other = made(600, 2).rename({"p_neutral": "p_calm"}).with_columns(pl.col("kind").replace("neutral", "calm"))
    first = open_evidence(made(600, 1), Declaration.of(ROLES))
    second = open_evidence(other, Declaration.of({"probabilities": ["p_calm", *COLUMNS[1:]], "label": "kind"}))
    with pytest.raises(eh.InputError, match="the classes differ"):
        compare_calibrators(first, second, RecalibrationSettings())


def test_what_calibrators_warn_of_is_passed_on() -> None:
    without = made(900, 1).filter(pl.col("kind") != "discussion")
    finding = compared(without, made(300, 2), seeds=2)
    assert any("no validation item is 'discussion'" in caveat for caveat in finding.caveats)


def test_real_predictions_tell_whether_weighting_helps(real_data) -> None:
    """Of six labels of a multilingual model: on all of them weighting lowers CECE, and raises the overall ECE."""
    frame = pl.read_parquet(real_data / "multilingual_predictions_a.parquet")
    half = np.random.default_rng(0).random(len(frame)) < 0.5
    for name in ("threat", "identity_hate", "severe_toxic"):
        roles = {"score": f"p_{name}", "label": name}
        finding = compared(frame.filter(half), frame.filter(~half), roles=roles, seeds=1)
        ts, wts = ({m: finding.get(m, calibrator=c).value for m in ("cece", "ece")} for c in ("ts", "wts"))
        assert wts["cece"] < ts["cece"]
        assert wts["ece"] > ts["ece"]


def test_the_items_fitted_on_are_not_measured_with() -> None:
    frame = made(400, 1)
    with pytest.raises(eh.InputError, match="cannot be tested on the items they are fitted on"):
        compared(frame, frame)


def test_calibrators_that_leave_decisions_as_they_are() -> None:
    """Far from the threshold no calibrator turns a decision."""
    rng = np.random.default_rng(1)
    y = rng.random(1200) < 0.4
    frame = pl.DataFrame({"p": np.where(y, 0.9, 0.1), "y": y ^ (rng.random(1200) < 0.02)})
    finding = compared(frame[:600], frame[600:], roles={"score": "p", "label": "y"}, seeds=1)
    assert any("with every calibrator: decisions hardly change" in r.text for r in finding.readings)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"none": 0.9606, "beta": 0.9614, "isotonic": 0.9608}, "Weighted F1 stays at 0.961"),
        ({"none": 0.9604, "beta": 0.9596, "isotonic": 0.9606}, "before calibration and changes most with"),
    ],
    ids=["written alike", "written apart"],
)
def test_no_change_is_said_between_numbers_that_are_written_alike(values: dict[str, float], sentence: str) -> None:
    text = _decisions({name: {"weighted_f1": [value]} for name, value in values.items()})  # type: ignore[arg-type]
    assert sentence in text
    written = re.findall(r"0\.\d{3}", text)
    assert len(set(written)) == len(written)


def test_a_model_beside_of_other_classes() -> None:
    frame = made(300, 1)
    fewer = [column for column in COLUMNS if column != COLUMNS[-1]]
    first, second = (open_evidence(one, Declaration.of(ROLES)) for one in (frame, made(300, 2)))
    total = frame.select(fewer).sum_horizontal()
    less = frame.with_columns(pl.col(fewer) / total).filter(pl.col("kind") != COLUMNS[-1].removeprefix("p_"))
    other = open_evidence(less, Declaration.of({"probabilities": fewer, "label": "kind"}))
    with pytest.raises(InputError, match="its classes differ from the classes compared"):
        compare_calibrators(first, second, RecalibrationSettings(seeds=1), beside={"other": other})
