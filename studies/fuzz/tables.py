"""Whatever table a user has, and whatever they say of it: sound at first, then spoiled in a few places."""

from __future__ import annotations

import datetime
import gzip
import io
import math
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

NAMES = (
    *("", " ", "a,b", 'quo"te', "new\nline", "é", "\u202eright to left", "^.*$", "*", "^p$", "count", "len", "literal"),
    *("\0row", "\0length", "index", "group", "value", "__index__", "=cmd()", "x" * 300, "id", "0", "-1", "p ", "NaN"),
)
WORDS = (
    *(
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e999",
        "-1",
        "0x1",
        "１",
        " 0.5 ",
        "0,5",
        "1_000",
        "true",
        "False",
        "yes",
    ),
    *("no", "\x00", "\u2028", "é", "\ud7ff", "None", "null", "2024-01-01", "1" * 400, "a" * 5000, "'1", "=1+1", "0.5"),
)
FLOATS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 0.5, 1.0, 2.0, 1e-300, 9e18, 1.0000000000000002)
INTEGERS = (0, 1, -1, 2, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 100)
DAY = datetime.datetime(2024, 2, 29, 12)


def _series(values: list[Any], kind: Any) -> Any:
    return lambda n, draw: pl.Series([draw(st.sampled_from(values)) for _ in range(n)], dtype=kind, strict=False)


KINDS: dict[str, Any] = {
    "words": _series([*WORDS, None], pl.String),
    "floats": _series([*FLOATS, None], pl.Float64),
    "single floats": _series([*FLOATS, None], pl.Float32),
    "integers": _series([*INTEGERS, None], pl.Int64),
    "unsigned": _series([0, 1, 2**64 - 1], pl.UInt64),
    "wide integers": _series([0, 1, 2**100, None], pl.Int128),
    "small integers": _series([0, 1, None], pl.Int8),
    "decimals": _series([Decimal("0.5"), Decimal("1.00"), Decimal(0), None], pl.Decimal(20, 2)),
    "truths": _series([True, False, None], pl.Boolean),
    "dates": _series([DAY.date(), None], pl.Date),
    "moments": _series([DAY, None], pl.Datetime("us", "Europe/Berlin")),
    "times": _series([DAY.time(), None], pl.Time),
    "durations": _series([datetime.timedelta(days=1), None], pl.Duration),
    "bytes": _series([b"", b"\xff\x00", None], pl.Binary),
    "lists": _series([[0.5], [], None], pl.List(pl.Float64)),
    "structs": _series([{"a": 1}, {"a": None}, None], pl.Struct({"a": pl.Int64})),
    "arrays": _series([[0.1, 0.2], None], pl.Array(pl.Float64, 2)),
    "categories": _series(["0", "1", "a", None], pl.Categorical),
    "enums": _series(["0", "1", None], pl.Enum(["0", "1"])),
    "nothing": _series([None], pl.Null),
    "objects": lambda n, _draw: pl.Series([object()] * n, dtype=pl.Object),
    "one word": lambda n, draw: pl.Series([draw(st.sampled_from(WORDS))] * n, dtype=pl.String),
    "one number": lambda n, draw: pl.Series([draw(st.sampled_from(FLOATS))] * n),
}
FLAT = ("csv", "tsv", "csv.gz", "xlsx")  # formats without nested values
NOT_IN_JSON = (pl.Binary, pl.Object, pl.Int128, pl.Duration, pl.Time, pl.Decimal)


@dataclass
class Given:
    """A table in some form, and what is said of it."""

    frame: pl.DataFrame
    form: str
    spoil: str
    options: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> Any:
        """As a file, or the frame itself; None where the form cannot hold such a table."""
        if self.form == "frame":
            return self.frame
        path = folder / f"items.{self.form}"
        path.write_bytes(SPOILT[self.spoil](_bytes(self.frame, self.form)))
        return path


