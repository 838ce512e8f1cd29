"""The audits on the live evidence: what their pages show is read from findings, and nothing is computed here.

A number and a sentence is written as the report writes it. Behind a number are the items of its slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from evenhand.audits import AUDITS
from evenhand.audits.registry import verdicts_of
from evenhand.catalogue import find_measure
from evenhand.desk.live_findings import LiveAnswer, LiveFindings
from evenhand.figures import Figure
from evenhand.finding import Finding, Measured, Verdict
from evenhand.formatting import format_interval, format_number
from evenhand.reports.summary import plain_verdicts

QUESTION_OF = {audit.name: audit.question for audit in AUDITS}
FILTERS = frozenset({"language", "community"})
LABELS, DECISIONS = ("violating", "benign"), ("removed", "visible")


@dataclass(frozen=True)
class AuditLine:
    """A question with its first sentence, or with why it has no answer."""

    name: str
    question: str
    statement: str = ""
    problem: str = ""


@dataclass(frozen=True)
class AuditsPage:
    """All questions at a snapshot."""

    number: int
    lines: tuple[AuditLine, ...]

    @property
    def has_answers(self) -> bool:
        """Whether there is anything to download."""
        return any(not line.problem for line in self.lines)


@dataclass(frozen=True)
class EstimateRow:
    """A number as the report writes it, and the address of its items."""

    measure: str
    about: str
    value: str
    interval: str
    n: str
    note: str
    items: str


@dataclass(frozen=True)
class AuditFigure:
    """A figure of the report, by its place among them."""

    place: int
    title: str
    caption: str


@dataclass(frozen=True)
class AuditPage:
    """One question at a snapshot."""

    number: int
    name: str
    question: str
    problem: str
    verdicts: tuple[Verdict, ...] = ()
    caveats: tuple[str, ...] = ()
    figures: tuple[AuditFigure, ...] = ()
    overall: tuple[EstimateRow, ...] = ()
    by_part: tuple[tuple[str, tuple[EstimateRow, ...]], ...] = ()


def audits_page(live: LiveFindings, number: int) -> AuditsPage:
    """The five questions, each in a sentence."""
    return AuditsPage(number, tuple(map(_line, live.answers(number))))


def _line(answer: LiveAnswer) -> AuditLine:
    question = QUESTION_OF[answer.question]
    if answer.report is None:
        return AuditLine(answer.question, question, problem=answer.problem)
    first = next(iter(verdicts(answer.report.findings[0])), None)
    return AuditLine(answer.question, question, first.statement if first else "")


def audit_page(live: LiveFindings, name: str, number: int) -> AuditPage:
    """The sentences, figures and numbers of a finding."""
    answer = live.answer(name, number)
    if answer.report is None:
        return AuditPage(number, name, QUESTION_OF[name], answer.problem)
    (finding,) = answer.report.findings
    rows = [(m, _row(finding, m, number)) for m in finding]
    parts: dict[str, list[EstimateRow]] = {}
    for measured, row in rows:
        if measured.slice:
            parts.setdefault(_part(measured), []).append(row)
    return AuditPage(
        number, name, finding.question, "", verdicts(finding), finding.caveats,
        tuple(_figure(place, figure) for place, figure in enumerate(answer.report.figures)),
        tuple(row for measured, row in rows if not measured.slice),
        tuple((part, tuple(several)) for part, several in parts.items()),
    )  # fmt: skip


def verdicts(finding: Finding) -> tuple[Verdict, ...]:
    """Those that the report shows."""
    return tuple(verdicts_of(finding)) or tuple(plain_verdicts(finding))


def _figure(place: int, figure: Figure) -> AuditFigure:
    return AuditFigure(place, figure.title, figure.caption)


def _part(measured: Measured) -> str:
    """Numbers are listed by the first key of their slice."""
    return next(iter(measured.slice))


def _row(finding: Finding, measured: Measured, number: int) -> EstimateRow:
    estimate, title = measured.estimate, find_measure(measured.measure).title
    about = ", ".join(measured.slice.values())
    n, address = f"{estimate.n:,}", items_address(finding.audit, measured.slice, number)
    if estimate.value is None:
        return EstimateRow(title, about, "", "", n, estimate.note or "", address)
    value = format_number(measured.measure, estimate.value)
    return EstimateRow(title, about, value, format_interval(measured.measure, estimate), n, "", address)


def items_address(audit: str, slice_: Mapping[str, str], number: int) -> str:
    """Where the items of a slice are listed."""
    return f"/audits/items?{urlencode({'of': audit, 'snapshot': number, **dict(_filters(slice_))})}"


def _filters(slice_: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What of a slice is a filter of items; groups are named by their column and its value."""
    for key, value in slice_.items():
        column, _, named = value.partition(": ")
        if key == "group" and column in FILTERS:
            yield column, named
        elif key in FILTERS:
            yield key, value
        elif value in LABELS and key == "class":
            yield "label", value
        elif value in DECISIONS:
            yield "decision", value
