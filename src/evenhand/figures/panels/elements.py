"""SVG as text: elements with escaped attributes, and the paths of lines, areas and dots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

Point = tuple[float, float]
ESCAPES = {'"': "&quot;"}


def element(name: str, *content: str, **attributes: object) -> str:
    """An element; `_` in the name of an attribute is `-`, and those that are None are left out."""
    known = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    written = "".join(f' {key}="{escape(_written(value), ESCAPES)}"' for key, value in known.items())
    return f"<{name}{written}>{''.join(content)}</{name}>" if content else f"<{name}{written}/>"


def _written(value: object) -> str:
    return pixels(value) if isinstance(value, (int, float)) else str(value)


def pixels(value: float) -> str:
    """A length to a thousandth of a pixel."""
    length = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if length == "-0" else length


def moved(x: float, y: float) -> str:
    """A shift, as an attribute."""
    return f"translate({pixels(x)},{pixels(y)})"


def text(words: str, x: float, y: float, size: int, **attributes: object) -> str:
    """Words at a place."""
    return element("text", escape(words), x=x, y=y, font_size=f"{size}px", **attributes)


def line_path(points: Sequence[Point], *, smooth: bool = False) -> str:
    """Through all points, straight or as a curve that never overshoots."""
    if not points:
        return ""
    start = f"M{pixels(points[0][0])},{pixels(points[0][1])}"
    if smooth and len(points) > 2:
        return start + "".join(_curves(points))
    return start + "".join(f"L{pixels(x)},{pixels(y)}" for x, y in points[1:])


def area_path(points: Sequence[Point], base: float, *, smooth: bool = False) -> str:
    """Between a line and a level."""
    if not points:
        return ""
    last, first = points[-1][0], points[0][0]
    return f"{line_path(points, smooth=smooth)}L{pixels(last)},{pixels(base)}L{pixels(first)},{pixels(base)}Z"


def circle_path(radius: float) -> str:
    """A dot around 0."""
    r = pixels(radius)
    return f"M{r},0A{r},{r},0,1,1,-{r},0A{r},{r},0,1,1,{r},0"


def _curves(points: Sequence[Point]) -> list[str]:
    """Cubic curves between points with monotone slopes (Steffen 1990), as d3 draws them."""
    slopes = _monotone_slopes(points)
    curves = []
    for (x0, y0), (x1, y1), start, end in zip(points, points[1:], slopes, slopes[1:], strict=False):
        third = (x1 - x0) / 3.0
        parts = (x0 + third, y0 + third * start, x1 - third, y1 - third * end, x1, y1)
        curves.append(f"C{','.join(map(pixels, parts))}")
    return curves


def _monotone_slopes(points: Sequence[Point]) -> list[float]:
    widths = [b[0] - a[0] for a, b in pairwise(points)]
    rises = [(b[1] - a[1]) / w if w else 0.0 for a, b, w in zip(points, points[1:], widths, strict=False)]
    inner = [
        _slope(before, after, (before * next_ + after * width) / ((width + next_) or 1.0))
        for before, after, width, next_ in zip(rises, rises[1:], widths, widths[1:], strict=False)
    ]
    return [(3.0 * rises[0] - inner[0]) / 2.0, *inner, (3.0 * rises[-1] - inner[-1]) / 2.0]


def _slope(before: float, after: float, mean: float) -> float:
    signs = math.copysign(1.0, before) + math.copysign(1.0, after)
    return signs * min(abs(before), abs(after), 0.5 * abs(mean))
