"""Perspective's paths, asked in-process: answers and errors are in its form, whatever is sent."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from evenhand.service.app import create_app
from evenhand.service.log_lines import JsonLines
from evenhand.service.mappings import AttributeMapping, PerspectiveTable
from evenhand.service.perspective import languages
from evenhand.service.perspective.google_errors import render
from evenhand.service.perspective.suggestions import ScoreSuggestion
from evenhand.service.problems import Problem
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from service.fakes import ELSEWHERE, fake_model, local_client

ANALYZE, SUGGEST = "/v1alpha1/comments:analyze", "/v1alpha1/comments:suggestscore"
TOXICITY = {"comment": {"text": "you are an idiot"}, "requestedAttributes": {"TOXICITY": {}}}
FAKE = PerspectiveTable({"TOXICITY": AttributeMapping("toxic", "fake", ("en",))})


class AsciiIsEnglish:
    """Stands in for the detector, which takes a second to read."""

    def rank(self, text: str) -> list[tuple[str, float]]:
        return [("en", 1.0), ("ru", 0.0)] if text.isascii() else [("ru", 1.0), ("en", 0.0)]


@pytest.fixture(autouse=True)
def _quick_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "_read_detector", AsciiIsEnglish)


def fake_client(**settings: Any) -> TestClient:
    return local_client(create_app(ServiceSettings(perspective=FAKE, **settings), models={"fake": fake_model()}))


def error_of(answer: Any, status: int, reason: str | None = None) -> dict[str, Any]:
    """The error, if it has Google's form."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json()) == ["error"]
    error: dict[str, Any] = answer.json()["error"]
    assert list(error) == ["code", "message", "status", "details"]
    assert error["code"] == status
    assert error["details"][0]["@type"].startswith("type.googleapis.com/google.")
    assert reason is None or error["details"][0]["reason"] == reason
    return error


def test_the_shipped_model_answers_toxicity(client: TestClient) -> None:
    answer = client.post(ANALYZE, json={**TOXICITY, "clientToken": "c1", "doNotStore": True})
    found = answer.json()
    scores = found["attributeScores"]["TOXICITY"]
    assert scores["summaryScore"]["value"] > 0.9
    assert scores["spanScores"] == [{"begin": 0, "end": 16, "score": scores["summaryScore"]}]
    assert (found["languages"], found["detectedLanguages"], found["clientToken"]) == (["en"], ["en"], "c1")
    own = client.post("/api/v1/score", json={"text": "you are an idiot"}).json()
    assert scores["summaryScore"]["value"] == own["results"][0]["probabilities"]["toxic"]
    assert found["evenhand"]["TOXICITY"]["version"] == answer.headers["Evenhand-Model-Version"] == own["version"]
    assert answer.headers["Evenhand-Model"] == "default"


def test_the_detector_is_loaded_at_the_start_and_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = threading.Event(), threading.Event()

    def slow() -> AsciiIsEnglish:
        begun.set()
        assert done.wait(10)
        return AsciiIsEnglish()

    monkeypatch.setattr(languages, "_read_detector", slow)
    with fake_client() as asking:
        assert begun.wait(10)
        assert asking.get("/readyz").status_code == 200
        done.set()
        assert asking.post(ANALYZE, json=TOXICITY).status_code == 200


def test_html_is_read_without_its_tags(client: TestClient) -> None:
    plain = client.post(ANALYZE, json=TOXICITY).json()["attributeScores"]["TOXICITY"]["summaryScore"]
    body = {**TOXICITY, "comment": {"text": "<b>you</b> are an <i>idi</i>ot", "type": "HTML"}}
    assert client.post(ANALYZE, json=body).json()["attributeScores"]["TOXICITY"]["summaryScore"] == plain


