"""The keys of a store, in a file outside its database: what signs the head of the chain, and what draws items.

Whoever can write the database can rewrite its history, but cannot sign a head without this file. The draw key decides
which items are measured; with it a submitter could foresee that. Losing the file loses no data: heads that were
exported still verify with the public key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.files import read_text, write_text

KIND = "evenhand-store-key-1"
FILE_VARIABLE = "EVENHAND_STORE_KEY"
WORD = 1 << 53  # every whole number below it is a float


@dataclass(frozen=True)
class StoreKeys:
    """The secrets of one store."""

    signing: bytes
    drawing: bytes

    @classmethod
    def generate(cls) -> StoreKeys:
        """New ones."""
        return cls(secrets.token_bytes(32), secrets.token_bytes(32))

    @property
    def public(self) -> str:
        """What verifies the signatures, as hexadecimal digits."""
        return Ed25519PrivateKey.from_private_bytes(self.signing).public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """The signature, as hexadecimal digits."""
        return Ed25519PrivateKey.from_private_bytes(self.signing).sign(message).hex()

    def uniform(self, purpose: str, name: str) -> float:
        """A number in [0, 1) that only the key can foresee, always the same for a purpose and a name."""
        digest = hmac.digest(self.drawing, f"{purpose}\x1f{name}".encode(), hashlib.sha256)
        return (int.from_bytes(digest[:8], "big") >> 11) / WORD

    def opaque(self, purpose: str, name: str) -> str:
        """A name that tells nothing about what it stands for, always the same for a purpose and a name."""
        return hmac.digest(self.drawing, f"{purpose}\x1f{name}".encode(), hashlib.sha256).hex()[:32]

    def fingerprint(self, request: str) -> str:
        """What recognises a request, and tells nobody without the key which texts were in it."""
        return hmac.digest(self.drawing, f"request\x1f{request}".encode(), hashlib.sha256).hex()

    def pseudonym(self, person: str) -> str:
        """What a person is called in exports of this store."""
        return f"p{self.opaque('person', person)[:12]}"

    def write(self, path: Path) -> None:
        """For its owner alone; never over a file that is there."""
        if path.exists() or path.is_symlink():
            raise InputError("there is a key file already, and a new one would replace it", source=str(path))
        record = {"kind": KIND, "signing": self.signing.hex(), "drawing": self.drawing.hex(), "public": self.public}
        write_text(path, json.dumps(record, indent=1) + "\n", private=True)

    @classmethod
    def read(cls, path: Path) -> StoreKeys:
        """From the file that `write` made."""
        try:
            record = parse_json(read_text(path, "key file of a store"))
            if record["kind"] != KIND:
                raise ValueError("another kind")
            keys = cls(bytes.fromhex(record["signing"]), bytes.fromhex(record["drawing"]))
            if len(keys.signing) != 32 or len(keys.drawing) != 32:
                raise ValueError("too short")
        except InputError as error:
            raise error.within(str(path)) from None
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "not a key file of a store, which `evenhand store init` writes", source=str(path)
            ) from None
        return keys


def is_signed(public: str, message: bytes, signature: str) -> bool:
    """Whether the owner of the public key signed the message."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_path(given: Path | None, database: str | None) -> Path:
    """Where the keys are: as given, as EVENHAND_STORE_KEY says, or beside a database that is a file."""
    if given is not None:
        return given
    if os.environ.get(FILE_VARIABLE):
        return Path(os.environ[FILE_VARIABLE])
    if database is None:
        raise InputError(f"name the key file of this store: set `key`, or the variable {FILE_VARIABLE}")
    return Path(f"{database}.key")
