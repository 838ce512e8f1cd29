"""The table of designs: plan files, options and documentation name them as it does.

A new design is a module with its class, and a row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.sampling.clusters import ClusterDesign
from evenhand.sampling.design import SamplingDesign
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sequential import SequentialDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.stratified import StratifiedDesign

DESIGNS: dict[str, type[SamplingDesign]] = {
    design.name: design
    for design in (ScoreDrivenDesign, RandomDesign, StratifiedDesign, ClusterDesign, SequentialDesign)
}


def design_named(name: str, settings: Mapping[str, Any]) -> SamplingDesign:
    """From a name and its settings, as in the file of a plan.

    >>> eh.sampling.design_named("sequential", {"within": 0.3}).within
    0.3
    """
    return _find_design(name).from_settings(settings)


def design_from_options(name: str, options: Mapping[str, Any]) -> SamplingDesign:
    """From a name and what was typed beside it; an option of another design is refused."""
    chosen = _find_design(name)
    if wrong := set(options) - set(chosen.options):
        owner = next(design for design in DESIGNS.values() if wrong & set(design.options))
        *most, last = (f"`{option}`" for option in owner.options)
        raise InputError(f"{', '.join(most)} and {last} apply only to `design` {owner.name}")
    return chosen.from_options(options)


def _find_design(name: str) -> type[SamplingDesign]:
    if name not in DESIGNS:
        raise InputError(f"there is no design '{name}'; {nearest(name, DESIGNS)}")
    return DESIGNS[name]
