"""Items counted before a plan: ids are checked, however many there are."""

from __future__ import annotations

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence.columns import SourceTable
from evenhand.measurement.item_counts import IdCheck


def test_ids_whose_hashes_are_one_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ids with one hash are looked at again, and are no repeat."""
    pieces = [SourceTable("x", pl.DataFrame({"id": part})) for part in ([5, 3], [9, 8])]
    monkeypatch.setattr(pl.Series, "hash", lambda series, seed: pl.Series([7] * len(series), dtype=pl.UInt64))
    ids = IdCheck("id")
    for piece in pieces:
        ids.add(piece)
    ids.check(pieces)


def test_a_repeat_in_another_piece_is_found() -> None:
    pieces = [SourceTable("x", pl.DataFrame({"id": part})) for part in ([5, 3, 4], [9, 8, 5], [1, 2, 0])]
    ids = IdCheck("id")
    for piece in pieces:
        ids.add(piece)
    with pytest.raises(InputError, match="the id '5' occurs twice"):
        ids.check(pieces)


def test_ids_that_rise_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.measurement.id_hashes.HashRanges.repeated", None)
    pieces = [SourceTable("x", pl.DataFrame({"id": part})) for part in ([1, 2], [3, 9])]
    ids = IdCheck("id")
    for piece in pieces:
        ids.add(piece)
    ids.check(pieces)
