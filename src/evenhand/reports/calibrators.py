"""What the comparison of calibrators shows: the paper's four tables, one row a calibrator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evenhand.audits.calibrators.verdict import NONE
from evenhand.calibrators import METHODS
from evenhand.finding import Finding
from evenhand.reports.calibration import OF_CLASSES
from evenhand.reports.picking import Named, get, row
from evenhand.reports.section import Grid, Row, Section

OVER_ALL = ("ece", "ace", "sce", "log_loss", "brier", "accuracy", "weighted_f1")
BRIEF = tuple(measure for measure in OVER_ALL if measure != "accuracy")  # in a narrow terminal
GLOSSARY = ("class_ece", "class_ace", *OVER_ALL, *OF_CLASSES)
ACROSS = 4  # so many classes beside one another in a terminal
Called = Callable[[str], str]  # a calibrator by its name


class Column(NamedTuple):
    """A measure on a slice, and what stands above it."""

    head: str
    measure: str
    slice: Named


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    classes = finding.values("class")
    chosen = next((r for r in finding.readings if r.tendency == "recommended"), None)
    return {
        "chosen": chosen,
        "method": chosen.slice["calibrator"] if chosen else NONE,
        "readings": [reading.text for reading in finding.readings if reading is not chosen],
        "class_eces": _grid(finding, "", _of_classes("class_ece", "ece", classes), title_of),
        "class_aces": _grid(finding, "", _of_classes("class_ace", "ace", classes), title_of),
        "over_all": _plain(finding, "", OVER_ALL, title_of),
        "of_classes": _plain(finding, "", (*OF_CLASSES, "weighted_f1"), title_of),
        "bins": _bins(finding),
        "marked": any("best" in m.estimate.flags for m in finding),
        "glossary": GLOSSARY,
    }


def _all(finding: Finding) -> Sequence[str]:
    return finding.values("calibrator")


def title_of(name: str) -> str:
    """How a calibrator is called in a table."""
    if name == NONE:
        return "uncalibrated"
    return f"{METHODS[name].title} ({name})" if name in METHODS else name


def _short(name: str) -> str:
    return "uncalibrated" if name == NONE else name


def _of_classes(of_class: str, of_all: str, classes: Sequence[str]) -> list[Column]:
    """The measure of each class, then over all, and how good the decisions are."""
    overall = [Column(f"all items ({of_all.upper()})", of_all, {}), Column("Weighted F1", "weighted_f1", {})]
    return [*(Column(name, of_class, {"class": name}) for name in classes), *overall]


def _grid(finding: Finding, title: str, columns: Sequence[Column], called: Called, **options: Any) -> Grid:
    rows: list[Row] = []
    for name in _all(finding):
        found = [get(finding, column.measure, {"calibrator": name, **column.slice}) for column in columns]
        rows.append((called(name), found, None))
    measures, heads = (tuple(column[part] for column in columns) for part in (1, 0))
    return Grid(title, measures, rows, heads=heads, **options)  # type: ignore[arg-type]


def _bins(finding: Finding) -> Grid:
    """Against the number of bins, before any calibrator (Table 4)."""
    counts = finding.values("bins")
    of_all: list[tuple[str, str, Named]] = [("ECE", "ece", {}), ("CECE", "cece", {})]
    of_classes = [(f"Class ECE: {name}", "class_ece", {"class": name}) for name in finding.values("class")]
    rows: list[Row] = [
        (label, [get(finding, m, {"calibrator": NONE, **slice_, "bins": count}) for count in counts], None)
        for label, m, slice_ in (*of_all, *of_classes)
    ]
    plain: list[Row] = [(label, [e and replace(e, flags=()) for e in found], None) for label, found, _ in rows]
    return Grid("", ("ece",) * len(counts), plain, heads=tuple(f"{count} bins" for count in counts))


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: the same tables, narrower."""
    return [
        *_chunks(finding, "Class ECE", _of_classes("class_ece", "ece", finding.values("class"))),
        *_chunks(finding, "Class ACE", _of_classes("class_ace", "ace", finding.values("class"))),
        _plain(finding, "Over all", OVER_ALL, _short, brief=BRIEF, bare=True),
        _plain(finding, "The class ECEs, summed up", OF_CLASSES, _short, bare=True),
        replace(_bins(finding), title="Uncalibrated, against the number of bins"),
    ]


def _chunks(finding: Finding, title: str, columns: Sequence[Column]) -> Iterator[Grid]:
    *classes, overall, f1 = columns
    for start in range(0, len(classes), ACROSS):
        last = start + ACROSS >= len(classes)
        shown = [*classes[start : start + ACROSS], *((overall, f1) if last else ())]
        brief = (columns[0].measure, overall.measure)
        yield _grid(finding, title, shown, _short, brief=brief, bare=True)


def _plain(finding: Finding, title: str, measures: tuple[str, ...], called: Called, **options: Any) -> Grid:
    rows = [row(finding, called(name), {"calibrator": name}, measures) for name in _all(finding)]
    return Grid(title, measures, rows, **options)


def _lines(finding: Finding) -> list[str]:
    chosen = next((r.slice["calibrator"] for r in finding.readings if r.tendency == "recommended"), NONE)
    mend = f"evenhand calibrate fit VALIDATION --method {chosen} …, apply it, and audit the result"
    more = [] if chosen == NONE else [f"Next: {mend}: a class may still be off that the log loss hardly feels."]
    return [*(reading.text for reading in finding.readings), *more]


SECTION = Section("calibrators.html", section, _grids, _lines)
