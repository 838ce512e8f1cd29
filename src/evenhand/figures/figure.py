"""A chart with its place in a report, and how it becomes SVG or PNG: Vega-Lite, rendered without a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

# Okabe and Ito's colours, which stay apart for colour-blind readers
BENIGN, VIOLATING = "#56b4e9", "#d55e00"
MODELS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
INK, FAINT = "#1f2933", "#9aa5b1"
FONT = (
    "Arial, 'Liberation Sans', Helvetica, sans-serif"  # of equal widths, so that a drawing fits wherever it is opened
)

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "gridColor": "#e4e7eb",
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelLimit": 220,
    },
    "header": {
        "labelFontSize": 12,
        "labelColor": INK,
        "titleFontSize": 12,
        "titleColor": INK,
        "labelFontWeight": "bold",
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK, "titleColor": INK, "orient": "top"},
    "title": {"fontSize": 13, "color": INK, "anchor": "start"},
}


@dataclass(frozen=True)
class Figure:
    """One chart of an audit. `about` is the slice that it shows: {} for an overview."""

    audit: str
    name: str
    title: str
    caption: str
    spec: Mapping[str, Any] = field(repr=False)
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """A name that is safe on any file system: letters and digits of any script."""
        parts = [self.audit, self.name, *self.about.values()]
        return re.sub(r"[^\w-]+", "-", "_".join(parts)).strip("-")[:60]

    @cached_property
    def svg(self) -> str:
        """The drawing."""
        import vl_convert

        drawing: str = vl_convert.vegalite_to_svg({**self.spec, "config": CONFIG})
        return drawing

    def png(self) -> bytes:
        """The picture, at twice the size so that it stays sharp, on white."""
        import vl_convert

        white = re.sub(r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="white"/>', self.svg, count=1)
        picture: bytes = vl_convert.svg_to_png(white, scale=2.0)
        return picture

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"image/svg+xml": self.svg, "text/plain": self.title}
