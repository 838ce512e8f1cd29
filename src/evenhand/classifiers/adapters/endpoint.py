"""The description of an HTTP endpoint that scores texts: its address, its request, and the scores in its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.classifiers.adapters.environment_keys import nested_strings
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.adapters.score_paths import ScorePaths
from evenhand.classifiers.adapters.score_scales import ScaleName
from evenhand.classifiers.adapters.server import TEXT, TEXTS, RequestTemplate, ScoreRows, Server, check_choice
from evenhand.classifiers.protocol import TargetKind, Targets
from evenhand.errors import InputError

METHODS = ("GET", "POST", "PUT")


@dataclass(frozen=True, kw_only=True)
class Endpoint(Server):
    """One endpoint.

    `response` is the path to the probability, or a table of paths, one per class; `variance` likewise, where the
    endpoint gives the variance of its probability. In `body` and `query` the string {text} stands for one text, or in
    `body` {texts} for the list of a batch.
    """

    response: str | Mapping[str, str]
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    variance: str | Mapping[str, str] = field(default_factory=dict)
    positive: str = "positive"
    task: TargetKind | None = None
    scale: ScaleName = "probability"

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        self.check()
        _check_texts(self)
        _check_paths(self)

    @property
    def request(self) -> RequestTemplate:
        """What is sent."""
        return RequestTemplate(self.method, self.url, self.query, self.body)

    @property
    def targets(self) -> Targets:
        """The classes that it gives probabilities of."""
        return self.scores.targets

    @property
    def gives_variances(self) -> bool:
        """Whether its answers hold variances beside the probabilities."""
        return bool(self.scores.variances)

    @cached_property
    def scores(self) -> ScorePaths:
        """Where the scores are in an answer."""
        return ScorePaths.declared(
            self.response, positive=self.positive, task=self.task, scale=self.scale, variance=self.variance
        )

    def read(self, answer: JsonValue, texts: int) -> ScoreRows:
        """The scores of so many texts, in their order."""
        return self.scores.read(answer, texts)


def _check_texts(endpoint: Endpoint) -> None:
    strings = [text for _, text in nested_strings(endpoint.body)]
    one = any(TEXT in text for text in (*strings, *endpoint.query.values()))
    lists = sum(text == TEXTS for text in strings)
    if one == bool(lists) or lists > 1:
        raise InputError(f"body must contain {TEXT} for one text, or {TEXTS} once for a list of them")
    if endpoint.batch > 1 and not lists:
        raise InputError(f"a batch of {endpoint.batch} texts needs {TEXTS} in body, not {TEXT}")


def _check_paths(endpoint: Endpoint) -> None:
    many = any(text == TEXTS for _, text in nested_strings(endpoint.body))
    for path in (*endpoint.scores.paths.values(), *endpoint.scores.variances.values()):
        if path.many != many:
            need = "needs [] at the list of results" if many else f"has [], but {TEXTS} is not in body"
            raise InputError(f"the path '{path.written}' {need}")
