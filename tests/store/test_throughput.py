"""How fast the store is: beside a bare loop that writes the same rows, and at checking a long chain."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psycopg
import pytest
import sqlalchemy as sa

from evenhand.store import seal, verify
from evenhand.store.schema import contents, events
from store.desks import Desk, emptied, sqlite_desk

pytestmark = pytest.mark.verify
PLAIN = {"upper": None, "lower": None, "measured": 1e-9, "reserved": 0.0, "second": 0.0}
ROUNDS, EACH = 6, 40  # taken in turns, so that both have the same machine
LEAST_SHARE = 0.1  # of the bare loop, while another test has a core; alone it has more than a fifth
LEAST_VERIFIED = 50_000  # events a second of a core
LENGTH = int(os.environ.get("EVENHAND_CHAIN", "60000"))  # events; the study has a million

TAKE = """SELECT t.id, t.item, i.version FROM tasks t JOIN items i ON i.id = t.item
WHERE t.state = 'waiting' AND t.queue = 'bare' AND t.purpose = 'review'
ORDER BY t.first_key DESC, t.opened_at, t.id LIMIT 1 FOR UPDATE SKIP LOCKED"""
EVENT = "INSERT INTO events (stream, version, at, kind, actor, payload) VALUES (%s, %s, %s, %s, 'ana', %s)"
SEEN = """INSERT INTO seen (item, person, task, final) VALUES (%s, 'ana', %s, %s)
ON CONFLICT (item, person) DO UPDATE SET final = excluded.final"""


def bare_decision(connection: psycopg.Connection, payloads: dict[str, str]) -> None:
    """What a claim and a decision write, and nothing else: two transactions."""
    at = time.time_ns() // 1000
    with connection.transaction():
        row = connection.execute(TAKE).fetchone()
        assert row is not None
        task, item, version = row
        connection.execute(EVENT, (item, version + 1, at, "claimed", payloads["claimed"]))
        connection.execute("UPDATE items SET version = %s WHERE id = %s", (version + 1, item))
        connection.execute(
            "UPDATE tasks SET state = 'claimed', holder = 'ana', lease_until = %s, version = %s WHERE id = %s",
            (at + 600_000_000, version + 1, task),
        )
        connection.execute(SEEN, (item, task, False))
    with connection.transaction():
        connection.execute("SELECT id FROM items WHERE id = %s FOR UPDATE", (item,))
        for number, kind in ((2, "judged"), (3, "decided")):
            connection.execute(EVENT, (item, version + number, at, kind, payloads[kind]))
        connection.execute(
            "UPDATE items SET version = %s, action = 'leave', verdict = 'benign', basis = 'review', decided_by = 'ana',"
            " decided_at = %s, decision = %s, reached = true WHERE id = %s",
            (version + 3, at, version + 3, item),
        )
        connection.execute(
            "UPDATE tasks SET state = 'done', holder = NULL, lease_until = NULL, person = 'ana', verdict = 'benign',"
            " done_at = %s, version = %s WHERE id = %s",
            (at, version + 3, task),
        )
        connection.execute(SEEN, (item, task, True))


def decision(desk: Desk) -> None:
    view = desk.do("claim", "ana", queue="review")
    desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="benign")


def seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    for _ in range(EACH):
        work()
    return time.perf_counter() - began


def test_the_store_keeps_up_with_a_bare_loop(postgres: str, tmp_path: Path) -> None:
    desk = emptied(postgres, tmp_path).staff(**PLAIN)
    for batch in range(5):
        desk.receive(*[0.3 + 0.4 * n / 200 for n in range(200)], prefix=f"b{batch}-")
    decision(desk)
    with desk.store.database.writing() as connection:
        written = sa.select(events.c.kind, events.c.payload).where(events.c.kind.in_(("claimed", "judged", "decided")))
        payloads = {row.kind: row.payload for row in connection.execute(written)}
        half = "UPDATE tasks SET queue = 'bare' WHERE id IN (SELECT id FROM tasks WHERE state = 'waiting' LIMIT 500)"
        connection.exec_driver_sql(half)
    own, bare = list[float](), list[float]()
    with psycopg.connect(postgres) as connection:
        for _ in range(ROUNDS):
            bare.append(seconds(lambda: bare_decision(connection, payloads)))
            own.append(seconds(lambda: decision(desk)))
    share = median(b / o for b, o in zip(bare, own, strict=True))
    print(f"the store has {share:.2f} of the bare loop's throughput, {EACH / median(own):.0f} decisions a second")
    assert share >= LEAST_SHARE
    desk.store.close()


def lengthen(desk: Desk, wanted: int) -> None:
    """Copies of the events of items and of what they refer to, as other items would have them; then sealed."""
    with desk.store.database.writing() as connection:
        mine = connection.execute(sa.select(events).where(events.c.stream.not_in(("people", "policy", "store")))).all()
        kept = connection.execute(sa.select(contents).where(contents.c.item.is_not(None))).all()
        for copy in range(-(-(wanted - len(mine)) // len(mine))):
            mark = f"{copy:06x}"
            renamed = {row.id: mark + row.id[6:] for row in kept}
            rows = []
            for row in mine:
                payload = row.payload
                for name in renamed.keys() & set(payload.split('"')):
                    payload = payload.replace(name, renamed[name])
                rows.append({**row._mapping, "stream": mark + row.stream[6:], "payload": payload})
            for one in rows:
                del one["id"], one["number"], one["chain"]
            connection.execute(events.insert(), rows)
            connection.execute(contents.insert(), [{**row._mapping, "id": renamed[row.id]} for row in kept])
    seal(desk.store)


def test_a_long_chain_is_checked_fast(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN)
    desk.receive(*[0.3 + 0.4 * n / 400 for n in range(400)])
    for _ in range(100):
        decision(desk)
    lengthen(desk, LENGTH)
    rates = []
    for _ in range(3):
        began = time.process_time()
        result = verify(desk.store)
        rates.append(result.events / (time.process_time() - began))
    assert result.ok, result.fault
    assert result.events >= LENGTH
    print(f"{result.events:,} events, {result.contents:,} contents: {max(rates):,.0f} a second of a core")
    assert max(rates) >= LEAST_VERIFIED
    desk.store.close()
