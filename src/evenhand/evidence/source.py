"""Where a table comes from: a file or several, a database query or a frame in memory. All become one lazy frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import reading_errors
from evenhand.evidence.database import read_query
from evenhand.evidence.formats import TableFile
from evenhand.evidence.frames import FRAME_NAME, TableSource, lazy_frame
from evenhand.evidence.panics import held_back
from evenhand.evidence.table_folder import TableFolder, is_several
from evenhand.evidence.text_layout import TextLayout, declared_decimal, logger
from evenhand.evidence.unpacked import check_size, too_many_columns
from evenhand.files import file_hash, regular_file

T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """A named table. `name` is what error messages call it; `identity` goes into the provenance."""

    name: str
    frame: pl.LazyFrame
    file: TableFile | TableFolder | None = None
    identity: Future[dict[str, Any]] | None = None
    prepare: Callable[[pl.LazyFrame], pl.LazyFrame] | None = None  # before anything is read from the frame
    other_names: Mapping[str, str] = field(default_factory=dict)  # of columns that are named in another case
    notes: tuple[str, ...] = ()  # on how the table came about, for the caveats

    @property
    def layout(self) -> TextLayout | None:
        """Of a file of delimited text."""
        return self.file.layout if self.file and self.file.is_delimited else None

    @property
    def place(self) -> Callable[[int], tuple[str, int]] | None:
        """Of several files: which one a row is of, and where in it."""
        return self.file.place if isinstance(self.file, TableFolder) else None

    @property
    def decimal(self) -> str:
        """The sign of decimals in columns of text."""
        return self.layout.decimal if self.layout else declared_decimal()

    def naming(self, wanted: Iterable[str]) -> Source:
        """With every wanted column, also where its name differs in case; `InputError` where one is not there."""
        known = list(self.columns())
        others: dict[str, str] = {}
        for column in wanted:
            if column in known or column in others:
                continue
            if (other := same_name(column, known)) is None:
                raise self.unknown_column(column)
            others[column] = other
        if not others:
            return self
        used = ", ".join(f"'{other}' for '{column}'" for column, other in others.items())
        logger.warning(f"{self.name}: using the column{'s' if len(others) > 1 else ''} {used}")
        reading_errors.literal_names(list(others.values()), self.name)
        added = [pl.col(other).alias(column) for column, other in others.items()]
        return replace(self.extended(lambda lazy: lazy.with_columns(added)), other_names={**self.other_names, **others})

    def unknown_column(self, column: str) -> InputError:
        """A column that is not there, with the nearest that is."""
        known = list(self.columns())
        if self.layout and len(known) == 1:
            problem = f"there is no column '{column}': split at '{self.layout.separator}', the file has one column"
            problem += "; set `separator`"
            return InputError(problem, source=self.name)
        if isinstance(self.file, TableFolder) and (lacking := self.file.lacking(column)):
            return InputError(f"other files have the column '{column}', and this one has not", source=str(lacking))
        return reading_errors.unknown_column(column, known, self.name)

    def extended(self, build: Callable[[pl.LazyFrame], pl.LazyFrame]) -> Source:
        """The same rows with more columns."""
        return replace(self, prepare=lambda frame: build(self._prepared(frame)))

    def columns(self) -> pl.Schema:
        """Names and types."""
        schema = self._guarded(pl.LazyFrame.collect_schema)
        if self.file and len(schema) > limits.COLUMNS:
            raise too_many_columns(len(schema), self.name)
        return schema

    def check_texts(self, columns: Iterable[str]) -> None:
        """A small packed file may hold one long text a million times; lengths are known without reading it so often."""
        schema = self.columns()
        words = [pl.col(column) for column in dict.fromkeys(columns) if schema[column] == pl.String]
        texts = [column.str.len_bytes().cast(pl.UInt64).sum() for column in words]
        if not texts or not self.file or not self.file.is_packed:
            return
        sums = self._guarded(lambda frame: frame.select(texts).collect(engine="streaming"))
        check_size(self.file.path, max(sums.row(0)), self.file.size, limits.UNPACKED_TABLE)

    def collect(self, build: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """Read what a query needs; of delimited text every field is looked at."""
        whole = self._whole()
        return self._guarded(lambda frame: build(frame).collect(engine="streaming", optimizations=whole))

    def batches(
        self,
        rows: int,
        *,
        skip: int = 0,
        verbatim: bool = False,
        columns: Sequence[str] | None = None,
        kept: pl.Series | None = None,
    ) -> Iterator[pl.DataFrame]:
        """The table piece by piece, in order; only a few pieces are in memory at a time.

        Where `kept` says for each row whether it is wanted, `skip` counts those that are.
        """
        frame = self.frame
        if file := self.file:
            frame = self._explained(lambda: file.verbatim() if verbatim else file.scan(every_row=True))
        frame = self._prepared(frame)
        frame = frame if columns is None else frame.select(reading_errors.literal_names(columns, self.name))
        start = skip if kept is None else _place(kept, skip)
        frame = frame.slice(start) if start else frame
        whole = self._whole()
        batches = self._explained(lambda: frame.collect_batches(chunk_size=rows, optimizations=whole))
        while (batch := self._explained(lambda: next(batches, None))) is not None:
            yield batch if kept is None else batch.filter(kept.slice(start, len(batch)))
            start += len(batch)

    def as_written(self, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns with nothing changed: fields of delimited text are the text they are."""
        wanted = reading_errors.literal_names(columns, self.name)

        def read() -> pl.DataFrame:
            frame = self._prepared(self.file.verbatim() if self.file else self.frame)
            return frame.select(wanted).collect()

        return self._explained(read)

    def fingerprint(self) -> dict[str, Any]:
        """What identifies the source: the file and its hash, or the database and its query."""
        return self.identity.result() if self.identity else {"source": self.name}

    def _prepared(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        return self.prepare(frame) if self.prepare else frame

    def _whole(self) -> pl.QueryOptFlags:
        return pl.QueryOptFlags(projection_pushdown=not (self.file and self.file.is_delimited))

    def _guarded(self, action: Callable[[pl.LazyFrame], T]) -> T:
        def again() -> T:
            try:
                return action(self._prepared(self.frame))
            except pl.exceptions.ComputeError:
                if not (self.file and self.file.format.again):
                    raise
            try:
                return action(self._prepared(self.file.scan(every_row=True)))
            except pl.exceptions.ComputeError:  # a number that is too long for one, such as an id
                if not self.file.format.verbatim:
                    raise
                return action(self._prepared(self.file.verbatim()))

        return self._explained(again)

    def _explained(self, action: Callable[[], T]) -> T:
        """Do it; a failure says where in the file, or that it is not the same file any more."""
        self._check_unchanged()
        try:
            with held_back():
                result = action()
        except reading_errors.UNREADABLE as error:
            self._check_unchanged()
            raise (
                self.file.explain(error) if self.file else reading_errors.explain_failure(error, self.name, None, None)
            ) from error
        self._check_unchanged()
        return result

    def _check_unchanged(self) -> None:
        if self.file:
            self.file.check_unchanged()


def _place(selected: pl.Series, skip: int) -> int:
    """The row behind so many that are kept."""
    places = selected.arg_true()
    return int(places[skip - 1]) + 1 if skip else 0


def same_name(column: str, known: Iterable[str]) -> str | None:
    """The one name that differs in case and blanks alone, if there is one."""
    same = [name for name in known if name.strip().casefold() == column.strip().casefold()]
    return same[0] if len(same) == 1 else None


def open_source(data: TableSource, *, query: str | None = None) -> Source:
    """Open a path, a database URL with a query, a data frame of any library or a dict of arrays; a source is one."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str) and "://" in data:
        return _database(data, query)
    if query is not None:
        raise InputError("a query needs a database: give its URL instead of a file")
    if isinstance(data, (str, Path)):
        return _folder(Path(data)) if is_several(Path(data)) else _file(Path(data))
    return Source(FRAME_NAME, lazy_frame(data))


def _file(path: Path) -> Source:
    if not regular_file(path).stat().st_size:
        raise InputError("the file is empty", source=str(path))
    file = TableFile.from_path(path)
    try:
        file.check()
        file = file.decoded()
        with held_back():
            frame = file.scan()
    except reading_errors.UNREADABLE as error:
        raise file.explain(error) from error
    return Source(str(path), frame, file, _in_background(_identity, path))


def _folder(path: Path) -> Source:
    folder = TableFolder.from_path(path)
    with held_back():
        frame = folder.scan()
    identity = _in_background(lambda path: _folder_identity(path, folder), path)
    return Source(str(path), frame, folder, identity, notes=folder.notes)


def _folder_identity(path: Path, folder: TableFolder) -> dict[str, Any]:
    return {"source": path.name, "sha256": folder.sha256(), "files": len(folder.files)}


def _database(url: str, query: str | None) -> Source:
    name, frame = read_query(url, query)
    return Source(name, frame.lazy(), identity=_completed({"source": name, "query": query or ""}))


def _identity(path: Path) -> dict[str, Any]:
    return {"source": path.name, "sha256": file_hash(path)}


def _in_background(action: Callable[[Path], dict[str, Any]], path: Path) -> Future[dict[str, Any]]:
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(action, path)
    pool.shutdown(wait=False)
    return future


def _completed(identity: dict[str, str]) -> Future[dict[str, str]]:
    future: Future[dict[str, str]] = Future()
    future.set_result(identity)
    return future
