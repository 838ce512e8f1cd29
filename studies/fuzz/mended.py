"""Every fault that was found, by the smallest input that shows it. The tests go through all of them again.

`FILES` are given to the parser of their target, `TABLES` to an audit; either ends in one line, or in a sound result.
`WRITTEN` and `NUMBERS` have tests of their own.
"""

from __future__ import annotations

import datetime
import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from studies.fuzz import seeds
from studies.fuzz.tables import sound

DEEP = b"[" * 100_000
HUGE = b"1" + b"0" * 400
HALF = "\ud800"  # half a character


def altered(content: bytes, value: Any, *path: str | int) -> bytes:
    """A JSON text in which another value stands at a place; `...` takes it away."""
    tree = json.loads(content)
    holder = tree
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(tree).encode()


def _plan(value: Any, *path: str | int) -> Callable[[], bytes]:
    return lambda: altered(seeds.planned()["plan.json"], value, *path)


def _drawn(value: Any, *path: str | int) -> Callable[[], bytes]:
    return _plan(value, "batches", 0, "parts", 0, *path)


def _task(value: Any, *path: str | int) -> Callable[[], bytes]:
    return lambda: altered(seeds.answers("json")[0], value, 0, "annotations", *path)


def _estimate(value: Any, *path: str | int) -> Callable[[], bytes]:
    return lambda: altered(seeds.report().json().encode(), value, "findings", 0, *path)


def _model(value: Any, *path: str | int) -> Callable[[], bytes]:
    return lambda: altered(seeds.part("linear", "model.json"), value, *path)


def _calibrator(method: str, value: Any, *path: str | int) -> Callable[[], bytes]:
    def make() -> bytes:
        found = next(content for content in seeds.calibrators() if json.loads(content)["method"] == method)
        return altered(found, value, "parameters", *path)

    return make


def _weights(change: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """The weights of a linear model with the first array changed."""

    def make() -> bytes:
        out = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(seeds.part("linear", "weights.npz"))) as file,
            zipfile.ZipFile(out, "w") as fresh,
        ):
            for number, name in enumerate(file.namelist()):
                fresh.writestr(name, file.read(name) if number else change(file.read(name)))
        return out.getvalue()

    return make


def _unbounded() -> bytes:
    """Weights of which one is no number."""
    arrays = dict(np.load(io.BytesIO(seeds.part("linear", "weights.npz"))))
    arrays["offsets"] = np.full_like(arrays["offsets"], math.nan)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _in_corpus(file: str, content: bytes) -> Callable[[], bytes]:
    def make() -> bytes:
        from studies.fuzz.parsers import published

        number = next(number for number, (_, name, _) in enumerate(published()) if name == file)
        return bytes([number]) + content

    return make


def _about(told: str) -> bytes:
    """A checkpoint that says something else of itself."""
    content = seeds.checkpoint()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    header["__metadata__"]["about"] = told
    fresh = json.dumps(header).encode()
    return len(fresh).to_bytes(8, "little") + fresh + content[8 + size :]


