"""The result of an audit: a question, its estimates by slice, what they mean, its caveats and its provenance.

`Finding.as_dict` is the output contract, and it is complete: a finding that was read back from it draws every figure
and section that it drew when it was made. (measure, slice) is unique within a finding.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evenhand.estimate import Estimate
from evenhand.visible_text import html_name, html_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Slice = Mapping[str, str]
SHOWN = 15  # estimates, and readings, that a notebook shows at first


class SliceKey(StrEnum):
    """The keys of slices that audits use themselves. Any other key is a column of the evidence."""

    AGAINST = "against"
    ANNOTATORS = "annotators"
    AS_IF = "as_if"  # what a calibrated model, or shuffled groups, would show
    BINS = "bins"
    CALIBRATOR = "calibrator"
    CAPACITY = "capacity"
    CLASS = "class"
    CLUSTER = "cluster"
    DESIGN = "design"
    ESTIMATOR = "estimator"
    GROUP = "group"
    INTERVAL = "interval"
    LABEL_THRESHOLD = "label_threshold"
    LENGTH = "length"
    MATCHED = "matched"  # what a new threshold keeps as it was
    MODEL = "model"
    OF = "of"
    PILOT = "pilot"
    PILOT_TOTAL = "pilot_total"
    POOL = "pool"
    RUN = "run"
    SCORED = "scored"  # items by region of their scores
    SETTING = "setting"
    SETS = "sets"
    STRATA = "strata"
    STRATA_BY = "strata_by"
    STRATEGY = "strategy"
    STRATUM = "stratum"
    TARGET = "target"
    THRESHOLD = "threshold"
    WITH = "with"
    WITHIN = "within"

    def __repr__(self) -> str:
        """As the plain key, so that a printed slice reads like one that was loaded."""
        return repr(self.value)


RECORD_KEYS = ("audit", "measure", "slice", "value", "low", "high", "level", "method", "n", "note", "flags", "p_value")
OWN_KEYS = frozenset((*SliceKey, *RECORD_KEYS))  # names that a column of the evidence cannot have in a slice


def column_key(column: str, others: Container[str] = ()) -> str:
    """The slice key of a column of the evidence: its name, with `_column` behind it where audits use that name.

    `others` are the columns beside it, whose names are taken too.
    """
    key = column
    while key in OWN_KEYS or (key != column and key in others):
        key += "_column"
    return key


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure on one slice of the evidence. The slice {} is everything.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> measured = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings[0].estimates[0]
    >>> str(measured.measure), dict(measured.slice), measured.estimate.value
    ('count', {}, 40.0)
    """

    measure: str
    slice: Slice
    estimate: Estimate

    def record(self, audit: str) -> dict[str, Any]:
        """The flat record of the output contract."""
        e = self.estimate
        record: dict[str, Any] = {
            "audit": audit,
            "measure": self.measure,
            "slice": dict(self.slice),
            "value": e.value,
            "low": e.low,
            "high": e.high,
            "level": e.level,
            "method": e.method,
            "n": e.n,
            "note": e.note,
        }
        tested = {} if e.p_value is None else {"p_value": e.p_value}
        return record | tested | ({"flags": list(e.flags)} if e.flags else {})


class Status(StrEnum):
    """What a verdict amounts to."""

    STANDS_OUT = "stands_out"
    MEASURED = "measured"  # a result that is neither good nor bad news
    QUIET = "quiet"  # nothing stands out, as far as could be seen
    OPEN = "open"  # cannot be said


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a finding amounts to for one model (or overall): the statement, how certain it is, and what to do next."""

    status: Status
    slice: Slice
    statement: str
    certainty: str = ""
    action: str = ""

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "status": self.status.value,
            "slice": dict(self.slice),
            "statement": self.statement,
            "certainty": self.certainty,
            "action": self.action,
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """What the numbers of one slice say, in plain words, and where it fits in a letter and in one word."""

    slice: Slice
    text: str
    shape: str | None = None  # a known pattern
    tendency: str | None = None  # which way the numbers point
    topic: str | None = None  # what it is about, where an audit has readings of several kinds

    def record(self) -> dict[str, Any]:
        """As plain data."""
        record = {"slice": dict(self.slice), "text": self.text, "shape": self.shape, "tendency": self.tendency}
        return record | ({} if self.topic is None else {"topic": self.topic})


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A small table that a figure is drawn from: numbers (None where there is none) or words, column by column."""

    kind: str
    slice: Slice
    columns: Mapping[str, Sequence[float | str | None]]

    def numbers(self, column: str) -> list[float]:
        """A column that has a number in every row."""
        return [float(value) for value in self.columns[column] if value is not None]

    def record(self) -> dict[str, Any]:
        """As plain data."""
        columns = {name: list(values) for name, values in self.columns.items()}
        return {"kind": self.kind, "slice": dict(self.slice), "columns": columns}


@dataclass(frozen=True, slots=True)
class Example:
    """The text of one item. Only there when it was asked for."""

    slice: Slice
    kind: str
    score: float
    text: str

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {"slice": dict(self.slice), "kind": self.kind, "score": self.score, "text": self.text}


