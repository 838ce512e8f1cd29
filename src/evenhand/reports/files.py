"""Writing so that nothing is ever half there: everything into a hidden folder first, then moved into place."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.errors import InputError


def check_writable(folder: Path) -> None:
    """Fail before the work rather than after it."""
    with writing(folder):
        pass


def write_text(path: Path, text: str) -> None:
    """Write one file, whole or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise InputError(f"the file cannot be written: {error.strerror}", source=str(path)) from None


@contextmanager
def writing(folder: Path) -> Iterator[Path]:
    """A folder to write into; what was written replaces files of the same name in `folder` when all went well."""
    fresh = [path for path in (folder, *folder.parents) if not path.exists()]  # innermost first
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".evenhand-", dir=folder))
    except OSError as error:
        _remove_empty(fresh)
        raise InputError(f"the output folder cannot be written: {error.strerror}", source=str(folder)) from None
    try:
        yield staging
        _move(staging, folder)
    except OSError as error:
        raise InputError(f"the output could not be written: {error.strerror}", source=str(folder)) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        _remove_empty(fresh)


def _remove_empty(folders: list[Path]) -> None:
    """Those that were made in vain."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _move(staging: Path, folder: Path) -> None:
    """Move what was written, folders as a whole, so that nothing of an earlier run is left in them."""
    made = sorted(staging.iterdir())
    for path in made:
        target = folder / path.name
        if target.is_dir() and not path.is_dir():
            raise InputError(f"'{path.name}' is a folder where a file is to be written", source=str(folder))
    aside = Path(tempfile.mkdtemp(prefix=".old-", dir=staging))
    for path in made:
        target = folder / path.name
        if path.is_dir() and target.exists():
            os.replace(target, aside / path.name)
        os.replace(path, target)
