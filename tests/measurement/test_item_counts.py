"""Items counted before a plan: ids are checked, however many there are."""

from __future__ import annotations

import polars as pl
import pytest

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
