"""The HTML report: one page that opens offline, without a script.

Everything that a template prints is visible text with nothing of it markup. Names that stand alone are marked as such
in the templates (`| name`), and so is what stands in an attribute (`| attribute`), where no tag may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from evenhand import catalogue, formatting
from evenhand.audits.registry import verdicts_of
from evenhand.errors import name_settings
from evenhand.estimate import Flag
from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.recalibration.comparison import SPREAD_METHOD
from evenhand.reports.audit_table import SECTIONS, summarise
from evenhand.reports.cover import ReportCover
from evenhand.reports.summary import plain_verdicts
from evenhand.version import __version__
from evenhand.visible_text import html_name, html_text, visible

COMMAND = re.compile(r"`(evenhand [a-z -]+)`")
FLAGS = {"slices": "slice"}  # where the option has another name than the setting


def render_page(findings: Sequence[Finding], figures: Sequence[Figure], json: str, cover: ReportCover) -> str:
    """The whole document."""
    context = _context(findings, figures) | {"cover": cover, "json": Markup(json), "version": __version__}
    return _environment(page_text).get_template("page.html").render(context)


def render_fragment(findings: Sequence[Finding], figures: Sequence[Figure]) -> str:
    """The same without the frame of a page, for a notebook."""
    return _environment(fragment_text).get_template("fragment.html").render(_context(findings, figures))


def _context(findings: Sequence[Finding], figures: Sequence[Figure]) -> dict[str, Any]:
    return {
        "sections": [_section(finding, figures) for finding in findings],
        "summary": summarise(findings) if len(findings) > 1 else None,
    }


def _section(finding: Finding, figures: Sequence[Figure]) -> dict[str, Any]:
    section = SECTIONS.get(finding.audit)
    drawings = {(f.name, next(iter(f.about.values()), None)): _Drawing(f) for f in figures if f.audit == finding.audit}
    template, own = (section.template, section.context(finding)) if section else ("plain.html", {})
    return {
        **own,
        "finding": finding,
        "template": template,
        "drawings": drawings,
        "level": _level(finding),
        "brief_table": section.brief_table if section else "",
        "brief_figure": _brief_figure(section.brief_figure if section else "", drawings),
        "first_grid": next(iter(section.grids(finding)), None) if section else None,
        "answers": verdicts_of(finding) or tuple(plain_verdicts(finding)),
    }


def _brief_figure(name: str, drawings: Mapping[tuple[str, str | None], _Drawing]) -> _Drawing | None:
    """The one figure of a brief report: the one of this name, or else the first."""
    named = [drawing for (own, _), drawing in drawings.items() if own == name or not name]
    return next(iter(named), None)


def _level(finding: Finding) -> float | None:
    """Of the intervals; None where there are none but ranges."""
    estimates = (m.estimate for m in finding if m.estimate.method not in ("exact", "none", SPREAD_METHOD))
    return next((e.level for e in estimates), None)


class _Drawing:
    """A figure, drawn when the template asks for it."""

    def __init__(self, figure: Figure) -> None:
        self.title, self.caption, self._figure = figure.title, figure.caption, figure

    @property
    def svg(self) -> Markup:
        drawing = self._figure.svg
        return Markup(drawing[drawing.index("<svg") :])


def page_text(value: object) -> object:
    """What a template prints: visible, nothing of it markup; options and commands named in backticks are set apart."""
    return _set_apart(value, lambda name: f"--{FLAGS.get(name, name).replace('_', '-')}")


def fragment_text(value: object) -> object:
    """The same in a notebook, where settings are arguments."""
    return _set_apart(value, str)


def _set_apart(value: object, named: Callable[[str], str]) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        text = COMMAND.sub(r"<code>\1</code>", html_text(value))
        return Markup(name_settings(text, lambda name: f"<code>{named(name)}</code>"))
    return value


def page_name(name: str) -> Markup:
    """A name that stands alone."""
    return Markup(html_name(str(name)))


def page_row_name(name: str) -> Markup:
    """A name at the head of a row, which may wrap after an underscore and nowhere within a word."""
    return Markup(html_name(str(name)).replace("_", "_<wbr>"))


def page_attribute(value: str) -> Markup:
    """What stands in an attribute."""
    return escape(visible(str(value)))


@cache
def _environment(finalize: Callable[[object], object]) -> Environment:
    environment = Environment(
        loader=PackageLoader("evenhand.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    environment.filters.update(name=page_name, row_name=page_row_name, attribute=page_attribute)
    environment.globals.update(
        Flag=Flag,
        measure_row=catalogue.find_measure,
        number=formatting.format_number,
        interval=formatting.format_interval,
        in_pairs=formatting.explain_in_pairs,
        percent=formatting.format_percent,
        points=formatting.format_points,
    )
    return environment
