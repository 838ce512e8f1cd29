"""What a run gave, as plain data with an address for everything: exit codes, what was printed, every file written.

Whatever differs from machine to machine or from day to day (folders, versions, dates, seconds) is written as a word in
angle brackets. Long columns become a few numbers that no change of a value leaves alone. No text of an item is kept.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

Tree = Any
LONG = 40  # items of a list, from which it is told by a few numbers
SPOTS = 8
TABLES = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson, ".arrow": pl.read_ipc}
DRAWN = {".svg", ".png"}
TEXTS = {"text", "comment", "phrase", "context", "link", "parent", "Text", "post"}  # columns that are never kept
UNSTEADY = {"seconds": "<seconds>", "made": "<date>", "evenhand": "<version>"}
CALLED = re.compile(r"python -m [\w.]*evenhand ")  # how the program was started
LISTED = ("estimates", "findings")


class Plain:
    """Replaces what varies. `known` are strings to be replaced, such as the folder of the run."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = {**known, date.today().isoformat(): "<date>"}

    def know(self, more: Mapping[str, str]) -> None:
        self._known |= more

    def text(self, value: str) -> str:
        for found, name in self._known.items():
            value = value.replace(found, name)
        return value

    def lines(self, text: str) -> list[str]:
        return [CALLED.sub("evenhand ", line.rstrip()) for line in self.text(text).splitlines()]

    def tree(self, value: Tree, key: str = "") -> Tree:
        if key in UNSTEADY and not isinstance(value, (dict, list)):
            return UNSTEADY[key]
        if key == "versions" and isinstance(value, dict):
            return dict.fromkeys(value, "<version>")
        if isinstance(value, dict):
            found = keyed(value) if any(isinstance(value.get(name), list) for name in LISTED) else value
            return {self.text(str(name)): self.tree(part, str(name)) for name, part in found.items()}
        if isinstance(value, (list, tuple)):
            return self._list(list(value))
        return self.text(value) if isinstance(value, str) else value

    def _list(self, value: list[Any]) -> Tree:
        if len(value) > LONG and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in value):
            return numbers(value)
        if len(value) > LONG and all(isinstance(x, str) for x in value):
            return words([self.text(x) for x in value])
        return [self.tree(part) for part in value]


def keyed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Findings by the name of their audit, estimates by measure and slice, readings by slice."""
    if isinstance(data.get("findings"), list):
        return {**data, "findings": _by_name((f["audit"], f) for f in data["findings"])}
    estimates = _by_name(
        (f"{e['measure']}{_braced(e['slice'])}", {k: v for k, v in e.items() if k not in ("audit", "measure", "slice")})
        for e in data["estimates"]
    )
    readings = _by_name(
        (_braced(r["slice"]), {k: v for k, v in r.items() if k != "slice"}) for r in data.get("readings", ())
    )
    examples = {"examples": len(data["examples"])} if "examples" in data else {}
    return {**data, "estimates": estimates, "readings": readings, **examples}


def _braced(slice_: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}={value}" for key, value in slice_.items()) + "}"


def _by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        own, number = name, 1
        while own in found:
            number += 1
            own = f"{name} #{number}"
        found[own] = value
    return found


def numbers(values: Iterable[float | None]) -> dict[str, Any]:
    """A long column of numbers: how many, sums that see every value and its place, and some of them."""
    given = list(values)
    array = np.array([np.nan if v is None else float(v) for v in given])
    known = np.flatnonzero(np.isfinite(array))
    kept = array[known]
    spots = np.unique(np.linspace(0, len(known) - 1, SPOTS).astype(int)) if len(known) else []
    return {
        "numbers": len(given),
        "empty": int(len(given) - len(known)),
        "sum": float(np.sum(kept)),
        "squares": float(np.sum(kept**2)),
        "in_place": float(np.sum(kept * (1.0 + known % 97))),
        "some": {str(known[k]): float(kept[k]) for k in spots},
    }


def words(values: Sequence[str | None]) -> dict[str, Any]:
    """A long column of words: how many, how many differ, and a hash."""
    told = "\x1f".join("\x00" if v is None else v for v in values)
    return {"words": len(values), "different": len(set(values)), "sha256": sha256(told.encode())}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def without_ids(tree: Tree) -> Tree:
    """Ids of other people's data are told by their hash."""
    if isinstance(tree, dict):
        return {
            key: words(part) if key == "ids" and isinstance(part, list) else without_ids(part)
            for key, part in tree.items()
        }
    return [without_ids(part) for part in tree] if isinstance(tree, list) else tree


