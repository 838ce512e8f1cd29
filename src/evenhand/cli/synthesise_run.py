"""The files of made-up data, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from evenhand.errors import InputError
from evenhand.files import writing
from evenhand.synthetic.community import Community
from evenhand.synthetic.community.guide import COLUMNS, guide

WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".parquet": lambda table, path: table.write_parquet(path),
    ".csv": lambda table, path: table.write_csv(path),
    ".jsonl": lambda table, path: table.write_ndjson(path),
}


def check_file(path: Path) -> None:
    """Refuse a name that cannot be written before the work."""
    if path.suffix.lower() not in WRITERS:
        raise InputError(f"the file must end in {', '.join(WRITERS)}", source=str(path))
    if path.is_dir():
        raise InputError("this is a folder, and a file is to be written", source=str(path))
    with writing(path.parent):
        pass


def write_table(table: pl.DataFrame, path: Path) -> None:
    """One file, in the format its name ends with."""
    with writing(path.parent) as staging:
        WRITERS[path.suffix.lower()](table, staging / path.name)


def write_community(made: Community, folder: Path) -> None:
    """The tables, the truth, and a page that says what each column is."""
    with writing(folder) as staging:
        for name in COLUMNS:
            getattr(made, name).write_parquet(staging / f"{name}.parquet")
        (staging / "truth.json").write_text(json.dumps(made.truth, indent=2) + "\n", encoding="utf-8")
        (staging / "README.md").write_text(guide(made.truth), encoding="utf-8")
