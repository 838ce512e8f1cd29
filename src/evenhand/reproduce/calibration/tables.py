"""Tables 1 to 4: those of the paper recomputed from one another, and those of one corpus beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import ACE, CECE, CLASS_ACE, CLASS_ECE, ECE_VARIANCE, MSECE, SCE, WEIGHTED_F1, WSECE
from evenhand.catalogue.shared import ECE
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.measures.calibration.binned_errors import cece, ece_variance, msece, wsece
from evenhand.reproduce.result import (
    EXACT,
    PaperResult,
    ReproducedCell,
    ReproducedRow,
    ReproducedTable,
    claims_about,
    exact_estimate,
    find_estimate,
    judge_claim,
    value_of,
)
from evenhand.reproduce.workspace import PUBLISHED_KEYS, published_tables

METHODS = ("Uncalibrated", "TS", "IR", "HB", "VS", "SMOTE", "WTS")
CLASSES = ("Neutral", "Criticism", "Hostility", "Discussion")
BINS = ("5 Bins", "10 Bins", "20 Bins", "40 Bins")
SUMMARY_TITLES = {  # as the paper names the rows of Table 3, here and in its printed numbers
    ECE: "ECE",
    ACE: "ACE",
    SCE: "SCE",
    CECE: "Contraharmonic ECE",
    MSECE: "Macro Subset ECE",
    WSECE: "Weighted Subset ECE",
    ECE_VARIANCE: "ECE Variance",
}
ROUNDING = 1e-4


def recompute_summaries() -> PaperResult:
    """Table 3 from the class errors of Table 1, and the CECE of Table 4 from its own."""
    paper = published_tables("calibration")
    rows = tuple((name, _recomputed_row(paper, name, measure)) for name, measure in _summary_measures(paper).items())
    off = {name: max(abs(cell.difference or 0.0) for cell in cells) for name, cells in rows}
    weighted = off.pop(SUMMARY_TITLES[WSECE])
    table = ReproducedTable(
        "table_3_from_table_1",
        "Table 3 computed from the class errors of Table 1",
        "measure",
        METHODS,
        rows,
        on="the paper's own Table 1, through our measures",
        same=True,
        digits=4,
        notes=(
            "Weighted Subset ECE takes the shares of the classes, which are printed for the whole corpus and to a "
            "tenth of a percent. That explains differences of a few ten-thousandths, but not that of SMOTE.",
        ),
    )
    text = "Contraharmonic and Macro Subset ECE and ECE Variance of Table 3 follow from Table 1"
    most = max(off.values())
    claims = (
        judge_claim(text, most < ROUNDING, f"largest difference of 21 numbers: {most:.1e}", interval=EXACT),
        judge_claim(
            "So does Weighted Subset ECE (within 0.001)",
            weighted < 0.001,
            f"largest difference of 7 numbers: {weighted:.4f}, of SMOTE",
            interval=EXACT,
        ),
    )
    return PaperResult((table, _recomputed_bins(paper)), claims_about(table.on, claims))


def _summary_measures(paper: Mapping[str, dict[str, float]]) -> dict[str, Callable[[Sequence[float], float], float]]:
    shares = [paper["class_shares"][name] for name in CLASSES]
    return {
        SUMMARY_TITLES[CECE]: lambda errors, _: cece(errors),
        SUMMARY_TITLES[MSECE]: lambda errors, _: msece(errors),
        SUMMARY_TITLES[WSECE]: lambda errors, _: wsece(errors, shares),
        SUMMARY_TITLES[ECE_VARIANCE]: ece_variance,
    }


def _recomputed_row(
    paper: Mapping[str, dict[str, dict[str, float]]], name: str, measure: Callable[[Sequence[float], float], float]
) -> tuple[ReproducedCell, ...]:
    cells = []
    for method in METHODS:
        errors = paper[PUBLISHED_KEYS[CLASS_ECE]][method]
        summary = measure([errors[f"{one} ECE"] for one in CLASSES], errors["Overall ECE"])
        cells.append(ReproducedCell(exact_estimate(summary), paper["table_3"][name][method]))
    return tuple(cells)


def _recomputed_bins(paper: Mapping[str, dict[str, dict[str, float]]]) -> ReproducedTable:
    printed = paper["table_4_bins"]
    summaries = [cece([printed[f"{name} Class ECE"][count] for name in CLASSES]) for count in BINS]
    cells = tuple(
        ReproducedCell(exact_estimate(own), printed[SUMMARY_TITLES[CECE]][count])
        for own, count in zip(summaries, BINS, strict=True)
    )
    return ReproducedTable(
        "table_4_cece",
        "CECE of Table 4 computed from the class errors of Table 4",
        "measure",
        BINS,
        ((SUMMARY_TITLES[CECE], cells),),
        on="the paper's own Table 4, through our measure",
        same=True,
        digits=4,
        notes=(
            "They differ: Table 4 may average CECE over seeds, where Table 3 takes the CECE of averaged class errors.",
        ),
    )


CALIBRATORS = dict(zip(METHODS, ("none", "ts", "isotonic", "histogram", "vector", "smote", "wts"), strict=True))
CORPUS_TITLES = {"east_asian_prejudice": "the paper's tweets", "reddit_cad": "Reddit", "covid_hate": "COVID-HATE"}


@dataclass(frozen=True)
class ComparedCalibrators:
    """All calibrators on one corpus, and which class of the paper each class is set beside."""

    name: str
    on: str
    finding: Finding
    classes: tuple[str, ...]
    counterparts: Mapping[str, str]
    same: bool

    @property
    def title(self) -> str:
        """How the corpus is called in a heading."""
        return CORPUS_TITLES[self.name]

    def get(self, measure: Measure, method: str, **slice_: str) -> Estimate | None:
        """Of one of the paper's methods; None where it has no value."""
        return find_estimate(self.finding, measure, {SliceKey.CALIBRATOR: CALIBRATORS[method], **slice_})

    def value(self, measure: Measure, method: str, **slice_: str) -> float:
        """As a number."""
        return value_of(self.get(measure, method, **slice_))


