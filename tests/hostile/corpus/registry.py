"""The table of hostile inputs: each a function that writes one into a site and gives what stands on the command line.

Everything is made when a test runs, is small, and does no harm where it succeeds: code writes a canary into the folder
of the test, addresses are those of a listener on this machine or of `.invalid`, and bombs are ended by the sandbox.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hostile.site import Site

Build = Callable[[Site], str]
KINDS: dict[str, str] = {  # what an argument is taken for, and the ending of a file of that kind
    "table": ".csv",
    "sheet": ".csv",
    "database": ".db",
    "query": "",
    "condition": "",
    "declaration": ".toml",
    "terms": ".txt",
    "spellings": ".toml",
    "findings": ".json",
    "plan": ".json",
    "calibrator": ".json",
    "policy": ".json",
    "tokens": ".json",
    "store record": ".json",
    "service": ".toml",
    "model": ".toml",
    "encoder": "",
    "model list": "",
    "corpora": "",
    "output file": "",
    "output folder": "",
}


@dataclass(frozen=True)
class Hostile:
    """One input.

    `refused`: a command that takes it is at fault, however little it does with it. `reads`: it names a file to be read,
    which a description of data may do.
    """

    name: str
    kinds: tuple[str, ...]
    build: Build
    refused: bool = False
    reads: bool = False
    imports: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[int, ...]:
        """How a command may end that was given it."""
        return (2,) if self.refused else (0, 2)


CORPUS: dict[str, Hostile] = {}


def hostile(*kinds: str, **about: Any) -> Callable[[Build], Build]:
    """Put a function into the table, by its name."""

    def add(build: Build) -> Build:
        put(build.__name__, kinds, build, **about)
        return build

    return add


def put(name: str, kinds: tuple[str, ...], build: Build, **about: Any) -> None:
    """Put a function into the table."""
    assert set(kinds) <= set(KINDS), kinds
    assert name not in CORPUS, name
    if kinds:
        CORPUS[name] = Hostile(name, kinds, build, **about)
