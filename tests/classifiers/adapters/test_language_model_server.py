"""A language model behind an OpenAI-compatible server: what is sent, and how its answers become probabilities."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from classifiers.server import Asked, Reply, serving
from cli.program import Program, fails
from evenhand.classifiers.adapters import EndpointClassifier, LanguageModelServer
from evenhand.classifiers.models import open_model
from evenhand.classifiers.scoring import score_file
from evenhand.errors import InputError

PROMPT = "Comment: {text}\n\nIs it hateful? Answer Yes or No."
LABELS = {"hateful": ["Yes", "yes"], "harmless": ["No", "no"]}
BASE: dict[str, Any] = {"url": "http://localhost:8000/v1", "model": "small", "prompt": PROMPT}
TOKENS = {"hateful": "Yes", "harmless": "No"}


def base(url: str) -> str:
    return url.replace("/score", "/v1")


def by_logprobs(url: str, **changes: Any) -> LanguageModelServer:
    return LanguageModelServer(**{**BASE, "url": base(url), "labels": LABELS, "positive": "hateful", **changes})


def by_number(url: str, **changes: Any) -> LanguageModelServer:
    return LanguageModelServer(**{**BASE, "url": base(url), "answer": "number", "positive": "hateful", **changes})


def chat_logprobs(tokens: dict[str, float]) -> dict[str, Any]:
    """As vLLM, Ollama and OpenAI answer a chat."""
    listed = [{"token": token, "logprob": value, "bytes": None} for token, value in tokens.items()]
    first = {**listed[0], "top_logprobs": listed}
    return {"choices": [{"index": 0, "message": {"content": "Yes"}, "logprobs": {"content": [first]}}]}


def completion(index: int, tokens: dict[str, float]) -> dict[str, Any]:
    """As vLLM and OpenAI answer a completion."""
    return {"index": index, "text": "Yes", "logprobs": {"tokens": ["Yes"], "top_logprobs": [tokens]}}


def written(text: str | None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "logprobs": None}]}


def test_log_probabilities_are_compared_among_the_answers() -> None:
    tokens = {" Yes": math.log(0.5), "Yes": math.log(0.1), "no": math.log(0.2), "Maybe": math.log(0.15)}
    with serving(lambda *_: Reply(chat_logprobs(tokens))) as server:
        scores = EndpointClassifier(by_logprobs(server.url, system="You moderate.", seed=7)).score(["a {text} b"])
        (asked,) = server.asked
    np.testing.assert_allclose(scores.probabilities, [[0.6 / 0.8]])
    assert scores.targets.classes == ("hateful",)
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You moderate."},
            {"role": "user", "content": PROMPT.replace("{text}", "a {text} b")},
        ],
        "temperature": 0,
        "seed": 7,
        "max_tokens": 1,
        "logprobs": True,
        "top_logprobs": 20,
    }


def test_an_answer_that_is_not_among_the_tokens_counts_as_zero() -> None:
    with serving(lambda *_: Reply(chat_logprobs({"No": -0.01, "Well": -5.0}))) as server:
        scores = EndpointClassifier(by_logprobs(server.url)).score(["a"])
    assert scores.probabilities.tolist() == [[0.0]]


def test_several_classes_are_exclusive() -> None:
    labels = {"hateful": "H", "rude": "R", "harmless": "N"}
    tokens = {"H": math.log(0.2), "R": math.log(0.2), "N": math.log(0.4)}
    with serving(lambda *_: Reply(chat_logprobs(tokens))) as server:
        three = EndpointClassifier(by_logprobs(server.url, labels=labels, positive=None))
        np.testing.assert_allclose(three.score(["a"]).probabilities, [[0.25, 0.25, 0.5]])
        assert three.predict(["a"]).tolist() == ["harmless"]
        together = EndpointClassifier(by_logprobs(server.url, labels=labels, positive=["hateful", "rude"]))
        np.testing.assert_allclose(together.score(["a"]).probabilities, [[0.5]])


def test_completions_take_a_batch_and_may_answer_in_any_order() -> None:
    def answer(asked: Asked, _: int) -> Reply:
        prompts = asked.body["prompt"] if isinstance(asked.body["prompt"], list) else [asked.body["prompt"]]
        p = [int(prompt.split()[1]) / 10 for prompt in prompts]
        choices = [completion(n, {" Yes": math.log(p[n]), " No": math.log(1 - p[n])}) for n in range(len(p))]
        return Reply({"choices": choices[::-1]})

    texts = [str(number) for number in range(1, 8)]
    with serving(answer) as server:
        classifier = EndpointClassifier(by_logprobs(server.url, api="completions", batch=3, parallel=2))
        np.testing.assert_allclose(classifier.score(texts).probabilities[:, 0], np.arange(1, 8) / 10)
        assert {asked.path for asked in server.asked} == {"/v1/completions"}
        lists = [asked.body["prompt"] for asked in server.asked if isinstance(asked.body["prompt"], list)]
        assert [len(prompts) for prompts in lists] == [3, 3]
        assert {asked.body["logprobs"] for asked in server.asked} == {5}
        assert all("top_logprobs" not in asked.body for asked in server.asked)


def test_llama_cpp_lists_the_tokens_of_a_completion() -> None:
    listed = [{"token": " Yes", "logprob": math.log(0.3)}, {"token": " No", "logprob": math.log(0.1)}]
    choice = {"index": 0, "text": " Yes", "logprobs": {"content": [{**listed[0], "top_logprobs": listed}]}}
    with serving(lambda *_: Reply({"choices": [choice]})) as server:
        scores = EndpointClassifier(by_logprobs(server.url, api="completions")).score(["a"])
    np.testing.assert_allclose(scores.probabilities, [[0.75]])


@pytest.mark.parametrize(
    ("text", "changes", "p"),
    [
        ("0.25", {}, 0.25),
        (" 30\n", {"scale": "percent"}, 0.3),
        ("-0.2", {"scale": "logprob"}, math.exp(-0.2)),
        ("-0.2", {"scale": "logit"}, 1 / (1 + math.exp(0.2))),
        ('{"score": 0.75, "why": "x"}', {"response": "score"}, 0.75),
        ('Here it is:\n```json\n{"score": 0.5}\n```', {"response": "score"}, 0.5),
    ],
    ids=["number", "percent", "logprob", "logit", "json", "code-block"],
)
def test_a_number_that_the_model_writes(text: str, changes: dict[str, Any], p: float) -> None:
    with serving(lambda *_: Reply(written(text))) as server:
        classifier = EndpointClassifier(by_number(server.url, **changes))
        np.testing.assert_allclose(classifier.score(["a"]).probabilities, [[p]])
        assert server.asked[0].body["max_tokens"] == 64
        assert "logprobs" not in server.asked[0].body


def test_several_numbers_in_json() -> None:
    with serving(lambda *_: Reply(written('{"hate": 0.5, "threat": 0.1}'))) as server:
        described = by_number(server.url, response={"hate": "hate", "threat": "threat"}, task="multi-label")
        assert EndpointClassifier(described).score(["a"]).probabilities.tolist() == [[0.5, 0.1]]


UNREADABLE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "words": (written("I cannot say."), {"answer": "number"}, "the model wrote neither a number nor JSON"),
    "nothing": (written(None), {"answer": "number"}, "the model wrote nothing"),
    "other-scale": (written("1.5"), {"answer": "number"}, r"1.5 is not on the scale 'probability' \(it is above 1"),
    "logit-for-logprob": (
        written("0.7"),
        {"answer": "number", "scale": "logprob"},
        r"0.7 is not on the scale 'logprob' \(a log-probability is at most 0",
    ),
    "logprob-for-probability": (
        written("-0.2"),
        {"answer": "number"},
        r"-0.2 is not on the scale 'probability' \(it is below 0: set scale = 'logprob'",
    ),
    "text-for-number": (written('{"p": "high"}'), {"answer": "number", "response": "p"}, r"no number at 'p' \(str\)"),
    "other-answer": (chat_logprobs({"Well": -0.1}), {}, "none of the answers 'Yes', 'yes', 'No', 'no' is among the 1"),
    "no-logprobs": (written("Yes"), {}, "the server must support logprobs"),
    "other-api": ({"results": []}, {}, "the server is not OpenAI-compatible at this url"),
    "two-choices": ({"choices": [{"index": 0}, {"index": 1}]}, {}, "2 choices for 1 texts"),
}


@pytest.mark.parametrize("case", sorted(UNREADABLE))
def test_an_answer_that_cannot_be_read_stops_or_leaves_the_row_empty(case: str) -> None:
    answer, changes, words = UNREADABLE[case]
    labels = {} if "answer" in changes else LABELS
    with serving(lambda *_: Reply(answer)) as server:
        options = {**BASE, "url": base(server.url), "labels": labels, "positive": "hateful", **changes}
        with pytest.raises(InputError, match=f"/v1/chat/completions: text 1: .*{words}"):
            EndpointClassifier(LanguageModelServer(**options)).score(["a"])
        empty = EndpointClassifier(LanguageModelServer(**options, on_error="empty")).score(["a", "b"])
    assert np.isnan(empty.probabilities).all()


@pytest.mark.parametrize("on_error", ["stop", "empty"])
def test_what_is_no_log_probability_always_stops(on_error: str) -> None:
    reply = Reply(chat_logprobs({"Yes": 2.5, "No": -0.2}))
    with serving(lambda *_: reply) as server, pytest.raises(InputError, match=r"2.5 is not on the scale 'logprob'"):
        EndpointClassifier(by_logprobs(server.url, on_error=on_error)).score(["a"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "Is it hateful?"}, "prompt must contain {text} exactly once"),
        ({"prompt": "{text}"}, "prompt must ask something"),
        ({"labels": {"a": "A"}}, "at least two classes"),
        ({"labels": {"a": "A", "b": " A"}}, "belong to one class only"),
        ({"positive": None}, "the label that counts as violating"),
        ({"positive": "x"}, "the model has no label 'x'"),
        ({"scale": "logit"}, "answer = 'logprobs' gives log-probabilities: leave out scale"),
        ({"response": "p"}, "response does not go with answer = 'logprobs'"),
        ({"answer": "number"}, "labels does not go with answer = 'number'"),
        ({"answer": "numbers"}, "did you mean 'number'"),
        ({"api": "chats"}, "did you mean 'chat'"),
        ({"batch": 4}, "a chat request holds one text"),
        ({"api": "completions", "system": "x"}, "system goes with api = 'chat'"),
        ({"parameters": {"seed": 3}}, "'seed' cannot be set in parameters"),
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
        ({"on_error": "skip"}, "invalid on_error: 'skip'"),
        ({"headers": {"Authorization": "Bearer abc"}}, "a key must not be written in a file"),
    ],
)
def test_descriptions_that_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        LanguageModelServer(**{**BASE, "labels": LABELS, "positive": "hateful", **changes})
    assert words in str(caught.value)


def test_further_parameters_are_sent_and_count_for_the_version() -> None:
    thinking = {"chat_template_kwargs": {"enable_thinking": False}, "max_completion_tokens": 1}
    plain, other = by_logprobs("http://localhost/score"), by_logprobs("http://localhost/score", parameters=thinking)
    assert plain.version != other.version
    assert "max_tokens" not in other.request.body
    assert other.request.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert plain.version == by_logprobs("http://localhost/score", on_error="empty", parallel=9).version


TOML = """
kind = "openai"
url = "{url}"
model = "small"
prompt = "Rate from 0 to 1: {{text}}"
answer = "number"
positive = "hateful"
{more}

