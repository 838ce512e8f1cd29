"""The version of a model: a hash of the files it is read from and of the options that can change its scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import file_hash

SHOWN_DIGITS = 16  # of the digest that are shown: enough to tell models apart, short enough to read


def fingerprint_files(files: Iterable[Path], options: Mapping[str, object]) -> str:
    """Changes with the name or the content of any file, and with any option that could change an answer."""
    whole = hashlib.sha256(_canonical(options))
    for path in sorted(files, key=lambda path: path.name):
        whole.update(path.name.encode() + b"\0" + bytes.fromhex(hash_file(path)))
    return whole.hexdigest()[:SHOWN_DIGITS]


def fingerprint_options(options: Mapping[str, object]) -> str:
    """Of a model that is nothing but its description."""
    return hashlib.sha256(_canonical(options)).hexdigest()[:SHOWN_DIGITS]


def hash_file(path: Path) -> str:
    """The whole SHA-256 of one file."""
    try:
        return file_hash(path)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None


def _canonical(options: Mapping[str, object]) -> bytes:
    return json.dumps(options, sort_keys=True, ensure_ascii=True, default=_plain).encode()


def _plain(value: object) -> object:
    """What JSON has no word for and descriptions hold: read-only tables, and dates as TOML gives them."""
    return dict(value) if isinstance(value, Mapping) else str(value)
