"""The HTML report: one page that opens offline, without a script. Everything a user wrote is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.reports import bias, words
from evenhand.version import __version__

SECTIONS = {"bias": bias.section}  # an audit without a row here is shown as a plain table


def page(findings: Sequence[Finding], figures: Sequence[Figure], json: str) -> str:
    """The whole document."""
    context = _context(findings, figures)
    return _environment().get_template("page.html").render(context, json=Markup(json), version=__version__)


def fragment(findings: Sequence[Finding], figures: Sequence[Figure]) -> str:
    """The same without the frame of a page, for a notebook."""
    return _environment().get_template("fragment.html").render(_context(findings, figures))


def _context(findings: Sequence[Finding], figures: Sequence[Figure]) -> dict[str, Any]:
    sections = [
        {
            "finding": finding,
            **SECTIONS.get(finding.audit, _plain)(finding),
            "template": _template(finding),
            "drawings": {(f.name, f.about.get("group")): _Drawing(f) for f in figures if f.audit == finding.audit},
        }
        for finding in findings
    ]
    return {"sections": sections}


def _template(finding: Finding) -> str:
    return f"{finding.audit}.html" if finding.audit in SECTIONS else "plain.html"


def _plain(finding: Finding) -> dict[str, Any]:
    return {"records": finding.estimates}


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
    environment.globals.update(word=words.word, number=words.number, interval=words.interval, plainly=words.plainly)
    return environment
