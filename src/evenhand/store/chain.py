"""The chain: one sealer numbers committed events without gaps and hashes each with all that came before it.

The hash of event n is SHA-256 of the hash of event n − 1, of n, and of the stored bytes of the event. A head is the
number and the hash of the last sealed event, signed with a key outside the database. Whoever has an older head can tell
whether the history before it is still the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.documents import parse_json
from evenhand.errors import InputError
from evenhand.files import read_text, write_text
from evenhand.store import schema
from evenhand.store.connection import hold_sealer_lock
from evenhand.store.events import stored_bytes
from evenhand.store.keys import is_signed
from evenhand.store.store import Store

GENESIS = bytes(32)
HEAD_KIND = "evenhand-head-1"
BATCH = 5000  # events that one transaction seals


def link(before: bytes, number: int, stored: bytes) -> bytes:
    """The hash of an event in the chain."""
    return hashlib.sha256(before + number.to_bytes(8, "big") + stored).digest()


def seal(store: Store) -> int:
    """Number and chain the events that are committed and not sealed yet; how many. One process at a time does it.

    >>> eh.store.seal(eh.store.create_store("desk.db"))
    1
    """
    sealed = 0
    while True:
        with store.database.writing() as connection:
            count = _seal_batch(connection) if hold_sealer_lock(connection) else 0
        sealed += count
        if count < BATCH:
            return sealed


def _seal_batch(connection: sa.Connection) -> int:
    events = schema.events
    waiting = connection.execute(
        sa.select(events).where(events.c.number.is_(None)).order_by(events.c.id).limit(BATCH)
    ).all()
    if not waiting:
        return 0
    number, chain = last_sealed(connection)
    updates = []
    for row in waiting:
        number += 1
        chain = link(chain, number, row_bytes(row))
        updates.append({"row": row.id, "new_number": number, "new_chain": chain})
    connection.execute(_SEAL, updates)
    return len(updates)


_SEAL = (
    schema.events.update()
    .where(schema.events.c.id == sa.bindparam("row"))
    .values(number=sa.bindparam("new_number"), chain=sa.bindparam("new_chain"))
)


def row_bytes(row: Any) -> bytes:
    """The stored bytes of a row of `events`."""
    return stored_bytes(row.stream, row.version, row.at, row.kind, row.actor, row.payload)


def last_sealed(connection: sa.Connection) -> tuple[int, bytes]:
    """Number and hash of the last sealed event; before the first one, 0."""
    events = schema.events
    query = sa.select(events.c.number, events.c.chain).where(events.c.number.is_not(None))
    row = connection.execute(query.order_by(events.c.number.desc()).limit(1)).first()
    return (row.number, bytes(row.chain)) if row else (0, GENESIS)


@dataclass(frozen=True)
class ChainHead:
    """The last sealed event of a store, signed.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.signed_head(store).number
    1
    """

    store: str
    number: int
    chain: str
    at: int
    public_key: str
    signature: str

    def message(self) -> bytes:
        """What is signed."""
        return f"{HEAD_KIND}\x1f{self.store}\x1f{self.number}\x1f{self.chain}\x1f{self.at}".encode()

    def is_genuine(self, public_key: str) -> bool:
        """Whether the owner of the key signed it."""
        return self.public_key == public_key and is_signed(public_key, self.message(), self.signature)

    def write(self, path: Path) -> None:
        """As a JSON file, to be kept elsewhere."""
        write_text(path, json.dumps({"kind": HEAD_KIND, **asdict(self)}, indent=1) + "\n")

    @classmethod
    def read(cls, path: Path) -> ChainHead:
        """From the file that `write` made."""
        try:
            record = parse_json(read_text(path, "head of a store"))
            values = {name: record[name] for name in cls.__dataclass_fields__}
            whole = all(isinstance(values[name], int) for name in ("number", "at"))
            words = all(isinstance(value, str) for name, value in values.items() if name not in ("number", "at"))
            if record["kind"] != HEAD_KIND or not whole or not words:
                raise ValueError("another kind")
        except InputError as error:
            raise error.within(str(path)) from None
        except (ValueError, KeyError, TypeError):
            remedy = "give a file that `evenhand store head` wrote"
            raise InputError("not a head of a store", source=str(path), remedy=remedy) from None
        return cls(**values)


def signed_head(store: Store) -> ChainHead:
    """Seal what is committed, and sign the last event.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.signed_head(store).store == store.id
    True
    """
    seal(store)
    with store.database.reading() as connection:
        number, chain = last_sealed(connection)
    head = ChainHead(store.id, number, chain.hex(), store.clock(), store.keys.public, "")
    return ChainHead(**{**asdict(head), "signature": store.keys.sign(head.message())})
