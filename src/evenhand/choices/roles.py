"""The options that say what the columns of a table mean, and which tables go with the one that is audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from evenhand.choices.choice import (
    FILE,
    Choice,
    CodesValue,
    ColumnsValue,
    ColumnValue,
    ConditionValue,
    FlagValue,
    LabelsValue,
    NamesValue,
    NameValue,
    NumberValue,
    ShareValue,
    TableValue,
    text_kind,
)

TermsValue = Annotated[str | Sequence[str] | Mapping[str, str | Sequence[str]] | None, FILE]
CharacterValue = Annotated[str | None, text_kind("CHARACTER")]
SpellingsValue = Annotated[Mapping[str, Mapping[str, str | Sequence[str]]] | None, FILE]


class RoleOptions(TypedDict, total=False):
    """What each column is, and which rows and values count."""

    score: Annotated[
        ColumnsValue,
        Choice(
            "Score column; comma-separated for several models.",
            '["…"]  # the model\'s score; several models: several columns',
        ),
    ]
    scale: Annotated[
        NamesValue,
        Choice(
            "Scale of the scores: probability (default), percent, logit or rank.",
            '"probability"  # or percent, logit, rank',
        ),
    ]
    probabilities: Annotated[
        ColumnsValue,
        Choice(
            "Instead of a score: a probability column per class, comma-separated.",
            '["p_calm", "p_rude"]  # instead of a score: one column for each class',
        ),
    ]
    classes: Annotated[
        NamesValue,
        Choice(
            "Class of each of these columns, in their order. Default: taken from their names.",
            '["calm", "rude"]  # the labels they stand for, where names do not say it',
        ),
    ]
    normalise: Annotated[
        FlagValue,
        Choice(
            "Divide probabilities by their sum where they do not sum to one.",
            "true  # divide probabilities that do not sum to one by their sum",
        ),
    ]
    label: Annotated[
        ColumnValue,
        Choice(
            "Label column: true/false, 0/1 or annotator share.",
            '"…"  # violating or not: true/false, 0/1, or a share of annotators',
        ),
    ]
    positive: Annotated[
        LabelsValue,
        Choice(
            "For labels in words: the violating one; repeatable.",
            '"…"  # for labels in words: the one that means violating',
        ),
    ]
    label_threshold: Annotated[
        NumberValue,
        Choice(
            "Lowest violating label: a share of annotators (0.5), or a value of a scale such as 1 to 5.",
            "0.5  # lowest violating label: a share of annotators, or a value of a scale such as 1 to 5",
        ),
    ]
    groups: Annotated[
        ColumnsValue,
        Choice(
            "Group columns of true/false or 0/1, comma-separated.",
            '["…"]  # columns of true/false, 0/1 or shares of annotators; empty means not annotated',
        ),
    ]
    group_by: Annotated[
        ColumnValue,
        Choice(
            "Instead of --groups: a column of group names.",
            '"…"  # or one column whose values are the groups',
        ),
    ]
    terms: Annotated[
        TermsValue,
        Choice(
            "Instead of --groups: word list (default, default:de, …) or file; a group is the items with its words.",
            '"default:en"  # or words in the text: a word list (en, de, fr, es, it, pt), or a file of words',
        ),
    ]
    group_threshold: Annotated[
        ShareValue,
        Choice("Share of annotators from which an item is in a group (0.5).", "0.5  # for shares of annotators"),
    ]
    text: Annotated[
        ColumnValue,
        Choice(
            "Text column, for --terms, --examples and short texts.",
            '"…"  # also reports short texts separately',
        ),
    ]
    id: Annotated[ColumnValue, Choice("Id column; ids must be unique.", '"…"  # ids must be unique')]
    slices: Annotated[
        ColumnsValue,
        Choice(
            "Columns to break results down by, such as language.",
            '["…"]  # columns to break results down by',
            flags=("--slice", "--by"),
        ),
    ]
    uncertainty: Annotated[
        ColumnsValue,
        Choice(
            "Column of the model's uncertainty; comma-separated for several models.",
            '"…"  # the model\'s uncertainty about each item, such as the spread of an ensemble',
        ),
    ]
    reviews: Annotated[
        ColumnsValue,
        Choice(
            "Columns of reviewers' decisions (written as labels, empty where not reviewed), comma-separated.",
            '["…"]  # what reviewers decided, as labels are written; empty where an item was not reviewed',
        ),
    ]
    gold: Annotated[
        ColumnValue,
        Choice(
            "Column that is true for gold items, whose label is the truth for reviewers' errors. Default: all items.",
            '"…"  # true for gold items: reviewers\' errors are measured against their labels',
        ),
    ]
    count: Annotated[
        ColumnValue,
        Choice(
            "Column of counts: how many identical rows a row represents.",
            '"…"  # how many identical rows a row represents',
        ),
    ]
    inclusion: Annotated[
        ColumnValue,
        Choice(
            "Column of the probability with which a row was sampled.",
            '"…"  # the row was sampled with this probability',
        ),
    ]
    weight: Annotated[
        ColumnValue,
        Choice(
            "Column of weights such as views: rates and errors are then those of a view, not of an item.",
            '"…"  # how much an item matters, such as its views: rates and errors are then those of a view',
        ),
    ]
    stratum: Annotated[
        ColumnValue,
        Choice(
            "Column of the sampling stratum of each item.",
            '"…"  # the stratum of the design that the item was drawn from',
        ),
    ]
    cluster: Annotated[
        NamesValue,
        Choice(
            "Items that are not independent: column of authors or threads (two for templates), or near-duplicates.",
            '["…"]  # items of one author or thread are not independent; or "near-duplicates" of texts',
        ),
    ]
    decision: Annotated[
        ColumnValue,
        Choice(
            "Column of decisions: was the item removed, yes or no.",
            '"…"  # for the audit accuracy: whether the item was removed',
        ),
    ]
    removes: Annotated[
        NamesValue,
        Choice(
            "For decisions in words: those that remove an item, comma-separated.",
            '["…"]  # for decisions in words: those that remove an item',
        ),
    ]
    skip_unscored: Annotated[
        FlagValue,
        Choice(
            "Leave out rows without a score, such as blank texts, and report how many.",
            "true  # leave out rows without a score, such as blank texts",
        ),
    ]
    where: Annotated[
        ConditionValue,
        Choice(
            "Keep only rows that meet this SQL condition, such as \"lang = 'en'\".",
            "\"lang = 'en'\"  # keep only these rows",
        ),
    ]
    item: Annotated[
        ColumnValue,
        Choice(
            "For labels by annotators: the column of items.",
            '"…"  # where a row is a label that somebody gave: of which item,',
        ),
    ]
    annotator: Annotated[ColumnValue, Choice("For labels by annotators: the column of annotators.", '"…"  # by whom,')]
    annotator_groups: Annotated[
        ColumnsValue,
        Choice(
            "Columns that describe annotators, comma-separated; groups are their intersections.",
            '["…"]  # and columns that describe them',
        ),
    ]
    within: Annotated[
        ColumnValue,
        Choice(
            "Column, such as country or batch, within which annotators are comparable.",
            '"…"  # country or batch within which annotators are comparable',
        ),
    ]
    spellings: Annotated[
        SpellingsValue,
        Choice('TOML file of spellings: [gender] women = ["female", "F"]; "*" is everything else.', flags=("--map",)),
    ]
    skip: Annotated[
        CodesValue,
        Choice(
            "Labels to leave out, such as cannot-tell codes, comma-separated.",
            '["…"]  # labels to leave out, such as cannot tell',
        ),
    ]
    duplicates: Annotated[
        NameValue,
        Choice(
            "If an annotator gave an item two different labels: refuse (default), first, last or drop.",
            '"refuse"  # an annotator gave an item two different labels: first, last or drop',
        ),
    ]


class TableOptions(TypedDict, total=False):
    """Where labels by annotators are audited: what is not beside them."""

    items: Annotated[
        TableValue,
        Choice(
            "File with the score of each item, if not in the file of labels.",
            '"…"  # for labels by annotators: a file with the score of each item,',
        ),
    ]
    annotators: Annotated[
        TableValue,
        Choice(
            "File that describes each annotator, if not in the file of labels.",
            '"…"  # and one that describes each annotator, if not in the file of labels',
        ),
    ]


class LayoutOptions(TypedDict, total=False):
    """How a table is written as text (CSV, TSV), where the beginning of the file does not tell."""

    separator: Annotated[
        CharacterValue,
        Choice("CSV separator: , ; tab or another. Default: detected.", '";"  # between columns of CSV'),
    ]
    decimal: Annotated[
        CharacterValue,
        Choice("CSV decimal separator: . or , . Default: detected.", '","  # the decimal separator in CSV'),
    ]
    encoding: Annotated[
        NameValue,
        Choice("CSV encoding: utf-8, cp1252, utf-16, … Default: detected.", '"cp1252"  # the encoding of CSV'),
    ]
    date_order: Annotated[
        NameValue,
        Choice(
            "Dates in a condition: day-first or month-first. Default: detected.",
            '"day-first"  # dates such as 03/04/2025 in `where`',
        ),
    ]
    skip_bad: Annotated[
        FlagValue,
        Choice(
            "Of several files, leave out those that cannot be read, and report them.",
            "true  # of several files, leave out those that cannot be read",
        ),
    ]
