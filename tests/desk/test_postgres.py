"""The desk on PostgreSQL: the same calls, as two server processes would share it."""

from __future__ import annotations

from pathlib import Path

import pytest

from desk.desks import CHEAP, PASSWORD
from evenhand.desk import invitations
from evenhand.desk.app import create_desk, prepare
from evenhand.desk.passwords import PasswordKeeper
from evenhand.desk.webhooks import Deliverer, add_webhook
from evenhand.service.settings import ServiceSettings
from evenhand.store import seal
from service.fakes import fake_model, local_client
from store.conftest import postgres  # noqa: F401 (a fixture)
from store.desks import check, emptied, reopened

API = "/api/v1"


@pytest.mark.verify
def test_a_day_with_two_servers(postgres: str, tmp_path: Path) -> None:  # noqa: F811
    desk = emptied(postgres, tmp_path)
    passwords = PasswordKeeper(CHEAP)
    line = prepare(desk.store)[-1]
    invitations.accept(desk.store, passwords, line.rpartition("/")[2], PASSWORD, "ann")
    stores = (desk.store, reopened(desk.store))
    settings = ServiceSettings(token_file=tmp_path / "none.json")
    servers = [create_desk(store, settings, models={"fake": fake_model()}, passwords=passwords) for store in stores]
    first, second = (local_client(app) for app in servers)
    csrf = first.post(f"{API}/session", json={"name": "ann", "password": PASSWORD}).json()["csrf"]
    for client in (first, second):
        client.headers["X-CSRF-Token"] = csrf
    second.cookies = first.cookies
    assert second.get(f"{API}/session").json()["person"] == "ann"
    sent = second.post(f"{API}/items", json={"items": [{"id": f"c{n}", "text": "x" * 500} for n in range(4)]})
    assert {one["outcome"] for one in sent.json()["items"]} == {"new"}
    link = first.post(f"{API}/people", json={"person": "mo", "role": "moderator"}).json()["link"]
    accepted = {"invitation": link.rpartition("/")[2], "password": PASSWORD}
    workers = [local_client(app) for app in servers]
    told = workers[0].post(f"{API}/invitations/accept", json=accepted).json()
    assert workers[1].post(f"{API}/invitations/accept", json=accepted).status_code == 404
    workers[1].cookies = workers[0].cookies
    for number in range(4):
        worker = workers[number % 2]
        worker.headers |= {"X-CSRF-Token": told["csrf"], "Idempotency-Key": f"k{number}"}
        task = worker.post(f"{API}/queues/review/claim").json()
        assert workers[1 - number % 2].get(f"{API}/tasks").json()["tasks"] == [task]
        assert worker.get(f"{API}/tasks/{task['task']}/context").status_code == 200
        worker.headers["Idempotency-Key"] = f"d{number}"
        body = {"version": task["version"], "verdict": "benign"}
        assert worker.post(f"{API}/tasks/{task['task']}/decide", json=body).status_code == 200
    for _ in range(6):
        refused = workers[0].post(f"{API}/session", json={"name": "mo", "password": "wrong"}).status_code
    assert refused == 429
    seal(desk.store)
    decisions = first.get(f"{API}/decisions").json()["decisions"]
    assert sorted(one["id"] for one in decisions) == ["c0", "c1", "c2", "c3"]
    assert first.get(f"{API}/items?id=c%00").status_code == 404
    with desk.store.write("ann") as ledger:
        name = add_webhook(ledger, "https://forum.example/")["webhook"]
    assert Deliverer(desk.store, servers[0].state.outgoing)._take_turn(name)
    assert Deliverer(stores[1], servers[1].state.outgoing)._take_turn(name) is None
    check(desk.store)
    for store in stores:
        store.close()
