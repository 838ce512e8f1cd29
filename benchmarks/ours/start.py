"""The command, from its start to the end of its help."""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.clock import started


def helped() -> dict[str, Any]:
    return started([sys.executable, "-m", "evenhand", "--help"], 11)
