"""Runs a step of a run: the command line, inside this process, or a call of the public Python names."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from guard.collect import Plain, Tree, table


def command(arguments: Sequence[str], plain: Plain) -> dict[str, Tree]:
    """The exit code, and what was printed: JSON and CSV looked into, everything else line by line."""
    code, out, err = _called(arguments)
    return {"code": code, "out": _printed(out, arguments, plain), "err": plain.lines(err)}


def _called(arguments: Sequence[str]) -> tuple[int, str, str]:
    from evenhand.cli import main

    out, err, before, code = io.StringIO(), io.StringIO(), sys.argv, 0
    sys.argv = ["evenhand", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def _printed(out: str, arguments: Sequence[str], plain: Plain) -> Tree:
    if "--json" in arguments and out:
        return plain.tree(json.loads(out))
    if "--csv" in arguments and out:
        return table(pl.read_csv(out.encode(), infer_schema_length=None))
    return plain.lines(out)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """In this folder, with a terminal of a known width and no colours."""
    wanted: dict[str, Any] = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    before, where = {name: os.environ.get(name) for name in wanted}, Path.cwd()
    os.environ.update(wanted)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
