"""Workbooks: tried in a process of its own first, since a few kilobytes of one can end the process that reads it."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from evenhand import limits
from evenhand.errors import InputError
from evenhand.evidence import xlsx_trial

PATIENCE = 20  # times the seconds of the processor that a workbook may take, on a machine that is busy
GLANCE = 0.02  # seconds between looks at its memory


def read_xlsx(path: Path) -> pl.LazyFrame:
    """The first sheet."""
    try:
        import fastexcel  # noqa: F401
    except ImportError:
        raise InputError("XLSX support is not installed: pip install 'evenhand[xlsx]'", source=str(path)) from None
    handed_over = _try(path)
    try:
        if handed_over:
            return pl.read_ipc_stream(io.BytesIO(handed_over)).lazy()
        with _unlogged("fastexcel", "calamine"):
            return pl.read_excel(path, engine="calamine", infer_schema_length=None).lazy()
    except Exception as error:  # the reader raises errors of several packages
        raise _unreadable(path, str(error)) from error


@contextmanager
def _unlogged(*names: str) -> Iterator[None]:
    """What the reader logs reaches nobody: neither the error channel nor the log of whoever embeds this."""
    loggers = [logging.getLogger(name) for name in names]
    silence, propagate = logging.NullHandler(), [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(silence)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, before in zip(loggers, propagate, strict=True):
            logger.removeHandler(silence)
            logger.propagate = before


def _try(path: Path) -> bytes:
    """The table of a large workbook, or nothing; `InputError` where it cannot be read within its limits."""
    seconds = limits.XLSX_SECONDS + path.stat().st_size // limits.MIB
    limits_of_trial = {
        "unpacked": limits.XLSX_UNPACKED,
        "cells": limits.XLSX_CELLS,
        "memory": limits.XLSX_MEMORY,
        "small": limits.XLSX_SMALL,
        "seconds": seconds,
    }
    command = [sys.executable, "-P", str(Path(xlsx_trial.__file__)), str(path.absolute()), json.dumps(limits_of_trial)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=complaints)
        with child:
            within = _watch(child, seconds)
        out.seek(0)
        complaints.seek(0)
        if child.returncode == xlsx_trial.REFUSED:
            raise _unreadable(path, complaints.read().decode("utf-8", "replace").strip().splitlines()[-1])
        if child.returncode or not within:
            raise _too_much(path, seconds)
        return out.read()


def _watch(child: subprocess.Popen[bytes], seconds: int) -> bool:
    """Until it has ended, or has to be: whether it kept within its memory and time."""
    until = time.monotonic() + PATIENCE * seconds
    while True:
        try:
            child.wait(GLANCE)
            return True
        except subprocess.TimeoutExpired:
            if time.monotonic() > until or _memory_of(child.pid) > limits.XLSX_MEMORY:
                child.kill()
                return False


def _memory_of(process: int) -> int:
    """The bytes that it uses; 0 on systems that do not say."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def _unreadable(path: Path, reason: str) -> InputError:
    return InputError(f"not a readable XLSX file ({reason})", source=str(path))


def _too_much(path: Path, seconds: int) -> InputError:
    memory = limits.XLSX_MEMORY // limits.MIB
    problem = f"the workbook is damaged, or takes more than {seconds} seconds or {memory:,} MiB of memory to read"
    return InputError(f"{problem}: look for a cell far from the others, or save it as CSV", source=str(path))