def table(frame: pl.DataFrame) -> dict[str, Any]:
    """Columns with their types, and what is in each; the ids of a sheet in full, in their order."""
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if name in TEXTS:
            columns[name] = {"type": "a text"}
        elif column.dtype == pl.Boolean:
            columns[name] = {"type": str(column.dtype), **numbers(column.cast(pl.Int64))}
        elif column.dtype.is_numeric():
            columns[name] = {"type": str(column.dtype), **numbers(column)}
        else:
            columns[name] = {"type": str(column.dtype), **words(column.cast(pl.String).to_list())}
    sheet = {"ids": frame["id"].cast(pl.String).to_list()} if {"id", "label", "text"} <= set(frame.columns) else {}
    return {"rows": len(frame), "order": frame.columns, "columns": columns, **sheet}


def written(path: Path, plain: Plain) -> Tree:
    """What is in a file, by its kind."""
    if path.suffix in DRAWN:
        return "drawn" if path.stat().st_size > 500 else "empty"
    if path.name == "files.json":
        return sorted(json.loads(path.read_text(encoding="utf-8"))["files"])
    if path.suffix == ".npz":
        return {name: {"shape": list(a.shape), "type": str(a.dtype), **numbers(a.ravel())} for name, a in _arrays(path)}
    if path.suffix in TABLES:
        return _table(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return _page(text)
    if path.suffix == ".json":
        return _json(path, json.loads(text), plain)
    return plain.lines(text)


def _arrays(path: Path) -> Iterable[tuple[str, np.ndarray]]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            yield name, np.load(io.BytesIO(archive.read(name)), allow_pickle=False)


def _table(path: Path) -> Tree:
    if path.suffix == ".csv" and "estimates" not in path.name:
        return table(pl.read_csv(path, infer_schema=not _is_sheet(path), infer_schema_length=None))
    if path.suffix == ".csv":
        return table(pl.read_csv(path, infer_schema_length=None))
    return table(TABLES[path.suffix](path))


def _is_sheet(path: Path) -> bool:
    with path.open(encoding="utf-8") as file:
        return {"id", "label", "text"} <= set(file.readline().strip().split(","))


def _json(path: Path, data: Tree, plain: Plain) -> Tree:
    """Seals that follow from every last digit of what stands beside them are left to the digits."""
    if path.name == "model.json":
        data = {**data, "files": sorted(data["files"]), "seal": "<seal>"}
    elif isinstance(data, dict) and "fitted_on" in data:
        data = {**data, "seal": "<seal>"}
    elif isinstance(data, dict) and "batches" in data and "pools" in data:
        data = {**data, "batches": [{**batch, "seal": "<seal>"} for batch in data["batches"]]}
    elif isinstance(data, list) and data and isinstance(data[0], dict) and "data" in data[0]:
        return {"tasks": len(data), "keys": sorted(data[0]["data"]), "ids": [task["data"]["item"] for task in data]}
    return plain.tree(data)


def _page(text: str) -> dict[str, Any]:
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    return {
        "figures": text.count("<svg"),
        "tables": text.count("<table"),
        "findings": sorted(f["audit"] for f in json.loads(found[1])["findings"]) if found else None,
    }
