"""Several files as one table: a folder, a pattern such as 'scores/*.parquet', folders named after values (day=2026-05).

Files are of one format and are read one after the other, by their names. A file that cannot be read is named; where the
reader asked for it (`skip_bad`), it is left out instead, and how many were is said in the result.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import os
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from evenhand.errors import ErrorKind, InputError
from evenhand.evidence import reading_errors
from evenhand.evidence.formats import FileFormat, TableFile
from evenhand.evidence.panics import held_back
from evenhand.evidence.text_layout import TextLayout, declared_skip_bad
from evenhand.files import failure_reason, file_hash, regular_file

MOST_FILES = 10_000
MOST_ENTRIES = 200_000  # files and folders that are looked through for them
LARGEST_WHOLE = 18  # digits of a whole number in the name of a folder
ANY_DEPTH = "**"  # of a pattern: any number of folders
NAMED_BAD = 3  # files that were left out and are named, with the reason
Scan = Callable[[TableFile], pl.LazyFrame]


def is_several(path: Path) -> bool:
    """A folder, or a pattern that is not the name of a file; for a name that no file can have, `os.path` says no."""
    return os.path.isdir(path) or (glob.has_magic(str(path)) and not os.path.exists(path))


@dataclass(frozen=True)
class TableFolder:
    """Files of one format that are one table; what is asked of it is what is asked of a `TableFile`."""

    path: Path
    files: tuple[TableFile, ...]
    partitions: tuple[dict[str, str], ...]  # of each file: values that stand in the names of its folders
    notes: tuple[str, ...] = ()

    @classmethod
    def from_path(cls, path: Path) -> TableFolder:
        """Every file is looked at before anything is read; with `skip_bad` it is also read to its end."""
        files, problems = [], list[InputError]()
        skip_bad = declared_skip_bad()
        for one in _paths(path):
            try:
                files.append(_opened(one, whole=skip_bad))
            except InputError as error:
                if not skip_bad or error.kind is ErrorKind.NOT_FOUND:
                    raise
                problems.append(error)
        if not files:
            raise InputError(f"none of {len(problems)} files can be read: {problems[0].problem}", source=str(path))
        partitions = tuple(_partition(path, file.path) for file in files)
        _check_alike(path, files, partitions)
        return cls(path, tuple(files), partitions, tuple(_left_out(path, problems, len(files) + len(problems))))

    @property
    def format(self) -> FileFormat:
        """Of every file."""
        return self.files[0].format

    @property
    def layout(self) -> TextLayout:
        """Of every file of delimited text."""
        return self.files[0].layout

    @property
    def is_delimited(self) -> bool:
        """As of a file."""
        return self.files[0].is_delimited

    @property
    def is_packed(self) -> bool:
        """Whether one of them is."""
        return any(file.is_packed for file in self.files)

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(file.size for file in self.files)

    def check_unchanged(self) -> None:
        """As of a file."""
        for file in self.files:
            file.check_unchanged()

    def check_whole(self) -> None:
        """As of a file."""
        for file in self.files:
            file.check_whole()

    def scan(self, *, every_row: bool = False) -> pl.LazyFrame:
        """The table."""
        return self._joined(lambda file: file.scan(every_row=every_row))

    def verbatim(self) -> pl.LazyFrame:
        """The table with nothing changed."""
        return self._joined(TableFile.verbatim)

    def lacking(self, column: str) -> Path | None:
        """The first file without a column that others have."""
        has = [column in schema for schema in self._schemas]
        return self.files[has.index(False)].path if any(has) and not all(has) else None

    def explain(self, error: BaseException) -> InputError:
        """Why reading failed: in the first file that cannot be read by itself."""
        for file in self.files:
            if problem := _unreadable(file):
                return problem
        return reading_errors.explain_failure(error, str(self.path), self.format.name, None)

    def place(self, row: int) -> tuple[str, int]:
        """The file of a row of the table, and its place there; both from 0."""
        for file in self.files:
            rows = int(file.scan().select(pl.len()).collect().item())
            if row < rows:
                return str(file.path), row
            row -= rows
        return str(self.path), row

    def sha256(self) -> str:
        """Of the hashes of all files and of what their folders are called."""
        digest = hashlib.sha256()
        for file, partition in zip(self.files, self.partitions, strict=True):
            digest.update(f"{file_hash(file.path)} {sorted(partition.items())}\n".encode())
        return digest.hexdigest()

    @cached_property
    def _schemas(self) -> list[pl.Schema]:
        return [file.scan().collect_schema() for file in self.files]

    def _joined(self, scan: Scan) -> pl.LazyFrame:
        frames = [scan(file) for file in self.files]
        schemas = [frame.collect_schema() for frame in frames]
        self._check_partitions(schemas)
        if any(schema != schemas[0] for schema in schemas):
            shared = [name for name in schemas[0] if all(name in schema for schema in schemas)]
            kinds = {name: self._kind(name, [schema[name] for schema in schemas]) for name in shared}
            frames = [frame.select(by_name(name).cast(kind) for name, kind in kinds.items()) for frame in frames]
        values = self._partition_values
        return pl.concat([frame.with_columns(**own) for frame, own in zip(frames, values, strict=True)])

    def _check_partitions(self, schemas: list[pl.Schema]) -> None:
        """A value in the name of a folder must not hide a column."""
        for file, partition, schema in zip(self.files, self.partitions, schemas, strict=True):
            if twice := next((name for name in partition if name in schema), None):
                problem = "it is a column of this file and in the name of its folder: rename one of them"
                raise InputError(problem, source=str(file.path), column=twice)

    def _kind(self, name: str, kinds: list[pl.DataType]) -> pl.DataType:
        """The type of a column that all files can have: text holds anything that stands in delimited text."""
        other = next((number for number, kind in enumerate(kinds) if kind != kinds[0]), None)
        if other is None:
            return kinds[0]
        typed = [kind for kind in kinds if kind != pl.Null]
        if all(kind.is_numeric() for kind in typed):
            return pl.concat([pl.Series(dtype=kind).to_frame() for kind in typed], how="vertical_relaxed").dtypes[0]
        if self.is_delimited:
            return pl.String()
        problem = f"it is {kinds[other]} here and {kinds[0]} in {self.files[0].path}"
        raise InputError(problem, source=str(self.files[other].path), column=name)

    @cached_property
    def _partition_values(self) -> list[dict[str, pl.Expr]]:
        """Whole numbers where all values of a name are."""
        whole = {name: all(_is_whole(partition[name]) for partition in self.partitions) for name in self.partitions[0]}
        return [
            {name: pl.lit(int(value) if whole[name] else value) for name, value in partition.items()}
            for partition in self.partitions
        ]


def _paths(path: Path) -> list[Path]:
    """All tables of a folder, or all files that a pattern is of, by their names; hidden ones stand for nothing."""
    plain = path if path.is_dir() else Path(*_before_pattern(path.parts))
    shown = sorted(islice(_files_below(plain, path.parts[len(plain.parts) :] or (ANY_DEPTH,)), MOST_FILES + 1))
    if not shown:
        what = "this is a folder with no file in it" if path.is_dir() else "no file has a name of this pattern"
        raise InputError(what, source=str(path), kind=ErrorKind.NOT_FOUND)
    if len(shown) > MOST_FILES:
        raise InputError(f"there are more than {MOST_FILES:,} files to be read as one table", source=str(path))
    return shown


def _files_below(root: Path, pattern: tuple[str, ...]) -> Iterator[Path]:
    """Those whose path, or the path of a folder that they are in, is of the pattern.

    Of the pattern, numbers of parts are known that may come next. A link to a folder is only followed where one part
    stands for it, so that links in a circle come to an end.
    """
    waiting, seen = [(root, _with_skipped({0}, pattern))], 0
    while waiting:
        folder, next_parts = waiting.pop()
        for entry in _entries(folder):
            seen += 1
            if seen > MOST_ENTRIES:
                raise InputError(f"there are more than {MOST_ENTRIES:,} files and folders below it", source=str(root))
            reached = _after(entry.name, next_parts, pattern)
            if not reached or entry.name.startswith(("_", ".")):
                continue
            if not _is_folder(entry):
                yield from [Path(entry.path)] if len(pattern) in reached else ()
            elif not entry.is_symlink() or not any(part in (ANY_DEPTH, "") for part in _parts(reached, pattern)):
                waiting.append((Path(entry.path), reached))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"the folder cannot be read: {failure_reason(error)}", source=str(folder)) from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """A link to itself is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _parts(numbers: set[int], pattern: tuple[str, ...]) -> list[str]:
    """The parts of these numbers; empty where the pattern is at its end."""
    return [(*pattern, "")[number] for number in numbers]


