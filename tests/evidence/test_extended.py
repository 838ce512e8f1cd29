"""A source with more columns than its file is read, in pieces too, and explained like the file itself."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import open_source


@pytest.fixture
def table() -> pl.DataFrame:
    return pl.DataFrame({"a": [1, 2, 3], "b": [0.5, 0.25, 0.125]})


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl", "frame"])
def test_added_columns_are_there_however_it_is_read(table: pl.DataFrame, tmp_path: Path, ending: str) -> None:
    writers = {".csv": table.write_csv, ".parquet": table.write_parquet, ".jsonl": table.write_ndjson}
    path = tmp_path / f"t{ending}"
    if ending in writers:
        writers[ending](path)
    beside = pl.DataFrame({"d": [7, 8, 9]})
    source = open_source(path if ending in writers else table)
    more = source.extended(lambda frame: frame.with_columns(c=pl.col("a") * 2))
    more = more.extended(lambda frame: pl.concat([frame, beside.lazy()], how="horizontal"))
    assert list(source.columns()) == ["a", "b"]
    assert list(more.columns()) == ["a", "b", "c", "d"]
    found = more.collect(lambda lazy: lazy.with_row_index("row").filter(pl.col("a") > 1).select("row", "c", "d"))
    assert found.rows() == [(1, 4, 8), (2, 6, 9)]
    pieces = pl.concat(list(more.batches(2, columns=["c", "d"])))
    assert pieces.rows() == [(2, 7), (4, 8), (6, 9)]
    assert more.fingerprint() == source.fingerprint()


def test_a_fault_of_the_file_is_still_found_in_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": \n{"a": 3}\n')
    source = open_source(path).extended(lambda frame: frame.with_columns(c=pl.col("a") * 2))
    with pytest.raises(InputError, match=r"t\.jsonl: row 2: not valid JSON"):
        source.collect(lambda lazy: lazy.select("c"))


def test_types_that_the_first_rows_hid_are_read_again(tmp_path: Path) -> None:
    """Where ten thousand whole numbers are followed by a fraction the file is scanned again, with the added column."""
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "1\n" * 10_001 + "0.5\n")
    source = open_source(path).extended(lambda frame: frame.with_columns(c=pl.col("a").cast(pl.Float64) + 1.0))
    assert source.collect(lambda lazy: lazy.select("c"))["c"][-1] == 1.5
