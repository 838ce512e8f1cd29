"""The HTML report: one page that opens offline, without a script. Everything a user wrote is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.reports import words
from evenhand.reports.summary import summary
from evenhand.reports.table import SECTIONS
from evenhand.version import __version__


def page(findings: Sequence[Finding], figures: Sequence[Figure], json: str) -> str:
    """The whole document."""
    context = _context(findings, figures)
    return _environment().get_template("page.html").render(context, json=Markup(json), version=__version__)


def fragment(findings: Sequence[Finding], figures: Sequence[Figure]) -> str:
    """The same without the frame of a page, for a notebook."""
    return _environment().get_template("fragment.html").render(_context(findings, figures))


def _context(findings: Sequence[Finding], figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        "sections": [_section(finding, figures) for finding in findings],
        "summary": summary(findings) if len(findings) > 1 else None,
    }


def _section(finding: Finding, figures: Sequence[Figure]) -> dict[str, Any]:
    section = SECTIONS.get(finding.audit)
    drawings = {(f.name, next(iter(f.about.values()), None)): _Drawing(f) for f in figures if f.audit == finding.audit}
    template, own = (section.template, section.context(finding)) if section else ("plain.html", {})
    return {**own, "finding": finding, "template": template, "drawings": drawings, "level": _level(finding)}


def _level(finding: Finding) -> float | None:
    """Of the intervals; None where there are none but ranges."""
    found = (m.estimate for m in finding if m.estimate.method not in ("exact", "none", "lowest_and_highest"))
    return next((e.level for e in found), None)


class _Drawing:
    """A figure, drawn when the template asks for it."""

    def __init__(self, figure: Figure) -> None:
        self.title, self.caption, self._figure = figure.title, figure.caption, figure

    @property
    def svg(self) -> Markup:
        drawing = self._figure.svg
        return Markup(drawing[drawing.index("<svg") :])


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evenhand.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        word=words.word,
        number=words.number,
        interval=words.interval,
        plainly=words.plainly,
        percent=words.percent,
        points=words.points,
    )
    return environment
