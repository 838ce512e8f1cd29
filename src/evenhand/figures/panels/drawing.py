"""A chart of panels from its specification to SVG: where panels are, their marks, and the titles around them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.figures.panels import axes
from evenhand.figures.panels.chart_parts import Layer, Panel, PanelFrame, PanelGrid, Rows, read_panels
from evenhand.figures.panels.elements import area_path, circle_path, element, line_path, moved, text
from evenhand.figures.panels.scales import NameScale, QuantityScale, formatted
from evenhand.figures.panels.text_width import text_width
from evenhand.figures.style import CONFIG, FONT, INK

HEADER = CONFIG["header"]
PADDING = 6  # around everything
ROW_TITLE_GAP = 10  # from the title of a row to its panels
COLUMN_TITLE_HEIGHT, LEGEND_HEIGHT, AXIS_HEIGHT = 23, 31, 36
AXIS_GAP = 2


def draw_panels(spec: Mapping[str, Any]) -> str | None:
    """The drawing; None for a chart that has what is not drawn here."""
    grid = read_panels(spec)
    if grid is None:
        return None
    places = _places(grid)
    bottom = max(y + panel.frame.height for panel, _, y in places) + AXIS_GAP
    entries = axes.legend_entries(grid.color)
    left, top = _left_margin(grid), _top_margin(grid, entries)
    parts = [*_titles(grid, places), *_all_axes(places, bottom)]
    parts += [_drawn_panel(panel, x, y) for panel, x, y in places]
    if entries:
        marks = [layer.mark["type"] for layer in grid.panels[0].layers if "color" in layer.encoding]
        parts.append(element("g", axes.draw_legend(entries, marks), transform=moved(0, PADDING - top)))
    right = max(x + panel.frame.width for panel, x, _ in places)
    if entries:
        right = max(right, entries[-1][2] + 16 + text_width(entries[-1][0], axes.LEGEND["labelFontSize"]))
    return _document(parts, left, top, left + right + PADDING, top + bottom + AXIS_HEIGHT)


def _document(parts: Sequence[str], left: float, top: float, width: float, height: float) -> str:
    root = element(
        "g",
        *parts,
        fill="none",
        stroke_miterlimit=10,
        font_family=FONT,
        transform=moved(left, top),
        role="graphics-object",
        aria_roledescription="group mark container",
    )
    wide, high = math.ceil(width), math.ceil(height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" class="marks" width="{wide}" height="{high}" '
    return f'{head}viewBox="0 0 {wide} {high}">{root}</svg>'


def _places(grid: PanelGrid) -> list[tuple[Panel, float, float]]:
    """Where each panel begins."""
    first = grid.panels[0].frame
    across = grid.spacing + (4 if axes.draw_y_axis(first) and grid.column_titles else 0)
    width, height = first.width + across, first.height + grid.spacing + AXIS_GAP
    return [(panel, panel.column * width, panel.row * height) for panel in grid.panels]


def _left_margin(grid: PanelGrid) -> float:
    titles = [text_width(title, HEADER["labelFontSize"], bold=True) for title in grid.row_titles if title]
    beside = max(titles) + ROW_TITLE_GAP if titles else AXIS_GAP + axes.y_axis_width(grid.panels[0].frame)
    return math.ceil(PADDING - 1 + beside)


def _top_margin(grid: PanelGrid, entries: Sequence[object]) -> float:
    return PADDING + (COLUMN_TITLE_HEIGHT if grid.column_titles else 0) + (LEGEND_HEIGHT if entries else 0)


def _titles(grid: PanelGrid, places: Sequence[tuple[Panel, float, float]]) -> Iterator[str]:
    """Of the rows, left of them, and of the columns, above them."""
    size, style = HEADER["labelFontSize"], {"font_weight": "bold", "fill": INK}
    for panel, x, y in places:
        if panel.column == 0 and grid.row_titles and grid.row_titles[panel.row]:
            yield _title(grid.row_titles[panel.row], -ROW_TITLE_GAP, y + panel.frame.height / 2 + 4, size, "end", style)
        if panel.row == 0 and grid.column_titles and grid.column_titles[panel.column]:
            yield _title(grid.column_titles[panel.column], x + panel.frame.width / 2, -14, size, "middle", style)


def _title(words: str, x: float, y: float, size: int, anchor: str, style: Mapping[str, Any]) -> str:
    drawn = text(words, x, y, size, text_anchor=anchor, **style)
    return element("g", drawn, role="graphics-symbol", aria_roledescription="title", aria_label=f"Title text '{words}'")


def _all_axes(places: Sequence[tuple[Panel, float, float]], bottom: float) -> Iterator[str]:
    """Below the last panel of each column, and left of the first of each row."""
    rows = max(panel.row for panel, _, _ in places)
    for panel, x, y in places:
        if panel.row == rows:
            yield element("g", axes.draw_x_axis(panel.frame), transform=moved(x, bottom))
        if panel.column == 0 and (left := axes.draw_y_axis(panel.frame)):
            yield element("g", left, transform=moved(-AXIS_GAP, y))


def _drawn_panel(panel: Panel, x: float, y: float) -> str:
    marks = [mark for layer in panel.layers for mark in _draw_layer(layer, panel.frame)]
    return element("g", axes.draw_grid(panel.frame), *marks, transform=moved(x, y))


def _draw_layer(layer: Layer, frame: PanelFrame) -> Iterator[str]:
    draw = {"area": _draw_line, "line": _draw_line, "rule": _draw_rule, "point": _draw_point}[layer.mark["type"]]
    for colour, rows in _by_colour(layer):
        if draw is _draw_line:
            yield _draw_line(layer, frame, rows, colour)
        else:
            yield from (draw(layer, frame, [row], colour) for row in rows)


def _by_colour(layer: Layer) -> Iterator[tuple[str, Rows]]:
    """The rows of each colour, in the order of the scale; all rows in the colour of the mark where there is none."""
    if "color" not in layer.encoding:
        yield layer.mark.get("color", INK), layer.rows
        return
    color = layer.encoding["color"]
    for name, hue in zip(color["scale"]["domain"], color["scale"]["range"], strict=False):
        if rows := [row for row in layer.rows if row[color["field"]] == name]:
            yield hue, rows


def _draw_line(layer: Layer, frame: PanelFrame, rows: Rows, colour: str) -> str:
    """A line or an area, in the order that is asked for or from left to right."""
    x, y = layer.encoding["x"]["field"], layer.encoding["y"]["field"]
    order = layer.encoding["order"]["field"] if "order" in layer.encoding else x
    ordered = sorted(rows, key=lambda row: row[order])
    points = [(frame.x(row[x]), _height(frame, row[y])) for row in ordered]
    smooth = layer.mark.get("interpolate") == "monotone"
    if layer.mark["type"] == "area":
        path = area_path(points, _height(frame, 0.0), smooth=smooth)
        return _mark(layer, ordered[0], "area mark", "path", d=path, fill=colour, opacity=layer.mark.get("opacity"))
    return _mark(layer, ordered[0], "line mark", "path", d=line_path(points, smooth=smooth), **_stroke(layer, colour))


def _height(frame: PanelFrame, value: float) -> float:
    return frame.y(value) if isinstance(frame.y, QuantityScale) else frame.height / 2


def _draw_rule(layer: Layer, frame: PanelFrame, rows: Rows, colour: str) -> str:
    """A line from x to x2 at the height of y; upright through the whole panel where there is no y."""
    (row,) = rows
    x = frame.x(row[layer.encoding["x"]["field"]])
    if "y" not in layer.encoding:
        return _mark(layer, row, "rule mark", "line", transform=moved(x, 0), y2=frame.height, **_stroke(layer, colour))
    end, y = frame.x(row[layer.encoding["x2"]["field"]]), _row_height(layer, frame, row)
    return _mark(layer, row, "rule mark", "line", transform=moved(x, y), x2=end - x, **_stroke(layer, colour))


def _draw_point(layer: Layer, frame: PanelFrame, rows: Rows, colour: str) -> str:
    (row,) = rows
    place = moved(frame.x(row[layer.encoding["x"]["field"]]), _row_height(layer, frame, row))
    radius = math.sqrt(layer.mark["size"]) / 2.0
    return _mark(layer, row, "point", "path", transform=place, d=circle_path(radius), fill=colour)


def _row_height(layer: Layer, frame: PanelFrame, row: Mapping[str, Any]) -> float:
    value = row[layer.encoding["y"]["field"]]
    if not isinstance(frame.y, NameScale):
        return _height(frame, value)
    offset = layer.encoding.get("yOffset", {})
    names = offset.get("sort", [""])
    return frame.y(value, names.index(row[offset["field"]]) if offset else 0, len(names))


def _stroke(layer: Layer, colour: str) -> dict[str, Any]:
    dash = layer.mark.get("strokeDash")
    return {
        "stroke": colour,
        "stroke_width": layer.mark.get("strokeWidth"),
        "stroke_dasharray": ",".join(map(str, dash)) if dash else None,
    }


def _mark(layer: Layer, row: Mapping[str, Any], role: str, name: str, **attributes: Any) -> str:
    spoken = _description(layer, row)
    return element(name, aria_label=spoken, role="graphics-symbol", aria_roledescription=role, **attributes)


def _description(layer: Layer, row: Mapping[str, Any]) -> str:
    """What a screen reader says of a mark."""
    parts: dict[str, str] = {}
    for channel in layer.encoding.values():
        value = row[channel["field"]]
        written = (channel.get("axis") or {}).get("format")
        parts.setdefault(channel.get("title") or channel["field"], _spoken(value, written))
    return "; ".join(f"{name}: {value}" for name, value in parts.items())


def _spoken(value: object, written: str | None) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    if written:
        return formatted(value, written)
    number = f"{value:.3f}" if abs(value) >= 0.1 and value != round(value, 3) else f"{value:.3g}"
    return number.replace("-", "−")
