"""What can be checked of the paper without any data: do its tables follow from one another?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evenhand.measures.calibration.summaries import cece, ece_variance, msece, wsece
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Result, Table, claim, fact

METHODS = ("Uncalibrated", "TS", "IR", "HB", "VS", "SMOTE", "WTS")
CLASSES = ("Neutral", "Criticism", "Hostility", "Discussion")
BINS = ("5 Bins", "10 Bins", "20 Bins", "40 Bins")
ROUNDING = 1e-4


def summaries() -> Result:
    """Table 3 from the class errors of Table 1, and the CECE of Table 4 from its own."""
    paper = published("calibration")
    rows = tuple((name, _row(paper, name, measure)) for name, measure in _measures(paper).items())
    off = {name: max(abs(cell.difference or 0.0) for cell in cells) for name, cells in rows}
    weighted = off.pop("Weighted Subset ECE")
    table = Table(
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
    return Result(
        (table, _bins(paper)),
        (
            claim(text, most < ROUNDING, f"largest difference of 21 numbers: {most:.1e}"),
            claim(
                "So does Weighted Subset ECE (within 0.001)",
                weighted < 0.001,
                f"largest difference of 7 numbers: {weighted:.4f}, of SMOTE",
            ),
        ),
    )


def _measures(paper: Mapping[str, dict[str, float]]) -> dict[str, Callable[[Sequence[float], float], float]]:
    shares = [paper["class_shares"][name] for name in CLASSES]
    return {
        "Contraharmonic ECE": lambda errors, _: cece(errors),
        "Macro Subset ECE": lambda errors, _: msece(errors),
        "Weighted Subset ECE": lambda errors, _: wsece(errors, shares),
        "ECE Variance": ece_variance,
    }


def _row(
    paper: Mapping[str, dict[str, dict[str, float]]], name: str, measure: Callable[[Sequence[float], float], float]
) -> tuple[Cell, ...]:
    cells = []
    for method in METHODS:
        errors = paper["table_1_class_ece"][method]
        found = measure([errors[f"{one} ECE"] for one in CLASSES], errors["Overall ECE"])
        cells.append(Cell(fact(found), paper["table_3"][name][method]))
    return tuple(cells)


def _bins(paper: Mapping[str, dict[str, dict[str, float]]]) -> Table:
    printed = paper["table_4_bins"]
    found = [cece([printed[f"{name} Class ECE"][count] for name in CLASSES]) for count in BINS]
    cells = tuple(Cell(fact(own), printed["Contraharmonic ECE"][count]) for own, count in zip(found, BINS, strict=True))
    return Table(
        "table_4_cece",
        "CECE of Table 4 computed from the class errors of Table 4",
        "measure",
        BINS,
        (("Contraharmonic ECE", cells),),
        on="the paper's own Table 4, through our measure",
        same=True,
        digits=4,
        notes=(
            "They differ: Table 4 may average CECE over seeds, where Table 3 takes the CECE of averaged class errors.",
        ),
    )
