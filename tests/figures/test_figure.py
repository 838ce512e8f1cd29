"""A figure as SVG, PNG and PDF, alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure


@pytest.fixture(scope="module")
def figure() -> Figure:
    chart = vl.Chart.from_rows([{"x": 1, "y": 2}]).mark("point").encode(x="x:Q", y="y:Q")
    return make_figure("bias", "overview", "Which groups?", "A point.", chart)


def test_three_formats(figure: Figure) -> None:
    assert figure.svg.startswith("<svg")
    assert figure.png.startswith(b"\x89PNG")
    assert figure.pdf.startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_saved_by_the_ending_of_the_name(figure: Figure, tmp_path: Path, kind: str) -> None:
    path = figure.save(tmp_path / f"overview.{kind}")
    content = getattr(figure, kind)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)


def test_another_ending_is_refused(figure: Figure, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a figure is saved as .svg, .png or .pdf, not as 'x.gif'"):
        figure.save(tmp_path / "x.gif")


def test_a_screen_reader_says_rounded_numbers() -> None:
    rows = [{"x": 0.930845893134, "y": -0.000612345678, "z": "0.5 to 1.23456789"}]
    chart = vl.Chart.from_rows(rows).mark("point").encode(x="x:Q", y="y:Q", detail="z:N")
    drawing = make_figure("bias", "overview", "Which groups?", "A point.", chart).svg
    assert 'aria-label="x: 0.931; y: −0.000612; z: 0.5 to 1.23456789"' in drawing
