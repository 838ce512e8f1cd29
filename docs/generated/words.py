"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; nothing where there are no rows."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines, ""]) if lines else ""


def cell(text: str) -> str:
    """A text that can stand in one cell."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()
