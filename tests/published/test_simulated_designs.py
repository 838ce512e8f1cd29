"""On real scores the command gives what the committed study found: closed forms exactly, the default within chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from studies.sampling import STUDY

from evenhand.measurement.simulation.default_design import DesignTrial
from evenhand.measurement.simulation.experiments import Experiment
from evenhand.measurement.simulation.published_designs import known_allocations, random_sampling
from evenhand.measurement.simulation.scenarios import SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import SimulationSettings
from evenhand.sampling import ScoreDrivenSettings, Within

PREDICTIONS = {name: ("multilingual_predictions_a", f"p_{name}", name) for name in ("threat", "severe_toxic")}
SETS = {**PREDICTIONS, "context": ("wikipedia_context_gc", "api", "label")}


def bench(folder: Path, name: str) -> Experiment:
    file, score, label = SETS[name]
    (scenario,) = open_scenarios(folder / f"{file}.parquet", SimulationRequest(label=label, score=(score,))).scenarios
    return Experiment(scenario, Within(0.2), SimulationSettings())


@pytest.mark.parametrize("name", SETS)
def test_closed_forms_are_those_of_the_study(real_data: Path, name: str) -> None:
    study = next(r for r in STUDY.read() if (r["set"], r["classifier"]) == (name, "as it is"))
    here = bench(real_data, name)
    random, _, limit = random_sampling(here)
    assert random.estimate.value == study["random"]
    assert limit.estimate.value == pytest.approx(study["limit"], rel=1e-4)
    assert [m.estimate.value for m in known_allocations(here, "quantile", 8)][2] == study["oracle_8"]


def test_the_default_needs_what_the_study_found(real_data: Path) -> None:
    study = next(
        r for r in STUDY.read() if (r["set"], r["classifier"], r["design"]) == ("severe_toxic", "as it is", "default")
    )
    here = bench(real_data, "severe_toxic")
    played, _ = DesignTrial(here.scenario.endless, ScoreDrivenSettings()).samples(
        889, 400, np.random.default_rng(1), lambda _: None
    )
    found = played.labels(here.error, level=0.999)
    assert found.low < study["needed"] < found.high
    assert found.high < 1.7 * found.low
    assert abs(played.bias_in_errors) < 3.5
