"""Where benchmarks run: a folder for data, the two environments, and how large everything is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
Found = dict[str, Any]
COMPARED = ("values", "shares")


class PeersError(Exception):
    """The environment of the peers is not there."""


class SideError(Exception):
    """A side ended with an error, which it has said itself."""


@dataclass
class Place:
    """Data is made once and a side is run once, however many rows of the table ask for it."""

    folder: Path
    peers: Path
    scale: float = 1.0
    say: Callable[[str], None] = print
    _known: dict[tuple[str, ...], Found] = field(default_factory=dict)

    def rows(self, full: int, *, least: int = 1000) -> int:
        """So many rows at this scale; below the least the data would lack something, such as a member of a group."""
        return max(least, round(full * self.scale))

    def made(self, name: str, maker: str, *sizes: int) -> str:
        """The path of data that a function of `data` makes; made in a process of its own, to keep this one small."""
        path = self.folder / name
        self.ours(f"data:{maker}", str(path), *sizes)
        return str(path)

    def ours(self, called: str, *arguments: Any) -> Found:
        """What a function gives in our environment."""
        return self._side(sys.executable, called, arguments)

    def theirs(self, called: str, *arguments: Any) -> Found:
        """What a function gives in the environment of the peers."""
        if not self.peers.exists():
            raise PeersError(f"{self.peers} is not there: `make bench` sets it up, or name one with --peers")
        return self._side(str(self.peers), called, arguments)

    @property
    def sides(self) -> Found:
        """Every side that was run, with what it gave but for the numbers that were compared."""
        return {
            " ".join((called, *arguments)).replace(f"{self.folder}/", ""): {
                name: value for name, value in (found or {}).items() if name not in COMPARED
            }
            for (_, called, *arguments), found in self._known.items()
        }

    def _side(self, python: str, called: str, arguments: tuple[Any, ...]) -> Found:
        side = (python, called, *map(json.dumps, arguments))
        if side not in self._known:
            self.say(called)
            out = self.folder / "found.json"
            command = [python, "-m", "benchmarks.side", f"benchmarks.{called}", str(out), *side[2:]]
            if subprocess.run(command, cwd=ROOT, stdout=sys.stderr, check=False).returncode:
                raise SideError(f"{called} failed")
            self._known[side] = json.loads(out.read_text())
        return self._known[side]
