"""Tables in memory, as users have them: pandas with and without pyarrow, Polars, Arrow, DuckDB, a dict of arrays."""

from __future__ import annotations

import datetime
import subprocess
import sys
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.evidence import open_source

ROLES: dict[str, Any] = {"score": "p", "label": "toxic", "groups": ["women"], "audits": "bias"}


def comments(rows: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    toxic, women = rng.random(rows) < 0.4, rng.random(rows) < 0.5
    p = np.clip(0.3 * toxic + 0.1 * women + 0.6 * rng.random(rows), 0, 1)
    return pl.DataFrame({"p": p, "toxic": toxic, "women": women})


def estimates(data: Any) -> list[eh.Estimate]:
    return [measured.estimate for measured in eh.audit(data, **ROLES).findings[0]]


KINDS = {
    "pandas": lambda table: table.to_pandas(),
    "pandas with pyarrow types": lambda table: table.to_pandas(use_pyarrow_extension_array=True),
    "pandas with nullable types": lambda table: table.to_pandas().convert_dtypes(),
    "pandas with objects": lambda table: table.to_pandas().astype(object),
    "lazy Polars": lambda table: table.lazy(),
    "Arrow": lambda table: table.to_arrow(),
    "DuckDB": lambda table: duckdb.from_arrow(table.to_arrow()),
    "dict of arrays": lambda table: {name: table[name].to_numpy() for name in table.columns},
    "dict of lists": lambda table: table.to_dict(as_series=False),
    "dict of series": lambda table: {"p": table["p"], "toxic": table["toxic"].to_pandas(), "women": table["women"]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_the_same_numbers(kind: str) -> None:
    table = comments()
    assert estimates(KINDS[kind](table)) == estimates(table)


class Opaque:
    """What no table can hold."""


def test_an_undeclared_column_of_any_kind_does_no_harm() -> None:
    table = comments(60)
    odd: dict[str, list[Any]] = {
        "tags": [["a", 1]] * 60,
        "lists": [["a"], []] * 30,
        "mixed": [1, "a"] * 30,
        "objects": [Opaque()] * 60,
    }
    frame = table.to_pandas().assign(**{name: pd.Series(values, dtype=object) for name, values in odd.items()})
    assert estimates(frame) == estimates(table)
    assert estimates({**table.to_dict(as_series=False), **odd}) == estimates(table)


@pytest.mark.parametrize("column", ["mixed", "objects"])
def test_a_declared_column_of_no_kind_is_named(column: str) -> None:
    odd = {"mixed": [1, "a"] * 30, "objects": [Opaque()] * 60}
    frame = comments(60).to_pandas().assign(**{column: pd.Series(odd[column], dtype=object)})
    with pytest.raises(InputError, match=f"the frame: column '{column}': the values are objects, or of several types"):
        eh.audit(frame, score="p", label="toxic", groups=[column], audits="bias")


WITHOUT_PYARROW = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import numpy as np, pandas as pd
import evenhand as eh
rng = np.random.default_rng(3)
toxic = rng.random(200) < 0.4
frame = pd.DataFrame({
    "p": np.clip(0.4 * toxic + 0.6 * rng.random(200), 0, 1), "toxic": toxic,
    "who": pd.Categorical(rng.choice(["women", "men"], 200)), "text": ["Thank you."] * 200,
    "when": pd.date_range("2025-01-01", periods=200, tz="Europe/Vienna"), "tags": [["a"], [1]] * 100,
}, index=range(100, 300))
report = eh.audit(frame, score="p", label="toxic", group_by="who", audits="bias")
assert report.findings[0].values("group") == tuple(frame["who"].value_counts().index)
table = report.to_pandas()
assert isinstance(table, pd.DataFrame) and len(table) == len(report.estimates)
scored = eh.score(frame[["text", "when", "tags"]])
assert isinstance(scored, pd.DataFrame) and list(scored.index) == list(range(100, 300)) and scored["p"].notna().all()
import duckdb
relation = duckdb.sql("SELECT range % 7 / 7.0 AS p, range % 3 = 0 AS y, range % 2 = 0 AS women FROM range(90)")
assert eh.audit(relation, score="p", label="y", groups="women").findings[0].get("count").value == 90
assert not any(name.split(".")[0] == "pyarrow" for name in sys.modules)
print("done")
"""


@pytest.mark.verify
def test_pandas_without_pyarrow() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False)
    assert ran.stdout == "done\n", ran.stderr


VALUES: dict[str, tuple[Any, list[Any]]] = {
    "numbers": (pd.Series([1.5, np.nan]), [1.5, None]),
    "single precision": (pd.Series([1.5, 2.0], dtype="float32"), [1.5, 2.0]),
    "nullable integers": (pd.Series([1, None], dtype="Int64"), [1, None]),
    "nullable booleans": (pd.Series([True, None], dtype="boolean"), [True, None]),
    "nullable floats": (pd.Series([0.5, None], dtype="Float64"), [0.5, None]),
    "words": (pd.Series(["a", None]), ["a", None]),
    "words of Python": (pd.Series(["a", None], dtype=object), ["a", None]),
    "words of numpy": (pd.Series(["a", np.nan], dtype=pd.StringDtype("python")), ["a", None]),
    "booleans of Python": (pd.Series([True, None], dtype=object), [True, None]),
    "decimals": (pd.Series([Decimal("0.5"), None]), [0.5, None]),
    "categories": (pd.Series(pd.Categorical(["b", None, "a"])), ["b", None, "a"]),
    "categories of numbers": (pd.Series(pd.Categorical([3, 1])), [3, 1]),
    "times": (pd.Series(pd.to_datetime(["2025-01-02", None])), [datetime.datetime(2025, 1, 2), None]),
    "times with a zone": (
        pd.Series(pd.to_datetime(["2025-01-02T01:00"])).dt.tz_localize("Europe/Vienna"),
        [datetime.datetime(2025, 1, 2, tzinfo=datetime.UTC)],
    ),
    "dates": (pd.Series([datetime.date(2025, 1, 2), None], dtype=object), [datetime.date(2025, 1, 2), None]),
    "lists": (pd.Series([["a"], None, []], dtype=object), [["a"], None, []]),
    "arrays": (pd.Series([np.array([1, 2]), None], dtype=object), [[1, 2], None]),
    "whole numbers of numpy": (pd.Series([np.int64(3), None], dtype=object), [3, None]),
    "numbers of two kinds": (pd.Series([1, 2.5, None], dtype=object), [1.0, 2.5, None]),
    "nothing": (pd.Series([None, None], dtype=object), [None, None]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_pandas(kind: str) -> None:
    values, expected = VALUES[kind]
    source = open_source(pd.DataFrame({"x": values, "beside": 0}))
    found = source.collect(lambda lazy: lazy.select("x"))["x"]
    assert found.to_list() == expected
    assert found.dtype == source.columns()["x"]


def test_a_number_that_is_too_large_is_not_taken_for_a_missing_one() -> None:
    frame = comments(60).to_pandas().assign(n=pd.Series([2**70, *range(59)], dtype=object))
    with pytest.raises(InputError, match="the frame: column 'n': the values are objects, or of several types"):
        eh.audit(frame, score="p", label="toxic", count="n")


def test_columns_called_by_numbers() -> None:
    table = comments(60)
    frame = pd.DataFrame({0: table["p"].to_numpy(), 1: table["toxic"].to_numpy()})
    assert eh.audit(frame, score=0, label=1, audits="collaboration").findings[0].get("count").value == 60


def test_two_columns_of_one_name() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["p", "p"])
    with pytest.raises(InputError, match="the frame: two columns are called 'p': rename one"):
        open_source(frame)


def test_a_dict_that_is_no_table() -> None:
    with pytest.raises(InputError, match="the columns must have the same length: 'p' has 2, 'y' has 3"):
        open_source({"p": [0.1, 0.2], "y": [1, 0, 1]})
    for wrong in (0.5, "abc", np.float64(2)):
        with pytest.raises(InputError, match="column 'y': this is not an array: give one value per row"):
            open_source({"p": [0.1, 0.2], "y": wrong})


def test_a_condition_reads_its_own_columns() -> None:
    frame = comments(80).to_pandas().assign(lang=["en", "de"] * 40, tags=[[1], ["a"]] * 40)
    report = eh.audit(frame, score="p", label="toxic", where="lang = 'en'", audits="collaboration")
    assert report.findings[0].get("count").value == 40
