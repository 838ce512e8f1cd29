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
        piece.write_parquet(fresh)
        os.replace(fresh, target)
        self.rows += len(piece)

    def scan(self) -> pl.LazyFrame:
        """All of them as one table."""
        return pl.scan_parquet(self.files, glob=False)


@contextmanager
def pieces_beside(out: Path, job: Mapping[str, Any]) -> Iterator[Pieces]:
    """The pieces of an earlier run of the same job, or none; gone when the work is done, kept when it fails."""
    folder = out.with_name(f".{out.name}.pieces")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("w") as lock:
            _take(lock, out)
            yield _resumed(folder, json.dumps(job, sort_keys=True))
    except OSError as error:
        hint = "; what was scored is kept: run the same command again to go on" if any(folder.glob("0*")) else ""
        raise InputError(f"the output cannot be written: {error.strerror}{hint}", source=str(out)) from None
    finally:
        if folder.is_dir() and not any(folder.glob("*.parquet")):
            shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _take(lock: Any, out: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # let go by the system however the process ends
    except BlockingIOError:
        raise InputError("another run is writing this file", source=str(out)) from None


def _resumed(folder: Path, job: str) -> Pieces:
    known = folder / JOB
    if not known.exists() or known.read_text(encoding="utf-8") != job:  # of another model, file or option
        for path in folder.glob("*.parquet"):
            path.unlink()
        known.write_text(job, encoding="utf-8")
    pieces = Pieces(folder)
    for path in pieces.files:  # in order; after a gap nothing counts
        if int(path.stem) != pieces.rows:
            path.unlink()
            continue
        pieces.rows += pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
    return pieces
