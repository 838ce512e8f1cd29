"""Choices that commands of `evenhand sample` share."""

from __future__ import annotations

from typing import Annotated, TypedDict

from evenhand.choices import NUMBER, TEXT, WHOLE, Choice, Number, Text


class Promise(TypedDict):
    """What labels should show, in one of four ways."""

    within: Annotated[Number, Choice("Promise: within this share of the prevalence, such as 0.2.")]
    cv: Annotated[Number, Choice("Promise: this coefficient of variation.")]
    width: Annotated[Number, Choice("Promise: an interval this wide from end to end.")]
    below: Annotated[Number, Choice("Promise, one-sided: shown to be below this safe level.")]


class Labour(TypedDict):
    """What labelling takes."""

    per_hour: Annotated[float, NUMBER, Choice("Items that an annotator labels in an hour.", default=600.0)]
    annotators: Annotated[int, WHOLE, Choice("Annotators who label each item.", default=1)]


class Parts(TypedDict):
    """What is planned for: one prevalence, or a table of strata with one each."""

    prevalence: Annotated[Number, Choice("The share of violating items to plan for.")]
    strata: Annotated[Text, Choice("Instead: a table with a row a stratum, its items (or share) and its prevalence.")]
    size_column: Annotated[str, TEXT, Choice("In it: the column of items or shares.", default="items")]
    rate_column: Annotated[str, TEXT, Choice("In it: the column of prevalences.", default="prevalence")]
