"""A folder of output: written whole, and never over a file that is not ours.

A folder has a list of the files that we wrote into it, with their hashes. The next run replaces and removes what it
finds there unchanged. What somebody else has put there or has changed is theirs: where its name is needed, the run ends
with an error that names the file, and everything is as it was. A symbolic link in the place of a file is theirs too;
a folder may be a link.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from evenhand.errors import InputError
from evenhand.files import failure_reason, file_hash, read_own_file, remove_empty
from evenhand.inputs import refuse_input
from evenhand.staging import hidden_folder, locked
from evenhand.version import __version__

FILE_LIST = "files.json"
Hashes = Mapping[str, str]  # of files, by their names within a folder


def read_file_list(folder: Path) -> dict[str, str]:
    """The hashes of what was written into a folder, its list included; nothing where the list is not as we write it."""
    path = folder / FILE_LIST
    try:
        text = read_own_file(path).decode()
        content = json.loads(text)
        version, files = content.pop("evenhand"), dict(content.pop("files"))
        if content or text != _file_list_text(version, files):
            return {}
        return {**files, FILE_LIST: file_hash(path)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):  # no list, or not one of ours
        return {}


def write_file_list(staging: Path, others: Hashes) -> None:
    """Write down every file with its hash; `others` are in the folder already, and stay."""
    made = {name: file_hash(staging / name) for name in _file_names(staging)}
    files = dict(sorted({**others, **made}.items()))
    (staging / FILE_LIST).write_text(_file_list_text(__version__, files), encoding="utf-8")


def _file_list_text(version: str, files: Hashes) -> str:
    return json.dumps({"evenhand": version, "files": files}, ensure_ascii=False, indent=1) + "\n"


@dataclass(frozen=True)
class FolderContents:
    """What runs of one kind write into a folder, and how the folder tells which files are ours.

    `files` are names, and patterns of names that follow from the data: what else is listed in the folder was written by
    runs of another kind and stays. `listed` reads the list, `list_again` writes it where nothing else does.
    """

    files: tuple[str, ...]
    listed: Callable[[Path], Hashes] = read_file_list
    list_again: Callable[[Path, Hashes], None] | None = write_file_list

    @property
    def fixed_names(self) -> list[str]:
        """What every run writes; the list first, without which nothing is ours."""
        return [*([FILE_LIST] if self.list_again else []), *(name for name in self.files if "*" not in name)]

    def has(self, name: str) -> bool:
        """Whether runs of this kind write a file of this name."""
        return name != FILE_LIST and any(fnmatchcase(name, pattern) for pattern in self.files)

    def unchanged(self, folder: Path) -> dict[str, str]:
        """The files of a folder that are listed and as they were written."""
        return {name: known for name, known in self.listed(folder).items() if _is_unchanged(folder, name, known)}


def _is_unchanged(folder: Path, name: str, known: str) -> bool:
    inside = PurePosixPath(name)
    if inside.is_absolute() or ".." in inside.parts:
        return False
    path = folder / name
    try:
        return path.is_file() and not path.is_symlink() and file_hash(path) == known
    except (OSError, ValueError):  # gone, or no name a file could have
        return False


def check_folder_writable(folder: Path, contents: FolderContents) -> None:
    """Fail before the work rather than after it."""
    with _made_folder(folder):
        ours = contents.unchanged(folder)
        for name in contents.fixed_names:
            _check_replaceable(folder, name, ours)


@contextmanager
def staged_folder(folder: Path, contents: FolderContents) -> Iterator[Path]:
    """A folder to write into; what was written takes its place in `folder` when all went well.

    What an earlier run of this kind left there goes, once the new files are in place.
    """
    with _made_folder(folder) as staging:
        try:
            yield staging
            with locked(folder):
                _put(staging, folder, contents)
        except OSError as error:
            raise InputError(f"the output could not be written: {failure_reason(error)}", source=str(folder)) from None


@contextmanager
def _made_folder(folder: Path) -> Iterator[Path]:
    """A hidden folder within the folder, which is made where it is not there, and goes again if it stays empty."""
    fresh = [path for path in (folder, *folder.parents) if not path.exists()]  # innermost first
    with ExitStack() as stack:
        stack.callback(remove_empty, fresh)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            hidden = stack.enter_context(hidden_folder(folder))
        except OSError as error:
            problem = f"the output folder cannot be written: {failure_reason(error)}"
            raise InputError(problem, source=str(folder)) from None
        yield hidden


def _put(staging: Path, folder: Path, contents: FolderContents) -> None:
    """Everything is looked at first; then files take their places, and what an earlier run left goes."""
    made, ours = _file_names(staging), contents.unchanged(folder)
    for name in dict.fromkeys([*contents.fixed_names, *made]):
        _check_replaceable(folder, name, ours)
    written = {name.casefold() for name in made}
    gone = [folder / name for name in ours if contents.has(name) and name.casefold() not in written]
    for path in gone:
        refuse_input(path)
    if contents.list_again:
        stay = {name: known for name, known in ours.items() if name != FILE_LIST and not contents.has(name)}
        contents.list_again(staging, stay)
    _move_into_place(staging, folder)
    for path in gone:
        path.unlink()
    remove_empty([parent for parent in {path.parent for path in gone} if parent != folder and not parent.is_symlink()])


def _check_replaceable(folder: Path, name: str, ours: Hashes) -> None:
    path = folder / name
    for parent in path.relative_to(folder).parents[:-1]:
        if (folder / parent).is_symlink():
            raise InputError(
                f"'{parent}' is a link to another folder: remove it, or choose another folder", source=str(folder)
            )
    if not os.path.lexists(path):
        return
    refuse_input(path)
    if path.is_dir() and not path.is_symlink():
        raise InputError(f"'{name}' is to be a file and is a folder", source=str(folder))
    spelled = [known for known in ours if known.casefold() == name.casefold()]  # where case does not count
    if not any(os.path.samefile(folder / known, path) for known in spelled) or path.is_symlink():
        problem = "this file is not from an earlier run, or was changed since: move it away, or choose another folder"
        raise InputError(problem, source=str(path))


def _move_into_place(staging: Path, folder: Path) -> None:
    """Make sure that every folder can be written, then rename all files."""
    names = _file_names(staging)
    for parent in {(folder / name).parent for name in names}:
        parent.mkdir(parents=True, exist_ok=True)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(parent))
    for name in names:
        os.replace(staging / name, folder / name)


def _file_names(folder: Path) -> list[str]:
    """Every file below a folder."""
    return [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
