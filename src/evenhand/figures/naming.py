"""What the figures of one model share: its slice, its title, and the wording of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from evenhand.figures.figure import Figure

TopLevel = alt.Chart | alt.LayerChart | alt.FacetChart | alt.ConcatChart | alt.HConcatChart | alt.VConcatChart


def named(model: str | None) -> dict[str, str]:
    """The slice of a model; one model alone has none."""
    return {} if model is None else {"model": model}


def figure(
    audit: str,
    name: str,
    title: str,
    caption: str,
    chart: TopLevel,
    model: str | None = None,
    *,
    about: Mapping[str, str] | None = None,
) -> Figure:
    """A figure of an audit, about one model or about all of them; or about something else than a model."""
    spec: dict[str, Any] = chart.to_dict()
    said = "" if model is None else f"{'' if title.endswith('?') else ':'} {model}"
    return Figure(audit, name, f"{title}{said}", caption, spec, named(model) if about is None else about)
