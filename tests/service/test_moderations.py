"""OpenAI's moderations: what was not looked for is null, and errors are in OpenAI's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError
from evenhand.service.app import create_app
from evenhand.service.mappings import CATEGORIES, CategoryMapping, ModerationTable
from evenhand.service.moderations.messages import ModerationRequest, parse
from evenhand.service.moderations.openai_errors import OpenAIError, render
from evenhand.service.problems import Problem
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import TokenFile, write_tokens
from service.fakes import fake_model, local_client

PATH = "/v1/moderations"
HARASSMENT = {"harassment": CategoryMapping("toxic", 0.005)}


def asking(mapped: dict[str, CategoryMapping] | None = HARASSMENT, **settings: Any) -> TestClient:
    models = {
        "fake": fake_model(),
        "other": fake_model(name="other", version="f" * 16, targets=Targets("multi-label", ("hate", "threat"))),
    }
    return local_client(create_app(ServiceSettings(moderations=ModerationTable(mapped), **settings), models=models))


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return asking(token_file=tmp_path_factory.mktemp("tokens") / "none.json")


def error_of(answer: Any, status: int, code: str, param: str | None = None) -> dict[str, Any]:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert list(answer.json()) == ["error"]
    error: dict[str, Any] = answer.json()["error"]
    assert list(error) == ["message", "type", "param", "code"]
    assert (error["code"], error["param"]) == (code, param)
    return error


def test_a_category_that_is_not_mapped_is_null_and_never_false() -> None:
    found = asking().post(PATH, json={"input": ["hello", "hi"], "model": "omni-moderation-latest"}).json()
    assert found["id"].startswith("modr-")
    assert found["model"] == "fake@0123456789abcdef"
    first, second = found["results"]
    assert (first["flagged"], second["flagged"]) == (True, False)
    for result, value, truth in ((first, 0.005, True), (second, 0.002, False)):
        assert result["categories"] == {name: truth if name == "harassment" else None for name in CATEGORIES}
        assert result["category_scores"] == {name: value if name == "harassment" else None for name in CATEGORIES}
        kinds = {name: ["text"] if name == "harassment" else [] for name in CATEGORIES}
        assert result["category_applied_input_types"] == kinds


def test_categories_of_several_models_are_answered_together() -> None:
    mapped = {**HARASSMENT, "hate": CategoryMapping("hate", 0.5, "other")}
    answer = asking(mapped).post(PATH, json={"input": "hello"})
    found = answer.json()
    assert found["model"] == "fake@0123456789abcdef,other@ffffffffffffffff"
    assert answer.headers["Evenhand-Model-Version"] == "0123456789abcdef, ffffffffffffffff"
    told = {name: value for name, value in found["results"][0]["categories"].items() if value is not None}
    assert told == {"harassment": True, "hate": False}


def texts_of(given: Any) -> list[str]:
    return parse(json.dumps({"input": given}).encode()).texts


def test_input_has_three_forms() -> None:
    assert texts_of("a") == ["a"]
    assert texts_of(["a", "b"]) == ["a", "b"]
    assert texts_of([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]) == ["a\nb"]


@pytest.mark.parametrize(
    ("given", "param", "code"),
    [
        ("", "input", "invalid_value"),
        ([], "input", "invalid_value"),
        (["a", " "], "input", "invalid_value"),
        ([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}], "input[1]", "invalid_type"),
        ([{"type": "image_url", "image_url": {"url": "x"}}], "input[0]", "invalid_type"),
        ([{"type": "video"}], "input", "invalid_type"),
        (["a", {"type": "text", "text": "b"}], "input", "invalid_type"),
        (3, "input", "invalid_type"),
        (None, "input", "invalid_type"),
    ],
)
def test_other_input_is_refused(given: Any, param: str, code: str) -> None:
    with pytest.raises(OpenAIError) as caught:
        texts_of(given)
    assert (caught.value.status, caught.value.param, caught.value.code) == (400, param, code)


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        (b"", None, "invalid_json"),
        (b"{", None, "invalid_json"),
        (b"[" * 10_000, None, "too_deep"),
        (b'{"input":"\\ud800"}', None, "invalid_json"),
        (b"{}", "input", "missing_required_parameter"),
        (b"[]", None, "invalid_type"),
        (b'{"input":"a","stream":true}', "stream", "unknown_parameter"),
        (b'{"input":"a","model":3}', "model", "invalid_type"),
        (b'{"input":"a\\u0000"}', None, "invalid_text"),
        (json.dumps({"input": "a" * 1_000_000}).encode(), None, "invalid_text"),
        (json.dumps({"input": ["a"] * 1001}).encode(), None, "too_many_texts"),
    ],
    ids=range(11),
)
def test_what_cannot_be_answered_is_refused_in_openais_form(body: bytes, param: str | None, code: str) -> None:
    error = error_of(asking().post(PATH, content=body), 400, code, param)
    assert error["type"] == "invalid_request_error"
    assert len(error["message"]) < 300


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["text", "image_url"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "url"]), inner),
    max_leaves=8,
)


@pytest.mark.verify
@given(st.fixed_dictionaries({"input": anything}, optional={"model": anything}) | anything)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_whatever_is_sent_is_answered_or_refused(mapped: TestClient, body: Any) -> None:
    answer = mapped.post(PATH, content=json.dumps(body))
    assert answer.status_code in (200, 400, 404)
    assert answer.status_code == 200 or list(answer.json()["error"]) == ["message", "type", "param", "code"]


def test_a_model_that_does_not_answer_is_not_found() -> None:
    client = asking()
    for name in ("fake", "fake@0123456789abcdef", "text-moderation-stable"):
        assert client.post(PATH, json={"input": "a", "model": name}).status_code == 200
    for name in ("other", "fake@0000000000000000", "gpt-4"):
        error_of(client.post(PATH, json={"input": "a", "model": name}), 404, "model_not_found", "model")


def test_it_is_off_until_categories_are_mapped() -> None:
    for mapped in (None, {}):
        error = error_of(asking(mapped).post(PATH, json={"input": "a"}), 404, "not_configured")
        assert "moderations.categories" in error["message"]


def test_a_mapping_to_nothing_does_not_start() -> None:
    with pytest.raises(InputError, match=r"moderations.categories.hate: the model 'fake' has no class 'hate'"):
        asking({"hate": CategoryMapping("hate", 0.5)})


def test_paths_keys_and_limits_in_openais_form(tmp_path: Path) -> None:
    tokens, key = TokenFile().issue("bot", ["score"])
    tokens, other = tokens.issue("prometheus", ["metrics"])
    write_tokens(tokens, tmp_path / "tokens.json")
    client = asking(token_file=tmp_path / "tokens.json", require_token=True, max_body=100)
    assert client.post(PATH, json={"input": "a"}, headers={"Authorization": f"Bearer {key}"}).status_code == 200
    error_of(client.post(PATH, json={"input": "a"}), 401, "invalid_api_key")
    error_of(client.post(PATH, json={"input": "a"}, headers={"Authorization": "Bearer sk-1"}), 401, "invalid_api_key")
    error_of(client.post(PATH, json={"input": "a"}, headers={"Authorization": f"Bearer {other}"}), 403, "forbidden")
    error_of(client.get(PATH), 405, "method_not_allowed")
    error_of(client.post("/v1/chat/completions", json={}), 404, "not_found")
    error_of(client.post(PATH, content=b" " * 101), 413, "too_large")


def test_failures_of_the_service_in_openais_form() -> None:
    client = asking()
    assert error_of(client.post(PATH, json={"input": "down"}), 503, "model_unavailable")["type"] == "server_error"
    assert error_of(client.post(PATH, json={"input": "break"}), 500, "internal")["type"] == "server_error"
    crowded = render(Problem(429, "overloaded", "too many", headers={"Retry-After": "1"}))
    assert json.loads(bytes(crowded.body))["error"]["code"] == "rate_limit_exceeded"
    assert crowded.headers["Retry-After"] == "1"


def test_a_request_is_what_the_client_library_sends() -> None:
    assert ModerationRequest.model_validate({"input": "a", "model": None}).texts == ["a"]
