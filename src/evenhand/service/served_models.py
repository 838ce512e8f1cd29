"""A model to serve: [NAME=]MODEL[@VERSION], or a table [models.NAME] of a file, and the calibrators of its scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest

MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MODEL_TEXT = re.compile(rf"(?:(?P<name>{MODEL_NAME.pattern})=)?(?P<source>.+?)(?:@(?P<version>[0-9a-f]{{8,64}}))?")


@dataclass(frozen=True)
class ServedModel:
    """A model to serve: `name` is its own unless another is given; another `version` than this one is refused."""

    source: str
    name: str | None = None
    version: str | None = None
    calibrator: str | None = None

    @classmethod
    def parse(cls, text: str) -> ServedModel:
        """From [NAME=]MODEL[@VERSION]."""
        match = MODEL_TEXT.fullmatch(text.strip())
        if not match:
            raise InputError(f"invalid `model`: '{text}' (must be [NAME=]MODEL[@VERSION])")
        return cls(match["source"], match["name"], match["version"])

    @classmethod
    def of_table(cls, name: str, table: object, folder: Path) -> ServedModel:
        """From a table of a TOML file; paths in it are relative to the file."""
        known = {field.name for field in fields(cls)} - {"name"}
        if not MODEL_NAME.fullmatch(name):
            raise InputError(f"models.{name} is not a name: letters, digits, '.', '_' and '-' only")
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            raise InputError(f"models.{name} must be a table of strings: {', '.join(sorted(known))}")
        for key in table:
            if key not in known:
                raise InputError(f"models.{name} has no '{key}'; {nearest(key, known)}")
        if "source" not in table:
            raise InputError(f"models.{name} must have a source")
        placed = {key: beside(folder, value) for key, value in table.items() if key != "version"}
        return cls(**{**table, **placed}, name=name)


def with_calibrators(models: tuple[ServedModel, ...], texts: Sequence[Any]) -> tuple[ServedModel, ...]:
    """Each calibrator with the model it is for: the named one, or the only one."""
    served = list(models)
    for text in texts:
        name, named, file = str(text).rpartition("=")
        fitting = [k for k, model in enumerate(served) if not named or name in (model.name, model.source)]
        if len(fitting) != 1:
            raise InputError(f"`calibrator` {text}: name its model, as NAME=FILE")
        served[fitting[0]] = replace(served[fitting[0]], calibrator=file)
    return tuple(served)


def beside(folder: Path, value: str) -> str:
    """A path relative to the file that names it, where there is one; or the value as it is ('default')."""
    return str(folder / value) if (folder / value).exists() else value
