"""What the API takes and gives, as the OpenAPI document describes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, JsonValue, model_validator

EXAMPLE_MODEL, EXAMPLE_VERSION = "default", "b701212991a454a0"
EXAMPLE_SCORE: dict[str, JsonValue] = {
    "probabilities": {"toxic": 0.93},
    "uncertainty": {"toxic": 0.0651},
    "model_uncertainty": {"toxic": 0.0004},
}
EXAMPLE_PROBLEM: dict[str, JsonValue] = {
    "type": "urn:evenhand:problem:invalid-request",
    "title": "Invalid request",
    "status": 422,
    "detail": "the body is not valid: give either text or texts",
    "errors": [{"pointer": "#", "detail": "give either text or texts"}],
}
ByClass = Annotated[dict[str, float], Field(description="A number for each class.")]


class ScoreRequest(BaseModel):
    """One text or several, and the model to score them with."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [{"text": "you are an idiot"}, {"texts": ["good morning", "shut up"], "model": EXAMPLE_MODEL}],
            "oneOf": [{"required": ["text"]}, {"required": ["texts"]}],
        },
    )
    text: Annotated[str, Field(description="The text to score.")] = ""
    texts: Annotated[
        list[str], FailFast(), Field(min_length=1, description="The texts to score; results keep their order.")
    ] = []
    model: Annotated[str | None, Field(description="The name of a model; if omitted, the first model served.")] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> ScoreRequest:
        if len({"text", "texts"} & self.model_fields_set) != 1:
            raise ValueError("give either text or texts")
        return self


def score_request_schema(*, max_text: int, max_texts: int) -> dict[str, Any]:
    """What a request may be, with the limits that are in force."""
    schema = ScoreRequest.model_json_schema()
    text = {"type": "string", "maxLength": max_text, "pattern": "^[^\\u0000]*$"}
    schema["properties"]["text"] |= text
    schema["properties"]["texts"] |= {"items": text, "maxItems": max_texts}
    for field in ("text", "texts"):
        schema["properties"][field].pop("default")
    return schema


class ScoreLine(BaseModel):
    """A line of a stream: a text, and an id that its answer will have."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str
    id: str | int | None = None


class TextScores(BaseModel):
    """What the model says of one text: null where it is blank or the model gave no answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_SCORE]})
    probabilities: ByClass | None
    uncertainty: Annotated[
        ByClass | None,
        Field(description="p(1 − p); for exclusive classes ½(1 − Σp²), the same for each class."),
    ]
    model_uncertainty: Annotated[
        ByClass | None,
        Field(description="The part due to disagreement between ensemble members; omitted if there are none."),
    ] = None


class ScoreResponse(BaseModel):
    """The scores of the texts in their order, and what gave them."""

    model: Annotated[str, Field(examples=[EXAMPLE_MODEL])]
    version: Annotated[str, Field(description="Changes whenever scores could change.", examples=[EXAMPLE_VERSION])]
    calibrated: Annotated[bool, Field(description="Whether a calibrator was applied to the probabilities.")]
    classes: Annotated[list[str], Field(examples=[["toxic"]])]
    results: list[TextScores]


class ServedModelDescription(BaseModel):
    """A model that is served."""

    name: Annotated[str, Field(examples=[EXAMPLE_MODEL])]
    version: Annotated[str, Field(examples=[EXAMPLE_VERSION])]
    task: Literal["binary", "multi-class", "multi-label"]
    classes: Annotated[list[str], Field(examples=[["toxic"]])]
    calibrated: bool
    card: Annotated[dict[str, JsonValue] | None, Field(description="The content of the model's card.json.")] = None


class ModelList(BaseModel):
    """The models that are served; `default` answers where no model is named."""

    default: Annotated[str, Field(examples=[EXAMPLE_MODEL])]
    models: list[ServedModelDescription]


class ProblemPlace(BaseModel):
    """A place in the body, and what is wrong there."""

    pointer: str
    detail: str


class ProblemDocument(BaseModel):
    """An error, as RFC 9457 has it; `type` names the kind of problem and never changes."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE_PROBLEM]})
    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemPlace] = []


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI document: these statuses are answered by a problem."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
    return {status: {"content": content} for status in statuses}
