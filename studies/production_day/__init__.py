"""A day in production, in minutes: does the desk keep what it promises when everything happens at once?

The program that users start serves a store in a process of its own; only its clock is another. A platform sends
comments with two bursts, notices and appeals, and reads the decisions. Ten people review in shifts with breaks, err,
change their mind and walk away. Meanwhile the desk is upgraded, killed in the middle of both bursts, given another
model and policy, backed up and restored; people find new spellings that no model knows; and three annotators label a
study. Whatever the desk acknowledged is compared with its store afterwards, and its measurements with what is true of
every comment.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from studies.production_day.afterwards import figures
from studies.production_day.day import DaySize, ProductionDay
from studies.study import Row, Study


def run(cell: Row, draws: int, rng: np.random.Generator, *, level: float = 0.95) -> list[Row]:
    """One day."""
    del draws
    with tempfile.TemporaryDirectory(prefix="evenhand-day-") as folder:
        day = ProductionDay(Path(folder), DaySize(**cell), int(rng.integers(1 << 30)))
        day.run()
        return figures(day, level)


STUDY = Study("production_day", [{"items": 3000, "seconds": 240, "review_minutes": 2.5, "drawn": 0.15}], run, draws=1)
