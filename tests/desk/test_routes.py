"""Every route for every role, from the one table: who may, gets past the door; who may not, and strangers, do not."""

from __future__ import annotations

from itertools import product

import pytest
from starlette.testclient import TestClient

from desk.desks import ROUTES, STAFF, TestDesk
from evenhand.desk import session_api
from evenhand.desk.people import LOOKED_AT, PERMISSIONS, Role
from evenhand.store.actions import ACTIONS
from evenhand.store.roles import ROLES

OPEN = {("POST", "/api/v1/session"), ("POST", "/api/v1/invitations/accept"), ("DELETE", "/api/v1/session")}


def ask(client: TestClient, method: str, path: str, headers: dict[str, str] | None = None) -> int:
    """With a body that nothing takes, so that nothing is changed."""
    asked = path.format(queue="none", task="none", item="none", webhook="none", study="none", question="none")
    told = {"Content-Type": "application/json", **(headers or {})}
    answer = client.request(method, asked, content=None if method == "GET" else b"nothing", headers=told)
    assert answer.status_code != 500
    assert answer.status_code == 200 or answer.headers["content-type"] == "application/problem+json"
    return answer.status_code


def test_the_table_is_whole() -> None:
    assert set(Role) == set(ROLES)
    used = {permission for _, _, permission in ROUTES} | {"see_session"}
    unused = {"rescore", "expire", "context"}  # the program's own; asked with others
    on_pages = {"see_settings", "manage_tokens", "erase_old"}  # no call of the API asks for these
    assert used | unused | on_pages == set(PERMISSIONS) == set(ACTIONS) | set(LOOKED_AT)
    assert len(ROUTES) == len(set(ROUTES)) >= 30


def test_every_path_of_the_api_is_in_the_table(shared: TestDesk) -> None:
    known = {(method, path) for method, path, _ in ROUTES}
    known |= {(m, r.path) for r in session_api.router.routes for m in r.methods}  # type: ignore[attr-defined]
    served = {
        (method, route.path)
        for route in shared.app.routes
        for method in getattr(route, "methods", ()) or ()
        if route.path.startswith("/api/v1/")  # type: ignore[attr-defined]
    }
    scoring = {"/api/v1/score", "/api/v1/models", "/api/v1/models/{name}", "/api/v1/openapi.json"}
    assert {one for one in served if one[1] not in scoring} == known


@pytest.mark.parametrize("way", ["token", "session"])
def test_every_route_for_every_role(shared: TestDesk, way: str) -> None:
    begin = shared.signed_in if way == "session" else lambda _: shared.client()
    clients = {role: begin(person) for role, person in STAFF.items()}
    for (method, path, permission), role in product(ROUTES, Role):
        headers = shared.as_token(STAFF[role]) if way == "token" else {}
        status = ask(clients[role], method, path, headers=headers)
        allowed = role in PERMISSIONS[permission].roles
        assert (status == 403) == (not allowed), (method, path, role, status)
        assert status != 401


def test_a_stranger_gets_nowhere_also_from_this_machine(shared: TestDesk) -> None:
    client = shared.client()
    for method, path, _ in ROUTES:
        assert ask(client, method, path) == 401
        assert ask(client, method, path, headers={"Authorization": "Bearer evh_wrong"}) == 401
        client.cookies.set("evenhand-session", "wrong")
        assert ask(client, method, path) == 401
        client.cookies.clear()
    answer = client.post("/api/v1/items", json={"id": "c1", "text": "hello"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_session_without_its_token_changes_nothing(shared: TestDesk) -> None:
    client = shared.signed_in(STAFF[Role.ADMINISTRATOR])
    del client.headers["X-CSRF-Token"]
    for method, path, _ in ROUTES:
        if method != "GET":
            assert ask(client, method, path) == 403, path


def test_a_token_is_kept_to_its_scopes(fresh: TestDesk) -> None:
    from evenhand.service.tokens import read_tokens, write_tokens

    path = fresh.app.state.settings.token_file
    tokens = read_tokens(path).revoke("io")
    tokens, token = tokens.issue("io", ["items"])
    tokens, stray = tokens.issue("nobody", ["items"])
    write_tokens(tokens, path)
    client, headers = fresh.client(), {"Authorization": f"Bearer {token}"}
    assert client.post("/api/v1/items", json={"id": "c1", "text": "hello"}, headers=headers).status_code == 200
    refused = client.get("/api/v1/decisions", headers=headers)
    assert refused.status_code == 403
    assert 'scope="decisions"' in refused.headers["www-authenticate"]
    answer = client.post("/api/v1/items", json={"id": "c1", "text": "hello"}, headers={"X-API-Key": stray})
    assert answer.status_code == 403
    assert "nobody named 'nobody' works at this desk" in answer.json()["detail"]
