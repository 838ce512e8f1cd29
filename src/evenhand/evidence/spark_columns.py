"""The columns of a Spark frame as numbers, words and groups, in expressions that a cluster evaluates.

The counterpart of `columns` and `checks` for rows that stay where they are: the `rules` are the same, and so are the
words of an error, which names a value that is refused and no row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.evidence import rules
from evenhand.evidence.columns import FALSE_WORDS, TRUE_WORDS, shown_text
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.reading import MOST_GROUPS, SHORT
from evenhand.evidence.rules import NumberRole, NumberRule
from evenhand.evidence.terms import certain_words, whole_word_pattern
from evenhand.finding import SliceKey

NAME = "the Spark frame"
LABEL, COUNT, WEIGHT, SPREAD, HEAVIEST, SLICE = "_label", "_count", "_weight", "_spread", "_heaviest", "_slice_"
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(inf|infinity|nan)$"  # of lower-cased text

SparkFrame = nw.LazyFrame[Any]


class SparkColumns:
    """The columns of a frame as numbers and words, in expressions that a cluster evaluates; and what they hold."""

    def __init__(self, frame: SparkFrame) -> None:
        self.frame, self.schema = frame, frame.collect_schema()

    def is_text(self, column: str) -> bool:
        """Whether numbers would have to be read from it."""
        return bool(self.schema[column] == nw.String)

    def text(self, column: str) -> nw.Expr:
        """Without blanks around it, in small letters."""
        return nw.col(column).str.strip_chars().str.to_lowercase()

    def number(self, column: str, role: NumberRole) -> nw.Expr:
        """A number, or empty where there is none; true and false count as 1 and 0."""
        kind = self.schema[column]
        if not (kind == nw.Boolean or kind.is_numeric() or self.is_text(column)):
            raise InputError(role.unreadable(kind), source=NAME, column=column)
        if not self.is_text(column):
            return nw.col(column).cast(nw.Float64)
        text = self.text(column)
        parsed = nw.when(text.str.contains(NUMBER)).then(text).cast(nw.Float64)
        return (
            nw.when(text.is_in(TRUE_WORDS))
            .then(1.0)
            .otherwise(nw.when(text.is_in(FALSE_WORDS)).then(0.0).otherwise(parsed))
        )

    def words(self, column: str, what: str) -> nw.Expr:
        """Names, without blanks around them; blank ones are empty."""
        if self.schema[column].is_nested() or self.schema[column] in (nw.Binary, nw.Duration):
            problem = f"{what} must be words or numbers, not {self.schema[column]}"
            raise InputError(problem, source=NAME, column=column)
        text = nw.col(column).cast(nw.String).str.strip_chars()
        return nw.when(text != "").then(text)

    def values(self, column: str, what: str, most: int) -> list[str]:
        """The different names of a column, of which there may be so many."""
        names = self.frame.select(name=self.words(column, "values")).drop_nulls().unique()
        rows = collect_rows(names.head(most + 1))
        if len(rows) > most:
            number = collect_rows(names.select(nw.len().alias("number")))["number"][0]
            raise InputError(rules.too_many_values(number, what, most), source=NAME, column=column)
        return sorted(rows["name"].to_list())

    def rules(self, declaration: Declaration) -> Iterator[SparkRule]:
        """Every rule about the declared columns, in the order in which they are looked at."""
        for column, role in rules.number_roles(declaration):
            value = self.number(column, role)
            if self.is_text(column):
                yield SparkRule(column, self.text(column), _unreadable(role, value))
            if not role.may_be_empty:
                yield SparkRule(column, value, _empty(role.name))
            yield from (SparkRule(column, value, rule) for rule in role.rules)
        if declaration.label and declaration.positive:
            yield SparkRule(declaration.label, self._label_value(declaration), _empty(rules.LABEL.name))

    def _label_value(self, declaration: Declaration) -> nw.Expr:
        """What `positive` is compared with: numbers where labels are, words elsewhere."""
        assert declaration.label is not None
        if not self.schema[declaration.label].is_numeric():
            return self.words(declaration.label, "labels")
        value = self.number(declaration.label, rules.LABEL)
        return nw.when(~value.is_nan()).then(value)

    def violating(self, declaration: Declaration) -> nw.Expr:
        """1 where an item is violating."""
        assert declaration.label is not None
        if not declaration.positive:
            return flag(self.number(declaration.label, rules.label_role(declaration)) >= declaration.label_threshold)
        wanted: list[Any] = list(declaration.positive)
        if self.schema[declaration.label].is_numeric():
            try:
                wanted = [float(value) for value in wanted]
            except ValueError:
                problem = rules.label_is_no_number(declaration.positive[0])
                raise InputError(problem, source=NAME, column=declaration.label) from None
        else:
            self._check_positive(declaration.label, declaration.positive)
        return flag(self._label_value(declaration).is_in(wanted))

    def _check_positive(self, column: str, positive: tuple[str, ...]) -> None:
        known = collect_rows(self.frame.select(name=self.words(column, "labels")).drop_nulls().unique())[
            "name"
        ].to_list()
        for value in positive:
            if value not in known:
                raise InputError(rules.unknown_label(value, nearest(value, known)), source=NAME, column=column)

    def weights(self, declaration: Declaration) -> dict[str, nw.Expr]:
        """What each row stands for, and how far that can vary."""
        count = self.number(declaration.count, rules.COUNT) if declaration.count else nw.lit(1.0)
        if not declaration.inclusion:
            return {COUNT: count, WEIGHT: count, SPREAD: count, HEAVIEST: nw.lit(1.0)}
        chance = self.number(declaration.inclusion, rules.INCLUSION)
        missed = (1.0 - chance) / chance
        return {COUNT: count, WEIGHT: count / chance, SPREAD: count * missed / chance, HEAVIEST: missed}

    def slices(self, declaration: Declaration) -> dict[str, nw.Expr]:
        """What rows are told apart by."""
        values_by_key = {key: self.words(column, "values") for column, key in declaration.slice_keys.items()}
        if declaration.text:
            short = nw.col(declaration.text).str.len_chars() < SHORT
            values_by_key[SliceKey.LENGTH] = nw.when(short).then(nw.lit("short")).otherwise(nw.lit("long"))
        return {SLICE + key: expression for key, expression in values_by_key.items()}

    def groups(self, declaration: Declaration) -> Iterator[SparkGroup]:
        """Each group: who is in it, and who was annotated for it."""
        for column in declaration.groups:
            share = self.number(column, rules.GROUP)
            known = ~(share.is_null() | share.is_nan())
            yield SparkGroup(column, column, (share >= declaration.group_threshold) & ~share.is_nan(), known)
        if column := declaration.group_by or "":
            text, values = self.words(column, "values"), self.values(column, "grouping by its values", MOST_GROUPS)
            if len(values) < 2:
                raise InputError(rules.NOTHING_TO_COMPARE, source=NAME, column=column)
            yield from (SparkGroup(value, column, text == value, ~text.is_null()) for value in values)
        for name, terms in declaration.terms.items():
            assert declaration.text is not None
            text = nw.col(declaration.text)
            inside, certain = _contains(text, terms), certain_words(terms)
            unsure = None
            if len(certain) < len(terms):
                unsure = inside & ~_contains(text, certain) if certain else inside
            yield SparkGroup(name, declaration.text, inside, ~text.is_null(), unsure)

    def check_ids(self, column: str) -> None:
        """They must be there and differ."""
        ids = self.frame.select(nw.col(column).alias("id")).with_columns(one=nw.lit(1.0))
        seen = ids.group_by("id").agg(nw.col("one").sum().alias("times"))
        bad = collect_rows(seen.filter((nw.col("times") > 1) | nw.col("id").is_null()).head(1))
        if len(bad):
            value = bad["id"][0]
            problem = rules.is_empty("the id") if value is None else rules.repeated_id(value)
            raise InputError(problem, source=NAME, column=column)


class SparkGroup(NamedTuple):
    """A group and the column it comes from."""

    name: str
    column: str
    inside: nw.Expr
    known: nw.Expr
    unsure: nw.Expr | None = None  # inside by ambiguous words alone


class SparkRule(NamedTuple):
    """A rule and what it is about."""

    column: str
    value: nw.Expr
    rule: NumberRule

    @property
    def broken(self) -> nw.Expr:
        """1 where the rule is broken."""
        return flag(self.rule.broken(self.value))

    def fail(self, frame: SparkFrame) -> None:
        """Say so of one of the values that break it."""
        bad = frame.select(value=self.value, broken=self.broken).filter(nw.col("broken") > 0.5)
        problem = self.rule.problem(collect_rows(bad.head(1))["value"][0])
        place = {"source": NAME, "column": self.column, "role": self.rule.role, "remedy": self.rule.remedy}
        raise InputError(problem, **place)  # type: ignore[arg-type]


def _contains(text: nw.Expr, words: Sequence[str]) -> nw.Expr:
    return text.str.to_lowercase().str.contains("(?U)" + whole_word_pattern(words))


def _empty(name: str) -> NumberRule:
    return NumberRule(lambda value: value.is_null(), lambda _: rules.is_empty(name))


def _unreadable(role: NumberRole, number: nw.Expr) -> NumberRule:
    def problem(wrong: str) -> str:
        return rules.labels_are_words(f"'{wrong}'") if role is rules.LABEL else role.unreadable(shown_text(wrong))

    return NumberRule(lambda text: number.is_null() & (text != ""), problem)


def flag(condition: nw.Expr) -> nw.Expr:
    """1 where it holds, 0 where it does not or is unknown."""
    return nw.when(condition).then(1.0).otherwise(0.0)


def collect_rows(frame: SparkFrame) -> pl.DataFrame:
    """Fetch a frame that is small."""
    rows: pl.DataFrame = frame.collect("polars").to_polars()
    return rows
