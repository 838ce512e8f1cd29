"""The options of a move from one model to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypedDict

from evenhand.choices.choice import (
    Choice,
    ColumnValue,
    FlagValue,
    NameValue,
    NumbersValue,
    NumberValue,
    ShareValue,
    text_kind,
)
from evenhand.choices.permissions import PermissionOptions
from evenhand.choices.roles import RoleOptions

ModelValue = Annotated[str | Path | Any, text_kind("MODEL")]


class ScoreOptions(PermissionOptions, total=False):
    """Where the old scores are, and where the new ones are or which model makes them."""

    old_score: Annotated[ColumnValue, Choice("Column of the old scores.")]
    attribute: Annotated[
        NameValue,
        Choice("For stored AnalyzeComment responses (JSONL): attribute whose summary score is the old one (TOXICITY)."),
    ]
    new_score: Annotated[ColumnValue, Choice("Column of the new model's scores.")]
    model: Annotated[
        ModelValue, Choice("Instead of new scores: the model to score the texts with, such as default, or a folder.")
    ]
    device: Annotated[NameValue, Choice("For an encoder: cuda or cpu. Default: a GPU if there is one.")]
    download: Annotated[FlagValue, Choice("Download a preset or a described model from the Hugging Face Hub.")]


class MigrationOptions(TypedDict, total=False):
    """Which thresholds are moved, and which changes are tolerated."""

    thresholds: Annotated[
        NumbersValue,
        Choice("A threshold of the old scores; repeatable (0.7, 0.8 and 0.9).", flags=("--threshold",)),
    ]
    tolerance: Annotated[
        NumberValue, Choice("Ratio of flag rates, before and after, up to which a change is tolerated (1.25).")
    ]
    precision_loss: Annotated[
        ShareValue, Choice("With labels: loss of precision that is tolerated, as a share (0.02).")
    ]


class MigrationArguments(ScoreOptions, MigrationOptions, RoleOptions, total=False):
    """The same in Python, with the roles of columns and the settings of every audit."""

    level: float | None
    seed: int | None
    smallest_group: int | None
