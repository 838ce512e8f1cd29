"""What items are made of: how many there are by part, region of scores, label and decision.

Kept with a finding, so that two of them can say why a number changed: other items (their parts, such as languages, or
their scores), other labels of like items, or other decisions on like items. Counts are of weights, each with the sum of
their squares, which says how sure it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.evidence import Evidence, JudgedEvidence, ScoredEvidence
from evenhand.finding import Exhibit, Slice, SliceKey

COMPOSITION = "composition"
BANDS = 20  # of the score, equally wide: usual thresholds are edges
MOST_CELLS = 1_000
NO_BAND = -1
OTHER_PART = "other"
WITHIN = " · "


@dataclass(frozen=True)
class Composition:
    """Items by part and band of the score (−1 without a score): weights and squares, cells × label × decision."""

    parts: tuple[str, ...]
    bands: Ints
    weights: Floats
    squares: Floats

    @classmethod
    def from_rows(
        cls,
        parts: Sequence[str],
        codes: tuple[Ints, Ints],
        kinds: tuple[Floats, Bools],
        amounts: tuple[Floats, Floats],
    ) -> Self:
        """From rows: the number of the part and the band of each, its label (or the share of it) and its decision.

        `amounts` are the items that each row stands for, and what it adds to the variance of their number.
        """
        weights, variance = amounts
        place, band = codes
        label, decided = kinds
        cells, cell = np.unique(place * (BANDS + 1) + band + 1, return_inverse=True)
        shape = (len(cells), 2, 2)
        sums, squares = np.zeros(shape), np.zeros(shape)
        for number, share in enumerate((1.0 - label, label)):
            at = cell * 2 + decided
            sums[:, number] = np.bincount(at, weights * share, 2 * len(cells)).reshape(-1, 2)
            squares[:, number] = np.bincount(at, variance * share, 2 * len(cells)).reshape(-1, 2)
        names = tuple(parts[number] for number in (cells // (BANDS + 1)).tolist())
        return cls(names, cells % (BANDS + 1) - 1, sums, squares)

    @property
    def cells(self) -> list[tuple[str, int]]:
        """The part and the band of each."""
        return list(zip(self.parts, self.bands.tolist(), strict=True))

    def exhibit(self, slice_: Slice) -> Exhibit:
        """As a table, a row for each cell."""
        columns: dict[str, list[float | str | None]] = {
            "part": list(self.parts),
            "band": [None if band == NO_BAND else float(band) for band in self.bands.tolist()],
        }
        for name, table in (("weight", self.weights), ("square", self.squares)):
            for label, decided in np.ndindex(2, 2):
                columns[f"{name}_{label}{decided}"] = table[:, label, decided].tolist()
        return Exhibit(COMPOSITION, slice_, columns)

    @classmethod
    def from_exhibit(cls, exhibit: Exhibit) -> Self:
        """As it was kept."""
        columns = exhibit.columns
        tables = [
            np.array([columns[f"{name}_{label}{decided}"] for label, decided in np.ndindex(2, 2)], dtype=np.float64)
            for name in ("weight", "square")
        ]
        bands = np.array([NO_BAND if band is None else int(float(band)) for band in columns["band"]], dtype=np.int64)
        weights, squares = (np.ascontiguousarray(table.T).reshape(-1, 2, 2) for table in tables)
        return cls(tuple(str(part) for part in columns["part"]), bands, weights, squares)


def score_bands(p: Floats | None, rows: int) -> Ints:
    """The band of each probability; −1 for all where there is none."""
    if p is None:
        return np.full(rows, NO_BAND, dtype=np.int64)
    return np.clip((np.nextafter(p, np.inf) * BANDS).astype(np.int64), 0, BANDS - 1)


def part_codes(columns: Mapping[str, Mapping[str, Bools]], rows: int, bands: int = BANDS) -> tuple[list[str], Ints]:
    """Names of the combinations of values, and the number of each row's; fewer columns where there are too many."""
    code, names = np.zeros(rows, dtype=np.int64), [""]
    for values in columns.values():
        own = np.full(rows, len(values), dtype=np.int64)
        for number, inside in enumerate(values.values()):
            own[inside] = number
        known, joint = np.unique(code * (len(values) + 1) + own, return_inverse=True)
        if len(known) * bands > MOST_CELLS:
            break
        labels = [*values, OTHER_PART]
        names = [
            WITHIN.join(part for part in (names[one // len(labels)], labels[one % len(labels)]) if part)
            for one in known.tolist()
        ]
        code = joint.astype(np.int64)
    return names, code


def scored_compositions(evidence: ScoredEvidence, thresholds: Mapping[str, float | None]) -> Iterator[Exhibit]:
    """Of every model: all items, and those of each group; flagged by its threshold."""
    rows = evidence.rows
    weight = np.ones(len(rows)) if rows.weights is None else rows.weights.weight
    variance = weight if rows.weights is None else weight**2 / rows.weights.count
    parts = part_codes(_part_columns(evidence), len(rows))
    for model, threshold in thresholds.items():
        if threshold is None:
            continue
        score, scale = evidence.scores[model], evidence.scale(model)
        p = None if scale.probability is None else np.asarray(scale.probability(score.astype(np.float64)))
        codes, flagged = (parts[1], score_bands(p, len(rows))), np.asarray(score >= score.dtype.type(threshold))
        label = np.asarray(rows.label, dtype=np.float64)
        every = np.arange(len(rows))
        members: list[tuple[Slice, Ints]] = [({}, every)]
        members += [({SliceKey.GROUP: name}, member.rows.astype(np.int64)) for name, member in rows.groups.items()]
        for group, some in members:
            if len(some):
                part = (codes[0][some], codes[1][some])
                kinds, amounts = (label[some], flagged[some]), (weight[some], variance[some])
                made_of = Composition.from_rows(parts[0], part, kinds, amounts)
                yield made_of.exhibit({SliceKey.MODEL: model, **group})


def judged_composition(
    evidence: JudgedEvidence, rows: Ints, violating: Bools, removed: Bools | None, weights: Floats
) -> Exhibit:
    """Of labelled rows, by what was decided about them."""
    names, code = part_codes(_part_columns(evidence), evidence.size, bands=1)
    codes = code[rows], score_bands(None, len(rows))
    kinds = violating.astype(np.float64), np.zeros(len(rows), dtype=np.bool_) if removed is None else removed
    return Composition.from_rows(names, codes, kinds, (weights, weights**2)).exhibit({})


def _part_columns(evidence: Evidence) -> dict[str, dict[str, Bools]]:
    """The rows of each value of each column that slices were made of."""
    columns: dict[str, dict[str, Bools]] = {}
    if not isinstance(evidence, JudgedEvidence):
        return columns
    for part in evidence.parts:
        kept = evidence.kept(part)
        if kept is not None and len(part.slice) == 1:
            ((column, value),) = part.slice.items()
            columns.setdefault(column, {})[value] = kept
    return columns
