"""What is around the marks of a panel: grid, ticks, labels and titles of its axes, and the legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.figures.panels.chart_parts import PanelFrame
from evenhand.figures.panels.elements import circle_path, element, moved, text
from evenhand.figures.panels.scales import QuantityScale
from evenhand.figures.panels.text_width import shortened, text_width
from evenhand.figures.style import CONFIG

AXIS, LEGEND = CONFIG["axis"], CONFIG["legend"]
TICK, GAP, TITLE_GAP = 5, 2, 4  # pixels: a tick, from there to a label, and from labels to the title
LEGEND_LABEL_LIMIT = 160
NAMES_SPOKEN = 5  # so many of a list that a screen reader says

Ticks = list[tuple[float, str]]


def x_ticks(frame: PanelFrame) -> Ticks:
    """Below a panel, without labels that would touch."""
    axis = frame.channel("x").get("axis") or {}
    marks = frame.x.labelled_ticks(frame.tick_count("x"), axis.get("format"))
    return marks if _fits(marks) else _thinned(marks)


def _fits(marks: Ticks) -> bool:
    widths = [text_width(label, AXIS["labelFontSize"]) for _, label in marks]
    gaps = zip(marks, marks[1:], widths, widths[1:], strict=False)
    return all(b[0] - a[0] > (before + after) / 2 for a, b, before, after in gaps)


def _thinned(marks: Ticks) -> Ticks:
    """Every second label is left out until the others have room."""
    thinned = [(at, label if number % 2 == 0 else "") for number, (at, label) in enumerate(marks)]
    shown = [mark for mark in thinned if mark[1]]
    return thinned if len(shown) < 2 or _fits(shown) else _merged(marks, _thinned(shown))


def _merged(marks: Ticks, shown: Ticks) -> Ticks:
    labels = dict(shown)
    return [(at, labels.get(at, "")) for at, _ in marks]


def y_ticks(frame: PanelFrame) -> Ticks:
    """Left of a panel."""
    axis = frame.channel("y").get("axis") or {}
    if isinstance(frame.y, QuantityScale):
        return frame.y.labelled_ticks(frame.tick_count("y"), axis.get("format"))
    return [(frame.y(name), shortened(name, AXIS["labelFontSize"], AXIS["labelLimit"])) for name in frame.y.names]


def draw_grid(frame: PanelFrame) -> str:
    """Lines behind the marks, at every tick."""
    sizes = {"x": (0, frame.height, x_ticks), "y": (frame.width, 0, y_ticks)}
    lines = [
        element("line", transform=moved(round(at), 0) if name == "x" else moved(0, round(at)), x2=across, y2=down)
        for name, (across, down, ticks) in sizes.items()
        if _shows(frame, name, "grid")
        for at, _ in ticks(frame)
    ]
    return element("g", *lines, transform=moved(0.5, 0.5), stroke=AXIS["gridColor"], aria_hidden="true")


def _shows(frame: PanelFrame, name: str, part: str) -> bool:
    return (frame.channel(name).get("axis") or {}).get(part, True) is not False


def y_axis_width(frame: PanelFrame) -> float:
    """How much room it takes."""
    labels = max((text_width(label, AXIS["labelFontSize"]) for _, label in y_ticks(frame)), default=0.0)
    title = AXIS["titleFontSize"] + TITLE_GAP if frame.channel("y").get("title") else 0.0
    return (labels + _label_distance(frame) if _shows(frame, "y", "labels") else 0.0) + title


def _label_distance(frame: PanelFrame) -> float:
    padding = (frame.channel("y").get("axis") or {}).get("labelPadding", GAP)
    return float(padding + (TICK if _shows(frame, "y", "ticks") else 0))


def draw_x_axis(frame: PanelFrame) -> str:
    """Below a panel."""
    marks = x_ticks(frame)
    lines = [element("line", transform=moved(round(at), 0), y2=TICK) for at, _ in marks]
    lines.append(element("line", x2=frame.width))
    words = [
        text(
            label,
            at,
            TICK + GAP + 9,
            AXIS["labelFontSize"],
            text_anchor=_flush(at, frame.width),
            fill=AXIS["labelColor"],
        )
        for at, label in marks
        if label
    ]
    title = frame.channel("x").get("title") or ""
    words.append(text(title, frame.width / 2, 31, AXIS["titleFontSize"], text_anchor="middle", fill=AXIS["titleColor"]))
    drawn = element("g", *lines, stroke=AXIS["tickColor"])
    return _axis(drawn, *words, spoken=_spoken_axis("X", title, frame.x, [label for _, label in marks if label]))


def _flush(at: float, width: float) -> str:
    return "start" if at < 0.5 else "end" if at > width - 0.5 else "middle"


def draw_y_axis(frame: PanelFrame) -> str:
    """Left of a panel; nothing where it has no labels."""
    if not _shows(frame, "y", "labels"):
        return ""
    marks, distance = y_ticks(frame), _label_distance(frame)
    words = [
        text(label, -distance, at + 3, AXIS["labelFontSize"], text_anchor="end", fill=AXIS["labelColor"])
        for at, label in marks
    ]
    lines = [element("line", transform=moved(0, round(at)), x2=-TICK) for at, _ in marks if _shows(frame, "y", "ticks")]
    lines += [element("line", y2=frame.height)] if _shows(frame, "y", "domain") else []
    title = frame.channel("y").get("title") or ""
    place = f"{moved(-y_axis_width(frame) + AXIS['titleFontSize'] - 3, frame.height / 2)} rotate(-90)"
    if title:
        words.append(
            text(title, 0, 0, AXIS["titleFontSize"], text_anchor="middle", fill=AXIS["titleColor"], transform=place)
        )
    drawn = element("g", *lines, stroke=AXIS["tickColor"]) if lines else ""
    names = list(frame.y.names) if not isinstance(frame.y, QuantityScale) else [label for _, label in marks]
    return _axis(drawn, *words, spoken=_spoken_axis("Y", title, frame.y, names))


def _axis(*parts: str, spoken: str) -> str:
    return element(
        "g", *parts, transform=moved(0.5, 0.5), role="graphics-symbol", aria_roledescription="axis", aria_label=spoken
    )


def _spoken_axis(name: str, title: str, scale: object, labels: Sequence[str]) -> str:
    called = f"{name}-axis" + (f" titled '{title}'" if title else "")
    if isinstance(scale, QuantityScale):
        kind = "square root" if scale.kind == "sqrt" else "linear"
        return f"{called} for a {kind} scale with values from {labels[0]} to {labels[-1]}"
    return f"{called} for a discrete scale with {_spoken_names(labels)}"


def _spoken_names(names: Sequence[str]) -> str:
    count = f"{len(names)} value{'' if len(names) == 1 else 's'}: "
    if len(names) <= 2 * NAMES_SPOKEN:
        return count + ", ".join(names)
    return f"{count}{', '.join(names[:NAMES_SPOKEN])}, ending with {names[-1]}"


def legend_entries(color: Mapping[str, Any]) -> list[tuple[str, str, float]]:
    """Names, colours and where each begins; none where there is no legend."""
    if not color or ("legend" in color and color["legend"] is None):
        return []
    entries, at = [], 0.0
    for name, colour in zip(color["scale"]["domain"], color["scale"]["range"], strict=False):
        label = shortened(name, LEGEND["labelFontSize"], LEGEND_LABEL_LIMIT)
        entries.append((label, colour, at))
        at += -(-(16 + text_width(label, LEGEND["labelFontSize"])) // 1) + 11
    return entries


def draw_legend(entries: list[tuple[str, str, float]], marks: Sequence[str]) -> str:
    """A dot or stroke of each colour with its name; `marks` are those that have the colours."""
    drawn = []
    for label, colour, at in entries:
        shape = _legend_symbol(colour, marks)
        word = text(label, 16, 10, LEGEND["labelFontSize"], fill=LEGEND["labelColor"])
        drawn.append(element("g", shape, word, transform=moved(at, 0)))
    channels = "stroke color" if set(marks) == {"line"} else "fill color and stroke color"
    spoken = f"Symbol legend for {channels} with {_spoken_names([label for label, _, _ in entries])}"
    return element("g", *drawn, role="graphics-symbol", aria_roledescription="legend", aria_label=spoken)


def _legend_symbol(colour: str, marks: Sequence[str]) -> str:
    stroke = {"stroke": colour, "stroke_width": 1.5, "transform": moved(6, 6)}
    if set(marks) == {"line"}:
        return element("path", d="M-5,0L5,0", **stroke)
    return element("path", d=circle_path(5), fill=colour, opacity=0.3 if "area" in marks else None, **stroke)
