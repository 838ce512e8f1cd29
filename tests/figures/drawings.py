"""What is in a drawing: its words, the data it is drawn from, and whether it is valid Vega-Lite."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import Any

import evenhand as eh
from evenhand.figures import Figure, draw_figures


def drawn(finding: eh.Finding, name: str) -> Figure:
    (found,) = [figure for figure in draw_figures(finding) if figure.name == name]
    return found


def said(figure: Figure) -> str:
    return " ".join(ET.fromstring(figure.svg).itertext())


def rows(spec: Any) -> Iterator[dict[str, Any]]:
    """All data of a drawing, however deep."""
    if isinstance(spec, dict):
        if isinstance(spec.get("data"), dict):
            yield from spec["data"].get("values", [])
        for part in spec.values():
            yield from rows(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from rows(part)


def validate(spec: Any) -> None:
    """Against the schema; rows of data are many and alike, so two are enough."""
    import altair as alt
    from altair.utils.schemapi import validate_jsonschema

    schema = alt.load_schema()
    validate_jsonschema(_shortened(spec), schema, rootschema=schema)


def _shortened(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {key: value[:2] if key == "values" else _shortened(value) for key, value in part.items()}
    return [_shortened(value) for value in part] if isinstance(part, (list, tuple)) else part
