"""A desk where very many items wait: some arrive as at any desk, and their rows are copied until there are enough.

Copies have the rows that wait for a person, and no events: what is measured on them is how long the next item takes.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from evenhand.classifiers.models import open_model
from evenhand.desk import invitations
from evenhand.desk.passwords import PasswordKeeper
from evenhand.store import DeskPolicy, NewItem, NewScore, Store, create_store, perform, schema

REVIEWER, PASSWORD = "ana", "a long enough password"
ARRIVING = 1000  # at once
TEXT = "A thread about the new bridge and who pays for it, with numbers and a remark at the end. " * 3
IDS = {"items": ("id", "external_id", "text"), "contents": ("id", "item"), "tasks": ("id", "item")}


def fill_desk(path: Path, waiting: int, *, passwords: PasswordKeeper | None = None) -> Store:
    """A store with somebody who reviews, and so many items that wait."""
    store = create_store(str(path))
    store.close()
    sa.event.listen(store.database.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous = OFF"))
    for person, role in ((REVIEWER, "moderator"), ("forum", "service")):
        perform(store, "invite", actor="system", person=person, role=role)
    policy = DeskPolicy.from_thresholds(upper=None, lower=None, measured=1e-9, reserved=0.3)
    perform(store, "activate", actor="system", policy=policy)
    link = invitations.issue_link(store, REVIEWER)
    invitations.accept(store, passwords or PasswordKeeper(), link.removeprefix(invitations.LINK_PATH), PASSWORD)
    arriving = min(ARRIVING, waiting)
    perform(store, "receive", actor="forum", items=_items(arriving))
    _copy(store, arriving, waiting)
    return store


def _items(number: int) -> list[NewItem]:
    """Scored by the model that a desk serves by itself, which so has nothing to score again."""
    version = open_model("default").version
    return [
        NewItem(
            f"comment-{place}", f"{TEXT}{place}", language="en", community="news",
            thread=f"t{place % 50}", author=f"a{place % 200}",
            scores=[NewScore("default", version, (place * 7919 % 100_003) / 100_003, 0.2)],
        )
        for place in range(number)
    ]  # fmt: skip


def _copy(store: Store, there: int, wanted: int) -> None:
    """Rows with other ids, a whole set of what is there at a time, and of the last set a part."""
    with store.database.engine.begin() as connection:
        connection.execute(sa.text("CREATE TEMPORARY TABLE arrived AS SELECT id FROM items ORDER BY external_id"))
        for number in range(1, -(-wanted // there)):
            most = min(there, wanted - number * there)
            for table, ids in IDS.items():
                connection.execute(sa.text(_copied(table, ids)), {"suffix": f"-{number}", "most": most})


def _copied(table: str, ids: tuple[str, ...]) -> str:
    names = [column.name for column in schema.metadata.tables[table].columns]
    values = [f"{name} || :suffix" if name in ids else name for name in names]
    item = "id" if table == "items" else "item"
    those = f"{item} IN (SELECT id FROM arrived LIMIT :most)"
    return f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} WHERE {those}"
