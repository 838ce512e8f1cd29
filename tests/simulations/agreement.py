"""Whether a short run of a study agrees with what was committed."""

from __future__ import annotations

import math

from studies.study import Study


def close(share: float, committed: float, draws: int, of: int) -> bool:
    """Two shares of the same thing, from so many draws each, differ by no more than four standard errors."""
    common = min(max((share * draws + committed * of) / (draws + of), 1.0 / of), 1.0 - 1.0 / of)
    return abs(share - committed) <= 4.0 * math.sqrt(common * (1.0 - common) * (1.0 / draws + 1.0 / of))


def again(study: Study, number: int, draws: int, columns: tuple[str, ...]) -> None:
    """Run one cell with other draws and find what was committed."""
    cell = study.cells[number]
    kept = [row for row in study.read() if all(row[key] == value for key, value in cell.items())]
    fresh = study.cell(number, draws)
    assert len(kept) == len(fresh)
    for old, new in zip(kept, fresh, strict=True):
        for column in columns:
            assert close(new[column], old[column], draws, study.draws), (cell, column, new[column], old[column])
