"""Tokens: who may ask for what. A file holds their hashes, never the tokens themselves.

A token is 256 random bits, so nobody can guess one from its hash, and a fast keyed hash (BLAKE2b) is enough; the key is
random for each file, so that hashes of two files cannot be held against one another.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evenhand.documents import parse_json
from evenhand.errors import InputError, nearest
from evenhand.files import read_text, write_text
from evenhand.inputs import unrecorded

FORMAT = 1
FILE_VARIABLE = "EVENHAND_SERVE_TOKEN_FILE"
TOKEN_PREFIX = "evh_"
TOKEN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SCOPES = {
    "score": "score texts",
    "models": "list the models and read their cards",
    "metrics": "read the metrics of the service",
    "items": "send items, notices and appeals to the desk",
    "decisions": "read what the desk decided",
    "desk": "whatever else the person of the token's name may do at the desk",
}
OTHERS_MAY = 0o027  # others read or write, or the group writes


@dataclass(frozen=True)
class TokenRecord:
    """What is kept of a token."""

    name: str
    scopes: tuple[str, ...]
    hash: str
    created: str


@dataclass(frozen=True)
class TokenFile:
    """The tokens of a service, as its file holds them."""

    key: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    records: tuple[TokenRecord, ...] = ()

    def issue(self, name: str, scopes: Sequence[str]) -> tuple[TokenFile, str]:
        """With a new token, and the token itself, which is known only now."""
        if not TOKEN_NAME.fullmatch(name):
            raise InputError(f"'{name}' is not a name for a token: letters, digits, '.', '_' and '-' only")
        if any(record.name == name for record in self.records):
            raise InputError(f"a token named '{name}' already exists: revoke it first, or choose another name")
        for scope in scopes:
            if scope not in SCOPES:
                raise InputError(f"`scopes`: there is no scope '{scope}'; {nearest(scope, SCOPES)}")
        if not scopes:
            raise InputError(f"`scopes`: a token needs at least one of {', '.join(SCOPES)}")
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        record = TokenRecord(name, tuple(dict.fromkeys(scopes)), self._hash(token), created)
        return TokenFile(self.key, (*self.records, record)), token

    def revoke(self, name: str) -> TokenFile:
        """Without the token of this name."""
        if all(record.name != name for record in self.records):
            names = (record.name for record in self.records)
            raise InputError(f"there is no token '{name}'; {nearest(name, names)}")
        return TokenFile(self.key, tuple(record for record in self.records if record.name != name))

    def find(self, token: str) -> TokenRecord | None:
        """The record of a token; how long this takes says nothing about any hash."""
        hashed, match = self._hash(token), None
        for record in self.records:
            if hmac.compare_digest(record.hash, hashed):
                match = record
        return match

    def _hash(self, token: str) -> str:
        known = token.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(known, key=bytes.fromhex(self.key), digest_size=32).hexdigest()


def token_file(named: Path | None = None) -> Path:
    """Where tokens are kept: the file that is named, by option or variable, or the usual one."""
    if chosen := named or os.environ.get(FILE_VARIABLE):
        return Path(chosen)
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "evenhand" / "tokens.json"


def read_tokens(path: Path) -> TokenFile:
    """The tokens in a file; none where there is no file. One that others may alter is refused."""
    if not path.exists():
        return TokenFile()
    try:
        if os.name == "posix" and path.stat().st_mode & OTHERS_MAY:
            raise InputError("other users can read or change this file: run chmod 600 on it")
        return _parse(read_text(path, "token file"))
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=str(path)) from None
    except InputError as error:
        raise error.within(str(path)) from None


def write_tokens(tokens: TokenFile, path: Path) -> None:
    """Write the file, whole or not at all, for its owner alone."""
    content = {"format": FORMAT, "key": tokens.key, "tokens": [asdict(record) for record in tokens.records]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", source=str(path)) from None
    with unrecorded():  # it was read in order to be kept up to date
        write_text(path.resolve(), json.dumps(content, indent=1) + "\n", private=True)


def _parse(text: str) -> TokenFile:
    try:
        content = parse_json(text)
        if content["format"] != FORMAT or len(bytes.fromhex(content["key"])) != 32:
            raise ValueError
        return TokenFile(content["key"], tuple(_records(content["tokens"])))
    except (ValueError, TypeError, KeyError):
        raise InputError("not a token file") from None


def _records(rows: Iterable[dict[str, Any]]) -> Iterable[TokenRecord]:
    for row in rows:
        name, scopes, hashed, created = (row[key] for key in ("name", "scopes", "hash", "created"))
        if not all(isinstance(word, str) for word in (name, hashed, created, *scopes)):
            raise ValueError
        yield TokenRecord(name, tuple(scopes), hashed, created)
