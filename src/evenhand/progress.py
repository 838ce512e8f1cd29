"""The callback by which long work reports how far it has come. A module of its own because every layer needs it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, of how much (0: unknown)


def silent(what: str, done: int, of: int) -> None:
    """Progress that nobody looks at."""
