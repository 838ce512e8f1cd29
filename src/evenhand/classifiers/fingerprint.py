"""What makes two models the same model: the bytes they are read from and the options they are read with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

DIGITS = 16  # of the digest that are shown: enough to tell models apart, short enough to read
BLOCK = 1 << 20


def of_files(files: Iterable[Path], options: Mapping[str, Any]) -> str:
    """Changes with the name or the content of any file, and with any option that could change an answer."""
    whole = hashlib.sha256(_canonical(options))
    for path in sorted(files, key=lambda path: path.name):
        whole.update(path.name.encode() + b"\0" + bytes.fromhex(of_file(path)))
    return whole.hexdigest()[:DIGITS]


def of_options(options: Mapping[str, Any]) -> str:
    """Of a model that is nothing but its description."""
    return hashlib.sha256(_canonical(options)).hexdigest()[:DIGITS]


def of_file(path: Path) -> str:
    """The whole SHA-256 of one file."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None
    return digest.hexdigest()


def _canonical(options: Mapping[str, Any]) -> bytes:
    return json.dumps(options, sort_keys=True, ensure_ascii=True, default=_plain).encode()


def _plain(value: Any) -> Any:
    """What JSON has no word for and descriptions hold: read-only tables, and dates as TOML gives them."""
    return dict(value) if isinstance(value, Mapping) else str(value)
