"""A finding is complete: read back from its JSON it is the same bytes, and draws every figure and section it drew.

Columns may be called anything, also what findings call things themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import evenhand as eh
from contracts.every_finding import AUDITED, EVERY, PLAIN, Names, moderated, plain_finding, printed
from evenhand.comparison.runs import compare_runs
from evenhand.figures import Figure
from evenhand.finding import RECORD_KEYS, Finding, SliceKey
from evenhand.findings_file import from_json, to_json
from evenhand.reports.audit_table import summarise
from figures.drawings import validate

HOSTILE = (
    *("run", "model", "group", "pool", "value", "a.b", "two words", 'say "so"', "<b>bold</b>", "класс", "שפה"),
    *("length", "class", "annotators", "slice", "run_column", " ", "_", "it's", "a[0]", "{x}", "100 %", "=cmd()"),
    *("back\\slash", "a/b", "a|b", "<script>alert(1)</script>", "&lt;", "</script>"),
    *("Größe", "γλώσσα", "語言", "لغة", "\u202eright to left", "🦄"),
)
NAMES = st.lists(st.sampled_from(HOSTILE), min_size=Names.count(), max_size=Names.count(), unique=True).map(Names.of)
ONE = settings(deadline=None, phases=(Phase.explicit,))
MANY = settings(ONE, max_examples=20, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))


def read_back(finding: Finding) -> Finding:
    text = to_json([finding])
    (again,) = from_json(text, source="x")
    assert to_json([again]) == text
    return again


def shown(finding: Finding, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """All that a reader sees: figures as data (equal data are drawn equally), the page, tables, a terminal."""
    report = eh.Report((finding,))
    with monkeypatch.context() as patched:
        patched.setattr(Figure, "svg", property(lambda figure: f"<svg>{figure.file}</svg>"))
        return {
            "figures": [vars(figure) | {"spec": json.dumps(figure.spec)} for figure in report.figures],
            "page": report.html(),
            "tables": report.tables(),
            "terminal": printed(finding),
        }


def check(finding: Finding, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unique slices; read back, the same bytes, and all that is drawn and written from it is the same."""
    keys = [(m.measure, frozenset(m.slice.items())) for m in finding]
    assert len(set(keys)) == len(keys)
    now, again = (shown(one, monkeypatch) for one in (finding, read_back(finding)))
    for part, drawn in now.items():
        assert again[part] == drawn, part
    assert not re.search(r"<b>bold|<script>alert", now["page"]), "a name got out of its place"


@pytest.mark.parametrize("kind", EVERY)
def test_of_plain_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(plain_finding(kind), monkeypatch)


@pytest.mark.parametrize("kind", EVERY)
def test_figures_are_valid(kind: str) -> None:
    for figure in {figure.name: figure for figure in eh.Report((plain_finding(kind),)).figures}.values():
        validate(figure.spec)


def test_several_findings_are_summed_up_alike() -> None:
    findings = [plain_finding(kind) for kind in AUDITED]
    assert summarise(from_json(to_json(findings), source="x")) == summarise(findings)


def unnumbered(drawing: str) -> str:
    """Without the numbers of clips and gradients, which count on through a process."""
    return re.sub(r"\b(clip|gradient_|p_)\d+", r"\1", drawing)


@pytest.mark.verify
@pytest.mark.parametrize("kind", EVERY)
def test_drawings_themselves(kind: str) -> None:
    report = eh.Report((plain_finding(kind),))
    again = eh.Report((read_back(plain_finding(kind)),))
    assert [unnumbered(figure.svg) for figure in again.figures] == [unnumbered(f.svg) for f in report.figures]
    assert unnumbered(again.html()) == unnumbered(report.html())


def of_hostile_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    @given(NAMES)
    @example(Names.of(list(HOSTILE[: Names.count()])))
    def whatever_columns_are_called(names: Names) -> None:
        check(EVERY[kind](names), monkeypatch)

    return whatever_columns_are_called


@pytest.mark.parametrize("kind", EVERY)
def test_of_hostile_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ONE(of_hostile_columns(kind, monkeypatch))()


@pytest.mark.verify
@pytest.mark.parametrize("kind", EVERY)
def test_of_many_hostile_columns(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MANY(of_hostile_columns(kind, monkeypatch))()


@pytest.mark.parametrize("kind", ["bias", "accuracy"])
@pytest.mark.parametrize("name", [*SliceKey, *RECORD_KEYS])
def test_slices_by_a_column_that_findings_name_something_else(kind: str, name: str) -> None:
    """The numbers are those of the same column under another name."""
    names = replace(PLAIN, language=name, label="its label", score="its score") if name in vars(PLAIN) else PLAIN
    names = replace(names, language=name)
    found, plain = EVERY[kind](names), EVERY[kind](replace(names, language="language"))
    assert [m.estimate for m in found] == [m.estimate for m in plain]
    (key,) = {key for m in found for key in m.slice} - {key for m in plain for key in m.slice}
    assert [dict(m.slice) for m in found] == [
        {key if part == "language" else part: value for part, value in m.slice.items()} for m in plain
    ]


def test_a_column_called_run_survives_a_comparison() -> None:
    """Of two runs, by a column that is called as comparisons call theirs."""
    names = replace(PLAIN, language="run")
    now, earlier = (
        eh.audit(
            moderated(names, seed=seed),
            audits="bias",
            score=names.score,
            label=names.label,
            groups=[names.group],
            slices=["run"],
        ).findings[0]
        for seed in (1, 2)
    )
    found = compare_runs([now], [earlier])
    assert len(found.estimates) == 3 * len(now.estimates)
    assert len({(m.measure, frozenset(m.slice.items())) for m in found}) == len(found.estimates)
