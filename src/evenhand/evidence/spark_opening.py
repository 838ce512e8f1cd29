"""From a Spark frame and a declaration to evidence: the checks of `opening`, as one pass of sums on the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import narwhals.stable.v2 as nw

from evenhand.errors import InputError
from evenhand.evidence import faults
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Part
from evenhand.evidence.opening import MOST_GROUPS, MOST_SLICES, SHORT, whole_words
from evenhand.evidence.spark import BINS, COUNT, LABEL, LENGTH, NAME, SPREAD, WEIGHT, Frame, SparkEvidence

GRID_NOTE = (
    f"Scores were counted on a cluster in {BINS:,} bins. Intervals are widened by as much as that can matter; models "
    "are not compared row by row, and summaries over groups have the widest interval that any overlap could give."
)


def open_spark(frame: Frame, declaration: Declaration) -> SparkEvidence:
    """Check the declared columns where they are, and prepare what will be counted."""
    if declaration.where:
        raise InputError("filter the Spark frame itself rather than with where", source=NAME)
    schema = frame.collect_schema()
    for column in _columns(declaration):
        if column not in schema:
            raise faults.unknown_column(column, list(schema), NAME)
    members = _memberships(frame, declaration)
    prepared = frame.select(
        **{model: _number(model) for model in declaration.score},
        **{LABEL: _label(declaration)},
        **_weights(declaration),
        **{column: expression for pair in members.values() for column, expression in pair},
        **{column: nw.col(column).cast(nw.String) for column in declaration.slices},
        **_length(declaration),
    )
    names = {name: (pair[0][0], pair[1][0]) for name, pair in members.items()}
    facts = _facts(prepared, declaration, names)
    _check(facts, declaration, names)
    evidence = SparkEvidence(
        name=NAME, declaration=declaration, parts=(), notes=(GRID_NOTE,), frame=prepared, members=names, facts=facts
    )
    return replace(evidence, parts=tuple(_parts(evidence)))


def _columns(declaration: Declaration) -> list[str]:
    single = (declaration.label, declaration.group_by, declaration.text, declaration.count, declaration.inclusion)
    return [*declaration.score, *(c for c in single if c), *declaration.groups, *declaration.slices]


def _number(column: str) -> nw.Expr:
    return nw.col(column).cast(nw.Float64)


def _flag(condition: nw.Expr) -> nw.Expr:
    """1 where it holds, 0 where it does not or is unknown."""
    return nw.when(condition).then(1.0).otherwise(0.0)


def _label(declaration: Declaration) -> nw.Expr:
    assert declaration.label is not None
    if declaration.positive:
        return _flag(nw.col(declaration.label).cast(nw.String).is_in(list(declaration.positive)))
    return _flag(_number(declaration.label) >= declaration.label_threshold)


def _weights(declaration: Declaration) -> dict[str, nw.Expr]:
    count = _number(declaration.count) if declaration.count else nw.lit(1.0)
    if not declaration.inclusion:
        return {COUNT: count, WEIGHT: count, SPREAD: count}
    chance = _number(declaration.inclusion)
    return {COUNT: count, WEIGHT: count / chance, SPREAD: count * (1.0 - chance) / (chance * chance)}


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
        text = nw.col(declaration.group_by).cast(nw.String)
        for value in _values(frame, declaration.group_by, MOST_GROUPS):
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
    text = nw.col(column).cast(nw.String)
    rows = frame.select(text.alias(column)).drop_nulls().unique().head(most + 1).collect("polars").to_polars()
    if len(rows) > most:
        raise InputError(f"more than {most} different values", source=NAME, column=column)
    return sorted(rows[column].to_list())


def _facts(frame: Frame, declaration: Declaration, members: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Everything that the checks need, in one pass."""
    flags: dict[str, nw.Expr] = {"rows": nw.lit(1.0), "violating": nw.col(LABEL)}
    ranges: list[nw.Expr] = []
    for index, model in enumerate(declaration.score):
        scale, value = declaration.scale_of(index), nw.col(model)
        flags[f"empty_{model}"] = _flag(value.is_null())
        flags[f"infinite_{model}"] = _flag(value.is_nan() | ~value.is_finite())
        if scale.lowest is not None and scale.highest is not None:
            flags[f"outside_{model}"] = _flag((value < scale.lowest) | (value > scale.highest))
        ranges += [value.min().alias(f"low_{model}"), value.max().alias(f"high_{model}")]
    weight = nw.col(WEIGHT)
    flags["weights"] = _flag(weight.is_null() | weight.is_nan() | ~weight.is_finite() | (weight < 0))
    for inside, known in members.values():
        flags |= {inside: nw.col(inside), known: nw.col(known)}
    one = frame.with_columns(**{f"_f_{name}": flag for name, flag in flags.items()})
    sums = [nw.col(f"_f_{name}").sum().alias(name) for name in flags]
    row = one.select(*sums, *ranges).collect("polars").to_polars().row(0, named=True)
    return {name: float(value if value is not None else 0.0) for name, value in row.items()}


def _check(facts: Mapping[str, float], declaration: Declaration, members: Mapping[str, tuple[str, str]]) -> None:
    if not facts["rows"]:
        raise InputError("it holds no rows", source=NAME)
    for model in declaration.score:
        for name, problem in (
            ("empty", "is empty"),
            ("infinite", "is not finite"),
            ("outside", "is outside its scale"),
        ):
            if number := facts.get(f"{name}_{model}", 0.0):
                raise InputError(f"the score {problem} in {number:,.0f} rows", source=NAME, column=model)
    if facts["violating"] in (0.0, facts["rows"]):
        kind = "benign" if not facts["violating"] else "violating"
        raise InputError(f"every item is {kind}: both classes are needed", source=NAME, column=declaration.label)
    if number := facts["weights"]:
        problem = f"the weight is empty, negative or not finite in {number:,.0f} rows"
        raise InputError(problem, source=NAME, column=declaration.inclusion or declaration.count)
    for name, (inside, _) in members.items():
        if not facts[inside]:
            raise InputError(f"nobody is in the group '{name}'", source=NAME)


def _parts(evidence: SparkEvidence) -> Iterator[Part]:
    slices: list[dict[str, str]] = [{}]
    if evidence.declaration.text:
        slices.append({"length": "short"})
    for column in evidence.declaration.slices:
        slices += [{column: value} for value in _values(evidence.frame, column, MOST_SLICES)]
    return (Part(slice_, number) for number, slice_ in enumerate(slices))
