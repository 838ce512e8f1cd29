"""Charts in the grammar of Vega-Lite, as plain dicts, in the words of Altair: `Chart(rows).mark_rule().encode(x=…)`.

Nothing is checked here, because that takes longer than drawing: a test compares every kind of figure with the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Options = dict[str, Any]
Channel = dict[str, Any]
ChartRows = list[dict[str, Any]]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
UNTYPED = ("x2", "y2")  # they have the type of x and y


def options(**values: Any) -> Options:
    """The options of a part of a chart, such as an axis."""
    return values


Axis = Scale = Legend = Header = options


def channel(shorthand: str, **values: Any) -> Channel:
    """A column and its type, as "score:Q": Q is a quantity, N a name, O a name in order."""
    column, _, kind = shorthand.rpartition(":")
    return {"field": column, "type": TYPES[kind], **values}


X = Y = YOffset = Color = Shape = StrokeDash = Text = Row = Column = Facet = channel


def datum(value: float) -> Channel:
    """The same value in every row."""
    return {"datum": value}


def title(text: str, **values: Any) -> Options:
    """A title that is drawn in its own way."""
    return {"text": text, **values}


@dataclass(frozen=True)
class Chart:
    """A chart, or a part of one. Each method returns another one."""

    spec: Options = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: ChartRows) -> Chart:
        """A chart of rows, which are in the chart itself."""
        return cls({"data": {"values": rows}})

    def properties(self, **values: Any) -> Chart:
        """With a width, a height, a title."""
        return Chart({**self.spec, **values})

    def encode(self, **channels: str | Channel) -> Chart:
        """With columns for position, colour, shape and so on, beside those it had."""
        added = {name: _encoded(name, value) for name, value in channels.items()}
        return self.properties(encoding={**self.spec.get("encoding", {}), **added})

    def mark(self, kind: str, **style: Any) -> Chart:
        """Drawn as this kind of mark."""
        return self.properties(mark={"type": kind, **style})

    def filter(self, condition: str) -> Chart:
        """Only rows that meet a condition."""
        return self._transformed({"filter": condition})

    def calculate(self, name: str, expression: str) -> Chart:
        """With another column."""
        return self._transformed({"calculate": expression, "as": name})

    def facet(self, *, spacing: int, columns: int | None = None, **channels: Channel) -> Chart:
        """A panel for each value of a column; `facet` wraps them, `row` and `column` do not."""
        inner = {name: value for name, value in self.spec.items() if name != "data"}
        by = channels.get("facet", channels)
        wrapped = {} if columns is None else {"columns": columns}
        return Chart({"data": self.spec["data"], "facet": by, "spec": inner, "spacing": spacing, **wrapped})

    def resolve(self, **kinds: dict[str, str]) -> Chart:
        """Whether panels share scales and axes: `resolve(scale={"y": "independent"})`."""
        return self.properties(resolve={**self.spec.get("resolve", {}), **kinds})

    def to_dict(self) -> Options:
        """The whole specification."""
        return {"$schema": SCHEMA, **self.spec}

    def _transformed(self, step: Options) -> Chart:
        return self.properties(transform=[*self.spec.get("transform", ()), step])


def _encoded(name: str, value: str | Channel) -> Channel:
    encoding = channel(value) if isinstance(value, str) else value
    return {key: part for key, part in encoding.items() if key != "type"} if name in UNTYPED else encoding


def layer(*charts: Chart, rows: ChartRows | None = None) -> Chart:
    """Charts above one another; data that all of them have is written once."""
    own = [chart.spec.get("data") for chart in charts]
    shared = {"values": rows} if rows is not None else own[0] if all(data is own[0] for data in own) else None
    layers = [
        {name: part for name, part in chart.spec.items() if name != "data" or part is not shared} for chart in charts
    ]
    return Chart({**({} if shared is None else {"data": shared}), "layer": layers})


def hconcat(*charts: Chart, spacing: int) -> Chart:
    """Charts beside one another."""
    return _joined("hconcat", charts, spacing=spacing)


def vconcat(*charts: Chart, **values: Any) -> Chart:
    """Charts below one another."""
    return _joined("vconcat", charts, **values)


def concat(*charts: Chart, columns: int, spacing: int) -> Chart:
    """Charts in rows of so many."""
    return _joined("concat", charts, columns=columns, spacing=spacing)


def _joined(how: str, charts: Sequence[Chart], **values: Any) -> Chart:
    return Chart({how: [chart.spec for chart in charts], **values})
