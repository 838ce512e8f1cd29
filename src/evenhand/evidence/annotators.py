"""The people who label: a group for each, from how they describe themselves. Their ids go no further than this."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.arrays import Int32s
from evenhand.evidence import checks
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.declaration import NOT_STATED, Declaration, apply_spellings, unused_spellings
from evenhand.evidence.reading import read_columns
from evenhand.evidence.source import Source

INTERSECTION = " × "


@dataclass(frozen=True)
class Annotators:
    """A group for each annotator, by number; and, where they may not be exchanged with all others, who with whom."""

    names: tuple[str, ...]  # of the groups
    group: Int32s
    within: Int32s | None = None

    def __len__(self) -> int:
        return len(self.group)


def read_ids(table: SourceTable, column: str, role: str) -> pl.Series:
    """Ids as words, none of them empty."""
    values = table.words(column, f"ids of the {role}")
    table.complete(column, values, f"the {role}")
    return values


def id_column(source: Source, column: str) -> str:
    """What the ids are called in a table of their own: as beside the labels, or simply `id`."""
    return "id" if column not in source.columns() and "id" in source.columns() else column


def positions_of(ids: pl.Series, known: pl.Series) -> Int32s:
    """Where each id is among the known ones; −1 where it is not."""
    numbers = pl.DataFrame({"id": known, "number": np.arange(len(known), dtype=np.int32)})
    places = pl.DataFrame({"id": ids}).join(numbers, on="id", how="left", maintain_order="left")
    return places["number"].fill_null(-1).to_numpy()


def read_annotators(
    table: SourceTable, ids: pl.Series, declaration: Declaration, source: Source | None, notes: list[str]
) -> tuple[Annotators, Int32s]:
    """Everybody whose id is among these, from the table of labels or one of their own; and the number of each id."""
    assert declaration.annotator is not None
    key = declaration.annotator
    wanted = dict.fromkeys((*declaration.annotator_groups, *([declaration.within] if declaration.within else [])))
    if source is not None:
        table = read_columns(source, [key := id_column(source, key), *wanted])
        checks.check_unique(table, key)
    known = read_ids(table, key, "annotator")
    everybody = ids.unique().sort()  # so that the order of the rows decides nothing
    descriptions = {
        column: _self_descriptions(table, known, column, everybody, declaration, notes) for column in wanted
    }
    group = _intersections([descriptions[column] for column in declaration.annotator_groups])
    unknown = int((group == NOT_STATED).sum())
    if unknown:
        are, they = ("is", "that one is") if unknown == 1 else ("are", "they are")
        notes.append(f"{unknown:,} of {len(everybody):,} annotators {are} not described: {they} '{NOT_STATED}'.")
    names = sorted(group.unique().to_list(), key=lambda name: (name == NOT_STATED, name))
    if len(names) < 2:
        table.fail(f"every annotator is '{names[0]}': there is nothing to compare", declaration.annotator_groups[0])
    number = group.replace_strict(names, list(range(len(names))), return_dtype=pl.Int32).to_numpy()
    within = descriptions[declaration.within].rank("dense").cast(pl.Int32).to_numpy() if declaration.within else None
    return Annotators(tuple(names), number, within), positions_of(ids, everybody)


def _self_descriptions(
    table: SourceTable, ids: pl.Series, column: str, people: pl.Series, declaration: Declaration, notes: list[str]
) -> pl.Series:
    """What each says of themselves; where they say it more than once and differently, the first time counts."""
    written, names = table.words(column, "descriptions of annotators"), declaration.spellings.get(column, {})
    values = apply_spellings(written, names)
    notes += [
        f"Nobody wrote '{one}' in '{column}', which is to be spelled." for one in unused_spellings(written, names)
    ]
    statements = pl.DataFrame({"who": ids, "what": values}).filter(pl.col("what") != NOT_STATED)
    each = statements.group_by("who", maintain_order=True).agg(
        pl.col("what").first(), pl.col("what").n_unique().alias("ways")
    )
    differing = int((each["ways"] > 1).sum())
    if differing:
        people_are = "1 annotator is" if differing == 1 else f"{differing:,} annotators are"
        notes.append(f"{people_are} described in more than one way in '{column}': the first counts.")
    described = pl.DataFrame({"who": people}).join(each, on="who", how="left", maintain_order="left")
    return described["what"].fill_null(NOT_STATED)


def _intersections(descriptions: list[pl.Series]) -> pl.Series:
    """Who says one thing and the other; not stated where anything is not."""
    frame = pl.DataFrame([values.alias(str(number)) for number, values in enumerate(descriptions)])
    unknown = pl.any_horizontal(pl.all() == NOT_STATED)
    joint = pl.concat_str(pl.all(), separator=INTERSECTION)
    return frame.select(pl.when(unknown).then(pl.lit(NOT_STATED)).otherwise(joint).alias("group")).to_series()
