"""Words are in one catalogue, colours in one place: what a translation or another colour would have to change."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path

import pytest

from evenhand.desk import pages
from evenhand.desk.pages.words import words

FOLDER = Path(str(files(pages)))
TEMPLATES = sorted((FOLDER / "templates").glob("*.html"))
CSS = (FOLDER / "static" / "desk.css").read_text()
REPORT_CSS = Path(str(files("evenhand.reports"))) / "templates" / "style.css"
SHARED = {"ink", "soft", "line", "accent"}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_no_template_has_words_of_its_own(template: Path) -> None:
    text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", "", template.read_text(), flags=re.DOTALL)
    text = re.sub(r'\s[\w:-]+="[^"]*"', "", text)
    text = re.sub(r"<[^>]*>|&\w+;", " ", text)
    assert re.findall(r"[^\W\d_]{2,}", text) == []


def raised_words(path: Path) -> list[str]:
    """Messages that a module of the pages makes itself."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    made = [
        call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("InputError", "ConflictError")
    ]
    return [ast.unparse(call) for call in made if call.args and not isinstance(call.args[0], ast.Name)]


@pytest.mark.parametrize("module", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_module_of_the_pages_words_its_own_errors(module: Path) -> None:
    assert raised_words(module) == []


def test_values_are_put_in_by_name() -> None:
    assert words()("review.reports", n=1) == "Reported once"
    assert words()("review.reports", n=1234) == "Reported 1,234 times"


def tokens(css: str, selector: str) -> dict[str, str]:
    block = re.search(rf"(?:^|\}}|\n){re.escape(selector)}\{{([^}}]*)", css)
    assert block is not None
    return dict(re.findall(r"--([\w-]+):([^;}]+)", block[1]))


def test_the_colours_are_those_of_the_report() -> None:
    desk, report = tokens(CSS, ":root"), tokens(REPORT_CSS.read_text(), ".evenhand")
    assert set(report) == SHARED
    assert {name: desk[name] for name in SHARED} == report


def test_every_theme_names_every_colour() -> None:
    names = set(tokens(CSS, ":root"))
    assert names == set(tokens(CSS, "[data-theme=dark]"))
    assert names == set(
        re.findall(r"--([\w-]+):", CSS.partition("@media (prefers-color-scheme:dark)")[2].split("}}")[0])
    )


def test_paper_is_printed_in_the_light_colours_whatever_the_theme() -> None:
    printed = CSS.rpartition("@media print")[2]
    assert CSS.rindex("@media print") > CSS.rindex("[data-theme=dark]")
    light = tokens(CSS, ":root") | {"page": "#fff"}
    assert tokens(printed[1:], ":root,[data-theme]") == light
