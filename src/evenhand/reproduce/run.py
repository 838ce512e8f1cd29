"""Reproducing a paper: find the data, run its function, say what was made with what."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evenhand.audits.provenance import versions
from evenhand.progress import Progress, silent
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.papers import find
from evenhand.reproduce.result import Result
from evenhand.reproduce.writing import as_json, save


@dataclass(frozen=True)
class Reproduced:
    """A result with what it was made of; `save` writes it to a folder."""

    result: Result
    about: dict[str, Any]

    def json(self) -> str:
        """As the command line prints it."""
        return as_json(self.result, self.about)

    def save(self, folder: str | Path, *, progress: Progress = silent) -> Path:
        """The page, Markdown, JSON and figures."""
        save(self.result, self.about, Path(folder), progress=progress)
        return Path(folder)


def reproduce(
    paper: str, data: str | Path, *, seed: int = 0, light: bool = False, progress: Progress = silent
) -> Reproduced:
    """Reproduce a paper with the data in a folder, as far as it goes."""
    found, started = find(paper), time.perf_counter()
    place = Workplace(Path(data), seed=seed, light=light, progress=progress)
    if found.any_of:
        place.corpora.require(*found.any_of)
    result = found.run(place)
    result = replace(result, sources=(*result.sources, *place.corpora.sources))
    chosen = (f" --seed {seed}" if seed else "") + (" --light" if light else "")
    about = {
        "paper": found.name,
        "title": found.title,
        "citation": found.citation,
        "command": f"evenhand reproduce {found.name} --data DATA{chosen}",
        "seconds": round(time.perf_counter() - started, 1),
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": versions(),
    }
    return Reproduced(result, about)
