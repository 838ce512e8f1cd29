"""The finished pieces of a long run: kept beside the result until it is whole, so that a run can be taken up again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError
from evenhand.files import remove_empty

JOB = "job.json"
LOCK = "lock"


@dataclass
class Pieces:
    """Rows that are done, in files of one batch each."""

    folder: Path
    rows: int = 0

    @property
    def files(self) -> list[Path]:
        """Those that are finished, in order."""
        return sorted(self.folder.glob("*.parquet"))

    def add(self, piece: pl.DataFrame) -> None:
        """Keep one more, whole or not at all."""
        target = self.folder / f"{self.rows:012d}.parquet"
        fresh = target.with_suffix(".new")
        try:
            piece.write_parquet(fresh)
            os.replace(fresh, target)
        except (OSError, pl.exceptions.PolarsError) as error:  # the second is how a full disk can show
            raise InputError(f"what was scored could not be kept, the disk may be full: {_reason(error)}") from None
        finally:
            fresh.unlink(missing_ok=True)
        self.rows += len(piece)

    def scan(self) -> pl.LazyFrame:
        """All of them as one table."""
        return pl.scan_parquet(self.files, glob=False)


@contextmanager
def pieces_beside(out: Path, job: Mapping[str, Any] | None) -> Iterator[Pieces]:
    """The pieces of an earlier run of the same job, or none; gone when the work is done, kept when it fails.

    Without a `job` by which it could be known again nothing is kept.
    """
    folder = out.with_name(f".{out.name}.pieces")
    made = [parent for parent in folder.parents if not parent.exists()]  # innermost first
    pieces = Pieces(folder)
    try:
        with _locked(folder, out):
            try:
                _resume(pieces, job)
                yield pieces
                job = None
            finally:
                if job is None or not pieces.rows:
                    shutil.rmtree(folder, ignore_errors=True)
    except (OSError, InputError) as error:
        raise _explained(error, out, kept=job is not None and pieces.rows > 0) from None
    finally:
        remove_empty(made)


def _explained(error: OSError | InputError, out: Path, *, kept: bool) -> InputError:
    """Why the run broke off, and whether to run it again: not where the data is at fault, which names its source."""
    found = error if isinstance(error, InputError) else InputError(f"the run broke off: {_reason(error)}")
    if not kept or found.source not in (None, str(out)):
        return found.within(str(out))
    return InputError(f"{found.problem}; what is scored so far is kept, run it again to go on", source=str(out))


def _reason(error: Exception) -> str:
    said = str(getattr(error, "strerror", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__


@contextmanager
def _locked(folder: Path, out: Path) -> Iterator[None]:
    """Nobody else writes here meanwhile; what belongs to another run is left alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise InputError(f"the output cannot be written: {_reason(error)}", source=str(out)) from None
    with lock:
        _take(lock, out)
        yield


def _take(lock: Any, out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # let go by the system however the process ends
    except BlockingIOError:
        raise InputError("another run is writing this file", source=str(out)) from None


def _resume(pieces: Pieces, job: Mapping[str, Any] | None) -> None:
    """Count what there is of the same job; after a piece that is missing or damaged nothing counts."""
    known, told = pieces.folder / JOB, json.dumps(job, sort_keys=True).encode()
    if job is None or not known.exists() or known.read_bytes() != told:  # of another model, file or option
        for path in pieces.files:
            path.unlink()
        known.write_bytes(told)
    for path in pieces.files:
        rows = _rows(path) if path.stem == f"{pieces.rows:012d}" else 0
        pieces.rows += rows
        if not rows:
            path.unlink()


def _rows(path: Path) -> int:
    """How many rows a piece has: none if any of it cannot be read."""
    try:
        return len(pl.read_parquet(path, glob=False))
    except (OSError, pl.exceptions.PolarsError):
        return 0
