"""Tables in memory as one lazy Polars frame: pandas, Polars, Arrow, DuckDB, any frame that Narwhals knows, or a dict.

Only columns that are asked for are converted, so that a column of another kind beside them does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt
import polars as pl

from evenhand.errors import InputError
from evenhand.pandas_frames import ColumnReader, is_pandas_frame, is_pandas_series, pandas_column, unreadable_column

if TYPE_CHECKING:
    from pathlib import Path

    import narwhals.stable.v2 as nw
    from narwhals.typing import IntoFrame

    from evenhand.evidence.source import Source

FRAME_NAME = "the frame"  # what errors call it
Frame: TypeAlias = "pl.DataFrame | pl.LazyFrame | IntoFrame | Mapping[str, npt.ArrayLike]"
TableSource: TypeAlias = "str | Path | Frame | Source"  # a path, the URL of a database, or a table in memory


def lazy_frame(data: Frame) -> pl.LazyFrame:
    """The table as a lazy frame; lazy engines (DuckDB) hand over only what is asked for, too."""
    if isinstance(data, pl.LazyFrame):
        return data
    if isinstance(data, pl.DataFrame):
        return data.lazy()
    if is_pandas_frame(data):
        return _readers_frame((str(name), pandas_column(data.iloc[:, i])) for i, name in enumerate(data.columns))
    if isinstance(data, Mapping):
        return _arrays_frame(data)
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        kind = type(data).__name__
        raise InputError(
            f"a {kind} is not a table: give a path, a database URL, a data frame or a dict of arrays"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        return _columns_of_engine(frame)
    return _readers_frame((name, _narwhals_column(frame.get_column(name))) for name in frame.columns)


def _arrays_frame(arrays: Mapping[str, npt.ArrayLike]) -> pl.LazyFrame:
    """A dict of arrays, lists or series, all of one length."""
    lengths = {str(name): _length(str(name), values) for name, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"'{name}' has {length:,}" for name, length in lengths.items())
        raise InputError(f"the columns must have the same length: {listed}", source=FRAME_NAME)
    return _readers_frame((str(name), _array_column(str(name), values)) for name, values in arrays.items())


def _length(name: str, values: npt.ArrayLike) -> int:
    scalar = isinstance(values, (str, bytes)) or getattr(values, "ndim", 1) == 0
    if scalar or not isinstance(values, Sized):
        raise InputError("this is not an array: give one value per row", source=FRAME_NAME, column=name)
    return len(values)


def _array_column(name: str, values: npt.ArrayLike) -> ColumnReader:
    if is_pandas_series(values):
        return pandas_column(values)
    try:
        series = values if isinstance(values, pl.Series) else pl.Series(values, nan_to_null=True)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return unreadable_column(name)
    return ColumnReader(series.dtype, lambda: series)


def _narwhals_column(values: nw.Series[Any]) -> ColumnReader:
    try:
        dtype = values.head(0).to_polars().dtype
    except (TypeError, ValueError, NotImplementedError, pl.exceptions.PolarsError):
        return unreadable_column(values.name)
    return ColumnReader(dtype, values.to_polars)


def _readers_frame(columns: Iterable[tuple[str, ColumnReader]]) -> pl.LazyFrame:
    from polars.io.plugins import register_io_source

    readers: dict[str, ColumnReader] = {}
    for name, reader in columns:
        if name in readers:
            raise InputError(f"two columns are called '{name}': rename one", source=FRAME_NAME)
        readers[name] = reader

    def fetch(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _batch: int | None
    ) -> Iterator[pl.DataFrame]:
        names = list(readers) if columns is None else columns
        table = pl.DataFrame([_read(readers[name]).alias(name) for name in names])
        table = table if rows is None else table.head(rows)
        yield table if predicate is None else table.filter(predicate)

    return register_io_source(fetch, schema={name: reader.dtype for name, reader in readers.items()})


def _read(reader: ColumnReader) -> pl.Series:
    try:
        return reader.read()
    except InputError as error:
        raise error.within(FRAME_NAME) from None


def _columns_of_engine(frame: nw.LazyFrame[Any]) -> pl.LazyFrame:
    """A lazy frame of another engine, of which only the columns that are asked for are ever fetched."""
    from polars.io.plugins import register_io_source

    def fetch(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _batch: int | None
    ) -> Iterator[pl.DataFrame]:
        wanted = frame.select(*columns) if columns else frame
        table = _collected(wanted if rows is None else wanted.head(rows))
        yield table if predicate is None else table.filter(predicate)

    return register_io_source(fetch, schema=_collected(frame.head(0)).schema)


def _collected(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    """What an engine computes; DuckDB asks for pyarrow, and without it its Arrow stream is read."""
    try:
        table: pl.DataFrame = frame.collect("polars").to_polars()
    except ImportError:
        table = pl.DataFrame(frame.to_native())
    return table
