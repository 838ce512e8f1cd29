"""A language model behind an OpenAI-compatible server (vLLM, Ollama, llama.cpp, LM Studio), described as a classifier.

Either the log-probabilities of the first token are read, and the answers of the classes compared with one another; or
the model writes a number, alone or within JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.adapters.labels import ModelLabels
from evenhand.classifiers.adapters.language_model_answers import (
    answer_choices,
    answer_probabilities,
    answer_value,
    first_token_logprobs,
)
from evenhand.classifiers.adapters.score_paths import ScorePaths
from evenhand.classifiers.adapters.score_scales import ScaleName
from evenhand.classifiers.adapters.server import (
    TEXT,
    RequestTemplate,
    ScaleContradiction,
    ScoreRows,
    Server,
    UnreadableAnswer,
    check_choice,
    check_json,
    fill_template,
)
from evenhand.classifiers.protocol import TargetKind, Targets
from evenhand.errors import InputError

Api = Literal["chat", "completions"]
AnswerKind = Literal["logprobs", "number"]
PATHS: dict[Api, str] = {"chat": "/chat/completions", "completions": "/completions"}
TOP_LOGPROBS: dict[Api, int] = {"chat": 20, "completions": 5}  # the most that every such server gives
MAX_TOKENS: dict[AnswerKind, int] = {"logprobs": 1, "number": 64}
OWN_PARAMETERS = ("model", "messages", "prompt", "stream", "n", "logprobs", "top_logprobs", "max_tokens", "seed")
NUMBER_KEYS = ("response", "task")  # keys of the description that only a written answer has
NEWER_MAX_TOKENS = "max_completion_tokens"  # what some models of OpenAI need instead of max_tokens
WHOLE_ANSWER = "answer"


@dataclass(frozen=True, kw_only=True)
class LanguageModelServer(Server):
    """One model on one server, asked by one prompt.

    `url` ends before /chat/completions, usually in /v1. With `answer` "logprobs", `labels` gives each class the answers
    that stand for it, each one token. With "number" the model writes a number on `scale`, or JSON in which `response`
    leads to it, as in an `Endpoint`. `parameters` are further fields of the request.
    """

    model: str
    prompt: str
    labels: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    positive: str | Sequence[str] | None = None
    system: str | None = None
    api: Api = "chat"
    answer: AnswerKind = "logprobs"
    response: str | Mapping[str, str] | None = None
    task: TargetKind | None = None
    scale: ScaleName | None = None
    seed: int = 0
    max_tokens: int | None = None
    top_logprobs: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_choice("api", self.api, get_args(Api))
        check_choice("answer", self.answer, get_args(AnswerKind))
        _check_prompt(self)
        _check_answer_keys(self)
        self.targets  # noqa: B018 (refuses what is not a set of classes)
        self.check()

    @property
    def targets(self) -> Targets:
        """The classes that it gives probabilities of."""
        return self.named_labels.targets if self.answer == "logprobs" else self.scores.targets

    @cached_property
    def request(self) -> RequestTemplate:
        """What is sent: temperature 0, and no more tokens than the answer needs."""
        base = self.url.rstrip("/")
        url = base if base.endswith(PATHS[self.api]) else base + PATHS[self.api]
        return RequestTemplate("POST", url, {}, self._body)

    @property
    def _body(self) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {"model": self.model, **self._question, "temperature": 0, "seed": self.seed}
        body["max_tokens"] = self.max_tokens or MAX_TOKENS[self.answer]
        if self.answer == "logprobs":
            top = self.top_logprobs or TOP_LOGPROBS[self.api]
            body |= {"logprobs": True, "top_logprobs": top} if self.api == "chat" else {"logprobs": top}
        if NEWER_MAX_TOKENS in self.parameters:
            del body["max_tokens"]
        return {**body, **self.parameters}

    @property
    def _question(self) -> dict[str, JsonValue]:
        if self.api == "completions":
            return {"prompt": self.prompt}
        system = [{"role": "system", "content": self.system}] if self.system else []
        return {"messages": [*system, {"role": "user", "content": self.prompt}]}

    def filled_body(self, texts: Sequence[str], fill: Callable[[str], str]) -> JsonValue:
        """The body for these texts: of several each has a prompt of its own, in one list."""
        if len(texts) == 1:
            return super().filled_body(texts, fill)
        prompts = [fill_template(self.prompt, [text], fill) for text in texts]
        return {**self._body, "prompt": prompts}

    @cached_property
    def named_labels(self) -> ModelLabels:
        """The labels, and which of them count as violating."""
        return ModelLabels.from_names(list(self.labels), exclusive=True, positive=self.positive)

    @cached_property
    def scores(self) -> ScorePaths:
        """Where the number is in a written answer."""
        positive = self.positive if isinstance(self.positive, str) else "positive"
        scale = self.scale or "probability"
        return ScorePaths.declared(self.response or WHOLE_ANSWER, positive=positive, task=self.task, scale=scale)

    def read(self, answer: JsonValue, texts: int) -> ScoreRows:
        """The probabilities of so many texts, in their order."""
        rows = []
        for text, choice in enumerate(answer_choices(answer, texts)):
            try:
                rows.append(self._read_one(choice))
            except UnreadableAnswer as problem:
                raise type(problem)(str(problem), text) from None
        return np.concatenate(rows), None

    def _read_one(self, choice: Mapping[str, JsonValue]) -> AnyFloats:
        if self.answer == "logprobs":
            answers = {label: _several(words) for label, words in self.labels.items()}
            return self.named_labels.classes(answer_probabilities(first_token_logprobs(choice), answers))
        value = answer_value(choice)
        try:
            return self.scores.read(value if self.response else {WHOLE_ANSWER: value}, 1)[0]
        except ScaleContradiction as problem:  # a model may write any number: that is one bad answer
            raise UnreadableAnswer(str(problem)) from None


def _several(words: str | Sequence[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _check_prompt(server: LanguageModelServer) -> None:
    if server.prompt.count(TEXT) != 1:
        raise InputError(f"prompt must contain {TEXT} exactly once, where the text goes")
    if server.prompt.strip() == TEXT:
        raise InputError("prompt must ask something about the text")
    if server.system is not None and server.api != "chat":
        raise InputError("system goes with api = 'chat': put it into prompt")
    if server.system is not None and TEXT in server.system:
        raise InputError(f"{TEXT} belongs in prompt, not in system")
    if server.batch > 1 and server.api == "chat":
        raise InputError(
            "a chat request holds one text: leave out batch, and use parallel for several requests at once"
        )


def _check_answer_keys(server: LanguageModelServer) -> None:
    if server.answer == "logprobs":
        _check_labels({label: _several(words) for label, words in server.labels.items()})
        wrong = [key for key in NUMBER_KEYS if getattr(server, key) is not None]
        if server.scale not in (None, "logprob"):
            raise InputError(
                f"scale is '{server.scale}', and answer = 'logprobs' gives log-probabilities: leave out scale"
            )
    else:
        wrong = [key for key in ("labels", "top_logprobs") if getattr(server, key)]
        if not (server.positive is None or isinstance(server.positive, str)):
            raise InputError("positive must be one name with answer = 'number': the class that the number is about")
    if wrong:
        raise InputError(f"{wrong[0]} does not go with answer = '{server.answer}': leave it out")
    for key in ("max_tokens", "top_logprobs"):
        value = getattr(server, key)
        if value is not None and not 1 <= value <= 4096:
            raise InputError(f"{key} must be 1 or more, and at most 4,096")
    own = [name for name in server.parameters if name in OWN_PARAMETERS]
    if own:
        raise InputError(f"'{own[0]}' cannot be set in parameters: it is set by the description itself")
    check_json(server.parameters, "parameters")


def _check_labels(answers: Mapping[str, tuple[str, ...]]) -> None:
    words = [word.strip() for several in answers.values() for word in several]
    if len(answers) < 2 or not all(answers.values()):
        raise InputError("labels must name at least two classes, each with an answer")
    if len(set(words)) != len(words) or not all(words):
        raise InputError("labels: each answer must be a word, and belong to one class only")
