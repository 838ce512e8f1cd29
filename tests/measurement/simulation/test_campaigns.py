"""Whole campaigns on items with known labels: the published interval decides how many labels are needed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from evenhand.catalogue.accuracy import INTERVAL_COVERAGE, LABELS_PUBLISHED, PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.errors import InputError
from evenhand.finding import Finding
from evenhand.intervals.proportions import WilsonInterval
from evenhand.measurement.simulation.campaigns import (
    CampaignSettings,
    CampaignSimulation,
    DecidedItems,
    simulate_campaigns,
)
from evenhand.sampling import RandomDesign


def items(*, decided: bool = True, parts: bool = True) -> DecidedItems:
    rng = np.random.default_rng(4)
    label = rng.random(6000) < 0.1
    height = 2.0 * (2.2 * label + rng.normal(size=6000) - 1.1) + np.log(0.1 / 0.9)
    removed, part = rng.random(6000) < expit(2.5 * (height - 1.0)), (rng.random(6000) < 0.3).astype(np.int64)
    return DecidedItems(
        expit(height),
        label,
        removed if decided else None,
        part if parts else None,
        ("en", "fr") if parts else (),
        "language" if parts else "",
    )


@pytest.fixture(scope="module")
def finding() -> Finding:
    return simulate_campaigns(items(), CampaignSettings(within=0.4, campaigns=10), "items")


def test_every_measure_and_part_has_labels_and_coverage(finding: Finding) -> None:
    for design in ("score-driven", "random"):
        for of, part in ((RECALL, {}), (PRECISION, {}), (PREVALENCE, {}), (PREVALENCE, {"language": "fr"})):
            slice_ = {"design": design, "of": str(of), **part}
            needed, covered = finding.get(LABELS_PUBLISHED, **slice_), finding.get(INTERVAL_COVERAGE, **slice_)
            assert needed.low <= needed.value <= needed.high <= 6000
            assert covered.value >= 0.7
        whole = finding.get(LABELS_PUBLISHED, design=design, of="prevalence").value
        assert finding.get(LABELS_PUBLISHED, design=design, of="prevalence", language="fr").value > whole
    assert all("until the published interval of recall" in verdict.statement for verdict in finding.verdicts)


def test_a_random_sample_needs_what_its_interval_says() -> None:
    """One pool, one interval: the number of labels at which Wilson's half-width is the target."""
    settings = CampaignSettings(within=0.3, campaigns=12)
    found = simulate_campaigns(items(decided=False, parts=False), settings, "items")
    n = found.get(LABELS_PUBLISHED, design="random", of="prevalence").value
    p = float(items().label.mean())
    low, high = WilsonInterval(p, (1.0 - n / 6000) / n).interval(0.95)
    assert (high - low) / 2.0 / p == pytest.approx(0.3, rel=0.08)


def test_a_campaign_is_a_real_one() -> None:
    simulation = CampaignSimulation(items(), RandomDesign(), 0.95)
    outcome = simulation.run(300, 1)
    assert outcome.audit == "accuracy"
    assert outcome.get("count").value == 300.0
    assert outcome.has("recall", language="fr")
    truth = items()
    assert truth.truth(RECALL, {}) == pytest.approx((truth.label & truth.removed).sum() / truth.label.sum())
    assert truth.truth(PRECISION, {"language": "fr"}) == pytest.approx(
        truth.label[truth.removed & (truth.part == 1)].mean()
    )


def test_what_cannot_be_simulated() -> None:
    known = items()
    with pytest.raises(InputError, match="labels of one kind only"):
        simulate_campaigns(DecidedItems(known.score, known.label & False), CampaignSettings(), "items")
    with pytest.raises(InputError, match="campaigns"):
        CampaignSettings(campaigns=3)


@pytest.mark.verify
def test_the_command_has_a_second_finding(program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known = items()
    table = {
        "p": known.score,
        "y": known.label.astype(int),
        "done": np.where(known.removed, "taken down", "kept"),
        "language": np.array(known.parts)[known.part],
    }
    pl.DataFrame(table).write_csv("items.csv")
    few = ("--quick", "--simulations", "100", "--strata", "2", "--pilots", "20", "--pilot-totals", "128")
    words = ("sample", "simulate", "items.csv", "--score", "p", "--label", "y", *few, "--within", "0.4")
    whole = ("--decision", "done", "--removes", "taken down", "--by", "language", "--campaigns", "20")
    first, second = json.loads(program(*words, *whole, "--json").out)["findings"]
    assert (first["audit"], second["audit"]) == ("simulation", "campaigns")
    slices = [one["slice"] for one in second["estimates"] if one["measure"] == "labels_published"]
    assert {"design": "random", "of": "prevalence", "language": "fr"} in slices
    assert len(json.loads(program(*words, "--json").out)["findings"]) == 1
