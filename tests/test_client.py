"""The client of the service: batches, tries, and errors that say why."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from evenhand.client import Client, ServiceError
from evenhand.errors import InputError
from evenhand.service.app import create_app
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model, local_client

SCORED = {"model": "m", "version": "v", "calibrated": True, "classes": ["toxic"]}


def answering(answer: Callable[[httpx.Request], httpx.Response], **more: Any) -> tuple[Client, list[float]]:
    """A client of this answer, and how long it waited between tries."""
    waits: list[float] = []
    return Client("http://service", transport=httpx.MockTransport(answer), sleep=waits.append, **more), waits


def lengths(request: httpx.Request) -> httpx.Response:
    asked = json.loads(request.content)
    rows = [{"probabilities": {"toxic": len(text) / 100}, "uncertainty": {"toxic": 0.1}} for text in asked["texts"]]
    return httpx.Response(200, json={**SCORED, "results": rows})


def test_texts_are_sent_in_batches_and_scores_come_in_order() -> None:
    sizes: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sizes.append(len(json.loads(request.content)["texts"]))
        return lengths(request)

    client, _ = answering(answer)
    scores = client.score_all(("x" * n for n in range(25)), batch=10)
    assert next(scores).probabilities == {"toxic": 0.0}
    assert sizes == [10]  # no more than was asked for
    assert [score.probabilities["toxic"] for score in scores] == [n / 100 for n in range(1, 25)]  # type: ignore[index]
    assert sizes == [10, 10, 5]
    assert list(client.score_all([])) == []


def test_a_score_says_what_gave_it() -> None:
    score = answering(lengths)[0].score("abc")
    assert (score.model, score.version, score.calibrated, score.model_uncertainty) == ("m", "v", True, None)


def test_the_token_and_the_model_go_along() -> None:
    seen: list[tuple[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.headers["authorization"], json.loads(request.content)["model"]))
        return lengths(request)

    client, _ = answering(answer, token="evh_x", model="usual")
    client.score("a")
    client.score("a", model="other")
    assert seen == [("Bearer evh_x", "usual"), ("Bearer evh_x", "other")]


def test_it_waits_as_long_as_it_is_told_and_asks_again() -> None:
    answers = iter([httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(503), httpx.ConnectError("no")])

    def answer(request: httpx.Request) -> httpx.Response:
        found = next(answers, None)
        if isinstance(found, Exception):
            raise found
        return found or lengths(request)

    client, waits = answering(answer)
    assert client.score("abcd").probabilities == {"toxic": 0.04}
    assert len(waits) == 3
    assert 7.0 <= waits[0] <= 8.0


def test_it_gives_up_after_so_many_tries_and_says_why() -> None:
    problem = {"type": "urn:evenhand:problem:overloaded", "detail": "20,000 texts wait"}
    client, waits = answering(lambda request: httpx.Response(429, json=problem), tries=3)
    with pytest.raises(ServiceError, match="20,000 texts wait") as refused:
        client.score("a")
    assert (refused.value.status, refused.value.code, len(waits)) == (429, "overloaded", 2)
    unreachable, _ = answering(lambda request: (_ for _ in ()).throw(httpx.ReadTimeout("slow")), tries=1)
    with pytest.raises(ServiceError, match=r"http://service cannot be reached \(ReadTimeout\)"):
        unreachable.score("a")


@pytest.mark.parametrize(
    "answer", [httpx.Response(401, json={"detail": "no", "type": "x:unauthorised"}), httpx.Response(404, text="page")]
)
def test_what_will_not_change_is_not_asked_again(answer: httpx.Response) -> None:
    client, waits = answering(lambda request: answer)
    with pytest.raises(ServiceError) as refused:
        client.score("a")
    assert (refused.value.status, waits) == (answer.status_code, [])


@pytest.mark.parametrize("wrong", [{"tries": 0}, {"batch": 0}])
def test_numbers_that_make_no_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="must be 1 or more"):
        list(Client(**{k: v for k, v in wrong.items() if k == "tries"}).score_all(["a"], batch=wrong.get("batch", 1)))


def test_the_service_answers_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with local_client(create_app(ServiceSettings(), models={"fake": fake_model()})) as service:

        def answer(request: httpx.Request) -> httpx.Response:
            headers = {k: v for k, v in request.headers.items() if k != "host"}
            found = service.request(request.method, request.url.path, content=request.content, headers=headers)
            return httpx.Response(found.status_code, headers=dict(found.headers), content=found.content)

        client, _ = answering(answer)
        first, blank = client.score_all(["abc", " "])
        assert (first.probabilities, blank.probabilities, first.model) == ({"toxic": 0.003}, None, "fake")
        (model,) = client.models()
        assert (model.name, model.classes, model.task) == ("fake", ("toxic",), "binary")
        with pytest.raises(ServiceError, match="there is no model 'nobody'"):
            client.score("a", model="nobody")
        with pytest.raises(ServiceError, match="not JSON") as refused:
            client.score("\ud800")
        assert refused.value.code == "invalid-json"
