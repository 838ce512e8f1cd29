"""The questions that the first export raised: a threshold at 5 %, three people, the better order of review."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evenhand.catalogue.collaboration import OC_RECALL
from evenhand.evidence import Declaration, open_evidence
from evenhand.progress import silent
from evenhand.routing.threshold_grids import DEFAULT_GRID
from evenhand.routing.thresholds import choose
from evenhand.staffing import StaffingSettings, plan_staffing
from staffing.wikipedia_export import write_export

ROLES = {"score": "tox_pct", "scale": "percent", "label": "verdict", "positive": "remove"}
DAY = {"hours_per_day": 8.0, "seconds_per_review": 90.0, "items_per_day": 40_000.0}


@pytest.fixture(scope="module")
def export(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(real_data, tmp_path_factory.mktemp("export"))


@pytest.mark.verify
def test_three_people_and_a_guarantee(export: Path) -> None:
    evidence = open_evidence(export, Declaration.of(ROLES))
    settings = StaffingSettings.of({**DAY, "reviewers": 3, "wrong_removals": 0.05, "labelled": "random"})
    finding = plan_staffing(evidence, settings, silent)
    assert finding.verdicts[0].statement.startswith("3 reviewers can review 960 items a day. Remove items that score ")
    assert finding.verdicts[0].certainty.startswith("Guarantee: with probability 0.9, at most 5 %")
    own = {"target": "this plan"}
    assert 0.5 < finding.get("remove_from", **own).value < 0.8
    assert finding.get(OC_RECALL, **own).value > 0.65
    strategies = next(exhibit for exhibit in finding.exhibits if exhibit.kind == "strategies").columns
    found = dict(zip(strategies["strategy"], strategies["found"], strict=True))
    assert found["below-threshold"] > found["uncertainty"]


@pytest.mark.verify
def test_of_its_best_half_a_threshold_is_found_that_fixed_starts_miss(export: Path) -> None:
    """As if the scores were less sharp: nothing lies at the fixed starts .95 and .8."""
    evidence = open_evidence(export, Declaration.of(ROLES))
    p = 0.78 * np.asarray(evidence.scores["tox_pct"]) / 100.0
    label = evidence.rows.label
    assert choose(p, label, wrong_removals=0.05).upper is not None
    assert choose(p, label, wrong_removals=0.05, grid=DEFAULT_GRID).upper is None
