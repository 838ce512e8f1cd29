"""The list of what a report wrote: the next report in the same folder removes that, and nothing of anybody else's."""

from __future__ import annotations

import glob
import hashlib
import json
from pathlib import Path, PurePosixPath

from evenhand.version import __version__

LIST = "files.json"


def list_files(staging: Path) -> None:
    """Write down every file with its hash."""
    files = {path.relative_to(staging).as_posix(): _hash(path) for path in sorted(staging.rglob("*")) if path.is_file()}
    text = json.dumps({"evenhand": __version__, "files": files}, ensure_ascii=False, indent=1)
    (staging / LIST).write_text(text + "\n", encoding="utf-8")


def earlier_files(folder: Path) -> list[str]:
    """Patterns of the files of an earlier report that are as it wrote them: what somebody has changed is theirs."""
    try:
        files = dict(json.loads((folder / LIST).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):  # no list, or not one of ours
        return []
    return [glob.escape(name) for name, known in files.items() if _within(name) and _is(folder / name, known)]


def _within(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is(path: Path, known: str) -> bool:
    try:
        return _hash(path) == known
    except (OSError, ValueError):  # gone, or no name a file could have
        return False


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