@dataclass(frozen=True, repr=False)
class Finding:
    """The answer to one question.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> finding = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings[0]
    >>> finding.get("count", group="women").value
    20.0
    >>> finding.to_polars().columns[:5]
    ['audit', 'measure', 'title', 'slice', 'value']
    """

    audit: str
    question: str
    estimates: tuple[Measured, ...]
    caveats: tuple[str, ...]
    provenance: Mapping[str, Any]
    readings: tuple[Reading, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if len(self._index) != len(self.estimates):
            seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
            keys = [(m.measure, frozenset(m.slice.items())) for m in self.estimates]
            twice = next(key for key in keys if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ValueError(f"{self.audit}: two estimates of '{twice[0]}' on the slice {dict(twice[1])}")

    def __iter__(self) -> Iterator[Measured]:
        return iter(self.estimates)

    def __repr__(self) -> str:
        return f"<Finding {self.size_in_words}>"

    @property
    def size_in_words(self) -> str:
        """The audit and the number of estimates, such as "bias: 22 estimates"."""
        number = len(self.estimates)
        return f"{self.audit}: {number:,} {'estimate' if number == 1 else 'estimates'}"

    @cached_property
    def models(self) -> list[tuple[str, Slice]]:
        """Each model with its slice; one model alone has neither name nor slice."""
        return [(model, {SliceKey.MODEL: model}) for model in self.values(SliceKey.MODEL)] or [("", {})]

    def slice_of(self, model: str) -> Slice:
        """How the numbers of a model are filed: under its name, or under no name where it is alone."""
        return {} if self.models == [("", {})] else {SliceKey.MODEL: model}

    def get(self, measure: str, /, **slice_: str) -> Estimate:
        """The estimate of one measure on exactly this slice; KeyError when it was not measured."""
        estimate = self._index.get((measure, frozenset(slice_.items())))
        if estimate is None:
            measures = list(dict.fromkeys(m.measure for m in self))
            if measure not in measures:
                raise KeyError(f"no measure '{measure}' in this finding; there is: {', '.join(measures)}")
            known = {key: list(self.values(key)) for key in dict.fromkeys(key for m in self for key in m.slice)}
            raise KeyError(f"no estimate of '{measure}' with exactly the slice {slice_}; slices are made of {known}")
        return estimate

    def has(self, measure: str, /, **slice_: str) -> bool:
        """Whether the measure was taken on exactly this slice."""
        return (measure, frozenset(slice_.items())) in self._index

    def values(self, key: str) -> tuple[str, ...]:
        """The values that a slice key takes, in order of appearance."""
        return tuple(dict.fromkeys(m.slice[key] for m in self.estimates if key in m.slice))

    def readings_about(self, topic: str, /, **slice_: str) -> list[Reading]:
        """The readings on a topic, of this slice or of parts of it, in their order."""
        return [r for r in self.readings if r.topic == topic and r.slice.items() >= slice_.items()]

    def to_polars(self) -> pl.DataFrame:
        """The estimates as a Polars frame: measure, title, value, low, high, flags, a column for each key of slices."""
        from evenhand.findings_file import titled_frame

        return titled_frame([self])

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame; pyarrow is not needed."""
        from evenhand.pandas_frames import to_pandas

        return to_pandas(self.to_polars())

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data, in the order of the output contract."""
        return {
            "audit": self.audit,
            "question": self.question,
            "estimates": [m.record(self.audit) for m in self.estimates],
            "readings": [reading.record() for reading in self.readings],
            "verdicts": [verdict.record() for verdict in self.verdicts],
            "caveats": list(self.caveats),
            "provenance": dict(self.provenance),
            "exhibits": [exhibit.record() for exhibit in self.exhibits],
        } | ({"examples": [example.record() for example in self.examples]} if self.examples else {})

    def _repr_html_(self) -> str:
        """In a notebook: the question, what was read from the numbers, the first of them, what to beware of."""
        readings = "".join(f"<li>{_slice_heading(r.slice)}{html_text(r.text)}</li>" for r in self.readings[:SHOWN])
        rows = "".join(
            f"<tr><td>{html_text(m.measure)}</td><td>{_slice_names(m.slice)}</td>"
            f"<td style='text-align:left'>{m.estimate._repr_html_()}</td></tr>"
            for m in self.estimates[:SHOWN]
        )
        more = len(self.estimates) - SHOWN
        rest = f"<p>… and {more:,} more: a report shows them all</p>" if more > 0 else ""
        beware = "".join(f"<li>{html_text(caveat)}</li>" for caveat in self.caveats)
        return (
            f"<h4>{html_text(self.question)}</h4><ul>{readings}</ul><table><thead><tr><th>measure</th><th>slice</th>"
            f"<th>estimate</th></tr></thead><tbody>{rows}</tbody></table>{rest}"
            f"<details><summary>Beware</summary><ul>{beware}</ul></details>"
        )

    @cached_property
    def _index(self) -> dict[tuple[str, frozenset[tuple[str, str]]], Estimate]:
        return {(m.measure, frozenset(m.slice.items())): m.estimate for m in self.estimates}


def _slice_heading(slice_: Slice) -> str:
    return f"<b>{_slice_names(slice_)}</b>: " if slice_ else ""


def _slice_names(slice_: Slice) -> str:
    return ", ".join(html_name(value) for value in slice_.values())