def _after(name: str, next_parts: set[int], pattern: tuple[str, ...]) -> set[int]:
    """Which parts may come next once a name was met; after the last part, anything."""
    stays = {number for number in next_parts if (*pattern, ANY_DEPTH)[number] == ANY_DEPTH}
    met = {number + 1 for number in next_parts - stays if fnmatch.fnmatchcase(name, pattern[number])}
    return _with_skipped(stays | met, pattern)


def _with_skipped(numbers: set[int], pattern: tuple[str, ...]) -> set[int]:
    """With the parts that follow on `**`, which also stands for no folder."""
    skipped = {number + 1 for number in numbers if number < len(pattern) and pattern[number] == ANY_DEPTH}
    return numbers if skipped <= numbers else _with_skipped(numbers | skipped, pattern)


def _below(root: Path, path: Path) -> Path:
    """What a path adds to the folder, or to the part of the pattern that is no pattern."""
    plain = root if root.is_dir() else Path(*_before_pattern(root.parts))
    return path.relative_to(plain) if path.is_relative_to(plain) else Path(path.name)


def _before_pattern(parts: tuple[str, ...]) -> Iterator[str]:
    for part in parts:
        if glob.has_magic(part):
            return
        yield part


def _partition(root: Path, path: Path) -> dict[str, str]:
    """Values in the names of folders, such as day=2026-05-01."""
    pairs = (part.partition("=") for part in _below(root, path).parts[:-1] if "=" in part)
    return {name: urllib.parse.unquote(value) for name, _, value in pairs if name}


