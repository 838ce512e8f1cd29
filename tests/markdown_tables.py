"""Tables in Markdown, as tests count their cells."""

from __future__ import annotations

import re


def cells(line: str) -> int:
    """How many a row has."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1
