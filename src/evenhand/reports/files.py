"""Writing so that nothing is ever half there: everything into a hidden folder first, then moved into place."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
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
def writing(folder: Path, *, replaces: Sequence[str] = ()) -> Iterator[Path]:
    """A folder to write into; what was written replaces files of the same name in `folder` when all went well.

    `replaces` are patterns of files that only we write: those of an earlier run go.
    """
    fresh = [path for path in (folder, *folder.parents) if not path.exists()]  # innermost first
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".evenhand-", dir=folder))
    except OSError as error:
        _remove_empty(fresh)
        raise InputError(f"the output folder cannot be written: {error.strerror}", source=str(folder)) from None
    try:
        yield staging
        _move(staging, folder, replaces)
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


def _move(staging: Path, folder: Path, replaces: Sequence[str]) -> None:
    """Move every file; then remove what an earlier run left and this one did not write again."""
    made = [path.relative_to(staging) for path in sorted(staging.rglob("*"))]
    for name in made:
        if (folder / name).exists() and (folder / name).is_dir() != (staging / name).is_dir():
            kinds = ("file", "folder") if (folder / name).is_dir() else ("folder", "file")
            raise InputError(f"'{name}' is to be a {kinds[0]} and is a {kinds[1]}", source=str(folder))
    earlier = {path.relative_to(folder) for pattern in replaces for path in folder.glob(pattern)}
    for name in made:
        if (staging / name).is_dir():
            (folder / name).mkdir(exist_ok=True)
        else:
            os.replace(staging / name, folder / name)
    for name in earlier - set(made):
        (folder / name).unlink()
