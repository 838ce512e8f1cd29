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


def read_text(path: Path, what: str) -> str:
    """The text of a file that should be a JSON file of some kind; errors do not name the file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("there is no such file") from None
    except UnicodeDecodeError:
        raise InputError(f"this is not JSON, so no {what}") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}") from None


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

    `replaces` are patterns of files that an earlier run of ours wrote: they go, once the new ones are in place.
    """
    fresh = [path for path in (folder, *folder.parents) if not path.exists()]  # innermost first
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".evenhand-", dir=folder))
    except OSError as error:
        remove_empty(fresh)
        raise InputError(f"the output folder cannot be written: {error.strerror}", source=str(folder)) from None
    try:
        yield staging
        _move(staging, folder, replaces)
    except OSError as error:
        raise InputError(f"the output could not be written: {error.strerror}", source=str(folder)) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        remove_empty(fresh)


def remove_empty(folders: list[Path]) -> None:
    """Those that were made in vain."""
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _move(staging: Path, folder: Path, replaces: Sequence[str]) -> None:
    """Put every file beside its place under another name, then rename all; then remove what an earlier run left."""
    made = [path.relative_to(staging) for path in sorted(staging.rglob("*")) if path.is_file()]
    earlier = {path.relative_to(folder) for pattern in replaces for path in folder.glob(pattern) if path.is_file()}
    for name in made:
        if (folder / name).is_dir():
            raise InputError(f"'{name}' is to be a file and is a folder", source=str(folder))
    waiting: dict[Path, Path] = {}
    try:
        for name in made:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            waiting[target] = target.with_name(f".{target.name}.new")
            shutil.move(staging / name, waiting[target])  # a folder may lie on another disk
        for target, fresh in waiting.items():
            os.replace(fresh, target)
    finally:
        for fresh in waiting.values():
            fresh.unlink(missing_ok=True)
    written = {str(name).casefold() for name in made}
    gone = [folder / name for name in earlier if str(name).casefold() not in written]
    for path in gone:
        path.unlink()
    remove_empty([parent for parent in {path.parent for path in gone} if parent != folder and not parent.is_symlink()])
