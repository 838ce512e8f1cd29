"""How numbers of a reproduced table are written, for a page and for Markdown alike."""

from __future__ import annotations

from math import isclose

from evenhand.estimate import Estimate
from evenhand.reproduce.result import Cell, Table

FINE = 4  # digits
COUNTED = 100  # whole numbers from here on are counts


def number(value: float, digits: int, *, signed: bool = False) -> str:
    """To so many digits after the point; whole numbers with commas, and nothing without a sign.

    Where four digits and more are shown, small values count: what would round to nothing keeps two figures.
    """
    if abs(value) >= COUNTED and value == int(value):
        digits = 0
    if round(value, digits) == 0.0:
        small = value and digits >= FINE and not signed
        return f"{value:.1e}".replace("-", "−") if small else f"{0.0:.{digits}f}"
    text = f"{value:+,.{digits}f}" if signed else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def ours(cell: Cell, digits: int) -> str:
    """Our value; a dash where there is none."""
    if cell.ours is None:
        return "–"
    return "undefined" if cell.ours.value is None else number(cell.ours.value, digits)


def sure(estimate: Estimate | None, digits: int) -> str:
    """Its interval, or the p-value of its test; empty for plain facts."""
    if estimate is None or estimate.value is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return "" if estimate.p_value is None else f"p = {estimate.p_value:.3f}"
    if isclose(estimate.low, estimate.high, rel_tol=1e-12, abs_tol=1e-15):
        return ""
    return f"{number(estimate.low, digits)} to {number(estimate.high, digits)}"


def theirs(cell: Cell, digits: int) -> str:
    """What the paper prints; empty where it prints nothing."""
    return "" if cell.published is None else number(cell.published, digits)


def apart(cell: Cell, table: Table) -> str:
    """Ours less the paper's."""
    return "" if cell.difference is None else number(cell.difference, table.digits, signed=True)


def markdown(cell: Cell, table: Table) -> str:
    """A whole cell in one line."""
    parts = [ours(cell, table.digits)] if cell.ours is not None or cell.published is None else []
    if between := sure(cell.ours, table.digits):
        parts.append(f"({between})")
    if printed := theirs(cell, table.digits):
        off = apart(cell, table)
        parts.append(f"{'· ' if parts else ''}paper {printed}" + (f" ({off})" if off else ""))
    return " ".join(parts)
