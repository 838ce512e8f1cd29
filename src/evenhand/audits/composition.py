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

from evenhand.arrays import Bools, Floats, Int32s, Ints
from evenhand.evidence import Evidence, JudgedEvidence, ScoredEvidence
from evenhand.finding import Exhibit, Slice, SliceKey
from evenhand.tally import Weights

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

    @classmethod
    def from_codes(cls, parts: Sequence[str], code: Int32s, weights: Weights | None) -> Self:
        """From rows, each with the number of its cell, label and decision: see `_row_codes`."""
        shape = (len(parts) * (BANDS + 1), 2, 2)
        counts = np.bincount(code, minlength=4 * shape[0]).reshape(shape)
        cells = np.flatnonzero(counts.any(axis=(1, 2)))
        sums = squares = counts[cells].astype(np.float64)
        if weights is not None:
            amounts = (weights.weight, weights.weight**2 / weights.count)
            tables = [np.bincount(code, one, 4 * shape[0]).astype(np.float64, copy=False) for one in amounts]
            sums, squares = (table.reshape(shape)[cells] for table in tables)
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
    return _narrow_bands(p, rows).astype(np.int64)


def _narrow_bands(p: Floats | None, rows: int) -> Int32s:
    """The same in half the memory."""
    if p is None:
        return np.full(rows, NO_BAND, dtype=np.int32)
    along = np.nextafter(p, np.inf)
    along *= BANDS
    bands = along.astype(np.int32)
    return np.clip(bands, 0, BANDS - 1, out=bands)


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
    parts, place = part_codes(_part_columns(evidence), len(rows))
    for model, threshold in thresholds.items():
        if threshold is None:
            continue
        score, scale = evidence.scores[model], evidence.scale(model)
        p = None if scale.probability is None else np.asarray(scale.probability(score.astype(np.float64)))
        flagged = np.asarray(score >= score.dtype.type(threshold))
        code = _row_codes(place, _narrow_bands(p, len(rows)), rows.label, flagged)
        yield Composition.from_codes(parts, code, rows.weights).exhibit({SliceKey.MODEL: model})
        for group, member in rows.groups.items():
            if len(member.rows):
                own = member.rows.astype(np.intp)
                weights = None if rows.weights is None else rows.weights.take(own)
                made_of = Composition.from_codes(parts, code[own], weights)
                yield made_of.exhibit({SliceKey.MODEL: model, SliceKey.GROUP: group})


def _row_codes(place: Ints, band: Int32s, label: Bools, flagged: Bools) -> Int32s:
    """Part, band, label and decision of each row as one number."""
    code = place.astype(np.int32)
    code *= np.int32(BANDS + 1)
    code += band
    code += np.int32(1)
    for bit in (label, flagged):
        code += code
        code += bit
    return code


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
        rows = evidence.kept(part)
        if rows is not None and len(part.slice) == 1:
            ((column, value),) = part.slice.items()
            columns.setdefault(column, {})[value] = rows
    return columns
