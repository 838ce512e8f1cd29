"""How many labels would each design need on data like this? The paper's figures and tables, for a file of one's own."""

from evenhand.audits.simulation.opening import Asked, open_scenes
from evenhand.audits.simulation.settings import QUICK, SimulationSettings
from evenhand.audits.simulation.simulate import simulate

__all__ = ["QUICK", "Asked", "SimulationSettings", "open_scenes", "simulate"]
