"""The store: one database of events with the state derived from them, and the keys that are kept outside it."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from evenhand.errors import InputError
from evenhand.store import schema
from evenhand.store.connection import Database
from evenhand.store.events import PolicyActivated, StoreCreated
from evenhand.store.keys import StoreKeys, key_path
from evenhand.store.ledger import ConflictError, EventLedger
from evenhand.store.migrations.upgrading import check_schema, create_schema
from evenhand.store.policy import DeskPolicy
from evenhand.store.roles import SYSTEM

RANDOM = random.SystemRandom()
RETRIES = 5


def now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class Store:
    """An open store.

    `clock` gives microseconds since 1970 and `chance` numbers from 0 to 1; tests replace both.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.verify(store).ok
    True
    """

    def __init__(
        self,
        database: Database,
        keys: StoreKeys,
        *,
        clock: Callable[[], int] = now,
        chance: Callable[[], float] = RANDOM.random,
    ) -> None:
        self.database, self.keys, self.clock, self.chance = database, keys, clock, chance
        self._policies: dict[int, DeskPolicy] = {}
        with database.reading() as connection:
            about = {row.name: row.value for row in connection.execute(sa.select(schema.about))}
        self.id, self.public_key = str(about.get("store")), str(about.get("public_key"))

    @property
    def name(self) -> str:
        """The database, without its password."""
        return self.database.name

    @contextmanager
    def write(self, actor: str = SYSTEM) -> Iterator[EventLedger]:
        """A transaction: everything that is recorded in it, or nothing."""
        with self.database.writing() as connection:
            ledger = EventLedger(self, connection, actor, self.clock())
            yield ledger
            ledger.flush()

    def once(
        self, actor: str, key: str | None, request: Mapping[str, Any], act: Callable[[EventLedger], dict[str, Any]]
    ) -> dict[str, Any]:
        """Do something once: the same key gives the same answer, and another request under it is a conflict."""
        fingerprint = "" if key is None else self._fingerprint(request)
        for _ in range(RETRIES):
            try:
                with self.write(actor) as ledger:
                    answer = _known_answer(ledger, key, fingerprint)
                    return act_and_note(ledger, key, fingerprint, act) if answer is None else answer
            except IntegrityError:  # another process was first: look at what it did
                continue
        raise ConflictError("too many changes at once: try again")

    def _fingerprint(self, request: Mapping[str, Any]) -> str:
        return self.keys.fingerprint(json.dumps(request, sort_keys=True, default=str))

    def policy(self, connection: sa.Connection) -> tuple[int, DeskPolicy]:
        """The version of the policy that holds, and the policy."""
        table = schema.policies
        version = connection.scalar(sa.select(sa.func.max(table.c.version)))
        if version is None:
            raise InputError("no policy is active: activate one first", source=self.name)
        return version, self.policy_of(connection, version)

    def policy_of(self, connection: sa.Connection, version: int) -> DeskPolicy:
        """The policy of a version."""
        if version not in self._policies:
            table = schema.policies
            document = connection.scalar(sa.select(table.c.document).where(table.c.version == version))
            self._policies[version] = DeskPolicy.from_dict(json.loads(str(document)))
        return self._policies[version]

    def close(self) -> None:
        """Give back all connections."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _known_answer(ledger: EventLedger, key: str | None, fingerprint: str) -> dict[str, Any] | None:
    if key is None:
        return None
    table = schema.requests
    row = ledger.connection.execute(
        sa.select(table.c.fingerprint, table.c.answer).where(table.c.actor == ledger.actor, table.c.key == key)
    ).first()
    if row is None:
        return None
    if row.fingerprint != fingerprint:
        raise ConflictError("this idempotency key was used for another request")
    answer: dict[str, Any] = json.loads(row.answer)
    return {**answer, "text": _text_of(ledger, answer["item"])} if "text" in answer else answer


def _text_of(ledger: EventLedger, item: str) -> str | None:
    """The text of an item as it is now: a kept answer has none, so that nothing of an erased one is left."""
    items, contents = schema.items, schema.contents
    query = sa.select(contents.c.value).join(items, items.c.text == contents.c.id).where(items.c.id == item)
    text: str | None = ledger.connection.scalar(query)
    return text


def act_and_note(
    ledger: EventLedger, key: str | None, fingerprint: str, act: Callable[[EventLedger], dict[str, Any]]
) -> dict[str, Any]:
    """Act, and keep the answer for whoever asks again with this key."""
    answer = act(ledger)
    if key is not None:
        row = {"actor": ledger.actor, "key": key, "fingerprint": fingerprint, "at": ledger.at}
        kept = {**answer, "text": None} if "text" in answer else answer
        ledger.connection.execute(schema.requests.insert(), [{**row, "answer": json.dumps(kept)}])
    return answer


def create_store(location: str, *, key: Path | None = None) -> Store:
    """A new store: a file of SQLite, or an empty PostgreSQL database; its key file is made beside it or where said.

    >>> eh.store.create_store("new.db").name
    'new.db'
    """
    database = Database(location, create=True)
    keys, path = StoreKeys.generate(), key_path(key, database.file)
    keys.write(path)
    try:
        create_schema(database)
        identity = {"store": uuid.uuid4().hex, "public_key": keys.public}
        with database.writing() as connection:
            rows = [{"name": name, "value": value} for name, value in identity.items()]
            connection.execute(schema.about.insert(), rows)
        store = Store(database, keys)
        with store.write() as ledger:
            ledger.record_apart("store", StoreCreated(store=store.id, public_key=keys.public))
    except BaseException:
        path.unlink()
        raise
    return store


def open_store(location: str, *, key: Path | None = None, **seams: Any) -> Store:
    """A store that is there.

    >>> eh.store.create_store("mine.db").close()
    >>> eh.store.open_store("mine.db").name
    'mine.db'
    """
    database = Database(location)
    keys = StoreKeys.read(key_path(key, database.file))
    try:
        check_schema(database)
        store = Store(database, keys, **seams)
        if store.public_key != keys.public:
            raise InputError("the key file belongs to another store", source=database.name)
    except BaseException:
        database.close()
        raise
    return store


def activate_policy(ledger: EventLedger, policy: DeskPolicy, reason: str | None = None) -> int:
    """Make a policy the one that holds; its version."""
    table = schema.policies
    version = int(ledger.connection.scalar(sa.select(sa.func.max(table.c.version))) or 0) + 1
    document = policy.to_dict()
    ledger.record_apart("policy", PolicyActivated(policy=version, document=document, reason=reason))
    row = {"version": version, "document": json.dumps(document, sort_keys=True)}
    times = {"activated_at": ledger.at, "activated_by": ledger.actor}
    ledger.connection.execute(table.insert(), [{**row, **times}])
    return version
