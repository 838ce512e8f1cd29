"""Whatever is sent to the desk: an answer or a problem, never a 500, and the next request is answered as ever."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.specs.openapi.checks import positive_data_acceptance  # not all of a policy, a time or a name is there

from desk.desks import ROUTES, STAFF, TestDesk, test_desk
from evenhand.desk.outgoing import OutgoingRequests
from evenhand.desk.people import PERMISSIONS, Role

JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}
BODIES: dict[str, tuple[dict[str, str], bytes]] = {
    "deep": (JSON, b"[" * 10_000 + b"]" * 10_000),
    "lone surrogate": (JSON, b'{"id": "\\ud800", "text": "\\ud800", "reason": "\\ud800", "version": 1}'),
    "NUL": (JSON, b'{"id": "a\\u0000", "text": "\\u0000", "reason": "\\u0000", "person": "\\u0000", "version": 1}'),
    "large number": (JSON, b'{"version": ' + b"9" * 400 + b', "verdict": "benign", "lead_time": 1e400}'),
    "NaN": (JSON, b'{"version": 1, "verdict": "benign", "lead_time": NaN}'),
    "a list": (JSON, b"[1, 2, 3]"),
    "items of nothing": (JSON, b'{"items": [null, 1, "x", {}]}'),
    "items in items": (JSON, json.dumps({"items": [{"id": "a", "text": "b", "items": []}]}).encode()),
    "long": (JSON, json.dumps({"id": "x" * 100_000, "text": "y", "reason": "z" * 100_000}).encode()),
    "early": (JSON, b'{"id": "a", "text": "b", "created_at": "0001-01-01T00:00:00Z"}'),
    "late": (JSON, b'{"id": "a", "text": "b", "created_at": "9999-12-31T23:59:59.999999Z"}'),
    "not gzip": ({**JSON, "Content-Encoding": "gzip"}, b"{}"),
    "a bomb": ({**JSON, "Content-Encoding": "gzip"}, gzip.compress(b" " * 20_000_000)),
    "no type": ({}, b"{}"),
    "lines": (NDJSON, b'{"id": "\\ud800", "text": "a"}\n\x00\n[]\n{"id": "n", "text": "\\u0000"}\n'),
}
SOME = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
PATHS = {"queue": "%00", "task": "%f0%9f", "item": "x" * 3000, "webhook": "none", "study": "%00"}


@pytest.mark.parametrize("name", BODIES)
def test_an_answer_or_a_problem(shared: TestDesk, name: str) -> None:
    headers, body = BODIES[name]
    client = shared.client()
    for method, path, permission in ROUTES:
        if method == "GET":
            continue
        role = Role.SERVICE if Role.SERVICE in PERMISSIONS[permission].roles else Role.LEAD
        role = role if role in PERMISSIONS[permission].roles else Role.ADMINISTRATOR
        asked = path.format(**PATHS)
        answer = client.request(method, asked, content=body, headers={**shared.as_token(STAFF[role]), **headers})
        assert answer.status_code < 500, (path, answer.text)
        if answer.status_code != 200:
            assert answer.headers["content-type"] == "application/problem+json"
            assert len(answer.content) < 20_000


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/invitations/accept"])
def test_what_strangers_send(shared: TestDesk, path: str) -> None:
    client = shared.client()
    for headers, body in (*BODIES.values(), (JSON, b'{"name": "\\ud800", "password": "\\ud800"}')):
        answer = client.post(path, content=body, headers=headers)
        assert 400 <= answer.status_code < 500, answer.text
    for cookie in ("", "x" * 5000, '"', "\\ud800"):
        assert client.get("/api/v1/session", headers={"Cookie": f"evenhand-session={cookie}"}).status_code == 401


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=99999", "limit=1e3", "after=٣", "after=" + "9" * 400])
def test_cursors_are_checked(shared: TestDesk, query: str) -> None:
    answer = shared.client().get(f"/api/v1/decisions?{query}", headers=shared.as_token(STAFF[Role.SERVICE]))
    assert answer.status_code == 422


@pytest.mark.parametrize("key", ["", "x" * 201, "é", "a\tb"])
def test_keys_are_checked(shared: TestDesk, key: str) -> None:
    headers = shared.as_token("ana") | {"Idempotency-Key": key}
    sent = {name: value.encode("latin-1") for name, value in headers.items()}
    answer = shared.client().post("/api/v1/queues/review/claim", headers=sent)
    assert answer.status_code == 422


@pytest.mark.verify
def test_what_the_openapi_document_says_holds(tmp_path: Path) -> None:
    """Requests that it allows, and ones that it does not, for every operation, by somebody who may."""
    desk = test_desk(tmp_path)
    desk.app.state.outgoing = OutgoingRequests(lookup=lambda *_: ["93.184.216.34"])  # no name is looked up
    object.__setattr__(desk.app.state.settings, "allowed_hosts", ("testserver",))
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", desk.app)
    asked = Counter[str]()
    permissions = {(method, path): permission for method, path, permission in ROUTES}
    for operation, mode in product(schema.get_all_operations(), schemathesis.GenerationMode):
        made = operation.ok()
        permission = permissions.get((made.method.upper(), made.path))
        if permission is None:
            continue
        person = STAFF[next(role for role in Role if role in PERMISSIONS[permission].roles)]

        @given(case=made.as_strategy(generation_mode=mode))
        @settings(SOME)
        def holds(case: schemathesis.Case) -> None:
            asked[case.path] += 1
            headers = desk.as_token(person)  # noqa: B023 (called at once)
            case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

        with suppress(Unsatisfiable):
            holds()
    assert len(asked) == len({path for _, path, _ in ROUTES})
