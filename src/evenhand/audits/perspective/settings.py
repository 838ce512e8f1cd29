"""Settings of the perspective audit alone: which majority counts, and how chance is ruled out."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError, nearest
from evenhand.intervals.permutation import PERMUTATIONS
from evenhand.measures.perspective import TIE_RULES
from evenhand.measures.perspective.agreement import DISTANCES, NOMINAL

EVERYBODY, OTHERS = "all", "others"


@dataclass(frozen=True, kw_only=True)
class PerspectiveSettings(Settings):
    """Which majority judges, and how chance is ruled out.

    The majority is that of `all` annotators, of the `others` (nobody helps to make the one that judges them), or of
    the group with that name. `distance` says how far apart two labels are, for Krippendorff's alpha.
    """

    majority: str = EVERYBODY
    ties: str = "drop"
    distance: str = NOMINAL
    fewest_labels: int = 20
    permutations: int = PERMUTATIONS
    smoothing: bool = False
    clusters: int | None = None
    miss: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ties not in TIE_RULES:
            raise InputError(f"unknown rule for ties: '{self.ties}'; {nearest(self.ties, TIE_RULES)}")
        if self.distance not in DISTANCES:
            choices = ", ".join(DISTANCES)
            raise InputError(f"invalid `distance`: '{self.distance}' (choose from: {choices})", role="distance")
        if self.fewest_labels < 1:
            raise InputError(f"invalid fewest_labels: {self.fewest_labels} (must be 1 or more)")
        if self.permutations < 99:
            raise InputError(f"invalid permutations: {self.permutations} (must be 99 or more)")
        if self.clusters is not None and self.clusters < 2:
            raise InputError(f"invalid clusters: {self.clusters} (must be 2 or more)")
        if not 0.0 < self.miss < 0.5:
            raise InputError(f"invalid `miss`: {self.miss:g} (must be above 0 and below 0.5)")
