"""Where a table comes from: a file, a database query or a frame in memory. All become one lazy Polars frame."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import faults
from evenhand.evidence.formats import File

T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """A named table. `name` is what error messages call it; `identity` goes into the provenance."""

    name: str
    frame: pl.LazyFrame
    file: File | None = None
    identity: Future[dict[str, str]] | None = None

    def columns(self) -> pl.Schema:
        """Names and types."""
        return self._guarded(pl.LazyFrame.collect_schema)

    def collect(self, build: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """Read what a query needs; of delimited text every field is looked at."""
        whole = self._whole()
        return self._guarded(lambda frame: build(frame).collect(engine="streaming", optimizations=whole))

    def batches(
        self, rows: int, *, skip: int = 0, verbatim: bool = False, columns: Sequence[str] | None = None
    ) -> Iterator[pl.DataFrame]:
        """The table piece by piece, in order; only a few pieces are in memory at a time."""
        frame = self.frame
        if self.file:
            frame = self.file.verbatim() if verbatim else self.file.scan(every_row=True)
        frame = frame if columns is None else frame.select(faults.no_patterns(columns, self.name))
        frame = frame.slice(skip) if skip else frame
        whole = self._whole()
        found = self._explained(lambda: frame.collect_batches(chunk_size=rows, optimizations=whole))
        while (batch := self._explained(lambda: next(found, None))) is not None:
            yield batch

    def as_written(self, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns with nothing changed: fields of delimited text are the text they are."""
        wanted = faults.no_patterns(columns, self.name)

        def read() -> pl.DataFrame:
            frame = self.file.verbatim() if self.file else self.frame
            return frame.select(wanted).collect()

        return self._explained(read)

    def fingerprint(self) -> dict[str, str]:
        """What identifies the source: the file and its hash, or the database and its query."""
        return self.identity.result() if self.identity else {"source": self.name}

    def _whole(self) -> pl.QueryOptFlags:
        return pl.QueryOptFlags(projection_pushdown=not (self.file and self.file.is_delimited))

    def _guarded(self, action: Callable[[pl.LazyFrame], T]) -> T:
        def again() -> T:
            try:
                return action(self.frame)
            except pl.exceptions.ComputeError:
                if not (self.file and self.file.format.again):
                    raise
            try:
                return action(self.file.scan(every_row=True))
            except pl.exceptions.ComputeError:  # a number that is too long for one, such as an id
                if not self.file.format.verbatim:
                    raise
                return action(self.file.verbatim())

        return self._explained(again)

    def _explained(self, action: Callable[[], T]) -> T:
        """Do it; a failure says where in the file."""
        try:
            return action()
        except faults.UNREADABLE as error:
            raise (self.file.explain(error) if self.file else faults.explain(error, self.name, None, None)) from error


def open_source(data: Any, *, query: str | None = None) -> Source:
    """Open a path, a database URL with a query, or any frame that Narwhals understands."""
    if isinstance(data, str) and "://" in data:
        return _database(data, query)
    if query is not None:
        raise InputError("a query needs a database: give its URL instead of a file")
    if isinstance(data, (str, Path)):
        return _file(Path(data))
    return Source("the frame", _lazy(data))


def _file(path: Path) -> Source:
    if not path.exists():
        raise InputError("there is no such file", source=str(path))
    if path.is_dir():
        raise InputError("this is a folder, not a file", source=str(path))
    if not path.stat().st_size:
        raise InputError("the file is empty", source=str(path))
    file = File.of(path)
    try:
        frame = file.scan()
    except faults.UNREADABLE as error:
        raise file.explain(error) from error
    return Source(str(path), frame, file, _in_background(_hash, path))


def _database(url: str, query: str | None) -> Source:
    import sqlalchemy

    try:
        address = sqlalchemy.make_url(url)
    except sqlalchemy.exc.ArgumentError:
        raise InputError(f"'{url.split('://')[0]}://…' is not a database URL") from None
    name = address.set(query={}).render_as_string(hide_password=True)  # drivers take passwords after the ? too
    if query is None:
        raise InputError("a database needs a query: give it with --query", source=name)
    if address.get_backend_name() == "sqlite" and address.database and not Path(address.database).exists():
        raise InputError("there is no such database file", source=name)
    try:
        engine = sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool)
        with engine.connect() as connection:
            frame = pl.read_database(query, connection=connection, infer_schema_length=None)
    except AttributeError:  # Polars on a statement without a result; nothing was committed
        raise InputError("the query gives no rows: it must be a SELECT", source=name) from None
    except ImportError as error:
        postgres = address.get_backend_name() == "postgresql"
        hint = "pip install 'evenhand[postgres]'" if postgres else "install its driver"
        raise InputError(f"this database needs an extra ({error}): {hint}", source=name) from None
    except (sqlalchemy.exc.SQLAlchemyError, pl.exceptions.PolarsError) as error:
        reason = str(getattr(error, "orig", None) or error)
        raise InputError(f"the query failed: {reason}", source=name) from None
    return Source(name, frame.lazy(), identity=_done({"source": name, "query": query}))


def _lazy(data: Any) -> pl.LazyFrame:
    """Eager frames become Polars through Arrow at the door; lazy ones (DuckDB) hand over only what is asked for."""
    if isinstance(data, pl.LazyFrame):
        return data
    if isinstance(data, pl.DataFrame):
        return data.lazy()
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(data)
    except TypeError:
        kind = type(data).__name__
        raise InputError(f"a {kind} is not a table: give a path, a database URL or a data frame") from None
    if isinstance(frame, nw.LazyFrame):
        return _columns_on_demand(frame)
    eager: pl.DataFrame = frame.to_polars()
    return eager.lazy()


def _columns_on_demand(frame: Any) -> pl.LazyFrame:
    """A lazy frame of another engine, of which only the columns that are asked for are ever fetched."""
    from polars.io.plugins import register_io_source

    def fetch(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, _batch: int | None
    ) -> Iterator[pl.DataFrame]:
        wanted = frame.select(*columns) if columns else frame
        found: pl.DataFrame = (wanted if rows is None else wanted.head(rows)).collect("polars").to_polars()
        yield found if predicate is None else found.filter(predicate)

    return register_io_source(fetch, schema=frame.head(0).collect("polars").to_polars().schema)


def _hash(path: Path) -> dict[str, str]:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return {"source": path.name, "sha256": digest.hexdigest()}


def _in_background(action: Callable[[Path], dict[str, str]], path: Path) -> Future[dict[str, str]]:
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(action, path)
    pool.shutdown(wait=False)
    return future


def _done(identity: dict[str, str]) -> Future[dict[str, str]]:
    future: Future[dict[str, str]] = Future()
    future.set_result(identity)
    return future
