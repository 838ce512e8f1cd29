"""Logs and metrics: enough to run the service by, and never a text or a key."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.service import log_lines
from evenhand.service.app import create_app
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from service.fakes import fake_model, local_client

TEXT, KEY = "a-very-private-text", "a-very-secret-key"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root, stream = logging.getLogger(), io.StringIO()
    before = (root.handlers, root.level, [logging.getLogger(name).level for name in log_lines.OUR_LOGGERS])
    log_lines.log_as_json(stream)
    yield stream
    root.handlers, root.level = before[0], before[1]
    for name, level in zip(log_lines.OUR_LOGGERS, before[2], strict=True):
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(False)
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = True


@pytest.fixture
def client() -> Iterator[TestClient]:
    with local_client(create_app(ServiceSettings(), models={"fake": fake_model()})) as client:
        yield client


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    logging.getLogger().handlers[0].flush()  # what waits for the next turn of the event loop
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_request_is_one_line_and_has_its_id(client: TestClient, log: io.StringIO) -> None:
    answer = client.post("/api/v1/score", json={"text": TEXT})
    (line,) = lines(log)
    assert line["request"] == answer.headers["x-request-id"]
    told = {key: line[key] for key in ("event", "method", "route", "status", "client", "token", "level")}
    assert told == {
        "event": "request",
        "method": "POST",
        "route": "/api/v1/score",
        "status": 200,
        "client": "127.0.0.1",
        "token": None,
        "level": "info",
    }
    assert line["seconds"] > 0


def test_neither_text_nor_key_is_logged_or_counted(client: TestClient, log: io.StringIO) -> None:
    auth = {"Authorization": f"Bearer {KEY}", "X-API-Key": KEY}
    for text in (TEXT, "break", "down"):
        client.post(f"/api/v1/score?key={KEY}", json={"texts": [text, TEXT]}, headers=auth)
    client.post("/api/v1/score", content=json.dumps({"text": TEXT})[:-1], headers={"Content-Type": "application/json"})
    client.post("/api/v1/score", json={TEXT: 1, "text": [TEXT]})
    client.post("/api/v1/score", json={"text": "a", "model": TEXT})
    client.get(f"/{TEXT}/{KEY}?key={KEY}", headers=auth)
    client.get(f"/api/v1/models/{TEXT}")
    client.request(TEXT.replace("-", "").upper(), "/api/v1/models")
    client.get("/livez", headers={"Host": TEXT})
    logging.getLogger("some.library").warning("the text was %s", TEXT)
    logging.getLogger("asyncio").error("never retrieved", exc_info=ValueError(TEXT))
    page = client.get("/metrics").text
    assert len(lines(log)) > 10
    written = log.getvalue() + page
    for secret in (TEXT, KEY, TEXT.replace("-", "").upper(), "secret-host", "secret-text"):
        assert secret not in written
    assert any(line.get("error") == "ZeroDivisionError" and line["trace"] for line in lines(log))


def test_the_name_of_the_token_is_logged(log: io.StringIO, tmp_path: Any) -> None:
    tokens, token = TokenFile().issue("shop", ["score"])
    write_tokens(tokens, tmp_path / "tokens.json")
    settings = ServiceSettings(require_token=True, token_file=tmp_path / "tokens.json")
    with local_client(create_app(settings, models={"fake": fake_model()})) as client:
        client.post("/api/v1/score", json={"text": "a"}, headers={"Authorization": f"Bearer {token}"})
        client.post("/api/v1/score", json={"text": "a"}, headers={"Authorization": "Bearer wrong"})
    assert [(line["status"], line["token"]) for line in lines(log)] == [(200, "shop"), (401, None)]
    assert token not in log.getvalue()


def test_metrics_count_requests_texts_and_batches(client: TestClient) -> None:
    client.post("/api/v1/score", json={"texts": ["a", "b", "c"]})
    client.get("/nothing/here")
    page = client.get("/metrics").text
    assert 'evenhand_requests_total{method="POST",route="/api/v1/score",status="200"} 1.0' in page
    assert 'evenhand_requests_total{method="GET",route="unmatched",status="404"} 1.0' in page
    assert 'evenhand_texts_total{model="fake"} 4.0' in page  # one of the warm-up
    assert 'evenhand_batch_texts_count{model="fake"} 2.0' in page
    assert 'evenhand_waiting_texts{model="fake"} 0.0' in page
    assert 'evenhand_model_info{calibrated="false",model="fake",version="0123456789abcdef"} 1.0' in page


def test_an_internal_error_has_the_security_headers_too(client: TestClient) -> None:
    answer = client.post("/api/v1/score", json={"text": "break"})
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_health_is_not_logged(client: TestClient, log: io.StringIO) -> None:
    for path in ("/livez", "/readyz", "/metrics"):
        client.get(path)
    assert lines(log) == []


def test_it_is_not_ready_once_it_is_being_stopped(client: TestClient) -> None:
    assert client.get("/readyz").status_code == 200
    client.app.state.stopping = True  # type: ignore[attr-defined]
    assert client.get("/readyz").status_code == 503
    assert client.get("/livez").status_code == 200
