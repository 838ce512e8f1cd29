"""What may be chosen about the perspective audit alone."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.settings import Settings
from evenhand.errors import InputError, nearest
from evenhand.measures.perspective import TIES

EVERYBODY, OTHERS = "all", "others"


@dataclass(frozen=True, kw_only=True)
class PerspectiveSettings(Settings):
    """Which majority judges, and how chance is ruled out.

    The majority is that of `all` annotators, of the `others` (nobody helps to make the one that judges them), or of
    the group with that name.
    """

    majority: str = EVERYBODY
    ties: str = "drop"
    fewest_labels: int = 20
    permutations: int = 999
    smoothing: bool = False
    clusters: int | None = None
    miss: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ties not in TIES:
            raise InputError(f"there is no rule '{self.ties}' for ties; {nearest(self.ties, TIES)}")
        if self.fewest_labels < 1:
            raise InputError("fewest_labels must be 1 or more")
        if self.permutations < 99:
            raise InputError(f"{self.permutations} permutations are too few: at least 99")
        if self.clusters is not None and self.clusters < 2:
            raise InputError("there must be at least 2 clusters")
        if not 0.0 < self.miss < 0.5:
            raise InputError(f"miss is {self.miss:g}: the share that sets may miss lies above 0 and below 0.5")
