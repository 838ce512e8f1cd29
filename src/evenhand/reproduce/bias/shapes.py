"""Table 2: the seven shapes that bias can take, and which measures see them."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.errors import InputError
from evenhand.finding import Finding
from evenhand.reports import audit
from evenhand.reproduce.bias.groups import FIVE, TITLES
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Claim, Result, Row, Table, beside, claim, of_finding
from evenhand.synthetic.shapes import SHAPES, shaped

ROWS = 40_000
SEEN = 0.015  # an AUC this far below 1 is lowered
SHIFTED = 0.1  # an AEG this far from 0 is a shift


def shapes(place: Workplace) -> Result:
    """Scores of each shape, made up, and the five measures of them beside the paper's."""
    printed = published("bias")["table_2_shapes"]
    rows: list[Row] = []
    unlike = []
    for letter in SHAPES:
        found = _measured(letter, place)
        ours = of_finding(found, FIVE, {"group": "group"})
        rows.append((letter, beside(ours, [printed[letter][name] for name in FIVE])))
        values = [estimate.value if estimate else None for estimate in ours]
        if [_seen(n, v) for n, v in zip(FIVE, values, strict=True)] != [_seen(n, printed[letter][n]) for n in FIVE]:
            unlike.append(letter)
    table = Table(
        "table_2",
        "Table 2: which measure sees which shape of bias",
        "shape",
        TITLES,
        tuple(rows),
        on=f"{ROWS:,} made-up scores of each shape",
        digits=2,
        notes=(
            "The paper does not print the distributions behind its numbers; ours have the same shapes, so the pattern "
            "is to be compared (what is lowered or shifted, and which way), not the second digit.",
        ),
    )
    told = f"all seven alike: an AUC counts as lowered below {1 - SEEN:g}, an AEG as a shift beyond ±{SHIFTED:g}"
    text = "Each shape moves the measures that Table 2 says it moves, in that direction, and no others"
    verdict = claim(text, not unlike, told if not unlike else f"unlike in shape {', '.join(unlike)}")
    return Result((table,), (verdict, _balance(rows)))


def _measured(letter: str, place: Workplace) -> Finding:
    made = shaped(letter, rows=ROWS, seed=place.seed)
    return audit(made, score="score", label="label", groups=["group"]).findings[0]


def _seen(measure: str, value: float | None) -> int:
    """0 unmoved, −1 or 1 moved that way."""
    if value is None:
        raise InputError(f"{measure} has no value on a made-up shape")
    if measure.endswith("_aeg"):
        return 0 if abs(value) < SHIFTED else (1 if value > 0 else -1)
    return -1 if value < 1.0 - SEEN else 0


def _balance(rows: Sequence[Row]) -> Claim:
    values = {letter: [cell.ours.value or 0.0 for cell in cells if cell.ours] for letter, cells in rows}
    most = max(abs(one - two) for one, two in zip(values["B"], values["C"], strict=True))
    text = "A skewed balance of classes changes none of the measures (shape C against shape B)"
    return claim(text, most < 0.01, f"the largest difference of the five is {most:.4f}")
