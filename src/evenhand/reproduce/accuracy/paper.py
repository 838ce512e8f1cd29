"""All that can be reproduced of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.figures import Figure
from evenhand.figures.simulation.pilots import by_pilot
from evenhand.figures.simulation.scenery import by_scene, scenes
from evenhand.figures.simulation.strata import by_strata
from evenhand.reproduce.accuracy.claims import claims
from evenhand.reproduce.accuracy.printed import closed_forms
from evenhand.reproduce.accuracy.simulated import Simulated, comments, rarer
from evenhand.reproduce.accuracy.tables import tables
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.result import Omission, Result

SLIPS = (
    "Equation 8 squares the finite population correction; it enters once, and the unbiased form divides by n − 1.",
    "Tables 2 and 3 head their columns “CV ≤ 20 %” and print labels for “within 20 % with 95 %”, a CV of 10.2 %.",
    "The intervals of Tables 2 and 3 are narrower than Equation 8 gives for 400 pilot labels: not a target.",
    "Section 4.1 calls a comment toxic if half of the annotators say so; its prevalence of 5.9 % is that of more than "
    "half (half or more gives 8.0 %).",
    "Section 2.5 says that with more removals recall “(and overmoderation)” increases and precision “(and "
    "undermoderation)” decreases; undermoderation goes down with them.",
    "Pooling a pilot whose labels decide how many more are drawn is not unbiased, as Section 3 says of its design.",
)


def reproduce(place: Workplace) -> Result:
    """Formulas, then simulations on comments."""
    result = closed_forms() + Result(slips=SLIPS, omissions=tuple(_lacking(place)))
    one, rare = comments(place), rarer(place)
    figures = [*_strata(one), *(_pilots(rare) if rare else ())]
    return result + Result(tuple(tables(one)), tuple(claims(one, rare)), tuple(figures))


def _strata(one: Simulated) -> Iterator[Figure]:
    for number, scene in enumerate(scenes(one.finding)):
        if drawn := by_strata(one.finding, scene):
            title = f"Figure 1: labels needed to be within 20 %, by strata ({by_scene(one.finding, scene)})"
            yield replace(drawn, audit="accuracy", name=f"figure_1_{number + 1}", title=title, about={})


def _pilots(rare: Simulated) -> Iterator[Figure]:
    if drawn := by_pilot(rare.finding):
        title = "Figure 2: labels needed to be within 20 % where violations are rare, by the size of the pilot"
        yield replace(drawn, audit="accuracy", name="figure_2", title=title, about={})


def _lacking(place: Workplace) -> Iterator[Omission]:
    if not place.corpora.has("civil_comments"):
        yield Omission("Table 1 and Figures 1 and 2 on the paper's comments", "CivilComments is not in the folder")
        yield Omission("Figure 2 at three label thresholds", "needs labels that are shares of annotators")
    yield Omission("RoBERTa and DistilBERT", "no encoder is trained here")
    yield Omission("Tables 2 and 3 from labels", "the paper's comments from Reddit and their labels were not published")
