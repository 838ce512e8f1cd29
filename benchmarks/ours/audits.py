"""What one command does after its imports: one audit or several, every number with its interval."""

from __future__ import annotations

from typing import Any

import evenhand as eh
import evenhand.reports
from benchmarks.clock import timed
from benchmarks.data import GROUPS
from evenhand.evidence.source import Source


def run(path: str, names: list[str], groups: int = GROUPS, repeats: int = 3) -> dict[str, Any]:
    """The first of several runs also loads what is imported when it is needed, so that the median does not."""
    reads, collect = [], Source.collect

    def counted(self, build):  # type: ignore[no-untyped-def]
        reads.append(self.name)
        return collect(self, build)

    Source.collect = counted  # type: ignore[method-assign]
    named = [f"g{number}" for number in range(groups)]
    found, _ = timed(lambda: eh.audit(path, audits=names, score="p", label="toxic", groups=named), repeats)
    return found | {"reads": len(reads) / repeats}
