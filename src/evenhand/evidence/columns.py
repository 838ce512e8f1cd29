"""From a column as it was written to values that need no further checking. One function a role."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import polars as pl

from evenhand.errors import CONTROL, InputError, nearest
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.scales import Scale
from evenhand.tally import FloatArray
from evenhand.tally.order import Scores
from evenhand.tally.rows import Mask

TRUTH = {"true": "1", "false": "0"}
MOST, LEAST = 2**53, 1e-12  # of a count, which must be exact; of an inclusion probability, whose inverse is a weight
DECIMAL_COMMA = re.compile(r"-?\d*,\d+")


@dataclass(frozen=True)
class Table:
    """The columns that were declared, collected; knows which row of the source each row was."""

    name: str
    frame: pl.DataFrame
    rows: pl.Series | None = None  # where rows were filtered: their numbers in the source, from 0

    def fail(self, problem: str, column: str, bad: pl.Series | None = None) -> NoReturn:
        """Say what is wrong with a column, and with which row of it first."""
        row = None
        if bad is not None:
            index = int(bad.arg_true()[0])
            row = (int(self.rows[index]) if self.rows is not None else index) + 1
        raise InputError(problem, source=self.name, column=column, row=row)

    def numbers(self, column: str, what: str, kind: str = "numbers") -> pl.Series:
        """A column of numbers; true and false count as 1 and 0; empty stays empty."""
        values = self.frame[column]
        if values.dtype == pl.Boolean or values.dtype.is_numeric():
            return values.cast(pl.Float32 if values.dtype == pl.Float32 else pl.Float64)
        if values.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            self.fail(f"{what} must be {kind}, not {values.dtype}", column)
        text = values.cast(pl.String).str.strip_chars().str.to_lowercase().replace("", None)
        parsed = text.replace(list(TRUTH), list(TRUTH.values())).cast(pl.Float64, strict=False)
        bad = parsed.is_null() & text.is_not_null()
        if bad.any():
            wrong = values.filter(bad)[0]
            hint = "; decimals are written with a point" if DECIMAL_COMMA.fullmatch(str(wrong).strip()) else ""
            self.fail(f"{what} must be {kind}, not {wrong!r}{hint}", column, bad)
        return parsed

    def words(self, column: str, what: str) -> pl.Series:
        """A column of names, without blanks around them and in characters that can be shown; blank ones are empty."""
        values = self.frame[column]
        if values.dtype.is_nested() or values.dtype in (pl.Binary, pl.Duration, pl.Object):
            self.fail(f"{what} must be words or numbers, not {values.dtype}", column)
        text = values.cast(pl.String).str.strip_chars()
        if text.str.contains(CONTROL.pattern).any():
            text = text.str.replace_all(CONTROL.pattern, "�")
        return text.set(text == "", None)

    def only(self, kept: pl.Series | Mask) -> Table:
        """Some of the rows."""
        mask = pl.Series(kept)
        rows = self.rows if self.rows is not None else pl.Series(np.arange(len(mask)))
        return Table(self.name, self.frame.filter(mask), rows.filter(mask))

    def complete(self, column: str, values: pl.Series, what: str) -> None:
        """No value may be empty, blank or NaN."""
        if values.null_count():
            empty = self.frame[column].null_count() > 0  # what a condition in SQL can leave out
            hint = f"; leave such rows out with --where '\"{column}\" IS NOT NULL' if that is meant" if empty else ""
            self.fail(f"{what} is empty{hint}", column, values.is_null())


def score(table: Table, column: str, scale: Scale, notes: list[str], what: str = "score") -> Scores:
    """Finite numbers within the range of their scale, in the precision they came in."""
    values = table.numbers(column, "scores" if what == "score" else "probabilities")
    table.complete(column, values, f"the {what}")
    for bad, word in ((values.is_nan(), "NaN"), (values.is_infinite(), "infinite")):
        if bad.any():
            table.fail(f"the {what} is {word}; it must be finite", column, bad)
    if scale.lowest is not None and scale.highest is not None:
        bad = (values < scale.lowest) | (values > scale.highest)
        if bad.any():
            worst = values.filter(bad)[0]
            shown = f"{worst:g}" if not scale.lowest <= float(f"{worst:g}") <= scale.highest else repr(worst)
            table.fail(
                f"the {what} {shown} is outside {scale.lowest:g} to {scale.highest:g}; "
                "declare another scale (percent, logit or rank) if that is what it is",
                column,
                bad,
            )
        if scale.name == "percent" and float(values.max()) <= 1.0:  # type: ignore[arg-type]
            notes.append(f"No score of '{column}' is above 1 per cent: are these probabilities?")
    return values.to_numpy()


def label(table: Table, declaration: Declaration) -> tuple[Mask, list[str]]:
    """Violating or not, and what to note about how that was decided; there must be items of both kinds."""
    mask, notes = violating(table, declaration)
    if mask.all() or not mask.any():
        table.fail(
            f"every item is {'violating' if len(mask) and mask[0] else 'benign'}: both classes are needed",
            declaration.label or "",
        )
    return mask, notes


def violating(table: Table, declaration: Declaration) -> tuple[Mask, list[str]]:
    """The same, whatever comes out."""
    assert declaration.label is not None
    column = declaration.label
    if declaration.positive:
        found, notes = _is_one_of(table, column, declaration.positive)
        return found.to_numpy(), notes
    values = _label_numbers(table, column)
    if not ((values > 0) & (values < 1)).any():
        return (values >= declaration.label_threshold).to_numpy(), []
    what = "between no and yes" if declaration.annotator else "a share of annotators"
    note = f"The label '{column}' is {what}: {declaration.label_threshold:g} or more is violating."
    return (values >= declaration.label_threshold).to_numpy(), [note]


def _is_one_of(table: Table, column: str, positive: tuple[str, ...]) -> tuple[pl.Series, list[str]]:
    values = table.frame[column]
    if values.dtype.is_numeric():
        numbers = values.cast(pl.Float64).fill_nan(None)
        table.complete(column, numbers, "the label")
        try:
            return numbers.is_in([float(value) for value in positive]), []
        except ValueError:
            table.fail(f"the labels are numbers, so '{positive[0]}' cannot be one of them", column)
    text = table.words(column, "labels")
    table.complete(column, text, "the label")
    known = text.unique().sort().to_list()
    for value in positive:
        if value not in known:
            table.fail(f"no item has the label '{value}'; {nearest(value, known)}", column)
    others = [value for value in known if value not in positive]
    rest = f"Every label but {' and '.join(repr(value) for value in positive)} counts as benign: {_listed(others)}."
    return text.is_in(list(positive)), [rest] if len(others) > 1 else []


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:5]) + (", …" if len(names) > 5 else "")


def _label_numbers(table: Table, column: str) -> pl.Series:
    values = table.frame[column]
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        classes = values.drop_nulls().cast(pl.String).unique().sort().head(6).to_list()
        if not all(is_number(value) for value in classes):
            table.fail(f"the labels are words ({_listed(classes)}); say which is violating with --positive", column)
    numbers = table.numbers(column, "labels")
    table.complete(column, numbers, "the label")
    bad = ~((numbers >= 0) & (numbers <= 1)).fill_null(False) | numbers.is_nan()
    if bad.any():
        table.fail(
            f"the label {numbers.filter(bad)[0]:g} is neither 0, 1 nor a share of annotators between them; "
            "name the violating one with --positive if these are codes, or leave a code out with --skip if it is none "
            "(labels by annotators)",
            column,
            bad,
        )
    return numbers


def is_number(text: str) -> bool:
    """A number, or true or false."""
    try:
        float(TRUTH.get(text.strip().lower(), text))
    except ValueError:
        return False
    return True


def counts(table: Table, column: str) -> FloatArray:
    """How many equal rows each row stands for: whole numbers."""
    values = _weights(table, column, "a count")
    bad = (values < 0) | (values.floor() != values) | (values > MOST)
    if bad.any():
        table.fail(
            f"{values.filter(bad)[0]:g} is no count; counts are whole numbers from 0. "
            "A sampling weight is declared by its inclusion probability",
            column,
            bad,
        )
    if values.sum() == 0:
        table.fail("all counts are 0", column)
    return values.to_numpy()


def inclusion(table: Table, column: str) -> FloatArray:
    """The probability with which each row came into the sample."""
    values = _weights(table, column, "an inclusion probability")
    bad = ~((values >= LEAST) & (values <= 1))
    if bad.any():
        table.fail(f"{values.filter(bad)[0]:g} is no inclusion probability: above 0, up to 1", column, bad)
    return values.to_numpy()


def _weights(table: Table, column: str, what: str) -> pl.Series:
    values = table.numbers(column, f"values of {what}").cast(pl.Float64)
    table.complete(column, values, what)
    bad = ~values.is_finite()
    if bad.any():
        table.fail(f"{what} must be finite", column, bad)
    return values


def review(table: Table, column: str) -> FloatArray:
    """How unsure a model is, or how soon to review: finite numbers on any scale, higher first."""
    values = _weights(table, column, "an uncertainty")
    return values.to_numpy()


def amounts(table: Table, column: str) -> FloatArray:
    """Finite numbers, none of them missing."""
    return _weights(table, column, "a number").to_numpy()


def unique(table: Table, column: str) -> None:
    """Ids must be there and differ."""
    values = table.frame[column]
    table.complete(column, values, "the id")
    if values.n_unique() < len(values):
        repeated = ~values.is_first_distinct()
        table.fail(f"the id {values.filter(repeated)[0]!r} occurs twice", column, repeated)
