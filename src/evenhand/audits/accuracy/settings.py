"""Settings of the accuracy audit alone: what to plan for, and a second source of prevalences to compare with.

A module of its own although it is short: all five audits have the same file names, and the other modules of this
folder import the settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand import arrays
from evenhand.audits.settings import Settings
from evenhand.finding import Finding


@dataclass(frozen=True, kw_only=True)
class AccuracySettings(Settings):
    """What to plan for, and a second source to hold the order of communities against.

    `target` is the share of a prevalence within which it should be known, `effect` the change between two periods that
    should be seen; `rank_with` is a file with a prevalence for each value of a sliced column.
    """

    target: float = 0.2
    effect: float = 0.01
    rank_with: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("target", "effect"):
            arrays.share(getattr(self, name), name)


def planned_for(finding: Finding) -> AccuracySettings:
    """What a finding plans for, as its provenance says; the usual where it says nothing."""
    chosen = finding.provenance.get("settings", {})
    return AccuracySettings(**{name: chosen[name] for name in ("target", "effect") if name in chosen})
