"""Commands from their start to their end: imports, reading, numbers, files."""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.clock import started
from benchmarks.data import few_groups

EVENHAND = [sys.executable, "-m", "evenhand"]


def helped(*command: str) -> dict[str, Any]:
    return started([*EVENHAND, *command, "--help"], 11)


def audited(path: str, audits: str, *output: str) -> dict[str, Any]:
    """A file with few groups."""
    columns = ["--score", "p", "--label", "toxic", "--groups", ",".join(few_groups())]
    return started([*EVENHAND, "audit", path, "--audits", audits, *columns, *output], 5)
