"""Where the scores are in a JSON answer, and what they are: the classes, the task and the scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.json_path import JsonPath, JsonValue, PathNotFound
from evenhand.classifiers.adapters.score_scales import SCALES, ScaleName, to_probabilities
from evenhand.classifiers.adapters.server import ScoreRows, UnreadableAnswer, check_choice
from evenhand.classifiers.protocol import TargetKind, Targets
from evenhand.errors import InputError

FIELD_SCALES: dict[str, ScaleName] = {"logprob": "logprob", "log_prob": "logprob", "logit": "logit"}


@dataclass(frozen=True)
class ScorePaths:
    """The path of each class and, where the server gives them, of each variance."""

    paths: Mapping[str, JsonPath]
    variances: Mapping[str, JsonPath]
    targets: Targets
    scale: ScaleName

    @classmethod
    def declared(
        cls,
        response: str | Mapping[str, str],
        *,
        positive: str,
        task: TargetKind | None,
        scale: ScaleName,
        variance: str | Mapping[str, str] | None = None,
    ) -> ScorePaths:
        """As a description writes them: one path for the class `positive`, or a table with one for each class."""
        check_choice("scale", scale, tuple(SCALES))
        paths, variances = _by_class(response, positive), _by_class(variance or {}, positive)
        if len(paths) > 1 and task not in ("multi-class", "multi-label"):
            problem = "several classes: set task = 'multi-label' or, if exactly one is true, task = 'multi-class'"
            raise InputError(problem)
        for path in paths.values():
            _check_field_name(path, scale)
        if variances and list(variances) != list(paths):
            raise InputError("variance must name the classes that response names, in their order")
        if variances and scale in ("logit", "logprob"):
            raise InputError(f"the variance of a {scale} is not that of a probability: leave out variance")
        return cls(paths, variances, Targets(task or "binary", tuple(paths)), scale)

    def read(self, answer: JsonValue, texts: int) -> ScoreRows:
        """The scores of so many texts, in their order."""
        try:
            values = _numbers(self.paths, answer, texts)
            probabilities = to_probabilities(values, self.scale, exclusive=self.targets.exclusive)
            return probabilities, self._read_variances(answer, texts)
        except PathNotFound as problem:
            raise UnreadableAnswer(f"the answer has {problem}") from None

    def _read_variances(self, answer: JsonValue, texts: int) -> AnyFloats | None:
        if not self.variances:
            return None
        values = _numbers(self.variances, answer, texts) / (100.0**2 if self.scale == "percent" else 1.0)
        outside = ~((values >= 0.0) & (values <= 0.25))
        if outside.any():
            problem = "the answer gives a variance outside 0 to 0.25, which no probability has"
            raise UnreadableAnswer(problem, int(outside.any(axis=1).argmax()))
        return values


def _by_class(written: str | Mapping[str, str], positive: str) -> dict[str, JsonPath]:
    named = {positive: written} if isinstance(written, str) else written
    return {name: JsonPath.parse(path) for name, path in named.items()}


def _check_field_name(path: JsonPath, scale: ScaleName) -> None:
    """A field that is called logprob holds log-probabilities, whatever its values are."""
    last = path.steps[-1].lower()
    for word, own in FIELD_SCALES.items():
        if word in last and scale != own:
            raise InputError(f"the path '{path.written}' leads to a {own}, and scale is '{scale}': set scale = '{own}'")


def _numbers(paths: Mapping[str, JsonPath], answer: JsonValue, texts: int) -> AnyFloats:
    """[texts, classes]"""
    columns = []
    for path in paths.values():
        values = path.find(answer)
        if len(values) != texts:
            raise UnreadableAnswer(f"the answer has {len(values)} results at '{path.written}' for {texts} texts")
        columns.append([_number(value, path, text) for text, value in enumerate(values)])
    return np.array(columns, dtype=np.float64).T


def _number(value: JsonValue, path: JsonPath, text: int) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnreadableAnswer(f"the answer has no number at '{path.written}' ({type(value).__name__})", text)
    try:
        return float(value)
    except OverflowError:
        return float("inf")
