"""pandas in and out, with or without pyarrow: a column becomes a Polars series, and rows come back with their index.

pandas is never imported here: whoever hands over a pandas object has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeGuard, TypeVar, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
R = TypeVar("R")

SAMPLE_ROWS = 1000  # of a column of lists or dictionaries, from which its type is taken
OBJECT_TYPES: dict[str, pl.DataType] = {  # what pandas finds in a column of Python objects
    "string": pl.String(),
    "boolean": pl.Boolean(),
    "integer": pl.Int64(),
    "floating": pl.Float64(),
    "mixed-integer-float": pl.Float64(),
    "decimal": pl.Float64(),
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
    "bytes": pl.Binary(),
    "empty": pl.Null(),
}


PLAIN_VALUES: dict[pl.DataType, Callable[[Any], Any]] = {pl.Float64(): float, pl.Int64(): int, pl.Boolean(): bool}
UNREADABLE_VALUES = "the values are objects, or of several types: convert them to one type"


class ColumnReader(NamedTuple):
    """The Polars type of a column, and how to read it; a column that Polars cannot hold has the type Object."""

    dtype: pl.DataType
    read: Callable[[], pl.Series]


def is_pandas_frame(data: object) -> TypeGuard[pd.DataFrame]:
    """Whether this is a pandas data frame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def is_pandas_series(data: object) -> TypeGuard[pd.Series[Any]]:
    """Whether this is a pandas series."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.Series)


def pandas_column(values: pd.Series[Any]) -> ColumnReader:
    """How to read a column of pandas; NaN, NaT, None and pd.NA are empty."""
    if values.dtype.name == "category":
        return _categories(values)
    if hasattr(values.array, "__arrow_array__") and "pyarrow" in f"{values.dtype!r} {type(values.array)!r}".lower():
        return _converted(values, _from_arrow)
    if hasattr(values.dtype, "numpy_dtype"):
        return _converted(values, _from_masked)
    if hasattr(values.dtype, "tz"):
        return _converted(values, _from_zoned)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufmM":
        return _converted(values, lambda part: pl.Series(part.to_numpy(), nan_to_null=True))
    return _objects(values)


def unreadable_column(name: str) -> ColumnReader:
    """A column that is there and cannot be read; asking for it is an error."""

    def refuse() -> pl.Series:
        raise InputError(UNREADABLE_VALUES, column=name)

    return ColumnReader(pl.Object(), refuse)


def _converted(values: pd.Series[Any], convert: Callable[[pd.Series[Any]], pl.Series]) -> ColumnReader:
    return ColumnReader(convert(values.iloc[:0]).dtype, lambda: convert(values))


def _categories(values: pd.Series[Any]) -> ColumnReader:
    words = pandas_column(values.cat.categories.to_series())
    codes = values.cat.codes.to_numpy()
    return ColumnReader(words.dtype, lambda: words.read().gather(pl.Series(codes).set(pl.Series(codes < 0), None)))


def _from_arrow(values: pd.Series[Any]) -> pl.Series:
    return pl.Series(values.array.__arrow_array__())


def _from_masked(values: pd.Series[Any]) -> pl.Series:
    """Nullable numbers and booleans: values beside a mask."""
    numpy_type = values.dtype.numpy_dtype  # type: ignore[union-attr]
    filled = values.to_numpy(dtype=numpy_type, na_value=numpy_type.type(0))
    return pl.Series(filled, nan_to_null=True).set(pl.Series(values.isna().to_numpy()), None)


def _from_zoned(values: pd.Series[Any]) -> pl.Series:
    plain = values.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    return pl.Series(plain).dt.replace_time_zone("UTC")


def _objects(values: pd.Series[Any]) -> ColumnReader:
    from pandas.api.types import infer_dtype

    dtype = OBJECT_TYPES.get(infer_dtype(values, skipna=True)) or _nested_type(values)
    if dtype is None:
        return unreadable_column(str(values.name))
    return ColumnReader(dtype, lambda: _from_objects(values, dtype))


def _from_objects(values: pd.Series[Any], dtype: pl.DataType) -> pl.Series:
    try:
        return pl.Series(_plain_objects(values, PLAIN_VALUES.get(dtype)), dtype=dtype)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        raise InputError(UNREADABLE_VALUES, column=str(values.name)) from None


def _nested_type(values: pd.Series[Any]) -> pl.DataType | None:
    """The type of a column of lists or dictionaries, if it has one."""
    try:
        dtype = pl.Series(values.dropna().iloc[:SAMPLE_ROWS].tolist()).dtype
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return None
    return dtype if dtype.is_nested() else None


def _plain_objects(values: pd.Series[Any], convert: Callable[[Any], Any] | None) -> list[Any]:
    """Python's own values; None where one is missing."""
    plain = [value.tolist() if isinstance(value, np.ndarray) else value for value in values.tolist()]
    pairs = zip(plain, values.isna().tolist(), strict=True)
    return [None if missing else convert(value) if convert else value for value, missing in pairs]


def to_pandas(frame: pl.DataFrame, *, index: pd.Index[Any] | None = None) -> pd.DataFrame:
    """A pandas frame of these columns, for pandas with or without pyarrow."""
    import pandas

    columns = {name: _pandas_values(frame[name]) for name in frame.columns}
    return pandas.DataFrame(columns, index=index, columns=list(frame.columns))


def _pandas_values(values: pl.Series) -> npt.NDArray[Any]:
    plain = values.dtype.is_numeric() or (values.dtype == pl.Boolean and not values.null_count())
    return values.to_numpy() if plain else np.array([*values.to_list(), None], dtype=object)[:-1]


def with_columns(data: pd.DataFrame, added: pl.DataFrame) -> pd.DataFrame:
    """The rows of a pandas frame with more columns, its index as it was; the frame itself stays unchanged."""
    columns = to_pandas(added, index=data.index)
    return data.assign(**{name: columns[name] for name in added.columns})


def rows_as_given(function: Callable[P, R]) -> Callable[P, R]:
    """What a function of arrays gives for each row is pandas, with the index, where its first array is pandas."""
    own = signature(function)
    first = next(name for name in own.parameters if name != "self")

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        if "pandas" not in sys.modules:
            return function(*args, **kwargs)
        call = own.bind(*args, **kwargs)
        rows = call.arguments.get(first)
        if not (is_pandas_series(rows) or is_pandas_frame(rows)):
            return function(*args, **kwargs)
        call.arguments[first] = rows.to_numpy()
        result = _with_index(rows, np.asarray(function(*call.args, **call.kwargs)))
        return cast(R, result)

    return wrapped


def _with_index(rows: pd.Series[Any] | pd.DataFrame, values: npt.NDArray[Any]) -> pd.Series[Any] | pd.DataFrame:
    import pandas

    if values.ndim == 1:
        return pandas.Series(values, index=rows.index)
    named = is_pandas_frame(rows) and rows.shape[1] == values.shape[1]
    return pandas.DataFrame(values, index=rows.index, columns=rows.columns if named else None)
