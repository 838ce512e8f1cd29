"""What unpacks to far more than it weighs is refused before it is unpacked; what people have is read."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from evenhand import limits
from evenhand.classifiers.texts import text_column
from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.evidence.arrow_buffers import check_arrow
from evenhand.evidence.parquet_pages import check_parquet
from evenhand.evidence.reading import read_columns


def table(rows: int = 5_000) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "id": np.arange(rows),
            "p": rng.random(rows),
            "y": rng.random(rows) < 0.1,
            "flag": np.where(rng.random(rows) < 0.02, 1.0, 0.0),
            "text": [f"words of item {i} " * (1 + i % 7) for i in range(rows)],
            "kind": pl.Series(["a", "b", None, "c", "d"] * (rows // 5), dtype=pl.Categorical),
            "several": [[1, 2, 3][: i % 4] for i in range(rows)],
            "nested": [{"a": i, "b": {"c": str(i)}} for i in range(rows)],
        }
    )


PARQUET = {
    "polars": lambda frame, path: frame.write_parquet(path),
    "polars plain": lambda frame, path: frame.write_parquet(path, compression="uncompressed", row_group_size=900),
    "polars gzip": lambda frame, path: frame.write_parquet(path, compression="gzip", statistics="full"),
    "pyarrow": lambda frame, path: pa.parquet.write_table(frame.to_arrow(), path),
    "pyarrow pages": lambda frame, path: pa.parquet.write_table(
        frame.to_arrow(), path, data_page_version="2.0", data_page_size=500, write_page_index=True, compression="zstd"
    ),
    "pyarrow plain": lambda frame, path: pa.parquet.write_table(
        frame.to_arrow(), path, use_dictionary=False, compression="brotli", row_group_size=700
    ),
    "duckdb": lambda frame, path: duckdb.sql("SELECT * FROM frame").write_parquet(str(path)),
}
ARROW = {
    "polars": lambda frame, path: frame.write_ipc(path),
    "polars zstd": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    "polars lz4": lambda frame, path: frame.write_ipc(path, compression="lz4", compat_level=pl.CompatLevel.oldest()),
    "pyarrow": lambda frame, path: pa.feather.write_feather(frame.to_arrow(), path, compression="zstd", chunksize=800),
    "pyarrow plain": lambda frame, path: pa.feather.write_feather(frame.to_arrow(), path, compression="uncompressed"),
}


@pytest.mark.parametrize("writer", PARQUET)
def test_pages_of_parquet_are_added_up(tmp_path: Path, writer: str) -> None:
    path = tmp_path / "items.parquet"
    PARQUET[writer](table(), path)
    found = check_parquet(path)
    told = pa.parquet.ParquetFile(path).metadata
    groups = [told.row_group(number) for number in range(told.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(told.num_columns)]
    whole, packed = (sum(getattr(c, f"total_{kind}_size") for c in chunks) for kind in ("uncompressed", "compressed"))
    assert found.rows[-1] == found.rows[-2] == found.rows[0] == 5_000
    assert max(found.rows.values()) == max(sum(c.num_values for c in chunks[i :: told.num_columns]) for i in range(10))
    assert whole - packed <= found.size <= whole
    assert open_source(path).collect(lambda frame: frame.select("id"))["id"].sum() == sum(range(5_000))


@pytest.mark.parametrize("writer", ARROW)
def test_buffers_of_arrow_are_added_up(tmp_path: Path, writer: str) -> None:
    path, plain = tmp_path / "items.arrow", tmp_path / "plain.arrow"
    ARROW[writer](table(), path)
    found = check_arrow(path)
    pa.feather.write_feather(pa.ipc.open_file(path).read_all(), plain, compression="uncompressed")
    assert found.rows[0] >= 5_000
    assert found.size == pytest.approx(plain.stat().st_size, rel=0.2)
    assert open_source(path).collect(lambda frame: frame.select("id"))["id"].sum() == sum(range(5_000))


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_FREE", limits.MIB)
    monkeypatch.setattr(limits, "ROWS_FREE", 10_000)


def write(frame: pl.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.write_parquet(path, compression="zstd")
    else:
        frame.write_ipc(path, compression="zstd")
    return path


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("name", ["items.parquet", "items.arrow", "items.feather"])
def test_a_text_of_many_megabytes_in_few_bytes(tmp_path: Path, name: str) -> None:
    path = write(pl.DataFrame({"p": [0.5], "t": ["a" * (16 << 20)]}), tmp_path / name)
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=rf"{name}: the file unpacks to more than [\d,]+ bytes from [\d,]+: if"):
        open_source(path)


@pytest.mark.usefixtures("small_limits")
def test_millions_of_rows_in_few_bytes(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pa.parquet.write_table(pa.table({"y": pa.array(np.zeros(3_000_000, dtype=bool))}), path)
    assert path.stat().st_size < 30_000
    with pytest.raises(InputError, match=r"declares 1?,?\d[\d,]+ rows in [\d,]+ bytes, and at most"):
        open_source(path)


@pytest.mark.usefixtures("small_limits")
def test_a_list_of_millions_in_one_row(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pa.parquet.write_table(pa.table({"y": pa.array([np.zeros(3_000_000, dtype=bool).tolist()])}), path)
    with pytest.raises(InputError, match="declares 3,000,000 rows"):
        open_source(path)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("name", ["items.parquet", "items.arrow"])
def test_one_long_text_in_every_row(tmp_path: Path, name: str) -> None:
    """It is kept once, and whoever writes all of them in lower case has it in every row."""
    path, text, rows = tmp_path / name, "a " * 100_000, 2_000
    if name.endswith("parquet"):
        once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([text]))
        pa.parquet.write_table(pa.table({"t": once}), path, store_schema=False)
    else:
        pl.select(t=pl.repeat(text, rows)).write_ipc(path, compression="zstd")
    with pytest.raises(InputError, match="unpacks to more than"):
        read_columns(open_source(path), ["t"])
    with pytest.raises(InputError, match="unpacks to more than"):
        text_column(open_source(path), None)


@pytest.mark.parametrize("name", ["items.parquet", "items.arrow"])
def test_a_file_that_was_cut_or_altered_anywhere(tmp_path: Path, name: str) -> None:
    """Whatever the checks meet, they end in one line, and at once."""
    path = write(table(50), tmp_path / name)
    whole = path.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(300):
        broken = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            broken[place] = rng.integers(0, 256)
        path.write_bytes(broken[: rng.integers(1, len(whole))] if rng.random() < 0.2 else broken)
        try:
            (check_parquet if name.endswith("parquet") else check_arrow)(path)
        except InputError as error:
            assert len(str(error).splitlines()) == 1  # noqa: PT017


@pytest.mark.parametrize("name", ["items.csv", "items.csv.gz", "items.parquet", "items.arrow", "items.jsonl"])
def test_too_many_columns(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    names = [f"c{number}" for number in range(limits.COLUMNS + 1000)]
    text = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
    if name.endswith((".parquet", ".arrow")):
        write(pl.DataFrame({name: [1] for name in names}), path)
    elif name.endswith(".jsonl"):
        path.write_text(
            "".join(json.dumps(dict.fromkeys(names[i : i + 100], 1)) + "\n" for i in range(0, len(names), 100))
        )
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    with pytest.raises(InputError, match=r"the file has 2\d,\d\d\d columns, and at most 20,000 are read"):
        open_source(path).columns()


def test_many_columns_are_read_in_no_time(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    names = [f"c{number}" for number in range(limits.COLUMNS)]
    path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    assert len(open_source(path).columns()) == limits.COLUMNS
    path.write_text(",".join([*names[1:], "c7"]) + "\n")
    with pytest.raises(InputError, match="'c7' more than once"):
        open_source(path)


def test_gzip_that_unpacks_to_everything(tmp_path: Path) -> None:
    path = tmp_path / "items.csv.gz"
    head, rest = b"p,y\n", b"0.1,1\n" * 100_000
    path.write_bytes(gzip.compress(head) + b"".join([gzip.compress(rest)] * 300))  # parts of one file
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(InputError, match=r"items\.csv\.gz: the file unpacks to more than"):
        open_source(path)
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


def test_gzip_of_flags_alone_is_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    flags = {f"g{number}": np.where(rng.random(20_000) < 0.01, "1", "0") for number in range(30)}
    text = pl.DataFrame({"y": rng.random(20_000) < 0.1, **flags}).write_csv().encode()
    packed = gzip.compress(text, 9)
    path = tmp_path / "items.csv.gz"
    path.write_bytes(packed)
    assert 10 < len(text) / len(packed) < 0.5 * limits.UNPACKED_TEXT
    assert open_source(path).collect(lambda frame: frame.select(pl.len())).item() == 20_000


@pytest.mark.parametrize("name", ["items.csv", "items.tsv", "items.jsonl", "items.csv.gz"])
def test_a_line_without_end(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FIELD_BYTES", 100_000)
    monkeypatch.setattr(limits, "UNPACKED_FREE", limits.GIB)
    path, start = tmp_path / name, b'{"p": 1}\n' if name.endswith("jsonl") else b"p,y\n0.1,1\n"
    for lines in (start * 20_000 + b"0" * 99_000 + b"\n", start + b"0" * 150_000, start * 30_000 + b"0" * 200_001):
        path.write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
        if len(lines) > 150_000 and lines.endswith(b"\n"):
            open_source(path)
        elif lines.endswith(b"0" * 200_000) or not name.endswith(".gz"):
            with pytest.raises(InputError, match="a line is longer than 100,000 bytes"):
                open_source(path)


def test_a_hole_instead_of_data(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    with path.open("wb") as file:
        file.write(b"p,y\n0.1,1\n")
        file.truncate(100 << 30)
    if not 0 < os.stat(path).st_blocks < 1000:
        pytest.skip("no holes on this disk")
    with pytest.raises(InputError, match=r"107,374,182,400 bytes .* is a hole"):
        open_source(path)


def test_a_quote_that_is_never_closed_is_found_without_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIELD_BYTES", 10_000)
    path = tmp_path / "items.csv"
    path.write_text('p,y\n0.1,1\n0.2,"1\n' + "0.1,1\n" * 10_000)
    with pytest.raises(InputError, match=r"row 2: a quote"):
        open_source(path).collect(lambda frame: frame.select(pl.col("y").cast(pl.Int64)))
