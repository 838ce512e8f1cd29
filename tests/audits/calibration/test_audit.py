"""The calibration audit: what it finds of models whose honesty is known."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from audits.calibration.made import COLUMNS, NAMES, made
from evenhand.audits.calibration import CalibrationSettings
from evenhand.errors import InputError
from evenhand.measures.calibration import Bins, ModelPredictions, measure_calibration


def audited(frame: pl.DataFrame, **options: object) -> eh.Finding:
    options = {"probabilities": COLUMNS, "label": "kind", "replicates": 60, **options}
    return eh.audit(frame, audits="calibration", **options).findings[0]  # type: ignore[arg-type]


def marked(finding: eh.Finding) -> set[tuple[str, tuple[str, ...]]]:
    return {(m.measure, tuple(m.slice.values())) for m in finding if "stands_out" in m.estimate.flags}


@pytest.mark.verify
def test_what_bins_do_is_said_of_all_that_were_looked_at() -> None:
    finding = audited(made(1500, 1, temperature=2.0), bins=7)
    values = {count: finding.get("ece", bins=str(count)).value for count in (5, 10, 20, 40)} | {
        7: finding.get("ece").value
    }
    low, high = min(values, key=values.get), max(values, key=values.get)
    said = next(r.text for r in finding.readings if r.slice.get("bins") == "all")
    assert said.startswith("With 5, 7, 10, 20 and 40 bins, the ECE ranges")
    assert f"from {values[low]:.4f} ({low} bins) to {values[high]:.4f} ({high} bins). Compare" in said


@pytest.mark.verify
def test_bins_that_change_nothing_are_no_warning() -> None:
    """All are equally sure, so all lie in one bin, however many there are."""
    frame = pl.DataFrame({"p": [0.1] * 200, "y": [k % 5 == 0 for k in range(200)]})
    (finding,) = eh.audit(frame, audits="calibration", score="p", label="y", replicates=60).findings
    said = next(r.text for r in finding.readings if r.slice.get("bins") == "all")
    assert said == "With 5, 10, 15, 20 and 40 bins, the ECE is the same: 0.1000."


@pytest.mark.verify
def test_the_numbers_are_those_of_the_measures() -> None:
    frame = made(1500, 1, temperature=2.0)
    finding = audited(frame, slices="lang", groups="women")
    label = np.array([NAMES.index(kind) for kind in frame["kind"]])
    p = frame.select(COLUMNS).to_numpy()
    found = measure_calibration(ModelPredictions.from_probabilities(p), label)
    for name in ("ece", "ace", "sce", "cece", "msece", "wsece", "ece_variance", "brier", "log_loss", "weighted_f1"):
        assert finding.get(name).value == pytest.approx(getattr(found, name), abs=1e-12)
    for number, name in enumerate(NAMES):
        assert finding.get("class_ece", **{"class": name}).value == pytest.approx(found.class_ece(number), abs=1e-12)
        assert finding.get("count", **{"class": name}).value == (label == number).sum()
    ten = measure_calibration(ModelPredictions.from_probabilities(p), label, bins=Bins(10))
    assert finding.get("cece", bins="10").value == pytest.approx(ten.cece, abs=1e-12)
    women = frame["women"].to_numpy()
    of_women = measure_calibration(ModelPredictions.from_probabilities(p[women]), label[women])
    assert finding.get("ece", group="women").value == pytest.approx(of_women.ece, abs=1e-12)
    german = (frame["lang"] == "de").to_numpy()
    of_german = measure_calibration(ModelPredictions.from_probabilities(p[german]), label[german])
    assert finding.get("class_ace", lang="de", **{"class": "hostility"}).value == pytest.approx(
        of_german.class_ace(2), abs=1e-12
    )


def test_a_score_has_the_ece_of_the_collaboration_audit(small: pl.DataFrame) -> None:
    both = eh.audit(small, audits=["collaboration", "calibration"], score=["first", "second"], label="y", replicates=50)
    one, two = both.findings
    for model in ("first", "second"):
        for name in ("ece", "brier", "accuracy"):
            assert one.get(name, model=model).value == pytest.approx(two.get(name, model=model).value, abs=1e-12)
    assert {r.slice.get("model") for r in two.readings} == {"first", "second"}


@pytest.mark.verify
def test_a_calibrated_model_is_not_blamed() -> None:
    """Of a rare class an honest model is seldom sure: its class ECE is high, and as expected."""
    alarms, beyond = 0, []
    for seed in range(12):
        finding = audited(made(1000, 100 + seed))
        alarms += bool(marked(finding))
        rare = finding.get("class_ece", **{"class": "discussion"})
        honest = finding.get("class_ece", **{"class": "discussion", "as_if": "calibrated"})
        assert rare.value is not None
        assert honest.value is not None
        assert rare.value > 0.15
        beyond.append(rare.value - honest.value)
    assert abs(np.mean(beyond)) < 3 * np.std(beyond) / np.sqrt(12)
    assert alarms <= 3  # one in twenty by chance: P(more than 3 of 12) is .2 %
    assert finding.readings[0].tendency in ("even", "too sure", "too modest")
    assert "no larger than expected by chance" in finding.readings[0].text


@pytest.mark.verify
def test_a_model_that_is_too_sure_is_found_out() -> None:
    finding = audited(made(3000, 7, temperature=2.5))
    assert ("ece", ()) in marked(finding)
    assert ("class_ece", ("discussion",)) in marked(finding)
    assert finding.readings[0].tendency == "too sure"
    assert "the error is statistically significant" in finding.readings[0].text
    modest = audited(made(3000, 8, temperature=0.4))
    assert modest.readings[0].tendency == "too modest"


@pytest.mark.verify
def test_the_reference_is_what_calibrated_models_show_on_average() -> None:
    values = [
        measure_calibration(
            ModelPredictions.from_probabilities(frame.select(COLUMNS).to_numpy()),
            [NAMES.index(kind) for kind in frame["kind"]],
        ).ece
        for frame in (made(1000, 300 + seed) for seed in range(60))
    ]
    honest = audited(made(1000, 5), replicates=200).get("ece", as_if="calibrated")
    error = np.std(values) / np.sqrt(60)
    assert honest.value == pytest.approx(np.mean(values), abs=4 * error)


@pytest.mark.verify
def test_counts_are_repetitions_and_inclusion_is_a_weight() -> None:
    frame = made(400, 3, temperature=2.0).with_columns(times=pl.Series(np.arange(400) % 3))
    repeated = frame.select(pl.all().repeat_by("times").explode()).drop_nulls()
    counted, plain = audited(frame, count="times"), audited(repeated)
    sampled = audited(frame.filter(pl.col("times") > 0).with_columns(pi=1.0 / pl.col("times")), inclusion="pi")
    for measured in plain:
        if measured.measure != "count" and "as_if" not in measured.slice:
            for other in (counted, sampled):
                assert other.get(measured.measure, **measured.slice).value == pytest.approx(
                    measured.estimate.value, abs=1e-12
                )
    assert counted.get("ece").n == len(repeated)
    assert sampled.get("ece").n == 266


@pytest.mark.verify
def test_a_seed_gives_the_same_bytes() -> None:
    frame = made(300, 4)
    one, two = (eh.audit(frame, audits="calibration", probabilities=COLUMNS, label="kind", replicates=50) for _ in "ab")
    assert one.json() == two.json()
    records = json.loads(one.json())["findings"][0]["estimates"]
    assert {"ece", "class_ece", "cece"} <= {record["measure"] for record in records}


@pytest.mark.verify
def test_a_class_without_items_has_no_error_and_says_so() -> None:
    frame = made(400, 6).filter(pl.col("kind") != "criticism")
    finding = audited(frame)
    estimate = finding.get("class_ece", **{"class": "criticism"})
    assert not estimate.defined
    assert estimate.note == "the class has no items"
    assert finding.get("cece").defined
    assert any("'criticism'" in caveat for caveat in finding.caveats)


@pytest.mark.verify
def test_what_went_confidently_wrong_is_shown_on_request() -> None:
    frame = made(500, 9)
    assert audited(frame, text="text").examples == ()
    shown = audited(frame, text="text", examples=2).examples
    sizes = frame["kind"].value_counts().sort("count")["kind"].to_list()
    assert list(dict.fromkeys(x.slice["class"] for x in shown)) == sizes
    first = [x for x in shown if x.slice["class"] == sizes[0]]
    rows = frame.filter(pl.col("kind") == sizes[0]).with_columns(
        sure=pl.max_horizontal(COLUMNS), own=pl.col(f"p_{sizes[0]}")
    )
    wrong = rows.filter(pl.col("sure") > pl.col("own")).sort("sure", descending=True)
    assert [x.text for x in first] == wrong["text"].to_list()[:2]
    assert first[0].kind.startswith("predicted '")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"bins": 301}, "301 bins, but only 300 items; lower `bins`"),
        ({"bins": 0}, "at least 1"),
        ({"bins_by": "widht"}, "did you mean 'width'"),
        ({"examples": -1}, "must be 0 or more"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, object], says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        audited(made(300, 1), **options)


@pytest.mark.verify
def test_probabilities_of_classes_are_not_for_other_audits() -> None:
    with pytest.raises(eh.InputError, match=r"'collaboration' also needs .score"):
        eh.audit(made(50, 1), audits="collaboration", probabilities=COLUMNS, label="kind")
    assert [f.audit for f in eh.audit(made(200, 1), probabilities=COLUMNS, label="kind", replicates=50)] == [
        "calibration"
    ]


@pytest.mark.verify
def test_a_group_of_two_items_has_numbers_though_some_draws_are_empty() -> None:
    frame = made(300, 1).with_columns(pair=pl.int_range(pl.len()) < 2)
    options = {"probabilities": COLUMNS, "classes": list(NAMES), "label": "kind", "replicates": 50}
    (finding,) = eh.audit(frame, audits="calibration", groups=["pair"], **options)
    assert finding.get("accuracy", group="pair").defined
    assert "small" in finding.get("ece", group="pair").flags


def test_a_number_of_examples_below_none() -> None:
    with pytest.raises(InputError, match=r"invalid `examples`: -\d+ \(must be 0 or more"):
        CalibrationSettings(examples=-1)


@pytest.mark.verify
def test_a_class_that_the_model_hardly_ever_expects() -> None:
    """One item is of a class that has next to no probability: labels drawn from the model never have it."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 120)
    table = pl.DataFrame({"p_a": p * (1 - 1e-9), "p_b": (1 - p) * (1 - 1e-9), "p_c": np.full(120, 1e-9)})
    kind = np.where(rng.random(120) < p, "a", "b")
    kind[0] = "c"
    frame = table.with_columns(kind=pl.Series(kind))
    roles = {"probabilities": ["p_a", "p_b", "p_c"], "label": "kind", "replicates": 60}
    (finding,) = eh.audit(frame, audits="calibration", **roles)
    honest = finding.get("class_ece", **{"class": "c"}, as_if="calibrated")
    assert honest.value is None
    assert "seldom have this class" in honest.note
    assert finding.get("class_ece", **{"class": "c"}).p_value is None
    assert finding.get("class_ece", **{"class": "a"}, as_if="calibrated").value is not None
    assert "seldom have this class" in eh.Report((finding,)).html()
