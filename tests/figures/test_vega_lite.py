"""Charts are what Altair makes of the same words."""

from __future__ import annotations

from typing import Any

import altair as alt
import jsonschema
import pytest

from evenhand.figures import vega_lite as vl
from figures.drawings import validate

ROWS = [{"x": 1.5, "name": "a", "end": 2.0}, {"x": 2.5, "name": "b", "end": 3.0}]


def test_an_invalid_chart_is_noticed() -> None:
    spec = vl.Chart.from_rows(ROWS).mark("dot").encode(x="x:Q").to_dict()
    with pytest.raises(jsonschema.ValidationError):
        validate(spec)


def ours(rows: list[dict[str, Any]]) -> vl.Chart:
    base = vl.Chart.from_rows(rows).encode(y=vl.Y("name:N", sort=["b", "a"], title=None))
    rule = base.mark("rule", strokeWidth=2).encode(x=vl.X("x:Q", scale=vl.Scale(zero=False)), x2="end:Q")
    dots = base.mark("point", filled=True).encode(x="x:Q").calculate("twice", "2 * datum.x").filter("datum.x > 2")
    return vl.layer(rule, dots, vl.Chart.from_rows([{"x": 0}]).mark("tick").encode(x=vl.datum(0)))


def altairs(rows: list[dict[str, Any]]) -> alt.LayerChart:
    base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("name:N", sort=["b", "a"], title=None))
    rule = base.mark_rule(strokeWidth=2).encode(x=alt.X("x:Q", scale=alt.Scale(zero=False)), x2="end:Q")
    dots = base.mark_point(filled=True).encode(x="x:Q").transform_calculate(twice="2 * datum.x")
    zero = alt.Chart(alt.Data(values=[{"x": 0}])).mark_tick().encode(x=alt.XDatum(0))
    return alt.layer(rule, dots.transform_filter("datum.x > 2"), zero)


def without_theme(chart: Any) -> dict[str, Any]:
    return {key: value for key, value in chart.to_dict().items() if key not in ("config", "$schema")}


def test_layers_are_those_of_altair() -> None:
    assert without_theme(ours(ROWS)) == without_theme(altairs(ROWS))


def test_layers_of_one_table_have_it_once() -> None:
    base = vl.Chart.from_rows(ROWS).encode(x="x:Q")
    layered = vl.layer(base.mark("line"), base.mark("point")).spec
    assert layered["data"] == {"values": ROWS}
    assert not any("data" in part for part in layered["layer"])


def test_facets_and_rows_of_charts_are_those_of_altair() -> None:
    sizes = {"width": 90, "height": 60}
    mine = vl.layer(vl.Chart().mark("line").encode(x="x:Q"), rows=ROWS).properties(**sizes)
    theirs = alt.layer(alt.Chart().mark_line().encode(x="x:Q"), data=alt.Data(values=ROWS)).properties(**sizes)
    facets = [
        part.facet(column=of("name:N", title=None), spacing=8) for part, of in ((mine, vl.Column), (theirs, alt.Column))
    ]
    assert without_theme(facets[0]) == without_theme(facets[1])
    wrapped = [
        part.facet(facet=of("name:N"), columns=2, spacing=8) for part, of in ((mine, vl.Facet), (theirs, alt.Facet))
    ]
    assert without_theme(wrapped[0]) == without_theme(wrapped[1])
    joined = [
        without_theme(module.hconcat(of(ROWS), of(ROWS), spacing=4)) for module, of in ((vl, ours), (alt, altairs))
    ]
    assert joined[0] == joined[1]