[headers]
Authorization = "Bearer ${{LM_KEY}}"
"""


@pytest.fixture
def table() -> list[str | None]:
    return ["1", None, "2", "bad", "4", " ", "bad", "6"]


def _answer(asked: Asked, _: int) -> Reply:
    text = asked.body["messages"][0]["content"].rpartition(" ")[2]
    return Reply(written("no idea" if text == "bad" else str(int(text) / 10)))


def _describe(url: str, more: str = "") -> None:
    Path("lm.toml").write_text(TOML.format(url=base(url), more=more))


def test_from_a_file_to_a_file(program: Program, monkeypatch: pytest.MonkeyPatch, table: list[str | None]) -> None:
    monkeypatch.setenv("LM_KEY", "s3cr3t-key")
    pl.DataFrame({"text": table}).write_csv("in.csv")
    with serving(_answer) as server:
        score = ("score", "lm.toml", "in.csv", "-o", "out.csv", "--secret", "LM_KEY", "--send-to", server.url)
        _describe(server.url)
        line = fails(program, *score, says=["in.csv: row 4: the model wrote neither a number nor JSON"])
        assert 'set on_error = "empty"' in line
        assert server.url.replace("/score", "/v1/chat/completions") in line
        _describe(server.url, 'on_error = "empty"')
        done = program(*score)
    assert done.code == 0
    assert "2 rows have no score: the text is empty" in done.out
    assert "2 rows have no score: the model gave no answer that could be read (rows 4, 7)" in done.out
    assert pl.read_csv("out.csv")["p"].to_list() == [0.1, None, 0.2, None, 0.4, None, None, 0.6]


def test_a_result_names_the_first_rows_only(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LM_KEY", "s3cr3t-key")
    with serving(_answer) as server:
        _describe(server.url, 'on_error = "empty"')
        model = open_model("lm.toml", secrets="LM_KEY", send_to=server.url)
        result = score_file(pl.DataFrame({"text": ["1", *["bad"] * 7]}), "out.parquet", model=model)
    assert (result.unscored, result.unanswered, result.first_unanswered) == (7, 7, (2, 3, 4, 5, 6))


def test_a_missing_key_names_the_description(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LM_KEY", raising=False)
    pl.DataFrame({"text": ["a"]}).write_csv("in.csv")
    _describe("http://127.0.0.1:9/score")
    allowed = ("--secret", "LM_KEY", "--send-to", "http://127.0.0.1:9")
    line = fails(program, "score", "lm.toml", "in.csv", "-o", "out.csv", *allowed, says=[])
    assert line == (
        "evenhand: lm.toml: 'headers.Authorization' refers to the environment variable LM_KEY, which is not set; "
        "set LM_KEY before you run this"
    )


def test_texts_go_nowhere_without_permission(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LM_KEY", "s3cr3t-key")
    _describe("https://api.example.com/score")
    with pytest.raises(InputError, match=r"`send_to` https://api.example.com `secrets` LM_KEY"):
        open_model("lm.toml")


@pytest.mark.parametrize(
    "place", [{"prompt": "Is it? {text} ${LM_KEY}"}, {"parameters": {"user": "${LM_KEY}"}}, {"system": "${LM_KEY}"}]
)
def test_a_secret_needs_permission_wherever_it_is(place: dict[str, Any]) -> None:
    server = by_logprobs("http://localhost/score", **place)
    with pytest.raises(InputError, match=r"the environment variable LM_KEY to http://localhost; nothing was sent"):
        EndpointClassifier(server)
    assert EndpointClassifier(server, secrets=["LM_KEY"]).name == "localhost"
