"""What other designs would need for the same, and what each part will know: against formulas and a simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from evenhand.intervals.proportions import WilsonInterval
from evenhand.measurement import ItemColumns, PlannedCampaign, SampleSizeRequest, plan_campaign
from evenhand.measurement.design_table import WORTHLESS, design_rows, part_rows
from evenhand.measurement.summary import plan_lines
from evenhand.sampling import RandomDesign, SamplingDesign, ScoreDrivenDesign, Within, random_size

PURPOSE = {"ground_truth": "terms", "codebook": "v1", "population": "all", "period": "2026-01"}


def planned(folder: Path, size: SampleSizeRequest, design: SamplingDesign | None = None) -> PlannedCampaign:
    rng = np.random.default_rng(3)
    height = 2.0 * rng.normal(size=8000) - 4.0
    table = pl.DataFrame(
        {"id": range(8000), "p": expit(height), "language": rng.choice(["en", "de"], 8000, p=[0.9, 0.1])}
    )
    table.write_parquet(folder / "items.parquet")
    roles = ItemColumns(id="id", score="p", by=("language",))
    plan_design = design or ScoreDrivenDesign()
    out = folder / "plan.json"
    return plan_campaign(
        folder / "items.parquet", out, roles=roles, design=plan_design, size=size, purpose=PURPOSE, seed=1
    )


def test_labels_needed_by_design(tmp_path: Path) -> None:
    made = planned(tmp_path, SampleSizeRequest(promise={"within": 0.3}))
    rows = {row.name: row for row in design_rows(made.plan, made.expected, 100.0, 2)}
    prevalence = made.expected["all"].prevalence
    assert rows["random"].labels == random_size(prevalence, Within(0.3), items=8000).n
    assert rows["random"].hours == pytest.approx(2 * rows["random"].labels / 100.0)
    assert rows["score-driven"].labels == made.plan.pools[0].labels
    assert rows["stratified"].labels < rows["random"].labels < rows[WORTHLESS].labels < 1.5 * rows["random"].labels


def test_a_number_of_labels_shows_the_half_width(tmp_path: Path) -> None:
    made = planned(tmp_path, SampleSizeRequest(n=800))
    rows = {row.name: row for row in design_rows(made.plan, made.expected, 600.0, 1)}
    p = made.expected["all"].prevalence
    left = 1.0 - 800 / 8000  # what is labelled is known
    wilson = WilsonInterval.from_variance(p, p * (1 - p) * left / 800).interval(0.95)
    assert rows["random"].within == pytest.approx((wilson[1] - wilson[0]) / 2 / p)
    assert "Expected half-width of prevalence with as many labels, by design:" in plan_lines(made, 600.0, 1)


def test_what_parts_will_know(tmp_path: Path) -> None:
    """At random: as if each part were a sample of its own, of its share of the labels."""
    made = planned(tmp_path, SampleSizeRequest(n=400), RandomDesign())
    parts = {row.name: row for row in part_rows(made.plan, made.expected)}
    frame = made.plan.pools[0].frame
    for number, name in enumerate(made.plan.groups):
        own, chance = frame.groups == number, expit(frame.logits)
        items = frame.sizes[own].sum()
        q = chance[own]
        labels, left = 400 * items / 8000, 1.0 - 400 / 8000
        within = 1.96 * np.sqrt((frame.sizes[own] @ (q * (1 - q))) / items * left / labels)
        assert parts[name].within == pytest.approx(within / (frame.sizes[own] @ q / items), rel=1e-2)
        assert parts[name].labels == pytest.approx(400 * items / 8000)
    assert any("Expected half-width of prevalence by language: from ±" in line for line in plan_lines(made, 600.0, 1))


@pytest.mark.parametrize("design", [RandomDesign(), ScoreDrivenDesign()], ids=["random", "score-driven"])
def test_a_census_leaves_nothing_unknown(design: SamplingDesign, tmp_path: Path) -> None:
    made = planned(tmp_path, SampleSizeRequest(n=8000), design)
    assert {row.within for row in design_rows(made.plan, made.expected, 600.0, 1)} == {0.0}
    if design.name == "random":
        parts = part_rows(made.plan, made.expected)
        assert {row.within for row in parts} == {0.0}
        assert sum(row.labels for row in parts) == pytest.approx(8000)


def test_the_summary_names_what_it_assumes(tmp_path: Path) -> None:
    """The pace of labelling, and where the expected prevalence comes from."""
    made = planned(tmp_path, SampleSizeRequest(promise={"within": 0.3}))
    lines = plan_lines(made, 100.0, 1)
    assert "at 100 items per hour (`per_hour`)" in lines[0]
    assert any(line.startswith("Expected prevalence, according to the score: ") for line in lines)
    (tmp_path / "plan.json").unlink()
    given = planned(tmp_path, SampleSizeRequest(promise={"within": 0.3}, prevalence=0.05))
    assert "Expected prevalence, as given: 5 %." in plan_lines(given, 100.0, 1)
    shown = [line for line in lines if " labels, " in line]
    assert shown
    assert not any("0.0 h" in line for line in shown)
