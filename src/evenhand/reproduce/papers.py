"""The table of papers: one row each. The command and the docs follow from it."""

from __future__ import annotations

from evenhand.errors import InputError, nearest
from evenhand.reproduce import accuracy, bias, calibration, collaboration, perspective
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
        Paper(
            name="collaboration",
            title="Measuring and Improving Model-Moderator Collaboration using Uncertainty Estimation",
            citation=source("collaboration"),
            shows=("Tables 1 to 3", "Figures 2 to 14"),
            needs=(),
            takes="runs of models: test.parquet and deployment.parquet, a column p:METHOD:LOSS:SEED for each",
            run=collaboration.reproduce,
        ),
        Paper(
            name="calibration",
            title="Class-wise Calibration: A Case Study on COVID-19 Hate Speech",
            citation=source("calibration"),
            shows=("Tables 1 to 4", "Figures 1 and 2"),
            needs=("east_asian_prejudice", "reddit_cad", "covid_hate"),
            any_of=("east_asian_prejudice", "reddit_cad", "covid_hate"),
            run=calibration.reproduce,
        ),
        Paper(
            name="accuracy",
            title="Operationalizing content moderation “accuracy” in the Digital Services Act",
            citation=source("accuracy"),
            shows=("Tables 1, 3 and 4", "Figures 1 and 2"),
            needs=("civil_comments", "wikipedia_talk", "wikipedia_context"),
            any_of=("civil_comments", "wikipedia_talk"),
            run=accuracy.reproduce,
        ),
        Paper(
            name="perspective",
            title="Are you sure? Measuring models bias in content moderation through uncertainty",
            citation=source("perspective"),
            shows=("Tables 1 and 2", "Figures 1 to 6"),
            needs=("crehate", "sbic", "wikipedia_talk", "reddit_cad", "md_agreement"),
            any_of=("crehate", "sbic"),
            run=perspective.reproduce,
        ),
    )
}


def find(name: str) -> Paper:
    """The paper of this name."""
    if name not in PAPERS:
        raise InputError(f"there is no paper '{name}'; {nearest(name, PAPERS)}")
    return PAPERS[name]