def _is_whole(value: str) -> bool:
    return value.isdecimal() and len(value) <= LARGEST_WHOLE


def _opened(path: Path, *, whole: bool) -> TableFile:
    """A file that can be read, as far as its beginning tells; all of it where the whole is wanted."""
    if any("\ud800" <= letter <= "\udfff" for letter in str(path)):
        raise InputError("the name is not UTF-8: give files and folders names that are", source=str(path))
    if not regular_file(path).stat().st_size:
        raise InputError("the file is empty", source=str(path))
    file = TableFile.from_path(path)
    try:
        file.check()
        file = file.decoded()
        with held_back():
            file.scan().collect_schema()
    except reading_errors.UNREADABLE as error:
        raise file.explain(error) from error
    if whole and (problem := _unreadable(file)):
        raise problem
    return file


def _unreadable(file: TableFile) -> InputError | None:
    """Why a file cannot be read to its end, if that is so."""
    try:
        with held_back():
            file.scan(every_row=True).select(pl.all().null_count()).collect(engine="streaming")
    except reading_errors.UNREADABLE as error:
        return file.explain(error)
    return None


def _check_alike(path: Path, files: list[TableFile], partitions: tuple[dict[str, str], ...]) -> None:
    """One format, one layout, and the same names in the folders of all."""
    formats = sorted({file.format.name for file in files})
    if len(formats) > 1:
        problem = f"these are files of {' and '.join(formats)}: name those of one format, such as '{path / '*.csv'}'"
        raise InputError(problem, source=str(path))
    for file, partition in zip(files, partitions, strict=True):
        if file.is_delimited and (file.layout.separator, file.layout.decimal) != (
            files[0].layout.separator,
            files[0].layout.decimal,
        ):
            problem = f"this file has {file.layout}, and {files[0].path} {files[0].layout}"
            raise InputError(f"{problem}: set `separator` and `decimal`", source=str(file.path))
        if set(partition) != set(partitions[0]):
            problem = f"its folders name {_listed(partition)}, and those of {files[0].path} {_listed(partitions[0])}"
            raise InputError(problem, source=str(file.path))


def _listed(partition: dict[str, str]) -> str:
    return " and ".join(f"'{name}'" for name in partition) or "no column"


def _left_out(path: Path, problems: list[InputError], files: int) -> Iterator[str]:
    if problems:
        named = "; ".join(f"{problem.source}: {problem.problem}" for problem in problems[:NAMED_BAD])
        more = "; …" if len(problems) > NAMED_BAD else ""
        yield f"{len(problems):,} of {files:,} files of {path} could not be read and are left out ({named}{more})."
