"""What no sets can be made of is refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.conformal import calibrate, coverage_by
from evenhand.errors import InputError

P = np.full((4, 2), 0.5)


@pytest.mark.parametrize(
    ("table", "label", "options", "says"),
    [
        (P, [0, 1, 0], {}, "one label per row"),
        (P, [0.0, 1.0, 0.0, 1.0], {}, "one label per row, the number of its class"),
        (P, [0, 1, 2, 0], {}, "from 0 to 1"),
        (P, [0, 1, 0, 1], {"item": [1, 2]}, "one item per row"),
        (P[:, 0], [0, 1, 0, 1], {}, "a column per class, two or more"),
        (P[:, :1], [0, 0, 0, 0], {}, "a column per class, two or more"),
    ],
)
def test_sets_that_cannot_be_calibrated(table: np.ndarray, label: list, options: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        calibrate(table, label, alpha=0.1, **options)


def test_coverage_by_cells_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="one label and one cell per set"):
        coverage_by(np.ones((3, 2), dtype=bool), [0, 1, 0], [0, 1], 2)
