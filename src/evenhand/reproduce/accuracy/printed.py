"""What needs no data: Table 4, and the columns of Tables 2 and 3 that follow from others."""

from __future__ import annotations

from typing import Any

from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Result, Row, Table, claim, fact
from evenhand.sampling import NO_OVERLAP, Size, Within, efficiency, random_size, range_within, size_for_effect

PROMISES = {"20%": 0.2, "10%": 0.1, "5%": 0.05}
POINT = 0.01  # the change that is to be seen
CLOSE = 0.005  # what rounding of printed numbers explains


def closed_forms() -> Result:
    """Both."""
    random, reddit = _random(), _reddit()
    exact = all(cell.difference == 0 for _, cells in random.rows for cell in cells)
    sizes = [cell for _, cells in random.rows for cell in cells]
    rounded = [abs(cells[2].difference or 0.0) for _, cells in reddit.rows]  # percent saved, printed whole
    off = [abs(c.difference or 0.0) / (c.published or 1.0) for _, cells in reddit.rows for c in (*cells[:2], cells[3])]
    rows = published("accuracy")["table_3"]
    rare, common = (pick(rows, key=lambda name: rows[name]["prevalence_pct"]) for pick in (min, max))
    needed = {key: (rows[common][key], rows[rare][key]) for key in ("n_stratified", "n_mde_1pt")}
    return Result(
        (random, reddit),
        (
            claim("Table 4: labels needed at random", exact, f"all {len(sizes)} numbers agree"),
            claim(
                "The columns of Tables 2 and 3 follow from one another (sizes within 0.5 %, shares within a point)",
                max(off) < CLOSE and max(rounded) < 1.0,
                f"{len(off)} sizes: the largest difference is {max(off):.2%}; "
                f"{len(rounded)} shares, cut to whole percent: {max(rounded):.2f} points",
            ),
            claim(
                "Rarer violations take more labels for the same relative precision, fewer to see a change of one point",
                needed["n_stratified"][0] < needed["n_stratified"][1]
                and needed["n_mde_1pt"][0] > needed["n_mde_1pt"][1],
                f"{common}: {needed['n_stratified'][0]:,} and {needed['n_mde_1pt'][0]:,}; {rare}: "
                f"{needed['n_stratified'][1]:,} and {needed['n_mde_1pt'][1]:,}",
            ),
        ),
    )


def _random() -> Table:
    printed = published("accuracy")["table_4"]
    rows: list[Row] = [
        (
            f"{float(prevalence):g}",
            tuple(Cell(fact(random_size(float(prevalence), Within(PROMISES[r])).n), known[r]) for r in PROMISES),
        )
        for prevalence, known in printed.items()
    ]
    return Table(
        "table_4",
        "Table 4: labels needed by random sampling",
        "prevalence",
        tuple(f"within {r}" for r in PROMISES),
        tuple(rows),
        on="the formula",
        same=True,
        digits=0,
    )


def _reddit() -> Table:
    """Random sizes over the printed interval, what strata save, and labels that show a change of one point."""
    rows: list[Row] = []
    for name, known in published("accuracy")["table_3"].items():
        low, high = (share / 100.0 for share in known["ci_pct"])
        fewest, most = range_within((low, high), Within(0.2))
        strata = Size(known["n_stratified"], Within(0.2).error(low))
        shown = size_for_effect(strata.n * strata.error**2, POINT, rule=NO_OVERLAP)
        rows.append((name, _row(known, fewest, most, 100.0 * efficiency(strata, most), shown)))
    return Table(
        "table_3",
        "Tables 2 and 3: what follows from the printed intervals and sizes",
        "community",
        ("random, fewest", "random, most", "strata save (%)", "labels for a change of 1 point"),
        tuple(rows),
        on="the paper's own intervals and stratified sizes, through our formulas",
        same=True,
        digits=0,
        notes=(
            "The columns are headed “CV ≤ 20 %” and hold “within 20 % with 95 %”, nearly four times as many labels; "
            "the comments themselves and their labels were not published.",
            "By the paper's rule (two intervals do not overlap) a change of exactly one point is seen half of the "
            "time; false alarms are .6 %.",
        ),
    )


def _row(known: dict[str, Any], fewest: Size, most: Size, saved: float, shown: Size) -> tuple[Cell, ...]:
    return (
        Cell(fact(fewest.n), known["n_random_range"][0]),
        Cell(fact(most.n), known["n_random_range"][1]),
        Cell(fact(saved), known["efficiency_pct"]),
        Cell(fact(shown.n), known["n_mde_1pt"]),
    )