def _bytes(frame: pl.DataFrame, form: str) -> bytes:
    out = io.BytesIO()
    if form in FLAT:
        frame = frame.select(_flat(values) for values in frame)
    if form.startswith(("csv", "tsv")):
        frame.write_csv(out, separator="\t" if form == "tsv" else ",")
        return gzip.compress(out.getvalue(), 1) if form.endswith("gz") else out.getvalue()
    if form == "xlsx":
        frame.write_excel(out)
        return out.getvalue()
    if form == "jsonl":
        frame = frame.select(_flat(values) if values.dtype in NOT_IN_JSON else values for values in frame)
    {"jsonl": frame.write_ndjson, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[form](out)
    return out.getvalue()


def _flat(values: pl.Series) -> pl.Series:
    if values.dtype.is_nested() or values.dtype in (pl.Binary, pl.Object):
        return pl.Series(values.name, [str(value) for value in values], dtype=pl.String)
    return values.cast(pl.String) if values.dtype in NOT_IN_JSON else values


SPOILT: dict[str, Any] = {
    "sound": lambda content: content,
    "mark": lambda content: b"\xef\xbb\xbf" + content,
    "latin": lambda content: content.decode("utf-8", "replace").encode("latin-1", "replace") + b"\xe9",
    "utf-16": lambda content: content.decode("utf-8", "replace").encode("utf-16"),
    "half": lambda content: content[: len(content) // 2],
    "almost": lambda content: content[:-3],
    "other lines": lambda content: content.replace(b"\n", b"\r\n"),
    "old lines": lambda content: content.replace(b"\n", b"\r"),
    "separators": lambda content: content.replace(b",", b";"),
    "one more": lambda content: content + b",,,,,,,,,,,,,,\n",
    "quote": lambda content: content + b'"\n"',
    "zero": lambda content: content + b"\0",
    "header": lambda content: content.split(b"\n", 1)[0] + b"\n",
    "twice": lambda content: content.split(b"\n", 1)[0] + b"," + content,
    "blank lines": lambda content: b"\n\n" + content + b"\n\n\n",
    "nothing": lambda _content: b"",
}


def sound(seed: int, rows: int) -> pl.DataFrame:
    """A table in which every role has a column that fits."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.4
    p = np.clip(rng.beta(2, 3, rows) + 0.3 * label, 0.0, 1.0)
    classes = rng.dirichlet([1.0, 1.0, 1.0], rows) if rows else np.zeros((0, 3))
    return pl.DataFrame(
        {
            "id": np.arange(rows),
            "p": p,
            "q": np.round(p, 1),
            "y": label.astype(int),
            "a": rng.random(rows) < 0.4,
            "b": (rng.random(rows) < 0.3).astype(float),
            "where": rng.choice(["north", "south", "east"], rows),
            "text": rng.choice(["a dog", "a cat and a dog", "words " * 30], rows),
            "times": rng.integers(1, 4, rows),
            "drawn": rng.uniform(0.1, 1.0, rows),
            "gone": p > 0.5,
            "unsure": p * (1.0 - p),
            **{f"p_{name}": classes[:, k] for k, name in enumerate(("calm", "rude", "worse"))},
            "kind": rng.choice(["calm", "rude", "worse"], rows),
            "item": np.arange(rows) // 5,
            "who": [f"w{k}" for k in rng.integers(0, 9, rows)],
            "gender": rng.choice(["women", "men"], rows),
        }
    )


ROLES: tuple[dict[str, Any], ...] = (
    {"score": "p", "label": "y", "groups": ["a", "b"], "audits": "bias"},
    {"score": ["p", "q"], "label": "y", "group_by": "where", "audits": "bias", "text": "text"},
    {"score": "p", "label": "y", "terms": ["dog", "cat"], "text": "text", "audits": "bias"},
    {"score": "p", "label": "y", "groups": ["a"], "audits": ["collaboration"], "uncertainty": "unsure"},
    {"score": "p", "label": "y", "groups": ["a"], "audits": ["calibration"], "text": "text"},
    {"probabilities": ["p_calm", "p_rude", "p_worse"], "label": "kind", "audits": "calibration"},
    {"label": "y", "decision": "gone", "inclusion": "drawn", "audits": "accuracy"},
    {"label": "y", "decision": "gone", "slices": ["where"], "audits": "accuracy", "count": "times"},
    {
        "score": "p",
        "item": "item",
        "annotator": "who",
        "label": "y",
        "annotator_groups": ["gender"],
        "duplicates": "first",
        "fewest_labels": 2,
        "permutations": 99,
        "spellings": {"gender": {"women": ["women"], "others": ["*"]}},
    },
)
MORE: dict[str, list[Any]] = {
    "level": [0.5, 0.9, 0.999999, 1.0, math.nan, "0.9", True],
    "threshold": [0.0, 1.0, -5.0, 1e300, math.nan, math.inf, "x"],
    "interval": ["bootstrap", "analytic", "", 3],
    "replicates": [50, 51, 0, -1, 1.5, "50"],
    "seed": [0, 7, -1, 2**70, None],
    "scale": ["probability", "percent", "logit", "rank", ["logit", "rank"], "", 5],
    "slices": [["where"], "where", ["text"], [], ["a", "a"], "level", ["gender", "where"]],
    "count": ["times", "y", "p", "gone", ""],
    "inclusion": ["drawn", "p", "y"],
    "stratum": ["where", "text", "id"],
    "where": ["p > 0.5", "y = 1", "1", "p", "'a' LIKE 'b'", "nothing > 1", "p >", "", "id IN (1, 2)", "p / 0 > 1"],
    "positive": ["1", 1, ["1", "0"], "yes", [], math.nan, "rude"],
    "label_threshold": [0.5, 1.0, 0.0, math.nan, "x", 1e-9],
    "group_threshold": [0.5, 1.0, 2, math.nan],
    "id": ["id", "item", "text", "p"],
    "text": ["text", "p", "a", "kind"],
    "uncertainty": ["unsure", ["unsure", "p"], "text"],
    "skip": ["0", 2, ["no"], "cannot tell"],
    "removes": ["true", "True", ["yes", "no"]],
    "duplicates": ["first", "last", "drop", "refuse", "x"],
    "within": ["where", "gender", "p"],
    "annotator_groups": [["gender", "where"], "p", "y"],
    "classes": [["calm", "rude", "worse"], ["a", "b"], ["1", "1", "2"]],
    "normalise": [True, False, "yes"],
    "capacities": [[0.1, 0.2], "1%", ">=0.2", "500", [], [0, 1], "x", [math.nan], -1, [1e308], "1e999"],
    "strategies": [["uncertainty"], "toxicity", [], "x", ["random", "uncertainty"], "toxicity:0.3+uncertainty"],
    "bins": [1, 2, 15, 1000, 0, -1, "x"],
    "bins_by": ["mass", "width", "x"],
    "examples": [0, 1, 3, 1000, -1],
    "intersections": [True, False],
    "majority": ["all", "others", "women", "nobody"],
    "ties": ["drop", "violating", "x"],
    "fewest_labels": [1, 20, 0],
    "permutations": [99, 100, 5],
    "smoothing": [True, False],
    "clusters": [2, 3, 50, 1],
    "miss": [0.1, 0.49, 0.0, 0.5, math.nan],
    "target": [0.2, 1e-9, 0.999, 0.0, math.nan],
    "effect": [0.01, 1e-9, 0.999, 1.0],
    "rank_with": ["nowhere.csv", "", 5],
    "audits": ["bias", "calibration", "accuracy", "collaboration", "perspective", ["bias", "accuracy"], "x", []],
    "score": ["p", "q", ["p", "q"], "y", "text", [], "p_calm", 5, None, ["p", "p"], {"p": 1}],
    "label": ["y", "kind", "b", "gone", "p", "a", "text", None, "?"],
    "groups": [["a"], ["a", "b"], "b", "gone", [], ["y"], "unsure"],
    "group_by": ["where", "kind", "id", "gender", "p"],
    "terms": [["dog"], {"dog": ["dog", "cat"]}, {"x": []}, "zebra", [""], {"a(": ["a(", "."]}, 5],
    "spellings": [{}, {"gender": {}}, {"gender": {"x": "women"}}, {"where": {"a": 1}}, 5],
    "query": ["SELECT 1"],
    "items": ["nowhere.csv"],
    "decision": ["gone", "a", "where", "p"],
}


@st.composite
def given_tables(draw: Any) -> Given:
    """A table, its form, and what is said of it."""
    rows = draw(st.sampled_from((40, 40, 60, 60, 25, 200, 100, 12, 3, 2, 1, 0)))
    frame = sound(draw(st.integers(0, 2**16)), rows)
    options = dict(draw(st.sampled_from(ROLES)))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2)))):
        name = draw(st.sampled_from(_named(options)))
        frame = frame.with_columns(_spoilt(frame, name, draw).alias(name))
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 1, 2, 3)))):
        name = draw(st.sampled_from(sorted(MORE)))
        options[name] = draw(st.sampled_from(MORE[name]))
    if draw(st.integers(0, 5)) == 0:
        frame, options = _renamed(frame, options, draw)
    form = draw(st.sampled_from(("frame", "csv", "tsv", "csv.gz", "jsonl", "parquet", "arrow", "xlsx")))
    spoil = draw(st.sampled_from(("sound",) * 40 + tuple(SPOILT)))
    return Given(frame, form, spoil, {"replicates": 50, **options})


def _named(options: dict[str, Any]) -> list[str]:
    """The columns that are spoken of."""
    known = sound(0, 0).columns
    words = [word for value in options.values() for word in (value if isinstance(value, list) else [value])]
    return [word for word in known if word in words] or known


def _spoilt(frame: pl.DataFrame, name: str, draw: Any) -> pl.Series:
    """A column of another kind, or with one odd value."""
    rows, kind = len(frame), draw(st.sampled_from(sorted(KINDS)))
    fresh: pl.Series = KINDS[kind](rows, draw)
    if not rows or kind == "objects" or draw(st.booleans()):
        return fresh
    at = draw(st.integers(0, rows - 1))
    values = frame[name].to_list()
    values[at] = fresh.to_list()[at]
    try:
        return pl.Series(values, strict=False)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return fresh


def _renamed(frame: pl.DataFrame, options: dict[str, Any], draw: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A column that is called something odd, there and in what is said of it."""
    old = draw(st.sampled_from(_named(options)))
    new = draw(st.one_of(st.sampled_from(NAMES), st.text(max_size=6)))
    if new in frame.columns:
        return frame, options

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(one) for one in value]
        return new if value == old and isinstance(value, str) else value

    return frame.rename({old: new}), {name: changed(value) for name, value in options.items()}
