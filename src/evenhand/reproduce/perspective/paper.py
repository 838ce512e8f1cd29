"""All that can be reproduced of the paper: its corpora are at hand, its models are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.figures import Figure
from evenhand.figures.perspective.annotators import annotators
from evenhand.figures.perspective.clusters import clusters
from evenhand.figures.perspective.inertia import inertia
from evenhand.figures.perspective.ranking import ranking
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.perspective.claims import claims
from evenhand.reproduce.perspective.judged import CORPORA, Judged, judged, models
from evenhand.reproduce.perspective.tables import facts, tables
from evenhand.reproduce.result import Omission, Result

SLIPS = (
    "Table 2 repeats a row: Twitter-Roberta-Base on CREHate is Refugees on SBIC.",
    "A “negative demographic divergence” (of Olmo) cannot be: a Jensen–Shannon divergence is 0 or more.",
    "The T-test between F1 and conformity delta compares two means of different things; it is no test of correlation.",
    "Conformal prediction is said to stay valid when the data shifts; it does not by itself.",
    "Divergences are above 0 by chance alone, and the paper holds none of them against chance.",
)


def reproduce(place: Workplace) -> Result:
    """Every corpus that is there, with every model that can be made."""
    asked = models(place)
    found = [judged(place, name, asked) for name in CORPORA if place.corpora.has(name)]
    return Result(
        (facts(found), *(table for one in found for table in tables(one))),
        tuple(claims(found)),
        tuple(figure for one in found for figure in _figures(one)),
        SLIPS,
        tuple(_lacking(found)),
    )


def _figures(one: Judged) -> Iterator[Figure]:
    """Of the first model, where a figure is of one."""
    first = one.slice(one.models[0]).get("model")
    drawn = {
        "figure_1": ("Figure 1: annotators in clusters, default model", clusters(one.finding, first)),
        "figure_2": ("Figure 2: models by both divergences", ranking(one.finding)),
        "figure_3": ("Figures 3 and 4: who the annotators are, and how much they labelled", annotators(one.finding)),
        "bins": ("Inertia against the number of bins, default model", inertia(one.finding, first)),
    }
    for name, (title, figure) in drawn.items():
        if figure:
            yield replace(figure, name=f"{name}_{one.name}", title=f"{title} ({one.title})", about={})


def _lacking(found: list[Judged]) -> Iterator[Omission]:
    yield Omission(
        "The paper's eleven models", "they are not at hand; models made from other corpora stand in their place"
    )
    yield Omission("What the paper says of language models against smaller ones", "none is at hand")
    yield Omission("Appendix B, the reading of 22 plots of clusters", "by eye, and of the paper's models")
    missing = [name for name in CORPORA if name not in {one.name for one in found}]
    yield from (Omission(f"Tables 1 and 2 on {name}", "it is not in the folder") for name in missing)
    yield from (Omission(f"The whole of {one.title}", one.note) for one in found if one.note)
