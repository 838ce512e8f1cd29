"""A figure: a chart with its title, caption and place in a report, rendered to SVG, PNG or PDF without a browser.

Also what the charts of one model share: its slice and title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.figures import vega_lite as vl
from evenhand.figures.panels import draw_panels
from evenhand.figures.style import CONFIG
from evenhand.finding import SliceKey
from evenhand.visible_text import visible

PICTURE_FORMATS = ("svg", "png", "pdf")


@dataclass(frozen=True, repr=False)
class Figure:
    """One chart of an audit, as `svg`, `png` or `pdf`. `about` is the slice that it shows: {} for an overview."""

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
        """The drawing, on no background."""
        spec = _visible_parts(self.spec)
        return draw_panels(spec) or _rounded_descriptions(_converted(spec))

    @property
    def png(self) -> bytes:
        """The picture, at twice the size so that it stays sharp, on white."""
        import vl_convert

        picture: bytes = vl_convert.svg_to_png(self._on_white(), scale=2.0)
        return picture

    @property
    def pdf(self) -> bytes:
        """A page of the size of the drawing, on white."""
        import vl_convert

        page: bytes = vl_convert.svg_to_pdf(self._on_white())
        return page

    def save(self, path: str | Path) -> Path:
        """Write the figure; the ending of the name says how: .svg, .png or .pdf."""
        path = Path(path)
        kind = path.suffix.lower().removeprefix(".")
        if kind not in PICTURE_FORMATS:
            raise InputError(f"a figure is saved as .svg, .png or .pdf, not as '{path.name}'")
        content: str | bytes = getattr(self, kind)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def _on_white(self) -> str:
        return re.sub(r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="white"/>', self.svg, count=1)

    def __repr__(self) -> str:
        return f"<Figure {self.audit}/{self.name}: {visible(self.title)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"image/svg+xml": self.svg, "text/plain": visible(self.title)}


def _converted(spec: Mapping[str, Any]) -> str:
    """By the converter of Vega-Lite, which draws any chart and takes its time."""
    import vl_convert

    drawing: str = vl_convert.vegalite_to_svg({**spec, "config": CONFIG})
    return drawing


DESCRIPTION = re.compile(r'aria-label="[^"]*"')
LONG_NUMBER = re.compile(r"(?<=: )−?\d+\.\d{4,}(?:e[-−+]?\d+)?(?=[;\"])")  # a value of more digits than are read


def _rounded_descriptions(drawing: str) -> str:
    """What a screen reader says of each mark: numbers to three decimals, as the catalogue has them, small ones to three
    digits.
    """
    return DESCRIPTION.sub(lambda text: LONG_NUMBER.sub(_rounded, text[0]), drawing)


def _rounded(number: re.Match[str]) -> str:
    value = float(number[0].replace("−", "-"))
    return (f"{value:.3f}" if abs(value) >= 0.1 else f"{value:.3g}").replace("-", "−")


LONGEST_TEXT = 300  # characters: how long drawing takes grows with them, and nobody reads more in a chart


def _visible_parts(part: object, key: str = "") -> Any:
    """A specification in which every text can be drawn; a title is read as an expression, where backslashes escape."""
    if isinstance(part, str):
        text = visible(part if len(part) <= LONGEST_TEXT else f"{part[:200]} … {part[-80:]}")
        return text.replace("\\", "∖") if key == "title" else text
    if isinstance(part, Mapping):
        return {name: _visible_parts(value, name) for name, value in part.items()}
    return [_visible_parts(value, key) for value in part] if isinstance(part, (list, tuple)) else part


def model_slice(model: str | None) -> dict[str, str]:
    """The slice of a model; one model alone has none."""
    return {} if model is None else {SliceKey.MODEL: model}


def make_figure(
    audit: str,
    name: str,
    title: str,
    caption: str,
    chart: vl.Chart,
    model: str | None = None,
    *,
    about: Mapping[str, str] | None = None,
) -> Figure:
    """A figure of an audit, about one model or about all of them; or about something else than a model."""
    spec: dict[str, Any] = chart.to_dict()
    named_model = "" if model is None else f"{'' if title.endswith('?') else ':'} {model}"
    return Figure(audit, name, f"{title}{named_model}", caption, spec, model_slice(model) if about is None else about)


def percent(value: float) -> str:
    """A share as it is written for a reader."""
    return f"{100.0 * value:.3g} %"
