"""Looking at many numbers at once: some will look unusual by chance alone."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Which p-values still stand out. The chance of one or more false marks is at most alpha, however they depend."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    marks = [False] * len(p_values)
    for rank, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - rank):
            break
        marks[index] = True
    return marks
