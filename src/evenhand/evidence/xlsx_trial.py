"""Reads a workbook in a process of its own, whose memory and time are limited: `python xlsx_trial.py FILE LIMITS`.

A sheet with one cell in its last corner is a few kilobytes long and has 17 billion cells, and the reader ends the
process when it cannot have them. This file is run as a script, knows nothing of Evenhand and imports little, since it
starts once for each workbook. A small workbook is read and thrown away: if that went well, the caller reads it too. A
large one is handed over as an Arrow stream. Exit code 3 goes with one line that says what is wrong.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import IO

REFUSED = 3
RESERVED = 6
SHEETS = "xl/worksheets/"
DIMENSION = re.compile(rb'<(?:\w+:)?dimension [^>]*?ref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"')
LOOKED_AT = 4096  # bytes of a sheet that its dimension stands in


def run(path: str, limits: dict[str, int], out: IO[bytes]) -> None:
    """Read it; `ValueError` says what is wrong."""
    check_directory(path, limits)
    if Path(path).stat().st_size > limits["small"]:
        import polars as pl

        limit_memory(limits["memory"])
        pl.read_excel(path, engine="calamine", infer_schema_length=None).write_ipc_stream(out)
        return
    import fastexcel

    limit_memory(limits["memory"])
    workbook = fastexcel.read_excel(path)
    sheet = workbook.load_sheet(0, schema_sample_rows=None)
    sheet.__arrow_c_array__()


def check_directory(path: str, limits: dict[str, int]) -> None:
    """What the archive says about itself."""
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        if unpacked > limits["unpacked"]:
            raise ValueError(f"it unpacks to {unpacked:,} bytes, and at most {limits['unpacked']:,} are read")
        for part in parts:
            if part.filename.startswith(SHEETS) and part.filename.endswith(".xml"):
                with archive.open(part) as sheet:
                    cells = declared_cells(sheet.read(LOOKED_AT))
                if cells > limits["cells"]:
                    raise ValueError(f"a sheet says it has {cells:,} cells, and at most {limits['cells']:,} are read")


def declared_cells(head: bytes) -> int:
    """From one corner to the other; 0 where a sheet does not say."""
    if not (dimension := DIMENSION.search(head)):
        return 0
    left, top, right, bottom = dimension.groups()
    return (column_number(right) - column_number(left) + 1) * (int(bottom) - int(top) + 1)


def column_number(letters: bytes) -> int:
    """A is 1, Z is 26, AA is 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def limit_memory(room: int) -> None:
    """What may be asked for at once, where the system has such a limit; what is really used the caller looks at.

    Allocators reserve addresses far ahead of what they use, so the limit is some times larger.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + RESERVED * room,) * 2)
    except (ImportError, OSError, ValueError):
        pass


def limit_time(seconds: int) -> None:
    """Of the processor, so that a busy machine is no reason to fail."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


if __name__ == "__main__":
    asked = json.loads(sys.argv[2])
    limit_time(asked["seconds"])
    try:
        run(sys.argv[1], asked, sys.stdout.buffer)
    except BaseException as error:  # the reader raises errors of several packages, and panics
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        sys.exit(REFUSED)
