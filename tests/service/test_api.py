"""The API of the service, asked in this process."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from starlette.testclient import TestClient

from evenhand.classifiers.models import open_model
from evenhand.service.app import create_app
from evenhand.service.headers import SECURITY_HEADERS
from evenhand.service.models import open_models
from evenhand.service.served_models import ServedModel
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model, local_client

SCORE = "/api/v1/score"
JSON, NDJSON = {"Content-Type": "application/json"}, {"Content-Type": "application/x-ndjson"}


class Asked(BaseModel):
    number: int


def is_problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert (found["status"], found["type"]) == (status, f"urn:evenhand:problem:{code}")
    assert found["title"]
    assert found["detail"]
    return found


def test_a_text_is_scored_and_the_answer_names_model_and_version(client: TestClient) -> None:
    answer = client.post(SCORE, json={"texts": ["you are an idiot", "good morning"]})
    assert answer.status_code == 200
    found = answer.json()
    high, low = (row["probabilities"]["toxic"] for row in found["results"])
    assert high > 0.9 > 0.1 > low
    assert answer.headers["Evenhand-Model"] == found["model"] == "default"
    assert answer.headers["Evenhand-Model-Version"] == found["version"]
    assert (found["calibrated"], found["classes"]) == (False, ["toxic"])


def test_one_text_or_many_zipped_or_not_the_numbers_are_those_of_the_model(client: TestClient) -> None:
    texts = ["you are an idiot", "  ", "good morning"]
    model = open_model("default").score([texts[0], texts[2]])
    many = client.post(SCORE, json={"texts": texts}).json()["results"]
    zipped = gzip.compress(json.dumps({"texts": texts, "model": "default"}).encode())
    assert client.post(SCORE, content=zipped, headers={**JSON, "Content-Encoding": "gzip"}).json()["results"] == many
    assert client.post(SCORE, json={"text": texts[0]}).json()["results"] == many[:1]
    assert many[1] == {"probabilities": None, "uncertainty": None, "model_uncertainty": None}
    for number, row in enumerate((many[0], many[2])):
        assert row["probabilities"]["toxic"] == model.probabilities[number, 0]
        assert row["uncertainty"]["toxic"] == model.uncertainty[number, 0]
        assert row["model_uncertainty"]["toxic"] == model.model_uncertainty[number, 0]  # type: ignore[index]


def test_a_stream_is_answered_line_by_line(client: TestClient) -> None:
    lines = [json.dumps({"id": f"c{n}", "text": f"text number {n}"}) for n in range(600)]
    lines[1] = "nonsense"
    lines[2] = json.dumps({"id": 7, "text": "a\0b"})
    lines[3] = json.dumps({"text": "no id"})
    lines[4] = "   "
    answer = client.post(f"{SCORE}?model=default", content="\n".join(lines), headers=NDJSON)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    assert answer.headers["Evenhand-Model"] == "default"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert len(found) == 599
    assert [row["id"] for row in found[:4]] == ["c0", None, None, None]
    assert [row["id"] for row in found[4:]] == [f"c{n}" for n in range(5, 600)]
    assert found[1]["problem"]["type"] == "urn:evenhand:problem:invalid-json"
    assert found[2]["problem"]["type"] == "urn:evenhand:problem:invalid-text"
    alone = client.post(SCORE, json={"text": "no id"}).json()
    assert found[3] == {"id": None, **{k: alone[k] for k in ("model", "version", "calibrated")}, **alone["results"][0]}


def test_a_stream_that_the_model_fails_says_so_in_its_lines() -> None:
    with local_client(create_app(ServiceSettings(), models={"fake": fake_model()})) as asking:
        lines = '{"id": 1, "text": "fine"}\n{"id": 2, "text": "down"}\n'
        found = [json.loads(line) for line in asking.post(SCORE, content=lines, headers=NDJSON).text.splitlines()]
        assert [(row["id"], row["problem"]["type"]) for row in found] == [
            (1, "urn:evenhand:problem:model-unavailable"),
            (2, "urn:evenhand:problem:model-unavailable"),
        ]
        broken = asking.post(SCORE, content='{"id": 3, "text": "break"}\n{"id": 4, "text": "fine"}', headers=NDJSON)
        assert [json.loads(line)["problem"]["status"] for line in broken.text.splitlines()] == [500, 500]
        is_problem(asking.post(SCORE, json={"text": "down"}), 503, "model-unavailable")
        is_problem(asking.post(SCORE, json={"text": "break"}), 500, "internal")


def test_several_models_each_by_its_name(tmp_path: Path) -> None:
    models = open_models([ServedModel("default"), ServedModel("default", name="second")])
    with local_client(create_app(ServiceSettings(), models=models)) as asking:
        assert asking.post(SCORE, json={"text": "a"}).json()["model"] == "default"
        answer = asking.post(SCORE, json={"text": "a", "model": "second"})
        assert answer.json()["model"] == answer.headers["Evenhand-Model"] == "second"
        listed = asking.get("/api/v1/models").json()
        assert (listed["default"], [one["name"] for one in listed["models"]]) == ("default", ["default", "second"])
        one = asking.get("/api/v1/models/second").json()
        assert one == listed["models"][1]
        assert (one["task"], one["classes"], one["calibrated"]) == ("binary", ["toxic"], False)
        assert one["card"]["version"] == one["version"]
        is_problem(asking.get("/api/v1/models/third"), 404, "unknown-model")
        is_problem(asking.post(f"{SCORE}?model=third", content="{}", headers=NDJSON), 404, "unknown-model")


@pytest.mark.parametrize(
    ("document", "status", "code", "pointers"),
    [
        ({}, 422, "invalid-request", ["#"]),
        ({"text": "a", "texts": ["b"]}, 422, "invalid-request", ["#"]),
        ({"texts": []}, 422, "invalid-request", ["#/texts"]),
        ({"text": 1, "extra": 2}, 422, "invalid-request", ["#/text", "#/extra"]),
        ({"texts": ["a", None]}, 422, "invalid-request", ["#/texts/1"]),
        ([], 422, "invalid-request", ["#"]),
        ({"text": "a", "model": "nobody"}, 404, "unknown-model", []),
        ({"text": "x" * 100_001}, 422, "invalid-text", []),
        ({"texts": ["a", "x" * 100_001, "b\0"]}, 422, "invalid-text", ["#/texts/1", "#/texts/2"]),
        ({"texts": ["a"] * 1001}, 422, "too-many-texts", []),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    document: Any, status: int, code: str, pointers: list[str], client: TestClient
) -> None:
    found = is_problem(client.post(SCORE, json=document), status, code)
    assert [place["pointer"] for place in found.get("errors", [])] == pointers


@pytest.mark.parametrize("kind", ["", "text/plain", "application/xml", "application/x-www-form-urlencoded"])
def test_a_body_must_say_that_it_is_json(kind: str, client: TestClient) -> None:
    """Which also keeps web pages of other origins out: without this header they may not send it."""
    answer = client.post(SCORE, content='{"text": "a"}', headers={"Content-Type": kind})
    is_problem(answer, 415, "unsupported-media-type")
    assert "application/json" in answer.headers["Accept-Post"]


def test_a_stream_waits_where_a_request_would_be_sent_away() -> None:
    settings = ServiceSettings(max_waiting=1, timeout=0.2)
    model = fake_model()
    with local_client(create_app(settings, models={"fake": model})) as asking:
        engine = asking.app.state.engine  # type: ignore[attr-defined]
        engine._queues["fake"].size = 5  # as if so many were waiting
        (line,) = asking.post(SCORE, content='{"text": "a"}', headers=NDJSON).text.splitlines()
        assert json.loads(line)["problem"]["type"] == "urn:evenhand:problem:overloaded"
        answer = asking.post(SCORE, json={"text": "a"})
        is_problem(answer, 429, "overloaded")
        assert answer.headers["Retry-After"] == "1"
        engine._queues["fake"].size = 0


def test_paths_and_methods_that_are_not_there(client: TestClient) -> None:
    is_problem(client.get("/nothing"), 404, "not-found")
    is_problem(client.get("/docs"), 404, "not-found")
    is_problem(client.post("/api/v1/score/", json={}), 404, "not-found")
    answer = client.put(SCORE, json={})
    is_problem(answer, 405, "method-not-allowed")
    assert answer.headers["Allow"] == "POST"


def test_every_answer_has_the_security_headers_and_no_cors(client: TestClient) -> None:
    for answer in (
        client.get("/livez"),
        client.get("/nothing"),
        client.post(SCORE, json={"text": "a"}, headers={"Origin": "https://a.example"}),
    ):
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
        assert "access-control-allow-origin" not in answer.headers
    preflight = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    is_problem(client.options(SCORE, headers=preflight), 405, "method-not-allowed")


def test_pages_of_allowed_origins_may_ask() -> None:
    settings = ServiceSettings(cors_origins=("https://a.example",))
    with local_client(create_app(settings, models={"fake": fake_model()})) as asking:
        preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        allowed = asking.options(SCORE, headers={**preflight, "Origin": "https://a.example"})
        assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, "https://a.example")
        other = asking.post(SCORE, json={"text": "a"}, headers={"Origin": "https://b.example"})
        assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize("header", ["authorization", "x-api-key", "x-goog-api-key"])
def test_pages_of_allowed_origins_may_send_a_token(header: str) -> None:
    settings = ServiceSettings(cors_origins=("https://a.example",))
    with local_client(create_app(settings, models={"fake": fake_model()})) as asking:
        preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": header}
        for path in (SCORE, "/v1alpha1/comments:analyze"):
            assert asking.options(path, headers={**preflight, "Origin": "https://a.example"}).status_code == 200


def test_the_openapi_document_is_3_1_has_examples_and_says_what_every_error_is(client: TestClient) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status != "200":
                    assert list(answer["content"]) == ["application/problem+json"], (path, status)
    assert {"ProblemDocument", "ProblemPlace", "ScoreResponse", "ModelList"} <= set(schemas)
    asked = schemas["ScoreRequest"]
    assert asked["properties"]["texts"]["maxItems"] == 1000
    for example in asked["examples"]:
        assert client.post(SCORE, json=example).status_code == 200
    assert schemas["ProblemDocument"]["examples"]
    assert schemas["TextScores"]["examples"]


def test_a_typed_handler_of_another_interface_has_problems_too() -> None:
    app = create_app(ServiceSettings(), models={"fake": fake_model()})

    @app.post("/typed")
    async def typed(asked: Asked, more: int) -> None: ...

    with local_client(app) as asking:
        found = is_problem(asking.post("/typed?more=1", json={"number": "x"}), 422, "invalid-request")
        assert found["errors"][0]["pointer"] == "#/number"
        is_problem(asking.post("/typed?more=1", content="{", headers=JSON), 400, "invalid-json")
        is_problem(asking.post("/typed?more=x", json={"number": 1}), 422, "invalid-request")
        is_problem(asking.post("/typed", content=b'{"number": "\\ud800"}', headers=JSON), 422, "invalid-request")


def test_interfaces_with_errors_of_their_own_get_them_everywhere() -> None:
    from starlette.responses import JSONResponse

    app = create_app(ServiceSettings(max_body=10), models={"fake": fake_model()})
    app.state.renderers.register("/other/", lambda problem: JSONResponse({"error": problem.detail}, problem.status))
    with local_client(app) as asking:
        assert asking.get("/other/path").json() == {"error": "no such path"}
        assert "larger" in asking.post("/other/path", content=b"x" * 100).json()["error"]
        assert "name" in asking.get("/other/path", headers={"Host": "evil.example"}).json()["error"]
        assert asking.get("/path").json()["status"] == 404