def _method(start: bytes, at: int, value: int) -> bytes:
    """A zip archive with another number in the entries of its list."""
    from studies.fuzz.parsers import archives

    content = bytearray(archives()[0])
    place = content.find(start)
    while place >= 0:
        content[place + at] = value
        place = content.find(start, place + 1)
    return bytes(content)


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "evidence csv": {"a quote in the header that is not closed": lambda: b'id,"p,y,g,t\n1,0.5,1,0,x\n'},
    "evidence tsv": {
        "a pattern among the names of a sketch": lambda: b"^.*1111$\ty\nword\t1\nother\t2\n",
    },
    "evidence jsonl": {"lines that look like UTF-32": lambda: seeds.tables("jsonl")[1] + b"\0" * 18},
    "declaration toml": {
        "audits that are a number": lambda: seeds.DECLARATION.replace(b'["bias", "calibration"]', b"5"),
        "a share beyond all floats": lambda: seeds.DECLARATION.replace(b"0.5", HUGE),
        "a setting beyond all floats": lambda: seeds.DECLARATION.replace(b"0.4", HUGE),
    },
    "plan": {
        "a place less than ids": _drawn(..., "items", "place", 0),
        "an id that is a number": _drawn(1.5, "items", "id", 0),
        "an id that is a list": _drawn([], "items", "id", 0),
        "strata of different lengths": _drawn(..., "strata", "labels", 0),
        "a number that is not finite": _plan(math.nan, "level"),
        "a role that there is not": _plan(None, "columns", ""),
        "a count beyond all whole numbers": _plan(1e308, "pools", 0, "cells", "items", 0),
    },
    "labels json": {
        "annotations that are no list": lambda: altered(seeds.answers("json")[0], False, 0, "annotations"),
        "an annotation that is a word": _task("x", 0),
        "a result that is a number": _task(0.5, 0, "result", 0),
        "results that are a number": _task(1, 0, "result"),
        "choices that are no list": _task(True, 0, "result", 0, "value", "choices"),
        "choices that are a table": _task({"a": 1}, 0, "result", 0, "value", "choices"),
    },
    "findings json": {
        "a slice that is a list": _estimate([], "estimates", 0, "slice"),
        "a note that is a list": _estimate([None], "estimates", 0, "note"),
    },
    "calibrator": {
        "a number beyond all floats": _calibrator("histogram", 10**400, "edges", 0, 0),
        "a list within a list": _calibrator("vector", [0.5] * 3, "slopes", 1),
    },
    "linear model json": {
        "no targets": _model(..., "targets"),
        "no kind": _model(..., "kind"),
        "a kind that is a number": _model(0.5, "kind"),
        "a kind that is a table": _model({}, "kind"),
        "settings that are a number": _model(1, "settings"),
        "targets that are a number": _model(0, "targets"),
        "files that are a list": _model([0.5], "files"),
        "half a character": _model(HALF, "name"),
        "a nest without end": lambda: DEEP,
    },
    "linear model npz": {
        "a member that is no array": _weights(lambda _: b"x"),
        "a header that is no Python": _weights(lambda npy: npy.replace(b"{'descr'", b"{('descr")),
        "a shape beyond all memory": _weights(
            lambda npy: npy.replace(b"(1024,", b"(9" + b"9" * 25 + b",").ljust(len(npy))
        ),
        "a weight that is not finite": _unbounded,
    },
    "transformers config": {"a nest without end": lambda: DEEP},
    "model description": {"a kind that is a table": lambda: b'kind = {}\npath = "model.skops"\n'},
    "encoder tokenizer": {
        "a word for the unknown that there is not": lambda: altered(
            seeds.part("encoder", "tokenizer.json"), "NaN", "model", "unk_token"
        ),
    },
    "encoder checkpoint": {"a word about the run that is no table": lambda: _about("[]")},
    "corpora": {
        "numbers where words are": _in_corpus(
            "test_suite_cases.csv", b"functionality,case_id,test_case,label_gold,target_ident\n1,1,1,1,1\n"
        ),
        "half a character": _in_corpus(
            "MD-Agreement_train.json", b'{"1": {"text": "a", "annotators": "A", "annotations": "\\ud800"}}'
        ),
    },
    "lock of fetched files": {"a nest without end": lambda: DEEP},
    "archives": {
        "a member packed in an unknown way": lambda: _method(b"PK\x01\x02", 10, 99),
        "a member of a version to come": lambda: _method(b"PK\x01\x02", 6, 99),
    },
}
SCORED = {"score": "p", "label": "y", "groups": ["a"], "audits": "bias"}
DECIDED = {"label": "y", "decision": "gone", "audits": "accuracy"}
CLASSED = {"probabilities": ["p_calm", "p_rude", "p_worse"], "label": "kind", "audits": "calibration"}


def _with(**columns: Any) -> Callable[[], pl.DataFrame]:
    return lambda: sound(1, 40).with_columns(**columns)


TABLES: dict[str, tuple[Callable[[], pl.DataFrame], Mapping[str, Any]]] = {
    "a column that is called like a pattern": (lambda: sound(1, 40).rename({"p": "^p$"}), {**SCORED, "score": "^p$"}),
    "durations where words are needed": (_with(kind=pl.lit(datetime.timedelta(1))), CLASSED),
    "infinite numbers where words are needed": (_with(gone=pl.lit(math.inf)), DECIDED),
    "terms that are a number": (_with(), {**SCORED, "groups": None, "terms": 5, "text": "text"}),
    "counts beyond all whole numbers": (_with(times=pl.lit(1e308)), {**DECIDED, "count": "times"}),
    "slices by the text": (_with(), {**SCORED, "text": "text", "slices": ["text"]}),
    "an uncertainty that is the text": (_with(), {**SCORED, "text": "text", "uncertainty": "text"}),
    "an error of a class that may be above 1": (lambda: sound(0, 16), {**CLASSED, "replicates": 50}),
}
WRITTEN: tuple[str, ...] = (  # tables in files; each has a test of its own
    "a number with more digits than any type has",
    "a message as long as a value",
    "a compressed file that is known by its name alone",
)
NUMBERS: tuple[str, ...] = (
    "a threshold beyond the scores' precision",
    "a background that weighs nothing beside the group",
)
MENDED: dict[str, tuple[str, ...]] = {
    "tables and declarations": (*TABLES, *WRITTEN),
    "measures": NUMBERS,
    **{target: tuple(rows) for target, rows in FILES.items()},
}
