"""A paper that can be reproduced, and what its function is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.progress import Progress, silent
from evenhand.reproduce.corpora import Corpora
from evenhand.reproduce.result import Result


@dataclass(frozen=True)
class Workplace:
    """The data at hand, the seed of everything random, and who is told how far the work has come.

    `light` draws less often, for a look rather than a result.
    """

    folder: Path
    seed: int = 0
    light: bool = False
    progress: Progress = silent
    corpora: Corpora = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "corpora", Corpora(self.folder))

    def times(self, often: int, seldom: int) -> int:
        """How often something random is repeated."""
        return seldom if self.light else often


@dataclass(frozen=True)
class Paper:
    """A row of the table of papers."""

    name: str
    title: str
    citation: str
    shows: tuple[str, ...]  # its tables and figures that can be made
    needs: tuple[str, ...]  # corpora it can use
    run: Callable[[Workplace], Result]
    any_of: tuple[str, ...] = ()  # without one of these there is nothing to do
    takes: str = ""  # what it takes that is no corpus
