"""Whatever users call things, nothing of it is markup, moves a cursor, hides or reorders what stands beside it.

Findings of every kind are read back with other names in them and shown in every way; what comes out has the structure
that plain names give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import astuple
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from contracts.every_finding import AUDITED, EVERY, Names, printed
from evenhand.cards.audit_card import model_card
from evenhand.figures import Figure
from evenhand.finding import Finding
from evenhand.findings_file import from_json, to_csv, to_json
from evenhand.visible_text import INVISIBLE
from markdown_tables import cells
from reports.pages import parsed

STAND_INS = Names(*(f"qz{letter}zq" for letter in "abcdefghijk"))  # in no sentence of ours
FRAGMENTS = (
    *("\x00", "\x1b[31m", "\x1b]0;x\x07", "\r", "\n", "\t", "\x7f", "\x9b", "\x85"),
    *("\u202e", "\u202d", "\u202c", "\u2066", "\u2067", "\u2069", "\u200e", "\u200f", "\u061c"),
    *("\u2028", "\u2029", "\u200b", "\ufeff", "\xad", "\ufffe", "\U000e0041", "\u0338", "\u200d", "\u200c", "\ufe0f"),
    *("<b>", "</script>", "<!--", "]]>", "&lt;", '"', "'", "|", "`", "[x](http://y.z)", "![", "{{7*7}}", "{%", "$"),
    *("\\", "\\u202e", "=1+1", "＝1", "- ", "1. ", "*", "_", "#", "~", "^", "12", "%s", "{0}", "Größe", " "),
    *("שלום", "مرحبا", "👩‍👧"),
)
NAME = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=6).map("".join)
NAMES = st.lists(NAME, min_size=Names.count(), max_size=Names.count(), unique=True).map(Names.of)
WORST = Names.of([f"{number}{''.join(FRAGMENTS[5 * number : 5 * number + 6])}" for number in range(Names.count())])
ONE = settings(deadline=None, phases=(Phase.explicit,))
MANY = settings(ONE, max_examples=8, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
ALLOWED = "\n\u200c\u200d\ufe0f"  # lines of ours; joiners and selectors where a name needs them
QUICK = ("bias",)  # the others are left to `make verify`


def called(finding: Finding, names: Names) -> Finding:
    """The same finding with other names in it."""
    new = dict(zip(astuple(STAND_INS), astuple(names), strict=True))
    pattern = re.compile("|".join(new))

    def renamed(part: Any) -> Any:
        if isinstance(part, str):
            return pattern.sub(lambda found: new[found[0]], part)
        if isinstance(part, Mapping):
            return {renamed(key): renamed(value) for key, value in part.items()}
        return [renamed(value) for value in part] if isinstance(part, list) else part

    (found,) = from_json(json.dumps(renamed(json.loads(to_json([finding])))), source="x")
    return found


@cache
def plain(kind: str) -> Finding:
    return EVERY[kind](STAND_INS)


def clean(text: str, where: str) -> None:
    hidden = {letter for letter in INVISIBLE.findall(text) if letter not in ALLOWED}
    assert not hidden, (where, hidden)


def tags(page: str) -> list[str]:
    """All but those that names bring: where a name begins and ends, and where it may wrap."""
    return [tag for tag, _ in parsed(page).tags if tag not in ("bdi", "wbr")]


def attributes(page: str) -> list[str]:
    return [str(value) for _, found in parsed(page).tags for value in found.values()]


def shape_of_markdown(text: str) -> list[int]:
    return [cells(line) if line.startswith("|") else -1 for line in text.split("\n")]


def shape_of_latex(text: str) -> list[int]:
    return [len(re.findall(r"(?<!\\)(?:\\\\)*&", line)) for line in text.split("\n")]


def shown(finding: Finding, kind: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, Any]]:
    """All that a person sees, and the structure of it."""
    report = eh.Report((finding,))
    model = next(iter(finding.values("model")), None)
    with monkeypatch.context() as patched:
        patched.setattr(Figure, "svg", property(lambda figure: f"<svg>{figure.file}</svg>"))
        page, fragment = report.html(), report._repr_html_()
    cards = {"card": model_card([finding], name="x", model=model)} if kind in AUDITED else {}
    found: dict[str, tuple[str, Any]] = {
        "page": (page, tags(page)),
        "fragment": (fragment, tags(fragment)),
        "notebook": (finding._repr_html_(), tags(finding._repr_html_())),
        "terminal": (printed(finding), None),
        "json": (report.json(), None),
        "csv": (to_csv([finding]), None),
        **{name: (text, shape_of_markdown(text)) for name, text in cards.items()},
    }
    for number, (name, text) in enumerate(report.tables().items()):
        shape = shape_of_latex if name.endswith(".tex") else shape_of_markdown
        found[f"table {number}"] = (text, shape(text))
    return found


def check(kind: str, names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = shown(plain(kind), kind, monkeypatch)
    given_names = shown(called(plain(kind), names), kind, monkeypatch)
    assert given_names.keys() == usual.keys()
    for where, (text, structure) in given_names.items():
        clean(text, where)
        assert structure == usual[where][1], where
    assert not [value for value in attributes(given_names["page"][0]) if "<bdi>" in value or "<code>" in value]
    assert not re.search(r"^[=+@＝＋－＠\t\r]|,[=+@＝＋－＠\t\r]", given_names["csv"][0], re.MULTILINE)


def of_names(kind: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    @given(NAMES)
    @example(WORST)
    def whatever_things_are_called(names: Names) -> None:
        check(kind, names, monkeypatch)

    return whatever_things_are_called


@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.verify) for kind in EVERY]
)
def test_every_way_to_look_at_a_finding(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ONE(of_names(kind, monkeypatch))()


@pytest.mark.verify
@pytest.mark.parametrize("kind", EVERY)
def test_with_many_names(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MANY(of_names(kind, monkeypatch))()


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.verify) if kind != "bias" else kind for kind in EVERY]
)
def test_drawings(kind: str) -> None:
    figures = eh.Report((called(plain(kind), WORST),)).figures
    for figure in figures[:2] if kind == "bias" else figures:
        clean(figure.svg, figure.name)
        parsed(figure.svg[figure.svg.index("<svg") :])
        assert figure.png.startswith(b"\x89PNG")


def test_machine_formats_keep_the_names() -> None:
    finding = called(plain("bias"), WORST)
    (again,) = from_json(to_json([finding]), source="x")
    assert again.values("group") == (WORST.group, WORST.other_group)
    slices = [json.loads(text) for text in eh.Report((finding,)).estimates["slice"]]
    assert slices == [dict(m.slice) for m in finding]
