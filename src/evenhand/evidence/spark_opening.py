"""From a Spark frame and a declaration to evidence: the checks of `opening`, as one pass of sums on the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import narwhals.stable.v2 as nw

from evenhand.errors import CONTROL, InputError
from evenhand.evidence import faults
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Part
from evenhand.evidence.opening import MOST_GROUPS, MOST_SLICES, SHORT
from evenhand.evidence.reading import whole_words
from evenhand.evidence.spark import (
    BINS,
    COUNT,
    HEAVIEST,
    LABEL,
    LENGTH,
    NAME,
    SPREAD,
    WEIGHT,
    Frame,
    SparkEvidence,
)

GRID_NOTE = (
    f"Scores were counted on a cluster in {BINS:,} bins. Intervals are widened by as much as that can matter; models "
    "are not compared row by row, and summaries over groups have the widest interval that any overlap could give."
)


def open_spark(frame: Frame, declaration: Declaration) -> SparkEvidence:
    """Check the declared columns where they are, and prepare what will be counted."""
    if declaration.where:
        raise InputError("filter the Spark frame itself rather than with where", source=NAME)
    schema = frame.collect_schema()
    for column in declaration.columns:
        if column not in schema:
            raise faults.unknown_column(column, list(schema), NAME)
    if declaration.count:
        frame = frame.filter(_flag(_number(declaration.count) == 0.0) < 0.5)  # a row that is there no times
    members = _memberships(frame, declaration)
    rules = _faults(declaration)
    prepared = frame.select(
        **{model: _number(model) for model in declaration.score},
        **{LABEL: _label(declaration)},
        **_weights(declaration),
        **{column: expression for pair in members.values() for column, expression in pair},
        **{column: _words(column) for column in declaration.slices},
        **_length(declaration),
        **{f"_f_{number}": _flag(fault.bad) for number, fault in enumerate(rules)},
    )
    names = {name: (pair[0][0], pair[1][0]) for name, pair in members.items()}
    facts = _facts(prepared, declaration, names, len(rules))
    _check(facts, declaration, names, rules)
    if declaration.id:
        _check_ids(frame, declaration.id)
    evidence = SparkEvidence(
        name=NAME, declaration=declaration, parts=(), notes=(GRID_NOTE,), frame=prepared, members=names, facts=facts
    )
    return replace(evidence, parts=tuple(_parts(evidence)))


def _number(column: str) -> nw.Expr:
    return nw.col(column).cast(nw.Float64)


def _words(column: str) -> nw.Expr:
    """Names as `columns.Table.words` makes them."""
    text = nw.col(column).cast(nw.String).str.strip_chars().str.replace_all(CONTROL.pattern, "�")
    return nw.when(text != "").then(text)


def _flag(condition: nw.Expr) -> nw.Expr:
    """1 where it holds, 0 where it does not or is unknown."""
    return nw.when(condition).then(1.0).otherwise(0.0)


def _label(declaration: Declaration) -> nw.Expr:
    assert declaration.label is not None
    if declaration.positive:
        return _flag(_words(declaration.label).is_in(list(declaration.positive)))
    return _flag(_number(declaration.label) >= declaration.label_threshold)


def _weights(declaration: Declaration) -> dict[str, nw.Expr]:
    count = _number(declaration.count) if declaration.count else nw.lit(1.0)
    if not declaration.inclusion:
        return {COUNT: count, WEIGHT: count, SPREAD: count, HEAVIEST: nw.lit(1.0)}
    chance = _number(declaration.inclusion)
    missed = (1.0 - chance) / chance
    return {COUNT: count, WEIGHT: count / chance, SPREAD: count * missed / chance, HEAVIEST: missed}


def _length(declaration: Declaration) -> dict[str, nw.Expr]:
    if not declaration.text:
        return {}
    short = nw.col(declaration.text).str.len_chars() < SHORT
    return {LENGTH: nw.when(short).then(nw.lit("short")).otherwise(nw.lit("long"))}


def _memberships(frame: Frame, declaration: Declaration) -> dict[str, tuple[tuple[str, nw.Expr], tuple[str, nw.Expr]]]:
    """Per group: the name and the expression of its members, and of everybody who was annotated for it."""
    found: dict[str, tuple[nw.Expr, nw.Expr]] = {}
    for column in declaration.groups:
        share = _number(column)
        found[column] = (share >= declaration.group_threshold) & ~share.is_nan(), ~(share.is_null() | share.is_nan())
    if declaration.group_by:
        text, values = _words(declaration.group_by), _values(frame, declaration.group_by, MOST_GROUPS)
        if len(values) < 2:
            problem = "fewer than two different values: there is nothing to compare with"
            raise InputError(problem, source=NAME, column=declaration.group_by)
        for value in values:
            found[value] = text == value, ~text.is_null()
    for name, words in declaration.terms.items():
        assert declaration.text is not None
        text = nw.col(declaration.text)
        found[name] = text.str.to_lowercase().str.contains("(?U)" + whole_words(words)), ~text.is_null()
    return {
        name: ((f"_in_{number}", _flag(inside)), (f"_known_{number}", _flag(known)))
        for number, (name, (inside, known)) in enumerate(found.items())
    }


def _values(frame: Frame, column: str, most: int) -> list[str]:
    rows = frame.select(_words(column).alias(column)).drop_nulls().unique().head(most + 1).collect("polars").to_polars()
    if len(rows) > most:
        raise InputError(f"more than {most} different values", source=NAME, column=column)
    return sorted(rows[column].to_list())


class Fault(NamedTuple):
    """What may not be true of any row."""

    column: str
    problem: str
    bad: nw.Expr


def _faults(declaration: Declaration) -> list[Fault]:
    """The rules of `columns`, as conditions that a cluster can count."""
    found: list[Fault] = []
    for index, column in enumerate(declaration.score):
        scale, value = declaration.scale_of(index), _number(column)
        found += _bare(column, "the score")
        if scale.lowest is not None and scale.highest is not None:
            outside = (value < scale.lowest) | (value > scale.highest)
            found.append(Fault(column, "the score is outside its scale", outside))
    assert declaration.label is not None
    if declaration.positive:
        found.append(Fault(declaration.label, "the label is empty", _words(declaration.label).is_null()))
    else:
        found += _bare(declaration.label, "the label")
        found.append(_share(declaration.label, "the label is neither 0, 1 nor a share of annotators"))
    found += [
        _share(column, "a group holds something else than a share of annotators") for column in declaration.groups
    ]
    if declaration.count:
        value = _number(declaration.count)
        found += _bare(declaration.count, "the count")
        found.append(Fault(declaration.count, "the count is no whole number from 0", (value < 0) | (value % 1 != 0)))
    if declaration.inclusion:
        value = _number(declaration.inclusion)
        found += _bare(declaration.inclusion, "the inclusion probability")
        outside = (value <= 0) | (value > 1)
        found.append(Fault(declaration.inclusion, "the inclusion probability is not above 0 and up to 1", outside))
    return found


def _bare(column: str, what: str) -> list[Fault]:
    value = _number(column)
    return [
        Fault(column, f"{what} is empty or no number", value.is_null()),
        Fault(column, f"{what} is not finite", value.is_nan() | ~value.is_finite()),
    ]


def _share(column: str, problem: str) -> Fault:
    value = _number(column)
    return Fault(column, problem, (value < 0) | ((value > 1) & ~value.is_nan()))


def _facts(
    frame: Frame, declaration: Declaration, members: Mapping[str, tuple[str, str]], faults: int
) -> dict[str, float]:
    """Everything that the checks need, in one pass."""
    columns = [*(f"_f_{number}" for number in range(faults)), *(name for pair in members.values() for name in pair)]
    sums = [nw.col(column).sum().alias(column) for column in columns]
    ranges = [
        bound
        for m in declaration.score
        for bound in (nw.col(m).min().alias(f"low_{m}"), nw.col(m).max().alias(f"high_{m}"))
    ]
    one = frame.with_columns(_one=nw.lit(1.0))
    counts = (nw.col("_one").sum().alias("rows"), nw.col(LABEL).sum().alias("violating"))
    row = one.select(*counts, *sums, *ranges).collect("polars").to_polars().row(0, named=True)
    return {name: float(value if value is not None else 0.0) for name, value in row.items()}


def _check(
    facts: Mapping[str, float], declaration: Declaration, members: Mapping[str, tuple[str, str]], faults: list[Fault]
) -> None:
    if not facts["rows"]:
        raise InputError("it holds no rows", source=NAME)
    for number, fault in enumerate(faults):
        if rows := facts[f"_f_{number}"]:
            raise InputError(f"{fault.problem} in {rows:,.0f} rows", source=NAME, column=fault.column)
    if facts["violating"] in (0.0, facts["rows"]):
        kind = "benign" if not facts["violating"] else "violating"
        raise InputError(f"every item is {kind}: both classes are needed", source=NAME, column=declaration.label)
    for name, (inside, _) in members.items():
        if not facts[inside]:
            raise InputError(f"nobody is in the group '{name}': leave it out", source=NAME)


def _check_ids(frame: Frame, column: str) -> None:
    ids = frame.select(nw.col(column).alias("id")).with_columns(one=nw.lit(1.0))
    seen = ids.group_by("id").agg(nw.col("one").sum().alias("times"))
    bad = seen.filter((nw.col("times") > 1) | nw.col("id").is_null()).head(1).collect("polars").to_polars()
    if len(bad):
        value = bad["id"][0]
        problem = "the id is empty" if value is None else f"the id {value!r} occurs twice"
        raise InputError(problem, source=NAME, column=column)


def _parts(evidence: SparkEvidence) -> Iterator[Part]:
    slices: list[dict[str, str]] = [{}]
    if evidence.declaration.text:
        slices.append({"length": "short"})
    for column in evidence.declaration.slices:
        slices += [{column: value} for value in _values(evidence.frame, column, MOST_SLICES)]
    return (Part(slice_, number) for number, slice_ in enumerate(slices))
