"""What the columns of a table mean: the roles of a `Declaration`, and tables beside the one that is audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypedDict

from evenhand.choices.choice import Choice, Codes, Flag, Kind, Labels, Names, Number, Table, Text

A_FILE = Kind(Path | None)
Terms = Annotated[str | Sequence[str] | Mapping[str, str | Sequence[str]] | None, A_FILE]
Spellings = Annotated[Mapping[str, Mapping[str, str | Sequence[str]]] | None, A_FILE]


class Roles(TypedDict, total=False):
    """What each column is, and which rows and values count."""

    score: Annotated[
        Names,
        Choice(
            "Score column, or several models' separated by commas.",
            '["…"]  # the model\'s score; several models: several columns',
        ),
    ]
    scale: Annotated[
        Names,
        Choice(
            "Scale of the scores: probability (default), percent, logit or rank.",
            '"probability"  # or percent, logit, rank',
        ),
    ]
    probabilities: Annotated[
        Names,
        Choice(
            "Instead of a score: one column of probabilities for each class, by commas.",
            '["p_calm", "p_rude"]  # instead of a score: one column for each class',
        ),
    ]
    classes: Annotated[
        Names,
        Choice(
            "The labels these columns stand for, in their order. Default: what their names do not share.",
            '["calm", "rude"]  # the labels they stand for, where names do not say it',
        ),
    ]
    normalise: Annotated[
        Flag,
        Choice(
            "Divide probabilities that do not sum to one by their sum.",
            "true  # divide probabilities that do not sum to one by their sum",
        ),
    ]
    label: Annotated[
        Text,
        Choice(
            "Label column: true/false, 0/1, a share of annotators, or words with --positive.",
            '"…"  # violating or not: true/false, 0/1, or a share of annotators',
        ),
    ]
    positive: Annotated[
        Labels,
        Choice(
            "The label that means violating; may be given more than once.",
            '"…"  # for labels in words: the one that means violating',
        ),
    ]
    label_threshold: Annotated[
        Number, Choice("Share of annotators from which an item is violating (0.5).", "0.5  # for shares of annotators")
    ]
    groups: Annotated[
        Names,
        Choice(
            "Group columns, separated by commas: true/false, 0/1 or shares of annotators.",
            '["…"]  # columns of true/false, 0/1 or shares of annotators; empty means not annotated',
        ),
    ]
    group_by: Annotated[
        Text, Choice("One column whose values are the groups.", '"…"  # or one column whose values are the groups')
    ]
    terms: Annotated[
        Terms,
        Choice(
            "File of words; a group is the items whose text has the word.",
            '"terms.txt"  # or words in the text, from a file: one a line, or name: word, word',
        ),
    ]
    group_threshold: Annotated[
        Number, Choice("Share of annotators from which an item is in a group (0.5).", "0.5  # for shares of annotators")
    ]
    text: Annotated[
        Text,
        Choice(
            "Text column: for --terms, for short items apart, and for --examples.",
            '"…"  # lets short items be looked at apart',
        ),
    ]
    id: Annotated[Text, Choice("Id column; ids must differ.", '"…"  # ids must differ')]
    slices: Annotated[
        Names,
        Choice(
            "Columns to look at value by value (language, community), by commas.",
            '["…"]  # columns to look at value by value',
            flags=("--slice", "--by"),
        ),
    ]
    uncertainty: Annotated[
        Names,
        Choice(
            "Column that says how unsure the model is, or one for each model, by commas.",
            '"…"  # how unsure the model is of each item, such as the spread of an ensemble',
        ),
    ]
    count: Annotated[
        Text,
        Choice(
            "Column of counts: the row stands for so many equal rows.", '"…"  # the row stands for so many equal rows'
        ),
    ]
    inclusion: Annotated[
        Text,
        Choice(
            "Column of inclusion probabilities: the row was sampled with it.",
            '"…"  # the row was sampled with this probability',
        ),
    ]
    stratum: Annotated[
        Text,
        Choice(
            "Column of the stratum of the design that the item was drawn from.",
            '"…"  # the stratum of the design that the item was drawn from',
        ),
    ]
    decision: Annotated[
        Text,
        Choice(
            "Column of decisions: whether the item was removed, yes or no.",
            '"…"  # for the audit accuracy: whether the item was removed',
        ),
    ]
    removes: Annotated[
        Names,
        Choice(
            "The decisions that take an item down, by commas, where they are words.",
            '["…"]  # the decisions that take an item down, where they are words',
        ),
    ]
    where: Annotated[
        Text,
        Choice(
            "Keep only rows that meet this SQL condition, such as \"lang = 'en'\".",
            "\"lang = 'en'\"  # keep only these rows",
        ),
    ]
    item: Annotated[
        Text,
        Choice(
            "For labels by annotators: the column of items.",
            '"…"  # where a row is a label that somebody gave: of which item,',
        ),
    ]
    annotator: Annotated[Text, Choice("For labels by annotators: the column of annotators.", '"…"  # by whom,')]
    annotator_groups: Annotated[
        Names,
        Choice(
            "Columns that describe annotators, by commas; groups are their intersections.",
            '["…"]  # and columns that describe them',
        ),
    ]
    within: Annotated[
        Text,
        Choice(
            "Column of annotators (country, batch) within which they are comparable.",
            '"…"  # country or batch within which annotators are comparable',
        ),
    ]
    spellings: Annotated[
        Spellings,
        Choice('TOML file of spellings: [gender] women = ["female", "F"]; "*" is everything else.', flags=("--map",)),
    ]
    skip: Annotated[
        Codes,
        Choice(
            "Labels that are no judgement, such as cannot-tell codes, by commas.",
            '["…"]  # labels that are no judgement, such as cannot tell',
        ),
    ]
    duplicates: Annotated[
        Text,
        Choice(
            "If somebody labelled an item twice differently: refuse (default), first, last or drop.",
            '"refuse"  # somebody labelled an item twice differently: first, last or drop',
        ),
    ]


class Tables(TypedDict, total=False):
    """Where labels by annotators are audited: what is not beside them."""

    items: Annotated[
        Table,
        Choice(
            "File with the score of each item, if it is not beside the labels.",
            '"…"  # for labels by annotators: a file with the score of each item,',
        ),
    ]
    annotators: Annotated[
        Table,
        Choice(
            "File that describes each annotator, if it is not beside the labels.",
            '"…"  # and one that describes each annotator, where they are not beside the labels',
        ),
    ]