def test_any_content_type_is_json(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8"):
        answer = client.post(ANALYZE, content=json.dumps(TOXICITY), headers={"Content-Type": kind})
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 10_000,
        b'{"comment":' * 10_000,
        b'{"comment":{"text":"\\udc00 x"},"requestedAttributes":{"TOXICITY":{}}}',
        b'{"comment":{"text":"' + b"\xed\xa0\x80" + b'"},"requestedAttributes":{"TOXICITY":{}}}',
        json.dumps({**TOXICITY, "comment": {"text": "x" * 1_000_000}}).encode(),
        json.dumps({**TOXICITY, "requestedAttributes": {"SPAM": {}}}).encode(),
        json.dumps({**TOXICITY, "requestedAttributes": {"X" * 100_000: {}}}).encode(),
        json.dumps({**TOXICITY, "languages": ["tlh"]}).encode(),
        json.dumps({**TOXICITY, "languages": ["x" * 100] * 10_000}).encode(),
        json.dumps({**TOXICITY, "comment": {"text": "ты дурак"}}).encode(),
        json.dumps({**TOXICITY, "comment": {"text": "!!!"}}).encode(),
        json.dumps({**TOXICITY, "unknown": 1}).encode(),
        b'{"requestedAttributes":{"TOXICITY":{"scoreThreshold":' + b"9" * 10_000 + b"}}}",
    ],
    ids=range(15),
)
def test_what_cannot_be_answered_is_refused_in_googles_form(client: TestClient, body: bytes) -> None:
    for path in (ANALYZE, SUGGEST):
        error = error_of(client.post(path, content=body), 400)
        assert error["status"] == "INVALID_ARGUMENT"
        assert len(json.dumps(error)) < 1500


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(["HTML", "RAW"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
bodies = st.fixed_dictionaries(
    {
        "comment": st.just({"text": "you"}) | st.fixed_dictionaries({"text": st.text(), "type": anything}) | anything,
        "requestedAttributes": st.dictionaries(st.sampled_from(["TOXICITY", "SPAM", "TOXICITY@"]), anything) | anything,
        "attributeScores": st.dictionaries(st.just("TOXICITY"), anything) | anything,
    },
    optional=dict.fromkeys(("context", "languages", "spanAnnotations", "doNotStore", "clientToken"), anything),
)


@pytest.mark.verify
@given(bodies, st.sampled_from([(ANALYZE, "attributeScores"), (SUGGEST, "requestedAttributes")]), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_whatever_is_sent_is_answered_or_refused(
    client: TestClient, body: dict[str, Any], place: tuple[str, str], data: st.DataObject
) -> None:
    path, other = place
    body.pop(other)
    content = bytearray(json.dumps(body).encode())
    if data.draw(st.booleans()):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    answer = client.post(path, content=bytes(content))
    if answer.status_code != 200:
        error_of(answer, 400)


def test_odd_characters_are_scored(client: TestClient) -> None:
    for text in ("a\0b", "a\u202eb\ufeff", "e" + "\u0301" * 2000, "🙂 hello", "a" * 20_480):
        body = {**TOXICITY, "comment": {"text": text}, "languages": ["en"], "spanAnnotations": True}
        assert client.post(ANALYZE, json=body).status_code == 200


def test_paths_methods_and_limits_in_googles_form() -> None:
    client = fake_client(max_body=200, max_text=30)
    assert error_of(client.post("/v1alpha1/comments:delete", json={}), 404, "NOT_FOUND")["status"] == "NOT_FOUND"
    assert error_of(client.get(ANALYZE), 405, "METHOD_NOT_ALLOWED")["status"] == "UNIMPLEMENTED"
    error_of(client.post(ANALYZE, content=b" " * 201), 413, "TOO_LARGE")
    error_of(client.post(ANALYZE, content=b"x", headers={"Content-Encoding": "br"}), 415)
    error_of(client.get("/$discovery/other"), 404)
    error_of(client.get("/$discovery/rest?version=v2"), 400)
    error_of(client.get("/$discovery/rest", headers={"Host": "evil.example"}), 421)
    longer = error_of(client.post(ANALYZE, json={**TOXICITY, "comment": {"text": "a" * 31}}), 400)
    assert longer["details"][0]["errorType"] == "COMMENT_TOO_LONG"


def test_failures_of_the_service_in_googles_form() -> None:
    client = fake_client()
    assert (
        error_of(client.post(ANALYZE, json={**TOXICITY, "comment": {"text": "down"}}), 503)["status"] == "UNAVAILABLE"
    )
    assert error_of(client.post(ANALYZE, json={**TOXICITY, "comment": {"text": "break"}}), 500)["status"] == "INTERNAL"
    crowded = render(Problem(429, "overloaded", "512 requests are in progress", headers={"Retry-After": "1"}))
    error = json.loads(bytes(crowded.body))["error"]
    assert (error["status"], error["details"][0]["reason"]) == ("RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED")
    assert crowded.headers["Retry-After"] == "1"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[TestClient, str, str]]:
    """A service that asks for a key, one that may score, and one that may not."""
    tokens, key = TokenFile().issue("forum", ["score"])
    tokens, other = tokens.issue("prometheus", ["metrics"])
    write_tokens(tokens, tmp_path / "tokens.json")
    with fake_client(token_file=tmp_path / "tokens.json", require_token=True) as client:
        yield client, key, other


def test_the_key_is_the_token(guarded: tuple[TestClient, str, str]) -> None:
    client, key, other = guarded
    assert client.post(ANALYZE, params={"key": key}, json=TOXICITY).status_code == 200
    for headers in ({"X-Goog-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
        assert client.post(ANALYZE, json=TOXICITY, headers=headers).status_code == 200
    for path in (ANALYZE, SUGGEST):
        wrong = error_of(client.post(path, params={"key": key[:-1]}, json=TOXICITY), 400, "API_KEY_INVALID")
        assert wrong["message"] == "API key not valid. Please pass a valid API key."
        missing = error_of(client.post(path, json=TOXICITY), 403)
        assert missing["status"] == "PERMISSION_DENIED"
        assert "unregistered callers" in missing["message"]
        error_of(client.post(path, params={"key": other}, json=TOXICITY), 403, "API_KEY_SERVICE_BLOCKED")
    assert client.get("/$discovery/rest?version=v1alpha1").status_code == 200


def test_whoever_has_no_key_is_refused_before_the_body_is_read(guarded: tuple[TestClient, str, str]) -> None:
    client, _, _ = guarded
    error_of(client.post(ANALYZE, content=b"{" * 100_000), 403)


def test_neither_comment_nor_key_is_logged(guarded: tuple[TestClient, str, str], caplog: Any) -> None:
    client, key, _ = guarded
    secret = "a-very-private-comment"
    handler = logging.StreamHandler(stream := io.StringIO())
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    caplog.set_level(logging.DEBUG, "evenhand")
    try:
        for given in (key, "a-wrong-key"):
            body = {**TOXICITY, "comment": {"text": secret}, "doNotStore": False}
            client.post(ANALYZE, params={"key": given}, json=body)
            client.post(SUGGEST, headers={"X-Goog-Api-Key": given}, json={**body, secret: 1})
    finally:
        logging.getLogger().removeHandler(handler)
    written = stream.getvalue() + client.get("/metrics").text
    assert '"route": "/v1alpha1/comments:analyze"' in written
    for word in (secret, key, "a-wrong-key", "key="):
        assert word not in written


class RememberedSuggestions:
    def __init__(self) -> None:
        self.suggestions: list[ScoreSuggestion] = []

    async def accept(self, suggestion: ScoreSuggestion) -> None:
        self.suggestions.append(suggestion)


SUGGESTED = {
    "comment": {"text": "fine by me"},
    "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0}}},
    "communityId": "/forum/movies",
    "clientToken": "comment-53922",
}


def test_a_suggestion_is_acknowledged_and_goes_to_the_sink(client: TestClient) -> None:
    answer = client.post(SUGGEST, json=SUGGESTED)
    assert answer.json() == {"clientToken": "comment-53922", "detectedLanguages": ["en"], "requestedLanguages": []}
    asking = fake_client()
    asking.app.state.suggestions = sink = RememberedSuggestions()  # type: ignore[attr-defined]
    assert asking.post(SUGGEST, json={**SUGGESTED, "languages": ["en"]}).status_code == 200
    (kept,) = sink.suggestions
    assert (kept.text, kept.community_id, kept.languages) == ("fine by me", "/forum/movies", ("en",))
    assert kept.versions == {"TOXICITY": "fake@0123456789abcdef"}
    assert kept.attribute_scores["TOXICITY"].summary_score.value == 0.0  # type: ignore[union-attr]


def test_the_discovery_document_names_the_address_that_was_used() -> None:
    client = fake_client()

    def root(path: str = "/$discovery/rest?version=v1alpha1", **headers: str) -> str:
        found: str = client.get(path, headers=headers).json()["rootUrl"]
        return found

    assert root() == root("/discovery/v1/apis/commentanalyzer/v1alpha1/rest") == "http://localhost:8717/"
    assert root("/%24discovery/rest") == "http://localhost:8717/"
    assert root(Host="127.0.0.1:9") == "http://127.0.0.1:9/"
    assert root(**{"X-Forwarded-Proto": "https"}) == "https://localhost:8717/"
    assert root(**{"X-Forwarded-Proto": "javascript"}) == "http://localhost:8717/"
    configured = PerspectiveTable(FAKE.attributes, "https://scores.example.org")
    app = create_app(ServiceSettings(perspective=configured), models={"fake": fake_model()})
    answer = local_client(app).get("/$discovery/rest").json()
    assert (answer["rootUrl"], answer["baseUrl"]) == ("https://scores.example.org/",) * 2


def test_without_a_declaration_another_model_answers_nothing() -> None:
    client = local_client(create_app(ServiceSettings(), models={"mine": fake_model(name="mine")}))
    error = error_of(client.post(ANALYZE, json=TOXICITY), 400)
    assert error["message"] == "Unknown requested attribute: TOXICITY"


def test_elsewhere_a_key_is_needed() -> None:
    client = local_client(create_app(ServiceSettings(perspective=FAKE), models={"fake": fake_model()}), ELSEWHERE)
    error_of(client.post(ANALYZE, json=TOXICITY), 403)
