"""The request for a migration, from loosely typed options: columns, source of the new scores, and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.evidence import TableSource
from evenhand.migration.new_scores import NewScores
from evenhand.migration.score_log import ScoreLog, open_log
from evenhand.migration.settings import MigrationSettings
from evenhand.progress import Progress, silent

ROLES = (
    *("text", "label", "positive", "label_threshold", "groups", "group_by", "terms", "group_threshold"),
    *("slices", "scale", "skip_unscored", "where"),
)
SOURCES = ("old_score", "attribute", "new_score", *(f.name for f in fields(NewScores) if f.name != "column"))
SETTINGS = ("thresholds", "tolerance", "precision_loss", "level", "seed", "smallest_group")


@dataclass(frozen=True)
class MigrationRequest:
    """Checked before anything is read."""

    roles: Mapping[str, Any]
    old_score: str | None
    attribute: str | None
    new: NewScores
    settings: MigrationSettings

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> MigrationRequest:
        """Options that were not given are None, or not there."""
        chosen = {name: value for name, value in options.items() if value is not None}
        known = (*ROLES, *SOURCES, *SETTINGS)
        for name in chosen:
            if name not in known:
                raise InputError(f"there is no option '{name}'; {nearest(name, known)}")
        scoring = {f.name: chosen[f.name] for f in fields(NewScores) if f.name in chosen}
        return cls(
            {name: chosen[name] for name in ROLES if name in chosen},
            chosen.get("old_score"),
            chosen.get("attribute"),
            NewScores(column=chosen.get("new_score"), **scoring),
            MigrationSettings.of({name: chosen[name] for name in SETTINGS if name in chosen}),
        )

    def open(self, data: TableSource, *, query: str | None = None, progress: Progress = silent) -> ScoreLog:
        """The log of scores."""
        sources = {"old_score": self.old_score, "attribute": self.attribute}
        return open_log(data, self.roles, self.new, **sources, query=query, progress=progress)
