"""The ways to train a model: one row each. `evenhand train --method` and the loading of saved models follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from evenhand.classifiers.encoder import EncoderFamily, EncoderSettings
from evenhand.classifiers.linear import UNIGRAM, LinearClassifier, LinearSettings
from evenhand.classifiers.options import checked
from evenhand.classifiers.place import HERE, Place
from evenhand.classifiers.protocol import Classifier, Labelled, Targets
from evenhand.errors import InputError, nearest
from evenhand.progress import Progress


class Trainable(Classifier, Protocol):
    """A classifier that was trained here, and can be written to a folder and read again."""

    @property
    def kind(self) -> str: ...

    @property
    def settings(self) -> Any: ...

    def write(self, folder: Path) -> None:
        """The weights, in files without code."""
        ...


class Family(Protocol):
    """How classifiers of one kind come to be."""

    def train(self, data: Labelled, settings: Any, progress: Progress, place: Place) -> Trainable: ...

    def read(self, folder: Path, targets: Targets, settings: Any, place: Place) -> Trainable: ...


@dataclass(frozen=True)
class Kind:
    """Classifiers with the same kind of weights and settings; `placed` if they can work on a graphics card."""

    family: Family
    settings: type[Any]
    placed: bool = False


@dataclass(frozen=True)
class Method:
    """A kind with settings to begin with."""

    name: str
    what: str
    kind: str
    settings: Any


KINDS: dict[str, Kind] = {
    "linear": Kind(LinearClassifier, LinearSettings),
    "encoder": Kind(EncoderFamily(), EncoderSettings, placed=True),
}
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "linear",
            "words and parts of words, an ensemble of eight; fast, and the default",
            "linear",
            LinearSettings(),
        ),
        Method("unigram", "a plain TF-IDF bag of words, as a baseline", "linear", UNIGRAM),
        Method("deterministic", "a pretrained encoder, fine-tuned", "encoder", EncoderSettings()),
        Method("mc-dropout", "the same, asked ten times with dropout", "encoder", EncoderSettings(samples=10)),
        Method("ensemble", "ten encoders, trained side by side", "encoder", EncoderSettings(members=10)),
        Method(
            "sngp", "an encoder that keeps distances, and a Gaussian process", "encoder", EncoderSettings(head="gp")
        ),
        Method("sngp-ensemble", "ten of these", "encoder", EncoderSettings(head="gp", members=10)),
    )
}


def train(
    data: Labelled, *, method: str, options: Mapping[str, Any], progress: Progress, place: Place = HERE
) -> Trainable:
    """Train by the named method, with some of its settings changed."""
    if method not in METHODS:
        raise InputError(f"there is no method '{method}'; {nearest(method, METHODS)}")
    found = METHODS[method]
    kind = KINDS[found.kind]
    _check_fit(found, options, place)
    settings = replace(found.settings, **checked(kind.settings, options))
    return kind.family.train(data, settings, progress, place)


def _check_fit(method: Method, options: Mapping[str, Any], place: Place) -> None:
    """What belongs to other methods is called so, rather than unknown."""
    own = {field.name for field in fields(KINDS[method.kind].settings)}
    for name in options:
        fitting = [row.name for row in METHODS.values() if name in {field.name for field in fields(row.settings)}]
        if name not in own and fitting:
            raise InputError(f"'{name}' is no setting of the method {method.name}: it goes with {', '.join(fitting)}")
    if not KINDS[method.kind].placed and (place.device or place.download):
        fitting = [row.name for row in METHODS.values() if KINDS[row.kind].placed]
        problem = f"--device and --download go with encoders ({', '.join(fitting)}), and {method.name} is none"
        raise InputError(problem)


def settings_of(kind: str, given: Mapping[str, Any]) -> Any:
    """Settings as a saved model names them: all of them, and no others."""
    settings = KINDS[kind].settings(**checked(KINDS[kind].settings, given))
    if set(recorded(settings)) != set(given):
        raise InputError("the settings are not complete")
    return settings


def recorded(settings: Any) -> dict[str, Any]:
    """Settings as a saved model names them.

    Those that came later than the first models are left out while all of them are at rest: a model that does not use
    them is the same model, with the same version, as before there were any.
    """
    found = asdict(settings)
    later = {field.name: field.default for field in fields(settings) if field.metadata.get("later")}
    at_rest = all(found[name] == value for name, value in later.items())
    return {name: value for name, value in found.items() if not (at_rest and name in later)}
