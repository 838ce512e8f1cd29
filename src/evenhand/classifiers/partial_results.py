"""The finished parts of a long scoring run, kept beside the output until it is complete, to resume from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl

from evenhand.classifiers.protocol import RESUME_HINT
from evenhand.errors import InputError
from evenhand.files import failure_reason, fresh_file, open_own_file, read_own_file, remove_empty, write_text
from evenhand.staging import remove_abandoned

JOB_FILE = "job.json"
LOCK_FILE = "lock"
PIECE = re.compile(r"\d{12}\.parquet")


@dataclass
class PartialResults:
    """Rows that are done, in files of one batch each."""

    folder: Path
    rows: int = 0

    @property
    def files(self) -> list[Path]:
        """Those that are finished, in order."""
        return sorted(path for path in self.folder.iterdir() if PIECE.fullmatch(path.name))

    def add(self, piece: pl.DataFrame) -> None:
        """Keep one more, whole or not at all."""
        target = self.folder / f"{self.rows:012d}.parquet"
        try:
            with fresh_file(target) as fresh:
                piece.write_parquet(fresh)
        except (OSError, pl.exceptions.PolarsError) as error:  # the second is how a full disk can show
            reason = failure_reason(error)
            raise InputError(f"the scores could not be stored, the disk may be full: {reason}") from None
        self.rows += len(piece)

    def remove(self) -> None:
        """All of them, and what tells their job; the folder, unless somebody has put something else there."""
        remove_abandoned(self.folder)
        with suppress(OSError):  # what is left does no harm
            for path in (*self.files, self.folder / JOB_FILE, self.folder / LOCK_FILE):
                path.unlink(missing_ok=True)
            remove_empty([self.folder])

    def scan(self) -> pl.LazyFrame:
        """All of them as one table."""
        return pl.scan_parquet(self.files, glob=False)


@contextmanager
def partial_results_beside(out: Path, job: Mapping[str, object] | None) -> Iterator[PartialResults]:
    """The pieces of an earlier run of the same job, or none; gone when the work is done, kept when it fails.

    Without a `job` by which it could be known again nothing is kept.
    """
    folder = out.with_name(f".{out.name}.pieces")
    made = [parent for parent in folder.parents if not parent.exists()]  # innermost first
    pieces = PartialResults(folder)
    try:
        with _locked(folder, out):
            try:
                _resume(pieces, job)
                yield pieces
                job = None
            finally:
                if job is None or not pieces.rows:
                    pieces.remove()
    except (OSError, InputError) as error:
        raise _explained(error, out, resumable=job is not None and pieces.rows > 0) from None
    finally:
        remove_empty(made)


def _explained(error: OSError | InputError, out: Path, *, resumable: bool) -> InputError:
    """Why the run stopped, and whether to run it again: not where the data is at fault, which names its source."""
    failure = error if isinstance(error, InputError) else InputError(f"the run stopped: {failure_reason(error)}")
    if not resumable or failure.source not in (None, str(out)):
        return failure.within(str(out))
    return InputError(f"{failure.problem}; {RESUME_HINT}", source=str(out))


@contextmanager
def _locked(folder: Path, out: Path) -> Iterator[None]:
    """Nobody else writes here meanwhile; what belongs to another run is left alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.is_symlink():
            raise InputError("the scores so far are kept here, and this is a link: remove it", source=str(folder))
        lock = open_own_file(folder / LOCK_FILE)
    except OSError as error:
        raise InputError(f"the output cannot be written: {failure_reason(error)}", source=str(out)) from None
    with lock:
        _take_lock(lock, out)
        yield


def _take_lock(lock: IO[bytes], out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # let go by the system however the process ends
    except BlockingIOError:
        raise InputError("another run is writing this file", source=str(out)) from None


def _resume(pieces: PartialResults, job: Mapping[str, object] | None) -> None:
    """Count what there is of the same job; after a piece that is missing or damaged nothing counts."""
    job_file, description = pieces.folder / JOB_FILE, json.dumps(job, sort_keys=True)
    if job is None or read_own_file(job_file) != description.encode():  # of another model, file or option
        for path in pieces.files:
            path.unlink()
        write_text(job_file, description)
    for path in pieces.files:
        rows = _row_count(path) if path.stem == f"{pieces.rows:012d}" else 0
        pieces.rows += rows
        if not rows:
            path.unlink()


def _row_count(path: Path) -> int:
    """How many rows a piece has: none if any of it cannot be read."""
    try:
        return len(pl.read_parquet(path, glob=False))
    except (OSError, pl.exceptions.PolarsError):
        return 0
