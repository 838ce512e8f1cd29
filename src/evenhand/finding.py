"""What an audit found: a question, its estimates by slice, what they mean, what to beware of, where they come from.

`Finding.as_dict` is the output contract. Exhibits are what figures are drawn from; they stay in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from evenhand.estimate import Estimate

Slice = Mapping[str, str]
SHOWN = 15  # estimates, and readings, that a notebook shows at first


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure on one slice of the evidence. The slice {} is everything."""

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


@dataclass(frozen=True, slots=True)
class Reading:
    """What the numbers of one slice say, in plain words, and where it fits in a letter and in one word."""

    slice: Slice
    text: str
    shape: str | None = None  # a known pattern
    tendency: str | None = None  # which way the numbers point


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A small table that a figure is drawn from."""

    kind: str
    slice: Slice
    columns: Mapping[str, list[float]]


@dataclass(frozen=True, slots=True)
class Example:
    """The text of one item. Only there when it was asked for."""

    slice: Slice
    kind: str
    score: float
    text: str


@dataclass(frozen=True)
class Finding:
    """The answer to one question."""

    audit: str
    question: str
    estimates: tuple[Measured, ...] = field(repr=False)
    caveats: tuple[str, ...] = field(repr=False)
    provenance: Mapping[str, Any] = field(repr=False)
    readings: tuple[Reading, ...] = field(default=(), repr=False)
    exhibits: tuple[Exhibit, ...] = field(default=(), repr=False)
    examples: tuple[Example, ...] = field(default=(), repr=False)

    def __iter__(self) -> Iterator[Measured]:
        return iter(self.estimates)

    def get(self, measure: str, /, **slice_: str) -> Estimate:
        """The estimate of one measure on exactly this slice; KeyError when it was not measured."""
        found = self._index.get((measure, frozenset(slice_.items())))
        if found is None:
            known = {key: list(self.values(key)) for key in dict.fromkeys(key for m in self for key in m.slice)}
            raise KeyError(f"no estimate of '{measure}' with exactly the slice {slice_}; slices are made of {known}")
        return found

    def has(self, measure: str, /, **slice_: str) -> bool:
        """Whether the measure was taken on exactly this slice."""
        return (measure, frozenset(slice_.items())) in self._index

    def values(self, key: str) -> tuple[str, ...]:
        """The values that a slice key takes, in order of appearance."""
        return tuple(dict.fromkeys(m.slice[key] for m in self.estimates if key in m.slice))

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain data, in the order of the output contract."""
        examples = [{"slice": dict(x.slice), "kind": x.kind, "score": x.score, "text": x.text} for x in self.examples]
        return {
            "audit": self.audit,
            "question": self.question,
            "estimates": [m.record(self.audit) for m in self.estimates],
            "readings": [asdict(r) | {"slice": dict(r.slice)} for r in self.readings],
            "caveats": list(self.caveats),
            "provenance": dict(self.provenance),
        } | ({"examples": examples} if examples else {})

    def _repr_html_(self) -> str:
        """In a notebook: the question, what was read from the numbers, the first of them, what to beware of."""
        said = "".join(f"<li>{_named(r.slice)}{escape(r.text)}</li>" for r in self.readings[:SHOWN])
        rows = "".join(
            f"<tr><td>{escape(m.measure)}</td><td>{escape(', '.join(m.slice.values()))}</td>"
            f"<td style='text-align:left'>{m.estimate._repr_html_()}</td></tr>"
            for m in self.estimates[:SHOWN]
        )
        more = len(self.estimates) - SHOWN
        rest = f"<p>… and {more:,} more: a report shows them all</p>" if more > 0 else ""
        beware = "".join(f"<li>{escape(caveat)}</li>" for caveat in self.caveats)
        return (
            f"<h4>{escape(self.question)}</h4><ul>{said}</ul><table><thead><tr><th>measure</th><th>slice</th>"
            f"<th>estimate</th></tr></thead><tbody>{rows}</tbody></table>{rest}"
            f"<details><summary>Beware</summary><ul>{beware}</ul></details>"
        )

    @cached_property
    def _index(self) -> dict[tuple[str, frozenset[tuple[str, str]]], Estimate]:
        return {(m.measure, frozenset(m.slice.items())): m.estimate for m in self.estimates}


def _named(slice_: Slice) -> str:
    return f"<b>{escape(', '.join(slice_.values()))}</b>: " if slice_ else ""
