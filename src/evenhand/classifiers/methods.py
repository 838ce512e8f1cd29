"""The training methods, one row each: `evenhand train --method` and the loading of saved models use this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from evenhand.classifiers.encoder import EncoderFamily, EncoderSettings
from evenhand.classifiers.linear import UNIGRAM, LinearClassifier, LinearSettings
from evenhand.classifiers.options import check_options
from evenhand.classifiers.protocol import DEFAULT_RUNTIME, Classifier, LabelledTexts, Runtime, Targets
from evenhand.errors import InputError, nearest
from evenhand.progress import Progress

ClassifierSettings = LinearSettings | EncoderSettings


class TrainedClassifier(Classifier, Protocol):
    """A classifier that was trained here, and can be written to a folder and read again."""

    @property
    def kind(self) -> str: ...

    @property
    def settings(self) -> ClassifierSettings: ...

    def write(self, folder: Path) -> None:
        """The weights, in files without code."""
        ...


class ClassifierFamily(Protocol):
    """How classifiers of one kind come to be."""

    def train(self, data: LabelledTexts, settings: Any, progress: Progress, place: Runtime) -> TrainedClassifier: ...

    def read(self, folder: Path, targets: Targets, settings: Any, place: Runtime) -> TrainedClassifier: ...


@dataclass(frozen=True)
class ModelKind:
    """Classifiers with the same kind of weights and settings; `placed` if they can use a GPU."""

    family: ClassifierFamily
    settings: type[ClassifierSettings]
    placed: bool = False


@dataclass(frozen=True)
class ClassifierMethod:
    """A kind with settings to begin with."""

    name: str
    what: str
    kind: str
    settings: ClassifierSettings


MODEL_KINDS: dict[str, ModelKind] = {
    "linear": ModelKind(LinearClassifier, LinearSettings),
    "encoder": ModelKind(EncoderFamily(), EncoderSettings, placed=True),
}
METHODS: dict[str, ClassifierMethod] = {
    method.name: method
    for method in (
        ClassifierMethod(
            "linear",
            "words and parts of words, an ensemble of eight; fast, and the default",
            "linear",
            LinearSettings(),
        ),
        ClassifierMethod("unigram", "a plain TF-IDF bag of words, as a baseline", "linear", UNIGRAM),
        ClassifierMethod("deterministic", "a pretrained encoder, fine-tuned", "encoder", EncoderSettings()),
        ClassifierMethod(
            "mc-dropout", "the same, asked ten times with dropout", "encoder", EncoderSettings(samples=10)
        ),
        ClassifierMethod("ensemble", "ten encoders, trained side by side", "encoder", EncoderSettings(members=10)),
        ClassifierMethod(
            "sngp", "an encoder that keeps distances, and a Gaussian process", "encoder", EncoderSettings(head="gp")
        ),
        ClassifierMethod("sngp-ensemble", "ten of these", "encoder", EncoderSettings(head="gp", members=10)),
    )
}


def train_classifier(
    data: LabelledTexts,
    *,
    method: str,
    options: Mapping[str, object],
    progress: Progress,
    place: Runtime = DEFAULT_RUNTIME,
) -> TrainedClassifier:
    """Train by the named method, with some of its settings changed."""
    if method not in METHODS:
        raise InputError(f"there is no method '{method}'; {nearest(method, METHODS)}")
    chosen = METHODS[method]
    kind = MODEL_KINDS[chosen.kind]
    _check_fit(chosen, options, place)
    settings = replace(chosen.settings, **check_options(kind.settings, options))
    return kind.family.train(data, settings, progress, place)


def _check_fit(method: ClassifierMethod, options: Mapping[str, object], place: Runtime) -> None:
    """What belongs to other methods is called so, rather than unknown."""
    own = {field.name for field in fields(MODEL_KINDS[method.kind].settings)}
    for name in options:
        fitting = [row.name for row in METHODS.values() if name in {field.name for field in fields(row.settings)}]
        if name not in own and fitting:
            raise InputError(f"the method {method.name} has no setting '{name}': it belongs to {', '.join(fitting)}")
    if not MODEL_KINDS[method.kind].placed and (place.device or place.download):
        fitting = [row.name for row in METHODS.values() if MODEL_KINDS[row.kind].placed]
        problem = f"`device` and `download` go with encoders ({', '.join(fitting)}), not with {method.name}"
        raise InputError(problem)


def restore_settings(kind: str, recorded: Mapping[str, object]) -> ClassifierSettings:
    """Settings as a saved model names them: all of them, and no others."""
    settings = MODEL_KINDS[kind].settings(**check_options(MODEL_KINDS[kind].settings, recorded))
    if set(recorded_settings(settings)) != set(recorded):
        raise InputError("the settings are incomplete")
    return settings


def recorded_settings(settings: ClassifierSettings) -> dict[str, Any]:
    """Settings as a saved model names them.

    Those that came later than the first models are left out while all of them are at rest: a model that does not use
    them is the same model, with the same version, as before there were any.
    """
    values = asdict(settings)
    later = {field.name: field.default for field in fields(settings) if field.metadata.get("later")}
    at_rest = all(values[name] == value for name, value in later.items())
    return {name: value for name, value in values.items() if not (at_rest and name in later)}
