"""Audits of data of a rare shape: what has no value says why, and what cannot be asked is refused in one line."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from audits.test_calibration_audit import COLUMNS, made
from audits.test_calibrators import compared
from audits.test_perspective_audit import audited
from audits.test_simulation_audit import made as scored
from evenhand.audits.bias.agreement import agreement
from evenhand.audits.calibration import CalibrationSettings
from evenhand.audits.measurement.ids import Ids
from evenhand.audits.simulation import Asked, SimulationSettings, open_scenes
from evenhand.audits.simulation.biases import Bars
from evenhand.audits.simulation.readings import caveats
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence.columns import Table
from evenhand.figures import figures
from evenhand.finding import Finding, Measured
from evenhand.reports.summary import summary

SMALL = {"replicates": 60, "permutations": 199}


def test_models_that_two_findings_do_not_share(small: pl.DataFrame) -> None:
    first = eh.audit(small, score=["first", "second"], label="y", groups=["a", "b"], audits="bias").findings[0]
    other = small.rename({"first": "third", "second": "fourth"})
    second = eh.audit(other, score=["third", "fourth"], label="y", groups=["a", "b"], audits="bias").findings[0]
    with pytest.raises(InputError, match="no model in common: first, second; and third, fourth"):
        agreement(first, second)


def test_a_number_of_examples_below_none() -> None:
    with pytest.raises(InputError, match="examples may not be negative"):
        CalibrationSettings(examples=-1)


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


def test_an_honest_model_is_summed_up_as_such() -> None:
    (finding,) = eh.audit(made(800, 3), audits="calibration", probabilities=COLUMNS, label="kind", replicates=60)
    (point,) = summary([finding]).points
    assert point.status == "quiet"
    assert point.found == "Honest as far as 800 items can tell."


def test_calibrators_that_leave_decisions_as_they_are() -> None:
    """Far from the threshold no calibrator turns a decision."""
    rng = np.random.default_rng(1)
    y = rng.random(1200) < 0.4
    frame = pl.DataFrame({"p": np.where(y, 0.9, 0.1), "y": y ^ (rng.random(1200) < 0.02)})
    finding = compared(frame[:600], frame[600:], roles={"score": "p", "label": "y"}, seeds=1)
    assert any("whatever the calibrator: decisions hardly change" in r.text for r in finding.readings)


def test_a_model_beside_of_other_classes() -> None:
    frame = made(300, 1)
    fewer = [column for column in COLUMNS if column != COLUMNS[-1]]
    from evenhand.audits.calibrators import ComparisonSettings, compare_calibrators
    from evenhand.evidence import Declaration, open_evidence

    first, second = (
        open_evidence(one, Declaration.of({"probabilities": COLUMNS, "label": "kind"})) for one in (frame, made(300, 2))
    )
    total = frame.select(fewer).sum_horizontal()
    less = frame.with_columns(pl.col(fewer) / total).filter(pl.col("kind") != COLUMNS[-1].removeprefix("p_"))
    other = open_evidence(less, Declaration.of({"probabilities": fewer, "label": "kind"}))
    with pytest.raises(InputError, match="its classes are not those compared"):
        compare_calibrators(first, second, ComparisonSettings(seeds=1), beside={"other": other})


def test_ids_whose_hashes_are_one_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ids with one hash are looked at again, and are no repeat."""
    pieces = [Table("x", pl.DataFrame({"id": part})) for part in ([5, 3], [9, 8])]
    monkeypatch.setattr(pl.Series, "hash", lambda series, seed: pl.Series([7] * len(series), dtype=pl.UInt64))
    ids = Ids("id")
    for piece in pieces:
        ids.add(piece)
    ids.check(pieces)


def labels(rows: list[tuple[int, str, int]], groups: dict[str, str]) -> tuple[pl.DataFrame, ...]:
    frame = pl.DataFrame(rows, schema=["item", "who", "y"], orient="row")
    items = frame.select("item").unique(maintain_order=True)
    items = items.with_columns(p=pl.Series(np.linspace(0.2, 0.8, len(items))))
    return frame, items, pl.DataFrame({"who": list(groups), "gender": list(groups.values())})


def test_items_that_are_all_tied() -> None:
    who = {f"a{n}": ("women", "men")[n % 2] for n in range(12)}
    rows = [(item, name, n % 2) for item in range(10) for n, name in enumerate(who)]
    with pytest.raises(InputError, match="no item has a majority"):
        audited(labels(rows, who))


def test_labels_that_nobody_of_the_majority_saw() -> None:
    rng = np.random.default_rng(2)
    who = {f"a{n}": ("women", "men")[n % 2] for n in range(30)}
    rows = [
        (item, name, int(rng.random() < 0.4))
        for item in range(30)
        for n, name in enumerate(who)
        if n % 2 == 0 or item < 25
    ]
    finding = audited(labels(rows, who), majority="men")
    assert any("labels of items that nobody of the majority labelled" in caveat for caveat in finding.caveats)


def test_few_violations_in_a_simulation_are_said() -> None:
    table = scored(2000).with_columns(toxicity=pl.when(pl.int_range(pl.len()) < 20).then(1.0).otherwise(0.0))
    opened = open_scenes(table, Asked(label="toxicity", score=("p",)))
    said = list(caveats(opened, SimulationSettings(), Bars.of(())))
    assert any("only 20 violating items in the file" in caveat for caveat in said)


def test_a_simulation_without_strata_and_pilots_has_no_figures() -> None:
    share = Measured("prevalence", {}, Estimate.exact(0.1, level=0.95, n=9))
    needed = (
        Measured("labels_needed", {"within": "0.2", "design": design}, Estimate.exact(9.0, level=0.95, n=9))
        for design in ("random", "default")
    )
    assert list(figures(Finding("simulation", "?", (share, *needed), (), {}))) == []


def test_a_simulation_is_of_one_kind_of_violation() -> None:
    table = pl.DataFrame({"text": ["a b", "c d", "e f"] * 100, "mood": ["calm", "glad", "angry"] * 100})
    with pytest.raises(InputError, match="say which is violating with --positive"):
        open_scenes(table, Asked(label="mood", text="text", train_share=0.5))
