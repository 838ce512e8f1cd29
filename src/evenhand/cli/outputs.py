"""Where a command writes: never over a file that it reads, and over another one only with --force.

This holds for each file that the command line names to be written, of all commands alike. A folder of output knows the
files that it was given by an earlier run (`output_folder`), so that it needs no --force.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.errors import InputError
from evenhand.inputs import note_input, refuse_input

FORCE = "force"
FORCE_PARAMETER = inspect.Parameter(
    FORCE,
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--force", help="Replace an output file that exists.")],
)


def is_output(metadata: Iterable[Any]) -> bool:
    """Whether what describes a parameter makes it an output, a file or a folder."""
    return any(getattr(part, "output", False) for part in metadata)


def is_folder(metadata: Iterable[Any]) -> bool:
    """Whether the last word is that it is a folder: an option may say so of what would be a file."""
    words = [getattr(part, name, None) for part in metadata for name in ("placeholder", "metavar")]
    return "FOLDER" in words


def check_outputs(typed: Mapping[str, Any], outputs: Set[str], files: Set[str], *, force: bool) -> None:
    """Refuse an output that is an input, and one that exists; every other value that names a file is an input."""
    for name in typed.keys() - outputs:
        values = typed[name] if isinstance(typed[name], list) else [typed[name]]
        note_input(*(value for value in values if isinstance(value, str | Path) and os.path.isfile(value)))
    for name in sorted(outputs):
        if typed[name] is None:
            continue
        refuse_input(typed[name])
        if name in files and not force and os.path.isfile(typed[name]) and not os.path.islink(typed[name]):
            raise InputError(
                f"this file exists: choose another name with `{name}`, or replace it with --force",
                source=str(typed[name]),
            )
