"""Tables 1 to 4 of one corpus, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reproduce.calibration.printed import BINS, CLASSES, METHODS
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Row, Table

OURS = dict(zip(METHODS, ("none", "ts", "isotonic", "histogram", "vector", "smote", "wts"), strict=True))
SHORT = {"east_asian_prejudice": "the paper's tweets", "reddit_cad": "Reddit", "covid_hate": "COVID-HATE"}
SUMMARIES = {
    "ece": "ECE",
    "ace": "ACE",
    "sce": "SCE",
    "cece": "Contraharmonic ECE",
    "msece": "Macro Subset ECE",
    "wsece": "Weighted Subset ECE",
    "ece_variance": "ECE Variance",
}


@dataclass(frozen=True)
class Compared:
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
        return SHORT[self.name]

    def get(self, measure: str, method: str, **slice_: str) -> Estimate | None:
        """Of one of the paper's methods; None where it has no value."""
        own = {"calibrator": OURS[method], **slice_}
        return self.finding.get(measure, **own) if self.finding.has(measure, **own) else None

    def value(self, measure: str, method: str, **slice_: str) -> float:
        """As a number; not one where it has no value."""
        found = self.get(measure, method, **slice_)
        return float("nan") if found is None or found.value is None else found.value


def tables(compared: Compared) -> list[Table]:
    """All four."""
    return [
        _classes(compared, "class_ece", "ece", "ECE", 1),
        _classes(compared, "class_ace", "ace", "ACE", 2),
        _summaries(compared),
        _bins(compared),
    ]


def _columns(compared: Compared) -> list[tuple[str, str | None, str | None]]:
    """A head, our class and the paper's class; those of the paper that have none of ours stand alone."""
    found: list[tuple[str, str | None, str | None]] = []
    for name in compared.classes:
        theirs = compared.counterparts.get(name)
        found.append((name if theirs in (None, name) else f"{name} (paper: {theirs})", name, theirs))
    alone = [name for name in CLASSES if name not in compared.counterparts.values()]
    return [*found, *((f"{name} (paper only)", None, name) for name in alone)]


def _classes(compared: Compared, of_class: str, overall: str, title: str, number: int) -> Table:
    printed = published("calibration")[f"table_{number}_{of_class}"]
    columns, rows = _columns(compared), []
    for method in METHODS:
        cells = [
            Cell(
                compared.get(of_class, method, **{"class": ours}) if ours else None,
                printed[method][f"{theirs} {title}"] if theirs else None,
            )
            for _, ours, theirs in columns
        ]
        rows.append((method, (*cells, Cell(compared.get(overall, method), printed[method][f"Overall {title}"]))))
    heads = (*(head for head, *_ in columns), "overall")
    return _table(compared, f"table_{number}", f"Table {number}: class {title}", "method", heads, rows)


def _summaries(compared: Compared) -> Table:
    printed = published("calibration")["table_3"]
    rows: list[Row] = [
        (title, tuple(Cell(compared.get(measure, m), printed[title][m]) for m in METHODS))
        for measure, title in SUMMARIES.items()
    ]
    f1 = published("calibration")["weighted_f1"]
    uncalibrated = (Cell(compared.get("weighted_f1", m), f1 if m == "Uncalibrated" else None) for m in METHODS)
    rows.append(("Weighted F1", tuple(uncalibrated)))
    slip = "The paper's ACE of SMOTE, .2208, repeats its class ACE of Discussion: a slip, no target."
    return _table(compared, "table_3", "Table 3: overall results", "measure", METHODS, rows, (slip,))


def _bins(compared: Compared) -> Table:
    printed = published("calibration")["table_4_bins"]

    def row(measure: str, title: str | None, **slice_: str) -> tuple[Cell, ...]:
        return tuple(
            Cell(
                compared.get(measure, "Uncalibrated", bins=count.split()[0], **slice_),
                printed[title][count] if title else None,
            )
            for count in BINS
        )

    rows = [("ECE", row("ece", "ECE")), ("Contraharmonic ECE", row("cece", "Contraharmonic ECE"))]
    for head, ours, theirs in _columns(compared):
        if ours:
            title = f"{theirs} Class ECE" if theirs else None
            rows.append((f"class ECE: {head}", row("class_ece", title, **{"class": ours})))
    return _table(compared, "table_4", "Table 4: what the number of bins does", "measure", BINS, rows)


def _table(
    compared: Compared,
    name: str,
    title: str,
    head: str,
    columns: Sequence[str],
    rows: Sequence[Row],
    notes: tuple[str, ...] = (),
) -> Table:
    why = "Not the paper's model: a linear model of words in the place of BERT."
    if not compared.same:
        why += " Not the paper's data either: compare what each method does to each number, not the numbers."
    return Table(
        f"{name}_{compared.name}",
        f"{title} ({compared.title})",
        head,
        tuple(columns),
        tuple(rows),
        on=compared.on,
        digits=4,
        notes=(why, *notes),
    )