def of_class(name: str) -> Slice:
    """The slice of a class, whose key is no name in Python."""
    return {SliceKey.CLASS: name}


def calibrator_tables(compared: ComparedCalibrators) -> list[ReproducedTable]:
    """All four."""
    return [
        _class_table(compared, CLASS_ECE, ECE, 1),
        _class_table(compared, CLASS_ACE, ACE, 2),
        _summary_table(compared),
        _bins_table(compared),
    ]


def _columns(compared: ComparedCalibrators) -> list[tuple[str, str | None, str | None]]:
    """A head, our class and the paper's class; those of the paper that have none of ours stand alone."""
    columns: list[tuple[str, str | None, str | None]] = []
    for name in compared.classes:
        theirs = compared.counterparts.get(name)
        columns.append((name if theirs in (None, name) else f"{name} (paper: {theirs})", name, theirs))
    alone = [name for name in CLASSES if name not in compared.counterparts.values()]
    return [*columns, *((f"{name} (paper only)", None, name) for name in alone)]


def _class_table(compared: ComparedCalibrators, by_class: Measure, overall: Measure, number: int) -> ReproducedTable:
    printed, title = published_tables("calibration")[PUBLISHED_KEYS[by_class]], SUMMARY_TITLES[overall]
    columns, rows = _columns(compared), []
    for method in METHODS:
        cells = [
            ReproducedCell(
                compared.get(by_class, method, **of_class(ours)) if ours else None,
                printed[method][f"{theirs} {title}"] if theirs else None,
            )
            for _, ours, theirs in columns
        ]
        rows.append(
            (method, (*cells, ReproducedCell(compared.get(overall, method), printed[method][f"Overall {title}"])))
        )
    heads = (*(head for head, *_ in columns), "overall")
    return _table(compared, f"table_{number}", f"Table {number}: class {title}", "method", heads, rows)


def _summary_table(compared: ComparedCalibrators) -> ReproducedTable:
    printed = published_tables("calibration")["table_3"]
    rows: list[ReproducedRow] = [
        (title, tuple(ReproducedCell(compared.get(measure, m), printed[title][m]) for m in METHODS))
        for measure, title in SUMMARY_TITLES.items()
    ]
    f1 = published_tables("calibration")[PUBLISHED_KEYS[WEIGHTED_F1]]
    uncalibrated = (ReproducedCell(compared.get(WEIGHTED_F1, m), f1 if m == "Uncalibrated" else None) for m in METHODS)
    rows.append((WEIGHTED_F1.title, tuple(uncalibrated)))
    slip = "The paper's ACE of SMOTE, .2208, repeats its class ACE of Discussion: a slip, no target."
    return _table(compared, "table_3", "Table 3: overall results", "measure", METHODS, rows, (slip,))


def _bins_table(compared: ComparedCalibrators) -> ReproducedTable:
    printed = published_tables("calibration")["table_4_bins"]

    def row(measure: Measure, title: str | None, **slice_: str) -> tuple[ReproducedCell, ...]:
        return tuple(
            ReproducedCell(
                compared.get(measure, "Uncalibrated", bins=count.split()[0], **slice_),
                printed[title][count] if title else None,
            )
            for count in BINS
        )

    rows = [(SUMMARY_TITLES[measure], row(measure, SUMMARY_TITLES[measure])) for measure in (ECE, CECE)]
    for head, ours, theirs in _columns(compared):
        if ours:
            title = f"{theirs} Class ECE" if theirs else None
            rows.append((f"class ECE: {head}", row(CLASS_ECE, title, **of_class(ours))))
    return _table(compared, "table_4", "Table 4: what the number of bins does", "measure", BINS, rows)


def _table(
    compared: ComparedCalibrators,
    name: str,
    title: str,
    head: str,
    columns: Sequence[str],
    rows: Sequence[ReproducedRow],
    notes: tuple[str, ...] = (),
) -> ReproducedTable:
    why = "Not the paper's model: a linear model of words in the place of BERT."
    if not compared.same:
        why += " Not the paper's data either: compare what each method does to each number, not the numbers."
    return ReproducedTable(
        f"{name}_{compared.name}",
        f"{title} ({compared.title})",
        head,
        tuple(columns),
        tuple(rows),
        on=compared.on,
        digits=4,
        notes=(why, *notes),
    )
