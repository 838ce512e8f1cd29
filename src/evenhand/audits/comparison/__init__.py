"""What changed between two runs: their findings held beside one another, number by number."""

from evenhand.audits.comparison.comparing import NOW, RUNS, compare

__all__ = ["NOW", "RUNS", "compare"]
