"""Does another source put the communities in the same order? Its prevalences come from a file, a row a community."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evenhand.audits.accuracy.settings import AccuracySettings
from evenhand.errors import InputError
from evenhand.evidence import columns, open_source
from evenhand.evidence.reading import read_columns
from evenhand.finding import Measured
from evenhand.intervals import ranks

VALUE = "prevalence"


def ranked(
    found: Sequence[Measured], sliced: Sequence[str], settings: AccuracySettings, notes: list[str]
) -> Iterator[Measured]:
    """The agreement of ranks for the sliced column that the other source has; notes on what only one of them has."""
    if settings.rank_with is None:
        return
    column, other = _read(settings.rank_with, sliced)
    here = {
        m.slice[column]: m.estimate.value
        for m in found
        if m.measure == VALUE and set(m.slice) == {column} and m.estimate.value is not None
    }
    both = [name for name in here if name in other]
    only = sorted((set(here) | set(other)) - set(both))
    if only:
        named = ", ".join(only[:5]) + (", …" if len(only) > 5 else "")
        notes.append(f"Not in both sources, and so not ranked: {named}.")
    pairs = [(here[name], other[name]) for name in both]
    yield Measured("rank_agreement", {"of": column}, ranks.spearman(pairs, settings.level))
    yield Measured("kendall_tau", {"of": column}, ranks.kendall(pairs, settings.level, seed=settings.seed))


def _read(path: str, sliced: Sequence[str]) -> tuple[str, Mapping[str, float]]:
    source = open_source(path)
    known = list(source.columns())
    named = [column for column in sliced if column in known]
    if not named:
        listed = " or ".join(f"'{column}'" for column in sliced) or "a column named with --slice"
        raise InputError(f"the source to rank with needs the column {listed}", source=source.name)
    values = [VALUE] if VALUE in known else [column for column in known if column not in sliced]
    if len(values) != 1:
        raise InputError(f"the source to rank with needs the column '{VALUE}'", source=source.name)
    table = read_columns(source, [named[0], values[0]])
    words, amounts = table.words(named[0], "names"), columns.amounts(table, values[0])
    table.complete(named[0], words, "the name")
    columns.unique(table, named[0])
    return named[0], dict(zip(words.to_list(), amounts.tolist(), strict=True))
