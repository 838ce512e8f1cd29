"""Panels that are drawn directly are where the converter of Vega-Lite draws them, and say the same."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.figures import Figure, draw_figures
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import _converted, _rounded_descriptions, _visible_parts
from evenhand.figures.panels import draw_panels
from evenhand.figures.panels.scales import QuantityScale, formatted, rounded_ends, ticks
from evenhand.figures.panels.text_width import shortened, text_width

NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def finding() -> eh.Finding:
    rng = np.random.default_rng(5)
    label = rng.random(1500) < 0.3
    table = pl.DataFrame(
        {"y": label, "women": rng.random(1500) < 0.3, 'the "old" & <b>wise</b>': rng.random(1500) < 0.2}
        | {name: np.clip(rng.normal(0.4 + 0.2 * label, 0.15), 0, 1) for name in ("first", "second")}
    )
    groups = table.columns[1:3]
    return eh.audit(table, score=["first", "second"], label="y", groups=groups, audits="bias").findings[0]


@pytest.fixture(scope="module")
def figures(finding: eh.Finding) -> dict[str, Figure]:
    return {figure.name: figure for figure in draw_figures(finding)}


def converted(figure: Figure) -> ET.Element:
    return ET.fromstring(_rounded_descriptions(_converted(_visible_parts(figure.spec))))


def marks(drawing: ET.Element) -> Iterator[tuple[str, list[float], str | None]]:
    """What each mark says, its numbers in pixels, and its colour."""
    for part in drawing.iter():
        role, spoken = part.get("aria-roledescription", ""), part.get("aria-label")
        if spoken and (role.endswith("mark") or role == "point"):
            shape = [part.get(name) for name in ("d", "x2", "y2") if part.get(name) not in (None, "0")]
            places = [float(number) for number in NUMBERS.findall(f"{part.get('transform')} {shape}")]
            yield spoken, places, part.get("fill") or part.get("stroke")


def spoken_parts(drawing: ET.Element) -> set[str | None]:
    """What is said of axes, legends and titles."""
    named = [part for part in drawing.iter() if part.get("aria-roledescription") in ("axis", "legend", "title")]
    return {part.get("aria-label") for part in named} - {None}


def unordered(spoken: str) -> frozenset[str]:
    return frozenset(spoken.split("; "))


@pytest.mark.parametrize("name", ["groups", "distribution", "curve"])
def test_marks_are_where_the_converter_draws_them(figures: dict[str, Figure], name: str) -> None:
    ours, theirs = (
        sorted(((sorted(unordered(spoken)), places, hue) for spoken, places, hue in marks(drawing)), key=repr)
        for drawing in (ET.fromstring(figures[name].svg), converted(figures[name]))
    )
    assert [part[0] for part in ours] == [part[0] for part in theirs]
    assert [part[2] for part in ours] == [part[2] for part in theirs]
    for (_, mine, _), (_, their, _) in zip(ours, theirs, strict=True):
        if name == "distribution":  # an area comes back along its base in one stroke
            mine, their = mine[:20], their[:20]
        assert mine == pytest.approx(their, abs=0.02)


@pytest.mark.parametrize("name", ["groups", "distribution", "curve"])
def test_words_and_size_are_those_of_the_converter(figures: dict[str, Figure], name: str) -> None:
    ours, theirs = ET.fromstring(figures[name].svg), converted(figures[name])
    assert sorted(filter(None, ours.itertext())) == sorted(filter(None, theirs.itertext()))
    assert spoken_parts(ours) == spoken_parts(theirs)
    for side in ("width", "height"):
        assert float(ours.get(side, 0)) == pytest.approx(float(theirs.get(side, 0)), abs=14)


def test_other_charts_are_left_to_the_converter(finding: eh.Finding) -> None:
    chart = vl.Chart.from_rows([{"x": 1.0}]).mark("bar").encode(x="x:Q")
    assert draw_panels(chart.to_dict()) is None
    assert draw_panels(vl.hconcat(vl.layer(chart).properties(width=9, height=9), spacing=3).to_dict()) is None


def test_all_bias_figures_are_drawn_directly(finding: eh.Finding) -> None:
    assert all(draw_panels(figure.spec) for figure in draw_figures(finding))


@pytest.mark.parametrize(
    ("low", "high", "count", "expected"),
    [
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 13, [n / 10 for n in range(11)]),
        (-0.5, 0.5, 3, [-0.5, 0, 0.5]),
        (0.6, 1, 3, [0.6, 0.7, 0.8, 0.9, 1.0]),
        (0, 97, 10, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]),
        (3, 3, 5, [3]),
    ],
)
def test_ticks_are_round(low: float, high: float, count: int, expected: list[float]) -> None:
    assert ticks(low, high, count) == pytest.approx(expected)


def test_ends_are_round() -> None:
    assert rounded_ends(0.0333, 0.9667) == pytest.approx((0, 1))
    assert rounded_ends(0, 0.485) == pytest.approx((0, 0.5))
    assert rounded_ends(0, 0) == (0, 0)


def test_a_scale_of_one_value_is_its_middle() -> None:
    assert QuantityScale((2.0, 2.0), (0.0, 100.0))(2.0) == 50.0


def test_formats() -> None:
    assert [formatted(value, ".2~f") for value in (0.5, -0.25, 1.0)] == ["0.5", "−0.25", "1"]
    assert formatted(12000.0, ",.0f") == "12,000"


def test_widths_of_texts() -> None:
    assert text_width("gay", 12, bold=True) == pytest.approx(20.68, abs=0.01)
    assert text_width("日本", 10) == 20.0
    assert shortened("a long name of a model", 12, 60).endswith("…")
    assert text_width(shortened("a long name of a model", 12, 60), 12) <= 60
