"""What a design would do, on items whose labels are all known: samples are drawn from them again and again.

`Population` is for designs by the score, `Urns` for designs in strata, `Simulated` says what many samples came to, and
`coverage` how often intervals held the truth.
"""

from evenhand.sampling.simulation.coverage import INTERVALS, coverage, holds
from evenhand.sampling.simulation.population import Population
from evenhand.sampling.simulation.runs import once, score_driven
from evenhand.sampling.simulation.simulated import Simulated, scaled
from evenhand.sampling.simulation.urns import Draws, Urns

__all__ = [
    "INTERVALS",
    "Draws",
    "Population",
    "Simulated",
    "Urns",
    "coverage",
    "holds",
    "once",
    "scaled",
    "score_driven",
]
