"""The attributes that can be asked for here, each answered by a class of a model that is served.

A name may end in @ and the version of the model, as Perspective had it: TOXICITY@b701212991a454a0. Whoever asks so is
refused, instead of being answered by another model, once the model has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.service.mappings import AttributeMapping, find_class
from evenhand.service.models import LoadedModel
from evenhand.service.perspective.google_errors import GoogleError, invalid_request
from evenhand.service.perspective.messages import AttributeParameters, ScoreType
from evenhand.service.settings import ServiceSettings

LONGEST_NAME = 128  # characters of a name that an error repeats

# What is known of the training of models that Evenhand comes with, by source and class. The default model learnt from
# the comments that Jigsaw published in 2018: 'toxic' is any of their six labels, of which TOXICITY is the widest.
SHIPPED_ATTRIBUTES = {"default": {"TOXICITY": AttributeMapping("toxic", languages=("en",))}}


@dataclass(frozen=True)
class ServedAttribute:
    """An attribute: the model and the column of its scores that answer it, and the languages it is there for."""

    name: str
    model: LoadedModel
    column: int
    languages: tuple[str, ...]

    @property
    def class_name(self) -> str:
        """The class that answers."""
        return self.model.targets.classes[self.column]

    @property
    def score_type(self) -> ScoreType:
        """What its numbers are: probabilities only where they were calibrated."""
        return "RAW" if self.model.calibrator is None else "PROBABILITY"


class AttributeTable:
    """All of them, by name."""

    def __init__(self, attributes: Mapping[str, ServedAttribute]) -> None:
        self.attributes = dict(attributes)

    @classmethod
    def of_service(cls, settings: ServiceSettings, models: Mapping[str, LoadedModel]) -> AttributeTable:
        """Those that were declared, or those of the shipped models that are served."""
        declared = settings.perspective.attributes
        mappings = shipped_mappings(settings, models) if declared is None else declared
        return cls({name: _served(name, mapping, models) for name, mapping in mappings.items()})

    def select(self, requested: Mapping[str, AttributeParameters]) -> dict[str, ServedAttribute]:
        """What was asked for, by the name it was asked for under; an error as Perspective gives it otherwise."""
        if not requested:
            raise invalid_request("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
        selected = {name: self.find(name) for name in requested}
        for name, attribute in selected.items():
            kind = requested[name].score_type
            if kind not in ("SCORE_TYPE_UNSPECIFIED", attribute.score_type):
                raise invalid_request(f"Requested score type {kind} is not supported by attribute {name}")
        return selected

    def find(self, name: str) -> ServedAttribute:
        """The attribute of this name, with or without a version."""
        plain, versioned, version = name.partition("@")
        attribute = self.attributes.get(plain)
        if attribute is None or (versioned and version != attribute.model.version):
            raise unknown_attribute(name)
        return attribute

    @property
    def languages(self) -> tuple[str, ...]:
        """Those that any of the attributes is there for."""
        return tuple(dict.fromkeys(tag for attribute in self.attributes.values() for tag in attribute.languages))


def shipped_mappings(settings: ServiceSettings, models: Mapping[str, LoadedModel]) -> dict[str, AttributeMapping]:
    """What the shipped models answer without being declared; where two do, the first."""
    mappings: dict[str, AttributeMapping] = {}
    for served in settings.models:
        name = served.name or served.source
        if name in models:
            for attribute, mapping in SHIPPED_ATTRIBUTES.get(served.source, {}).items():
                mappings.setdefault(attribute, AttributeMapping(mapping.class_name, name, mapping.languages))
    return mappings


def unknown_attribute(name: str) -> GoogleError:
    """As Perspective says it."""
    return invalid_request(f"Unknown requested attribute: {name[:LONGEST_NAME]}")


def _served(name: str, mapping: AttributeMapping, models: Mapping[str, LoadedModel]) -> ServedAttribute:
    classes = {model.name: model.targets.classes for model in models.values()}
    model, column = find_class(f"perspective.attributes.{name}", mapping, classes)
    return ServedAttribute(name, models[model], column, mapping.languages)
