"""What a Vega-Lite specification says, as far as panels are drawn directly: layers, their rows, scales and axes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.figures.panels.scales import NameScale, QuantityScale, rounded_ends, spanned

Rows = Sequence[Mapping[str, Any]]
MARKS = ("area", "line", "rule", "point")
CHANNELS = {"x", "y", "x2", "yOffset", "color", "order"}
CONDITION = re.compile(r"(!?)datum\.(\w+)")
FIXED_DECIMALS = re.compile(r",?\.\d~?f")  # the formats of numbers that are written here
PIXELS_PER_TICK = 40


@dataclass(frozen=True)
class Layer:
    """A kind of mark, its encoding, and the rows that it draws."""

    mark: Mapping[str, Any]
    encoding: Mapping[str, Mapping[str, Any]]
    rows: Rows

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], rows: Rows | None) -> Layer | None:
        """None where it has what is not drawn here."""
        own = spec["data"].get("values") if "data" in spec else rows
        conditions = [CONDITION.fullmatch(step.get("filter", "")) for step in spec.get("transform", ())]
        if own is None or not all(conditions) or not _is_drawn_here(spec):
            return None
        for condition in conditions:
            negated, column = condition.groups() if condition else ("", "")
            own = [row for row in own if bool(row[column]) is not bool(negated)]
        return cls(spec["mark"], spec["encoding"], own)

    def values(self, name: str) -> Iterator[Any]:
        """The values of a channel; none where it has no column."""
        column = self.encoding.get(name, {}).get("field")
        return (row[column] for row in self.rows if column is not None)

    def of_rows(self, rows: Rows) -> Layer:
        """The same of some rows only."""
        return Layer(self.mark, self.encoding, rows)


def _is_drawn_here(spec: Mapping[str, Any]) -> bool:
    """Whether its mark, channels, scales and formats are among those that are."""
    if "layer" in spec or spec["mark"]["type"] not in MARKS or not set(spec["encoding"]) <= CHANNELS:
        return False
    return all(_is_known(name, channel) for name, channel in spec["encoding"].items())


def _is_known(name: str, channel: Mapping[str, Any]) -> bool:
    """Names of rows and colours are listed in their scale; numbers are linear or square roots, in simple formats."""
    scale, written = channel.get("scale") or {}, (channel.get("axis") or {}).get("format")
    listed = name == "color" or (name == "y" and channel.get("type") != "quantitative")
    return (
        "field" in channel
        and (not listed or "domain" in scale)
        and (name != "color" or "range" in scale)
        and scale.get("type", "linear") in ("linear", "sqrt")
        and (written is None or FIXED_DECIMALS.fullmatch(written) is not None)
        and "labelExpr" not in (channel.get("axis") or {})
    )


@dataclass(frozen=True)
class PanelFrame:
    """The layers of a panel with the scales that they share."""

    layers: Sequence[Layer]
    width: float
    height: float

    def channel(self, name: str) -> Mapping[str, Any]:
        """What the first layer that has an axis of its own says of it."""
        channels = [layer.encoding[name] for layer in self.layers if name in layer.encoding]
        return next((channel for channel in channels if "axis" in channel), next(iter(channels), {}))

    @cached_property
    def x(self) -> QuantityScale:
        """From left to right."""
        return self._quantity("x", (0.0, self.width))

    @cached_property
    def y(self) -> QuantityScale | NameScale:
        """From bottom to top; names from top to bottom."""
        channel = self.channel("y")
        if channel["type"] == "nominal":
            return NameScale(channel["scale"]["domain"], self.height)
        return self._quantity("y", (self.height, 0.0))

    def _quantity(self, name: str, pixels: tuple[float, float]) -> QuantityScale:
        scale = self.channel(name).get("scale") or {}
        if "domain" in scale:
            low, high = scale["domain"]
            return QuantityScale((low, high), pixels, scale.get("type", "linear"))
        values = [float(value) for layer in self.layers for value in layer.values(name)]
        return QuantityScale(rounded_ends(*spanned(values, zero=name == "y")), pixels, scale.get("type", "linear"))

    def tick_count(self, name: str) -> float:
        """About how many ticks an axis has."""
        length = self.width if name == "x" else self.height
        declared = (self.channel(name).get("axis") or {}).get("tickCount")
        return float(declared) if declared else -(-length // PIXELS_PER_TICK)


@dataclass(frozen=True)
class Panel:
    """One panel of a grid: its rows, its frame, where it is, and the titles beside and above it."""

    frame: PanelFrame
    layers: Sequence[Layer]
    row: int
    column: int


@dataclass(frozen=True)
class PanelGrid:
    """All panels; titles of rows and columns are empty where they have none."""

    panels: Sequence[Panel]
    row_titles: Sequence[str] = ()
    column_titles: Sequence[str] = ()
    spacing: float = 0.0
    color: Mapping[str, Any] = field(default_factory=dict)


def read_panels(spec: Mapping[str, Any]) -> PanelGrid | None:
    """The panels of a chart; None where it has what is not drawn here."""
    if "facet" in spec and set(spec["facet"]) <= {"row", "column"}:
        return _read_facets(spec)
    if "hconcat" in spec:
        return _read_row(spec)
    return None


def _read_layers(spec: Mapping[str, Any], rows: Rows | None) -> list[Layer] | None:
    layers = [Layer.from_spec(part, rows) for part in spec.get("layer", ())]
    known = [layer for layer in layers if layer is not None]
    return known if len(known) == len(layers) and known else None


def _read_facets(spec: Mapping[str, Any]) -> PanelGrid | None:
    layers = _read_layers(spec["spec"], spec["data"]["values"])
    if layers is None:
        return None
    frame = PanelFrame(layers, spec["spec"]["width"], spec["spec"]["height"])
    titles = {name: spec["facet"][name]["sort"] if name in spec["facet"] else ("",) for name in ("row", "column")}
    panels = [
        Panel(frame, [_facet(layer, spec["facet"], {"row": row, "column": column}) for layer in layers], down, across)
        for down, row in enumerate(titles["row"])
        for across, column in enumerate(titles["column"])
    ]
    return PanelGrid(panels, titles["row"], titles["column"], spec["spacing"], _color(layers))


def _facet(layer: Layer, facet: Mapping[str, Any], values: Mapping[str, str]) -> Layer:
    wanted = [(by["field"], values[name]) for name, by in facet.items()]
    return layer.of_rows([row for row in layer.rows if all(row[column] == value for column, value in wanted)])


def _read_row(spec: Mapping[str, Any]) -> PanelGrid | None:
    panels = []
    for number, part in enumerate(spec["hconcat"]):
        layers = _read_layers(part, (part.get("data") or {}).get("values"))
        if layers is None or "width" not in part:
            return None
        panels.append(Panel(PanelFrame(layers, part["width"], part["height"]), layers, 0, number))
    return PanelGrid(panels, spacing=spec["spacing"], color=_color(panels[0].layers))


def _color(layers: Sequence[Layer]) -> Mapping[str, Any]:
    return next((layer.encoding["color"] for layer in layers if "color" in layer.encoding), {})
