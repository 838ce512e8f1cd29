"""What may be chosen about audits beyond the columns: those that several know, then each audit's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import BY_COMMAS, Choice, Flag, Names, Number, Text, Whole
from evenhand.choices.roles import Roles, Tables

Capacities = Annotated[str | float | Sequence[str | float] | None, BY_COMMAS]


class Shared(TypedDict, total=False):
    """What every audit knows, or more than one."""

    threshold: Annotated[
        Number,
        Choice(
            "Items with this score or more are flagged; on the score's own scale (0.5).",
            "0.5  # items with this score or more are flagged",
        ),
    ]
    level: Annotated[Number, Choice("Level of the intervals (0.95).", "0.95  # of the intervals")]
    interval: Annotated[Text, Choice("analytic (default) or bootstrap.", '"analytic"  # or bootstrap')]
    replicates: Annotated[Whole, Choice("Bootstrap replicates (200).", "200  # of the bootstrap")]
    seed: Annotated[Whole, Choice("Seed of everything random (0).", "0  # of everything random")]
    examples: Annotated[
        Whole,
        Choice(
            "Show so many texts per group in the report. None unless asked for.",
            "3  # texts per group to show in the report; none unless asked for",
        ),
    ]


class OfBias(TypedDict, total=False):
    """What may be chosen about bias."""

    intersections: Annotated[
        Flag,
        Choice(
            "Also look at every pair of groups with more than 100 items in both.", "true  # pairs of groups as well"
        ),
    ]


class OfCollaboration(TypedDict, total=False):
    """What may be chosen about people and model together."""

    capacities: Annotated[
        Capacities,
        Choice(
            "What people can review, by commas: 0.01 or 1% of the items, 500 items, or >=0.2.",
            '["0.5%", "1%", "5%"]  # what people can review: shares, or numbers of items',
        ),
    ]
    strategies: Annotated[
        Names,
        Choice(
            "How they choose, by commas: uncertainty, toxicity, hybrid:0.3, column:NAME.",
            '["uncertainty", "toxicity"]  # how they choose; also hybrid:0.3, column:NAME',
        ),
    ]


class OfCalibration(TypedDict, total=False):
    """What may be chosen about how honest probabilities are."""

    bins: Annotated[
        Whole,
        Choice(
            "Bins that probabilities are sorted into (15).",
            "15  # that probabilities are sorted into to see whether they are honest",
        ),
    ]
    bins_by: Annotated[
        Text,
        Choice("Bins of equal width (default) or of equal mass.", '"width"  # bins of equal width, or of equal mass'),
    ]


class OfPerspective(TypedDict, total=False):
    """What may be chosen about whose judgement is shared."""

    majority: Annotated[
        Text,
        Choice(
            "Majority that judges: all (default), others, or the name of a group.",
            '"all"  # whose majority judges annotators: all, others, or the name of a group',
        ),
    ]
    ties: Annotated[
        Text,
        Choice(
            "Tied majorities: drop (default), lowest or highest class.",
            '"drop"  # items with a tied majority; or lowest, highest',
        ),
    ]
    fewest_labels: Annotated[
        Whole,
        Choice(
            "Labels that an annotator must have given to be clustered (20).",
            "20  # that an annotator must have given to be clustered",
        ),
    ]
    permutations: Annotated[
        Whole,
        Choice(
            "How often groups are shuffled over annotators (999).",
            "999  # how often groups are shuffled over annotators",
        ),
    ]
    smoothing: Annotated[
        Flag,
        Choice("Add one half to every cell of a divergence.", "true  # add one half to every cell of a divergence"),
    ]
    clusters: Annotated[
        Whole,
        Choice(
            "Clusters of annotators. Default: as many as groups.", "2  # of annotators; as many as groups unless said"
        ),
    ]
    miss: Annotated[
        Number,
        Choice(
            "Share of labels that prediction sets may miss (0.1).",
            "0.1  # share of labels that prediction sets may miss",
        ),
    ]


class OfAccuracy(TypedDict, total=False):
    """What may be chosen about how accurate decisions are."""

    target: Annotated[
        Number,
        Choice(
            "Share of a prevalence within which to know it, for planning (0.2).",
            "0.2  # share of a prevalence within which to know it, for planning",
        ),
    ]
    effect: Annotated[
        Number,
        Choice(
            "Change between two periods that should be seen, for planning (0.01).",
            "0.01  # change between two periods that should be seen, for planning",
        ),
    ]
    rank_with: Annotated[
        Text,
        Choice(
            "File of prevalences by community, to hold their order against.",
            '"…"  # file of prevalences by community, to hold their order against',
        ),
    ]


class Settings(Shared, OfBias, OfCollaboration, OfCalibration, OfPerspective, OfAccuracy, total=False):
    """All that may be chosen."""


class Options(Roles, Tables, Settings, total=False):
    """What may be said about an audit in Python: the roles of columns, tables beside, and settings of the audits."""
