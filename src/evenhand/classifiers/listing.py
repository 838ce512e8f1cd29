"""Which models are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evenhand.classifiers import directory
from evenhand.classifiers.opening import SHIPPED, shipped
from evenhand.errors import InputError


class Entry(NamedTuple):
    """How a model is called on the command line, and what it is. `note` is why it cannot be used, if it cannot."""

    model: str
    version: str
    kind: str
    classes: str
    note: str = ""


def listing(folder: Path) -> list[Entry]:
    """The shipped models, then saved and described ones in a folder; those at fault too, with the fault."""
    if not folder.is_dir():
        raise InputError("there is no such folder", source=str(folder))
    entries = [_saved(SHIPPED / name, name) for name in shipped()]
    entries += [_saved(path.parent, str(path.parent)) for path in sorted(folder.glob(f"*/{directory.MANIFEST}"))]
    return entries + list(_described(folder))


def _saved(folder: Path, name: str) -> Entry:
    try:
        found = directory.manifest(folder)
        directory.check_files(folder, found)
    except InputError as error:
        return Entry(name, "", "", "", error.problem)
    targets = found["targets"]
    return Entry(name, found["version"], found["kind"], f"{targets['kind']}: {', '.join(targets['classes'])}")


def _described(folder: Path) -> Iterator[Entry]:
    """TOML files that say which kind of model they describe; others are none of ours."""
    import tomllib

    from evenhand.classifiers.description import Description

    for path in sorted(folder.glob("*.toml")):
        try:
            if "kind" not in tomllib.loads(path.read_text(encoding="utf-8")):
                continue
        except (OSError, ValueError, RecursionError):
            continue
        try:
            yield Entry(str(path), "", Description.read(path).kind, "")
        except InputError as error:
            yield Entry(str(path), "", "", "", error.problem)
