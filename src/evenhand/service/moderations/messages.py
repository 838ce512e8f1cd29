"""From a moderation request to the texts that are scored, and from their scores to the response."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from evenhand.service.engine import ScoredTexts
from evenhand.service.mappings import CATEGORIES, CategoryMapping, find_class
from evenhand.service.models import LoadedModel
from evenhand.service.moderations.openai_errors import OpenAIError, invalid_input
from evenhand.service.problems import Problem

OPENAI_MODELS = ("omni-moderation", "text-moderation")  # what clients of OpenAI name; the mapping decides who answers
INPUT_FORMS = "Invalid type for 'input': expected a string, an array of strings, or an array of text parts."


class TextPart(BaseModel):
    """A part of an input that is text."""

    model_config = ConfigDict(extra="forbid", strict=True)
    type: Literal["text"]
    text: str


class ImagePart(BaseModel):
    """A part of an input that is an image, which no model here reads."""

    model_config = ConfigDict(strict=True)
    type: Literal["image_url"]


InputPart = Annotated[TextPart | ImagePart, Field(discriminator="type")]


class ModerationRequest(BaseModel):
    """What is to be moderated: a text, several, or one made of parts."""

    model_config = ConfigDict(extra="forbid", strict=True)
    input: str | list[str] | list[InputPart]
    model: str | None = None

    @property
    def texts(self) -> list[str]:
        """The texts, in their order; of parts one, line by line. Images and blank texts are refused."""
        parts = [self.input] if isinstance(self.input, str) else self.input
        if not parts:
            raise invalid_input("Invalid 'input': expected at least one text.", "input")
        for number, part in enumerate(parts):
            if isinstance(part, ImagePart):
                problem = f"Invalid type for 'input[{number}]': images are not supported, only text is."
                raise invalid_input(problem, f"input[{number}]", "invalid_type")
        words = [part.text if isinstance(part, TextPart) else str(part) for part in parts]
        texts = ["\n".join(words)] if isinstance(parts[0], TextPart) else words
        for number, text in enumerate(texts):
            if not text.strip():
                raise invalid_input(f"Invalid 'input': text {number} is blank.", "input")
        return texts


@dataclass(frozen=True)
class ServedCategory:
    """A category: the model and the column of its scores that answer it, and from which score on it is true."""

    model: LoadedModel
    column: int
    threshold: float


class CategoryTable:
    """The categories that are mapped, by name."""

    def __init__(self, mappings: Mapping[str, CategoryMapping], models: Mapping[str, LoadedModel]) -> None:
        classes = {model.name: model.targets.classes for model in models.values()}
        self.categories: dict[str, ServedCategory] = {}
        for name, mapping in mappings.items():
            model, column = find_class(f"moderations.categories.{name}", mapping, classes)
            self.categories[name] = ServedCategory(models[model], column, mapping.threshold)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked."""
        return tuple(dict.fromkeys(category.model.name for category in self.categories.values()))

    @property
    def model(self) -> str:
        """What answers: name@version, of several comma-separated."""
        models = {category.model.name: category.model.version for category in self.categories.values()}
        return ",".join(f"{name}@{version}" for name, version in models.items())

    def check_model(self, requested: str | None) -> None:
        """Refuse an unknown model; names of OpenAI's models are accepted for the one that is mapped."""
        known = (self.model, ",".join(self.models))
        if requested is not None and requested not in known and not requested.startswith(OPENAI_MODELS):
            message = f"The model '{requested[:128]}' does not exist here; use '{self.model}'."
            raise OpenAIError(404, "model_not_found", message, param="model")


def parse(body: bytes) -> ModerationRequest:
    """A request from its body."""
    try:
        content = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        problem = f"We could not parse the JSON body of your request: {error}."
        raise invalid_input(problem, code="invalid_json") from None
    try:
        return ModerationRequest.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    param = str(first["loc"][0])[:64] if first["loc"] else None
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        raise invalid_input(f"Unknown parameter: '{param}'.", param, "unknown_parameter")
    if first["type"] == "missing" and param == "input" and len(first["loc"]) == 1:
        raise invalid_input("Missing required parameter: 'input'.", param, "missing_required_parameter")
    raise invalid_input(
        INPUT_FORMS if param == "input" else f"{param or 'body'}: {first['msg']}", param, "invalid_type"
    )


def response_of(table: CategoryTable, scored: Mapping[str, ScoredTexts], count: int) -> dict[str, Any]:
    """The response, from the scores of each model for so many texts."""
    results = [_result(table, scored, row) for row in range(count)]
    return {"id": f"modr-{secrets.token_hex(16)}", "model": table.model, "results": results}


def _result(table: CategoryTable, scored: Mapping[str, ScoredTexts], row: int) -> dict[str, Any]:
    """Of one text: null and no input types where a category was not looked for."""
    scores = {
        name: float(scored[category.model.name].probabilities[row, category.column])
        for name, category in table.categories.items()
    }
    if any(map(math.isnan, scores.values())):
        raise Problem(503, "model-unavailable", "a model returned no score")
    flags = {name: scores[name] >= category.threshold for name, category in table.categories.items()}
    return {
        "flagged": any(flags.values()),
        "categories": {name: flags.get(name) for name in CATEGORIES},
        "category_scores": {name: scores.get(name) for name in CATEGORIES},
        "category_applied_input_types": {name: ["text"] if name in scores else [] for name in CATEGORIES},
    }
