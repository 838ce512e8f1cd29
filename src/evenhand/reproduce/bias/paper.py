"""All that can be reproduced of the paper, its slips, and its Table 2: the seven shapes of bias.

Table 2 needs no data: scores of each shape are generated, and the five measures must move as the paper says.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.catalogue import Measure
from evenhand.errors import InputError
from evenhand.finding import Finding, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.bias.comments import reproduce_comments
from evenhand.reproduce.bias.runs import GAPS, MEASURE_TITLES, MEASURES
from evenhand.reproduce.bias.template_scores import reproduce_template_scores
from evenhand.reproduce.bias.template_sentences import reproduce_hatecheck
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    ReproducedRow,
    ReproducedTable,
    cells_beside,
    claims_about,
    judge_claim,
    row_estimates,
    widest_interval,
)
from evenhand.reproduce.workspace import Workspace, published_tables, published_values
from evenhand.synthetic.bias_shapes import SHAPES, scores_with_shape

ROWS = 40_000
LOWERED_BY = 0.015  # an AUC this far below 1 is lowered
SHIFTED_BY = 0.1  # an AEG this far from 0 is a shift


def reproduce_shapes(place: Workspace) -> PaperResult:
    """Synthetic scores of each shape, and their five measures beside the paper's."""
    printed = published_tables("bias")["table_2_shapes"]
    rows: list[ReproducedRow] = []
    unlike = []
    for letter in SHAPES:
        finding = _shape_finding(letter, place)
        ours = row_estimates(finding, MEASURES, {SliceKey.GROUP: "group"})
        theirs = published_values(printed[letter], MEASURES)
        rows.append((letter, cells_beside(ours, theirs)))
        if _directions([estimate.value if estimate else None for estimate in ours]) != _directions(theirs):
            unlike.append(letter)
    table = ReproducedTable(
        "table_2",
        "Table 2: which measure sees which shape of bias",
        "shape",
        MEASURE_TITLES,
        tuple(rows),
        on=f"{ROWS:,} synthetic scores of each shape",
        digits=2,
        notes=(
            "The paper does not print the distributions behind its numbers; ours have the same shapes, so the pattern "
            "is to be compared (what is lowered or shifted, and which way), not the second digit.",
        ),
    )
    rule = (
        f"all seven alike: an AUC counts as lowered below {1 - LOWERED_BY:g}, an AEG as a shift beyond ±{SHIFTED_BY:g}"
    )
    text = "Each shape moves the measures that Table 2 says it moves, in that direction, and no others"
    verdict = judge_claim(
        text,
        not unlike,
        rule if not unlike else f"unlike in shape {', '.join(unlike)}",
        interval=widest_interval(cell.ours for _, cells in rows for cell in cells),
    )
    return PaperResult((table,), claims_about(table.on, (verdict, _balance_claim(rows))))


def _shape_finding(letter: str, place: Workspace) -> Finding:
    made = scores_with_shape(letter, rows=ROWS, seed=place.seed)
    return audit(made, score="score", label="label", groups=["group"]).findings[0]


def _directions(values: Sequence[float | None]) -> list[int]:
    return [_direction(measure, value) for measure, value in zip(MEASURES, values, strict=True)]


def _direction(measure: Measure, value: float | None) -> int:
    """0 unmoved, −1 or 1 moved that way."""
    if value is None:
        raise InputError(f"{measure} has no value on a synthetic shape")
    if measure in GAPS:
        return 0 if abs(value) < SHIFTED_BY else (1 if value > 0 else -1)
    return -1 if value < 1.0 - LOWERED_BY else 0


def _balance_claim(rows: Sequence[ReproducedRow]) -> Claim:
    values = {letter: [cell.ours.value or 0.0 for cell in cells if cell.ours] for letter, cells in rows}
    most = max(abs(one - two) for one, two in zip(values["B"], values["C"], strict=True))
    text = "A skewed balance of classes changes none of the measures (shape C against shape B)"
    compared = (cell.ours for letter, cells in rows if letter in "BC" for cell in cells)
    why = f"the largest difference of the five is {most:.4f}"
    return judge_claim(text, most < 0.01, why, interval=widest_interval(compared))


SLIPS = (
    "Definition 2 integrates over the threshold, which gives a difference of mean scores and no area; and it has the "
    "opposite sign of Definitions 3 and 4. Table 2 follows 3 and 4, and so do we: positive means that the group "
    "is scored higher than everyone else.",
    "Theorem 3.1 (all definitions are the same) therefore does not hold as printed.",
    "Section 3.2.2 says that an AEG of 0 means identical means; it means that either score is as often the higher one.",
    "Table 5 counts 1,804,875 comments; the published file has 1,804,874.",
    "Table 6 heads the third column 'brsp'; it is BNSP.",
)


def reproduce(place: Workspace) -> PaperResult:
    """Shapes, templates, comments."""
    always = PaperResult(
        slips=SLIPS,
        omissions=(
            Omission("Figure 1 and Table 1", "drawings of the definitions, without data"),
            Omission("Table 4", "the list of identities that annotators chose from"),
        ),
    )
    return (
        reproduce_shapes(place)
        + reproduce_template_scores(place)
        + reproduce_comments(place)
        + reproduce_hatecheck(place)
        + always
    )
