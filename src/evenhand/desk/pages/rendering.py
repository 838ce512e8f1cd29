"""How a page becomes HTML: templates that escape everything, the words of the interface, a strict policy."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from evenhand.desk.pages.preferences import Preferences
from evenhand.desk.pages.veiling import veiled_text
from evenhand.desk.pages.words import words
from evenhand.formatting import format_share
from evenhand.reports.html import page_text
from evenhand.staffing.policy_effects import EFFECT_MEASURES
from evenhand.visible_text import html_name, visible

PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
PAGE_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "referrer-policy": "same-origin",  # with none at all, browsers hide the origin of a form from its own host
}
HTMX_CONFIG = (
    '{"allowEval":false,"includeIndicatorStyles":false,"allowScriptTags":false,"selfRequestsOnly":true,'
    '"historyCacheSize":0,"refreshOnHistoryMiss":true}'
)


def render(template: str, language: str, /, **context: Any) -> str:
    """A template with what it shows, in a language."""
    said = words(language)
    return _environment().get_template(template).render(say=said, language=said.language, **context)


def shown_text(text: str) -> Markup:
    """What somebody wrote, to be read: lines stay lines, nothing is markup, nothing is invisible."""
    return Markup("\n").join(escape(visible(line)) for line in text.splitlines())


def reading_text(text: str, preferences: Preferences) -> Markup:
    """The same as the reader wants to see it."""
    return veiled_text(text, preferences.words) if preferences.text == "veil" else shown_text(text)


def _printed(value: object) -> object:
    """Everything that a template prints is visible text, with nothing of it markup."""
    return escape(visible(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evenhand.desk.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    environment.filters["report_text"] = page_text  # what the report says, as it says it
    environment.filters.update(
        name=lambda name: Markup(html_name(str(name))), text=shown_text, reading=reading_text, share=format_share
    )
    environment.filters.update(drawing=Markup)  # a figure, which escapes what it shows
    environment.globals.update(htmx_config=HTMX_CONFIG, measures=EFFECT_MEASURES)
    return environment
