"""The rules about columns of numbers: one table for every engine, a row for each role.

A rule is a condition in Narwhals expressions and what is said of the first value for which it holds, so that Polars
and a cluster refuse the same values in the same words. Turning what was written into numbers is left to each engine
(`columns`, `spark`); so is finding the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw

from evenhand.arrays import EXACT
from evenhand.evidence.scales import ScoreScale

if TYPE_CHECKING:
    from evenhand.evidence.declaration import Declaration

LEAST = 1e-12  # of an inclusion probability, whose inverse is a weight


class NumberRule(NamedTuple):
    """What may not be true of any value, and what is said of the first for which it is."""

    broken: Callable[[nw.Expr], nw.Expr]  # an empty value breaks no rule: that is another question
    problem: Callable[[Any], str]
    role: str | None = None  # the setting that the error is about, where that is another than the column's
    remedy: str = ""


@dataclass(frozen=True)
class NumberRole:
    """What the numbers of a column must be, by the role of the column; rules are looked at in this order."""

    name: str  # of one value, in errors
    values: str  # of them all
    rules: tuple[NumberRule, ...]
    kind: str = "numbers"
    may_be_empty: bool = False
    doubles: bool = False  # whether single precision is left behind before the rules are looked at
    per_cent: bool = False  # whether 12% is 12 rather than 0.12
    skippable: bool = False  # whether rows without a value can be left out by a setting of its own

    def unreadable(self, wrong: object) -> str:
        """What is said of a value that cannot be turned into a number."""
        return f"{self.values} must be {self.kind}, not {wrong}"


def _is_nan(value: nw.Expr) -> nw.Expr:
    return value.is_nan()


def _is_not_finite(value: nw.Expr) -> nw.Expr:
    return value.is_nan() | ~value.is_finite()


def _finite(name: str) -> NumberRule:
    return NumberRule(_is_not_finite, lambda _: f"{name} must be finite")


def score_role(scale: ScoreScale, what: str = "score") -> NumberRole:
    """A score, or the probability of a class: finite, and within the range of its scale."""
    rules = [
        NumberRule(_is_nan, lambda _: f"the {what} is NaN; it must be finite"),
        NumberRule(_is_not_finite, lambda _: f"the {what} is infinite; it must be finite"),
    ]
    low, high = scale.lowest, scale.highest
    if low is not None and high is not None:
        rules.append(
            NumberRule(
                lambda value: (value < low) | (value > high),
                _outside(what, low, high),
                role="scale",
                remedy="set `scale` to percent, logit or rank if the scores are not probabilities",
            )
        )
    values = "scores" if what == "score" else "probabilities"
    return NumberRole(f"the {what}", values, tuple(rules), per_cent=scale.name == "percent", skippable=True)


def _outside(what: str, low: float, high: float) -> Callable[[float], str]:
    def problem(worst: float) -> str:
        shown = f"{worst:g}" if not low <= float(f"{worst:g}") <= high else repr(worst)
        return f"the {what} {shown} is outside {low:g} to {high:g}"

    return problem


def _not_a_label(value: float) -> str:
    return (
        f"the label {value:g} is neither 0, 1 nor a share of annotators between them; "
        "for a scale such as 1 to 5 give the lowest violating value with `label_threshold`, "
        "for codes name the violating ones with `positive`; "
        "a code that is no judgement is left out with `skip` (labels by annotators)"
    )


def _not_a_membership(value: float) -> str:
    return f"invalid: {value:g} (must be true/false, 0/1 or a share of annotators); for named values use `group_by`"


def _not_a_count(value: float) -> str:
    return (
        f"invalid: {value:g} (must be a whole number from 0); "
        "a sampling weight is declared by its inclusion probability"
    )


def _finite_role(name: str, *rules: NumberRule) -> NumberRole:
    return NumberRole(name, f"values of {name}", (_finite(name), *rules), doubles=True)


LABEL = NumberRole(
    "the label",
    "labels",
    (NumberRule(lambda value: (value < 0) | (value > 1) | value.is_nan(), _not_a_label),),
)
SCALE_LABEL = NumberRole("the label", "labels", (_finite("the label"),))  # of a scale with a declared cut


def label_role(declaration: Declaration) -> NumberRole:
    """Labels from 0 to 1; on a scale of any length where the lowest violating value is declared, from 1 up."""
    return SCALE_LABEL if declaration.label_threshold >= 1.0 else LABEL


GROUP = NumberRole(
    "the group",
    "a group's values",
    (NumberRule(lambda value: ((value < 0) | (value > 1)) & ~value.is_nan(), _not_a_membership),),
    kind="true/false or numbers",
    may_be_empty=True,  # not annotated; NaN too
)


def review_role(declaration: Declaration) -> NumberRole:
    """What a reviewer decided: written as labels are, or empty; NaN is empty too."""
    rule = NumberRule(lambda value: ((value < 0) | (value > 1)) & ~value.is_nan(), _not_a_review)
    if declaration.label_threshold >= 1.0:
        rule = NumberRule(lambda value: ~value.is_finite() & ~value.is_nan(), lambda _: "a review must be finite")
    return NumberRole("the review", "reviews", (rule,), may_be_empty=True)


def _not_a_review(value: float) -> str:
    return f"the review {value:g} is neither 0, 1 nor a share between them; it is written as the label is"


def _not_gold(value: float) -> str:
    return f"invalid: {value:g} (must be true for gold items and false or empty for others)"


GOLD = NumberRole(
    "the gold item",
    "values of gold items",
    (NumberRule(lambda value: (value != 0) & (value != 1) & ~value.is_nan(), _not_gold),),
    kind="true/false",
    may_be_empty=True,
)
COUNT = _finite_role(
    "a count",
    NumberRule(lambda value: (value < 0) | (value % 1 != 0) | (value > EXACT), _not_a_count),
)
INCLUSION = _finite_role(
    "an inclusion probability",
    NumberRule(
        lambda value: (value < LEAST) | (value > 1),
        lambda value: f"inclusion probability: invalid: {value:g} (must be above 0 and at most 1)",
    ),
)
WEIGHT = _finite_role(
    "a weight",
    NumberRule(
        lambda value: (value < 0) | (value > EXACT), lambda value: f"weight: invalid: {value:g} (must be 0 or more)"
    ),
)
UNCERTAINTY = _finite_role("an uncertainty")
AMOUNT = _finite_role("a number")


def number_roles(declaration: Declaration) -> Iterator[tuple[str, NumberRole]]:
    """The columns of numbers that a declaration of scores names, in the order in which they are looked at."""
    if declaration.count:
        yield declaration.count, COUNT
    if declaration.label and not declaration.positive:
        yield declaration.label, label_role(declaration)
    for index, column in enumerate(declaration.score):
        yield column, score_role(declaration.scale_of(index))
    for column in declaration.groups:
        yield column, GROUP
    if declaration.inclusion:
        yield declaration.inclusion, INCLUSION
    if declaration.weight:
        yield declaration.weight, WEIGHT
    for column in declaration.uncertainty:
        yield column, UNCERTAINTY


# What else every engine says in the same words, about columns of any kind or more than one row.


def is_empty(name: str) -> str:
    """A value that is missing where one is needed."""
    return f"{name} is empty"


def one_class(*, violating: bool) -> str:
    """All labels are the same."""
    return f"every item is {'violating' if violating else 'benign'}: both classes are needed"


def below_cut(cut: float) -> str:
    """No label is as high as the lowest violating one."""
    return f"no label is {cut:g} or more, so nothing is violating; lower `label_threshold`"


def repeated_id(value: object) -> str:
    """An id that two rows have."""
    return f"the id {value!r} occurs twice; ids must be unique"


def too_many_values(number: int, what: str, most: int) -> str:
    """A column of names that has more of them than can be looked at one by one."""
    return f"{number} different values: {what} needs a column with at most {most}"


def empty_groups(names: list[str]) -> str:
    """Somebody must be in every group."""
    listed, many = " and ".join(f"'{name}'" for name in names), len(names) > 1
    return f"group{'s' if many else ''} {listed} {'have' if many else 'has'} no members in this data"


def unknown_label(value: str, hint: str) -> str:
    """A label that is to mean violating and that no item has."""
    return f"no item has the label '{value}'; {hint}"


def label_is_no_number(value: str) -> str:
    """A word that is to mean violating, where labels are numbers."""
    return f"the labels are numbers, so '{value}' cannot be one of them"


def labels_are_words(listed: str) -> str:
    """Words of which nobody said which is violating."""
    return f"the labels are words ({listed}); say which is violating with `positive`"


NOTHING_TO_COMPARE = "fewer than two different values: there is nothing to compare with"
ALL_COUNTS_ZERO = "all counts are 0"
ALL_WEIGHTS_ZERO = "all weights are 0"
