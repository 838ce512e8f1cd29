"""Where the edges of bins cut a scale, and with that the sums of anything in the bins.

An edge falls into one cell. The cells below it are taken whole. Of its own cell, either all rows have one value and a
share of them is taken (all or none of them when the edge is a value); or the rows of that cell, and only these, are
put in order, and taken one value after the other with a share of the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.measures.calibration.scale import Rows, Scale
from evenhand.measures.cells import TIED
from evenhand.tally import FloatArray

Weights = Callable[[Rows], FloatArray]


@dataclass(frozen=True)
class Inside:
    """The rows of the edges' cells, by ascending value. Cells of one value have none: `single` is it, else NaN."""

    rows: Rows
    values: FloatArray
    starts: Rows  # where each edge's cell starts among the rows, and where it stops
    stops: Rows
    single: FloatArray

    @classmethod
    def of(cls, scale: Scale, cells: Rows) -> Inside:
        """Of the cells that edges fall into."""
        if scale.distinct is not None:
            none = np.zeros(len(cells), dtype=np.intp)
            return cls(none[:0], np.empty(0), none, none, scale.distinct[cells])
        wanted = np.zeros(scale.size, dtype=bool)
        wanted[cells] = True
        rows = np.flatnonzero(wanted[scale.cells])
        own, values, one = scale.cells[rows], scale.values[rows], np.full(scale.size, np.nan)
        one[own] = values
        one[own[values != one[own]]] = np.nan
        mixed = np.isnan(one[own])
        rows, own, values = rows[mixed], own[mixed], values[mixed]
        order = np.argsort(values, kind="stable")
        rows, own, values = rows[order], own[order], values[order].astype(np.float64)
        starts, stops = np.searchsorted(own, cells, "left"), np.searchsorted(own, cells, "right")
        return cls(rows, values, starts, stops, one[cells])


@dataclass(frozen=True)
class Cuts:
    """Per edge: its cell, the share taken of it, and of the rows `inside` it the first ones and a share of the next."""

    cells: Rows
    share: FloatArray
    inside: Inside
    taken: Rows  # rows inside that are taken whole, counted from the first of all
    next: Rows  # where the value that is shared ends
    next_share: FloatArray

    @classmethod
    def by_width(cls, scale: Scale, count: int) -> Cuts:
        """Bins (lo, hi] of equal width, a hair above an edge counting as on it."""
        if count not in scale.cuts:
            scale.cuts[count] = cls._by_value(scale, np.arange(1, count) / count + TIED)
        kept: Cuts = scale.cuts[count]
        return kept

    @classmethod
    def _by_value(cls, scale: Scale, edges: FloatArray) -> Cuts:
        cells = scale.place(edges)
        inside = Inside.of(scale, cells)
        taken = np.searchsorted(inside.values, edges, "right")
        share = (inside.single <= edges).astype(np.float64)
        return cls(cells, share, inside, taken, taken, np.zeros(len(edges)))

    @classmethod
    def by_mass(cls, scale: Scale, count: int, heaped: FloatArray, weights: Weights) -> Cuts:
        """Bins that hold equally much of what is heaped in the cells, with the weights of any rows."""
        before = np.concatenate(([0.0], np.cumsum(heaped)))
        targets = before[-1] * np.arange(1, count) / count
        cells = np.minimum(np.searchsorted(before[1:], targets), scale.size - 1)
        missing = targets - before[cells]
        inside = Inside.of(scale, cells)
        share = np.where(np.isnan(inside.single), 0.0, _ratio(missing, heaped[cells]))
        sums = _running(weights(inside.rows))
        targets = sums[inside.starts] + missing
        taken, after = inside.starts.copy(), inside.starts.copy()
        mixed = inside.stops > inside.starts
        last = np.clip(np.searchsorted(sums[1:], targets[mixed]), inside.starts[mixed], inside.stops[mixed] - 1)
        taken[mixed] = np.searchsorted(inside.values, inside.values[last], "left")
        after[mixed] = np.searchsorted(inside.values, inside.values[last], "right")
        return cls(cells, share, inside, taken, after, _ratio(targets - sums[taken], sums[after] - sums[taken]))

    def sums(self, heaped: FloatArray, inside: FloatArray) -> FloatArray:
        """Per bin, of anything that adds up: heaped per cell, and per row inside the cells of edges."""
        running = _running(inside)
        starts, own = np.unique(np.append(0, self.cells), return_inverse=True)
        before = _running(np.add.reduceat(heaped, starts, axis=-1))
        upto = before[..., own[1:]] + self.share * heaped[..., self.cells]
        upto += running[..., self.taken] - running[..., self.inside.starts]
        upto += self.next_share * (running[..., self.next] - running[..., self.taken])
        ends = (np.zeros_like(before[..., :1]), upto, before[..., -1:])
        return np.diff(np.concatenate(ends, axis=-1), axis=-1)


def _running(amounts: FloatArray) -> FloatArray:
    sums = np.zeros((*amounts.shape[:-1], amounts.shape[-1] + 1))
    np.cumsum(amounts, axis=-1, out=sums[..., 1:])
    return sums


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)
    return np.clip(ratio, 0.0, 1.0)
