"""How many labels each design would need on data like this: the paper's figures and tables, for a file of one's own.

Samples are drawn again and again from items whose labels are all known.
"""

from evenhand.measurement.simulation.default_design import simulate_batches, simulate_score_driven
from evenhand.measurement.simulation.experiments import (
    INTERVALS,
    SimulatedEstimates,
    covers_truth,
    interval_coverage,
    scaled_labels,
)
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns, UrnSamples
from evenhand.measurement.simulation.scenarios import Scenarios, SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import QUICK, SimulationSettings
from evenhand.measurement.simulation.simulate import simulate_designs, simulate_on

__all__ = [
    "INTERVALS",
    "QUICK",
    "LabelledPopulation",
    "Scenarios",
    "SimulatedEstimates",
    "SimulationRequest",
    "SimulationSettings",
    "UrnSamples",
    "Urns",
    "covers_truth",
    "interval_coverage",
    "open_scenarios",
    "scaled_labels",
    "simulate_batches",
    "simulate_designs",
    "simulate_on",
    "simulate_score_driven",
]
