"""The options of audits beyond the columns: those that several audits share, then those of each audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import (
    Choice,
    FileNameValue,
    FlagValue,
    NamesValue,
    NameValue,
    NumberValue,
    ShareValue,
    TextValue,
    WholeValue,
    list_kind,
)
from evenhand.choices.roles import LayoutOptions, RoleOptions, TableOptions

CapacitiesValue = Annotated[str | float | Sequence[str | float] | None, list_kind("CAPACITY")]


class SharedOptions(TypedDict, total=False):
    """What every audit knows, or more than one."""

    threshold: Annotated[
        NumberValue,
        Choice(
            "Items with this score or more are flagged; on the score's own scale (0.5).",
            "0.5  # items with this score or more are flagged",
        ),
    ]
    level: Annotated[ShareValue, Choice("Confidence level of the intervals (0.95).", "0.95  # of the intervals")]
    interval: Annotated[NameValue, Choice("analytic (default) or bootstrap.", '"analytic"  # or bootstrap')]
    replicates: Annotated[WholeValue, Choice("Bootstrap replicates (200).", "200  # of the bootstrap")]
    seed: Annotated[WholeValue, Choice("Random seed (0).", "0  # random seed")]
    examples: Annotated[
        WholeValue,
        Choice(
            "Number of example texts per group in the report. Default: none.",
            "3  # texts per group to show in the report; none unless asked for",
        ),
    ]


class BiasOptions(TypedDict, total=False):
    """What may be chosen about bias."""

    intersections: Annotated[
        FlagValue,
        Choice("Also audit every pair of groups with more than 100 items in both.", "true  # pairs of groups as well"),
    ]
    tolerance: Annotated[
        NumberValue,
        Choice(
            "Tolerated ratio of error rates (1.25 for groups); below 1, a difference of shares (0.02 for scores).",
            "1.25  # tolerated ratio of error rates; below 1: a difference of shares",
        ),
    ]


class CollaborationOptions(TypedDict, total=False):
    """What may be chosen about people and model together."""

    capacities: Annotated[
        CapacitiesValue,
        Choice(
            "Review capacities, comma-separated: 0.01 or 1% of the items, 500 items, or >=0.2.",
            '["0.5%", "1%", "5%"]  # what people can review: shares, or numbers of items',
        ),
    ]
    strategies: Annotated[
        NamesValue,
        Choice(
            "Review strategies, comma-separated: uncertainty, toxicity, hybrid:0.3, column:NAME.",
            '["uncertainty", "toxicity"]  # how they choose; also hybrid:0.3, column:NAME',
        ),
    ]


class CalibrationOptions(TypedDict, total=False):
    """What may be chosen about calibration."""

    bins: Annotated[
        WholeValue,
        Choice(
            "Bins of probabilities (15).",
            "15  # of probabilities, to measure calibration",
        ),
    ]
    bins_by: Annotated[
        NameValue,
        Choice("Bins of equal width (default) or of equal mass.", '"width"  # bins of equal width, or of equal mass'),
    ]


class PerspectiveOptions(TypedDict, total=False):
    """What may be chosen about whose judgement is shared."""

    majority: Annotated[
        NameValue,
        Choice(
            "Majority to compare with: all (default), others, or the name of a group.",
            '"all"  # the majority to compare annotators with: all, others, or the name of a group',
        ),
    ]
    ties: Annotated[
        NameValue,
        Choice(
            "Tied majorities: drop (default), lowest or highest class.",
            '"drop"  # items with a tied majority; or lowest, highest',
        ),
    ]
    distance: Annotated[
        NameValue,
        Choice(
            "Distance between labels, for Krippendorff's alpha: nominal (default), ordinal or interval.",
            '"nominal"  # distance between labels for the agreement of annotators; or ordinal, interval',
        ),
    ]
    fewest_labels: Annotated[
        WholeValue,
        Choice(
            "Labels that an annotator must have given to be clustered (20).",
            "20  # that an annotator must have given to be clustered",
        ),
    ]
    permutations: Annotated[
        WholeValue,
        Choice(
            "Permutations of groups over annotators (10,000).",
            "999  # how often groups are shuffled over annotators",
        ),
    ]
    smoothing: Annotated[
        FlagValue,
        Choice("Add one half to every cell of a divergence.", "true  # add one half to every cell of a divergence"),
    ]
    clusters: Annotated[
        WholeValue,
        Choice(
            "Clusters of annotators. Default: as many as groups.", "2  # of annotators; as many as groups unless said"
        ),
    ]
    miss: Annotated[
        ShareValue,
        Choice(
            "Miss rate of prediction sets (0.1).",
            "0.1  # share of labels that prediction sets may miss",
        ),
    ]


class AccuracyOptions(TypedDict, total=False):
    """What may be chosen about how accurate decisions are."""

    target: Annotated[
        ShareValue,
        Choice(
            "For planning: target precision, as a share of the prevalence (0.2).",
            "0.2  # share of a prevalence within which to know it, for planning",
        ),
    ]
    effect: Annotated[
        ShareValue,
        Choice(
            "For planning: change between two periods to detect (0.01).",
            "0.01  # change between two periods that should be seen, for planning",
        ),
    ]
    rank_with: Annotated[
        FileNameValue,
        Choice(
            "File of prevalences by community, to compare their ranking with.",
            '"…"  # file of prevalences by community, to hold their order against',
        ),
    ]


class DisclosureOptions(TypedDict, total=False):
    """What may be chosen about who is shown."""

    smallest_group: Annotated[
        WholeValue,
        Choice(
            "Smallest group or slice to show, in items (5).",
            "5  # groups and slices with fewer items are not shown",
        ),
    ]


class SettingOptions(
    SharedOptions,
    BiasOptions,
    CollaborationOptions,
    CalibrationOptions,
    PerspectiveOptions,
    AccuracyOptions,
    DisclosureOptions,
    total=False,
):
    """All that may be chosen."""


class CoverOptions(TypedDict, total=False):
    """What stands at the head of a report, and how long it is."""

    title: Annotated[TextValue, Choice("Title of the report.", '"Comments, third quarter"  # of the report')]
    period: Annotated[TextValue, Choice("Period of the data, for the report.", '"July to September"  # of the data')]
    author: Annotated[TextValue, Choice("Author, for the report.", '"Trust and safety"  # of the report')]
    date: Annotated[TextValue, Choice("Date, for the report.", '"2 October"  # of the report')]
    brief: Annotated[
        FlagValue, Choice("A report of two pages: answers, a table and a figure each.", "true  # two pages")
    ]


class Options(RoleOptions, TableOptions, LayoutOptions, SettingOptions, CoverOptions, total=False):
    """What may be said about an audit in Python: columns, tables and their layout, settings, the head of a report."""
