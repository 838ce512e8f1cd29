"""Models of the Hugging Face Hub: fetched at a revision, and the same again at every later fetch.

A name on the hub is whatever its owner puts there next. What is fetched first is written down in a lock file in the
cache (its revision, and the SHA-256 of every file); a later fetch asks for that revision and must give the same files.
NAME@REVISION asks for a revision from the start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from evenhand import limits
from evenhand.classifiers import fingerprint
from evenhand.classifiers.bounded_files import parse_json, read_bounded
from evenhand.errors import InputError
from evenhand.files import write_text

LOCK_FILE = "evenhand-models.lock.json"


def fetch_model(hub: ModuleType, name: str, patterns: Sequence[str]) -> Path:
    """The directory of a model, fetched with the library of the hub; only files that match the patterns."""
    lock_file = Path(hub.constants.HF_HUB_CACHE) / LOCK_FILE
    lock = _read_lock(lock_file)
    known = lock.get(name, {})
    wanted, _, revision = name.partition("@")
    try:
        snapshot = Path(
            hub.snapshot_download(
                wanted, revision=known.get("revision") or revision or None, allow_patterns=list(patterns)
            )
        )
    except Exception as error:  # no network, no such model, no permission: the hub has a class for each
        reason = str(error).strip().split("\n")[0][:200]
        raise InputError(f"the model cannot be fetched from the hub: {reason}", source=name) from error
    files = {file.name: fingerprint.hash_file(file) for part in patterns for file in snapshot.glob(part)}
    if known and files != known.get("files"):
        problem = f"the files are not those that were fetched before (see {lock_file})"
        raise InputError(problem, source=name, remedy="take the model out of the lock file if you know why")
    if not known:
        _write_lock(lock_file, {**lock, name: {"revision": snapshot.name, "files": dict(sorted(files.items()))}})
    return snapshot


def _read_lock(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    try:
        content = parse_json(read_bounded(path, limits.HUB_LIST_BYTES))
        return {name: entry for name, entry in content.items() if isinstance(entry, dict)}
    except (ValueError, AttributeError, OSError):
        raise InputError("this lock file cannot be read: remove it to start again", source=str(path)) from None


def _write_lock(path: Path, lock: dict[str, object]) -> None:
    try:
        os.makedirs(path.parent, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be written: {error.strerror}", source=str(path.parent)) from None
    write_text(path, json.dumps(lock, indent=1, sort_keys=True) + "\n")
