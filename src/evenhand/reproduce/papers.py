"""The table of papers: one row each. The command and the docs follow from it."""

from __future__ import annotations

from evenhand.errors import InputError, nearest
from evenhand.reproduce import bias
from evenhand.reproduce.paper import Paper
from evenhand.reproduce.published import source

PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper(
            name="bias",
            title="Nuanced Metrics for Measuring Unintended Bias",
            citation=source("bias"),
            shows=("Tables 2, 3, 5, 6 and 7", "Figure 2"),
            needs=("civil_comments", "perspective_madlibs", "madlibs_77k", "wikipedia_talk", "hatecheck"),
            any_of=("perspective_madlibs", "civil_comments", "wikipedia_talk"),
            run=bias.reproduce,
        ),
    )
}


def find(name: str) -> Paper:
    """The paper of this name."""
    if name not in PAPERS:
        raise InputError(f"there is no paper '{name}'; {nearest(name, PAPERS)}")
    return PAPERS[name]
