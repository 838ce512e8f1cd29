"""The bodies of requests and responses, as Perspective's discovery document defines them.

Bodies follow the JSON form of protocol buffers: a name may be written in camelCase or snake_case, null means unset,
and a field that is not known is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, from_json

from evenhand.service.perspective.google_errors import invalid_payload

TextType = Literal["TEXT_TYPE_UNSPECIFIED", "PLAIN_TEXT", "HTML"]
ScoreType = Literal["SCORE_TYPE_UNSPECIFIED", "PROBABILITY", "STD_DEV_SCORE", "PERCENTILE", "RAW"]
FiniteNumber = Annotated[float, Field(allow_inf_nan=False)]
LARGEST_BARE = 65_536  # bytes of a body in which keys may stand without quotes
STRING_OR_BARE_KEY = re.compile(rb'("(?:[^"\\]|\\.)*+"?)|(?<!\w)([A-Za-z_]\w*+)(?=\s*+:)', re.DOTALL)


class ProtocolMessage(BaseModel):
    """What all of them have in common."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, extra="forbid", strict=True
    )


class TextEntry(ProtocolMessage):
    """A text, plain or HTML."""

    text: str = ""
    type: TextType = "TEXT_TYPE_UNSPECIFIED"


class ArticleAndParentComment(ProtocolMessage):
    """What a comment was made about."""

    article: TextEntry | None = None
    parent_comment: TextEntry | None = None


class Context(ProtocolMessage):
    """What a comment refers to: a list of texts, or an article and the comment that is answered; never both."""

    entries: list[TextEntry] = []
    article_and_parent_comment: ArticleAndParentComment | None = None


class AttributeParameters(ProtocolMessage):
    """How an attribute is asked for; scores below the threshold are left out of the response."""

    score_type: ScoreType = "SCORE_TYPE_UNSPECIFIED"
    score_threshold: FiniteNumber | None = None


class AnalyzeCommentRequest(ProtocolMessage):
    """A comment, and the attributes to score it for. Nothing is stored, whatever `doNotStore` says."""

    comment: TextEntry = TextEntry()
    context: Context = Context()
    requested_attributes: dict[str, AttributeParameters] = {}
    span_annotations: bool = False
    languages: list[str] = []
    do_not_store: bool = False
    client_token: str = ""
    session_id: str = ""
    community_id: str = ""


class AttributeScore(ProtocolMessage):
    """A number and what kind of number it is: PROBABILITY of a calibrated model, RAW of another."""

    model_config = ConfigDict(title="Score")
    value: FiniteNumber | None = None
    type: ScoreType = "SCORE_TYPE_UNSPECIFIED"


class SpanScore(ProtocolMessage):
    """The score of a part of the text: UTF-16 code units, `end` exclusive."""

    begin: int | None = None
    end: int | None = None
    score: AttributeScore | None = None


class AttributeScores(ProtocolMessage):
    """The scores of one attribute."""

    span_scores: list[SpanScore] = []
    summary_score: AttributeScore | None = None


class AnsweringModel(ProtocolMessage):
    """Which model and which class of it gave the scores of an attribute; a field that Perspective does not have."""

    model: str
    version: str
    class_name: Annotated[str, Field(alias="class")]
    calibrated: bool


class AnalyzeCommentResponse(ProtocolMessage):
    """The scores by attribute; an attribute all of whose scores are below its threshold is left out."""

    attribute_scores: dict[str, AttributeScores] = {}
    languages: list[str] = []
    detected_languages: list[str] = []
    client_token: str = ""
    evenhand: dict[str, AnsweringModel] = {}


class SuggestCommentScoreRequest(ProtocolMessage):
    """The scores that somebody thinks a comment should have."""

    comment: TextEntry = TextEntry()
    context: Context = Context()
    attribute_scores: dict[str, AttributeScores] = {}
    languages: list[str] = []
    community_id: str = ""
    client_token: str = ""
    session_id: str = ""


class SuggestCommentScoreResponse(ProtocolMessage):
    """That a suggestion has arrived."""

    client_token: str = ""
    detected_languages: list[str] = []
    requested_languages: list[str] = []


RequestMessage = TypeVar("RequestMessage", AnalyzeCommentRequest, SuggestCommentScoreRequest)


def parse(kind: type[RequestMessage], body: bytes) -> RequestMessage:
    """A request from its body; no body at all is an empty request."""
    content = _json(body) if body.strip() else {}
    if not isinstance(content, dict):
        raise invalid_payload("", "Root element must be a message.")
    try:
        return kind.model_validate(_without_nulls(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise invalid_payload(_field(first["loc"]), _violation(first)) from None


def to_document(message: ProtocolMessage) -> dict[str, Any]:
    """As JSON has it: camelCase, and without what is unset."""
    content = message.model_dump(by_alias=True, exclude_none=True)
    return {name: value for name, value in content.items() if value not in ("", {})}


def _json(body: bytes) -> Any:
    """JSON; also with bare keys, as in the example for curl that Perspective's own guide gives."""
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        if len(body) <= LARGEST_BARE:
            quoted = STRING_OR_BARE_KEY.sub(lambda part: part[1] or b'"' + part[2] + b'"', body)
            try:
                return from_json(quoted, allow_inf_nan=False)
            except ValueError:
                pass
        raise invalid_payload("", f"{str(error).capitalize()}.") from None


def _without_nulls(content: Any) -> Any:
    """The parser has bounded the depth."""
    if isinstance(content, Mapping):
        return {key: _without_nulls(value) for key, value in content.items() if value is not None}
    return [_without_nulls(value) for value in content] if isinstance(content, list) else content


def _field(place: tuple[int | str, ...]) -> str:
    """A place as Google writes it: requested_attributes[0].value is written requestedAttributes.NAME here."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:64]}" for part in place)
    return path.removeprefix(".")


def _violation(error: ErrorDetails) -> str:
    name, where = str(error["loc"][-1])[:64], _field(error["loc"][:-1])
    if error["type"] == "extra_forbidden":
        return f'Unknown name "{name}"{f" at {where!r}" if where else ""}: Cannot find field.'
    return f"Invalid value at '{_field(error['loc'])}': {error['msg']}."
