"""Tables as files: the format follows from the ending, and a file is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

from evenhand.errors import InputError
from evenhand.files import remove_empty

SINKS: dict[str, Callable[[pl.LazyFrame, Path], object]] = {
    ".parquet": lambda frame, path: frame.sink_parquet(path),
    ".csv": lambda frame, path: frame.sink_csv(path),
    ".tsv": lambda frame, path: frame.sink_csv(path, separator="\t"),
    ".jsonl": lambda frame, path: frame.sink_ndjson(path),
    ".arrow": lambda frame, path: frame.sink_ipc(path),
}


def check_file(out: Path, columns: pl.Schema | None = None) -> None:
    """Refuse what cannot be written before the work rather than after it; leave nothing behind."""
    if out.suffix.lower() not in SINKS:
        raise InputError(f"the output must end in one of {', '.join(SINKS)}", source=str(out))
    if out.is_dir():
        raise InputError("this is a folder, and a file is to be written", source=str(out))
    made = [folder for folder in out.parents if not folder.exists()]  # innermost first
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".evenhand-", dir=out.parent) as trial:  # not the name of another run
            write_table(pl.DataFrame(schema=columns).lazy(), Path(trial) / out.name)
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", source=str(out)) from None
    except InputError as error:
        raise InputError(error.problem, source=str(out)) from None
    finally:
        remove_empty(made)


def write_table(frame: pl.LazyFrame, out: Path) -> None:
    """One file; larger than memory if need be."""
    fresh = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        SINKS[out.suffix.lower()](frame, fresh)
        os.replace(fresh, out)
    except pl.exceptions.PolarsError as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(f"this table cannot be written as {out.suffix}: {first}", source=str(out)) from None
    except OSError as error:
        raise InputError(f"the file could not be written: {error.strerror or error}", source=str(out)) from None
    finally:
        fresh.unlink(missing_ok=True)
