"""What a check of a report finds: errors for facts of the template, warnings for what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PLACEHOLDERS = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|YYYY-MM-DD|Text to detail the \"?Other\"? keyword", re.IGNORECASE)
NO_VALUES = ("", "/", "-", "n/a", "na", "not applicable")


class Severity(StrEnum):
    """How sure it is that something is wrong."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class ReportProblem:
    """One thing that is wrong: where, and what."""

    severity: Severity
    rule: str
    source: str
    row: int | None
    column: str | None
    text: str

    def __str__(self) -> str:
        parts = [f"column '{self.column}'" if self.column else "", f"row {self.row}" if self.row else ""]
        place = ", ".join(part for part in parts if part)
        return ": ".join(part for part in (str(self.severity), self.source, place, self.text) if part)

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {name: getattr(self, name) for name in ("severity", "rule", "source", "row", "column", "text")}


Found = Iterator[tuple[Severity, int | None, str | None, str]]  # severity, row, column, text
ERROR, WARNING = Severity.ERROR, Severity.WARNING
