"""Bodies: what Google's JSON takes is taken, and what it refuses is refused with the place."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from evenhand.service.perspective.google_errors import GoogleError
from evenhand.service.perspective.messages import (
    AnalyzeCommentRequest,
    AnalyzeCommentResponse,
    AttributeScore,
    AttributeScores,
    SuggestCommentScoreRequest,
    parse,
    to_document,
)

WHOLE = {
    "comment": {"text": "hi", "type": "PLAIN_TEXT"},
    "context": {"entries": [{"text": "before", "type": "PLAIN_TEXT"}]},
    "requestedAttributes": {"TOXICITY": {"scoreType": "PROBABILITY", "scoreThreshold": 0.5}, "INSULT": {}},
    "spanAnnotations": True,
    "languages": ["en"],
    "doNotStore": True,
    "clientToken": "mine",
    "sessionId": "7",
    "communityId": "forum",
}


def refused(body: bytes | dict[str, Any]) -> GoogleError:
    with pytest.raises(GoogleError) as caught:
        parse(AnalyzeCommentRequest, body if isinstance(body, bytes) else json.dumps(body).encode())
    assert caught.value.status == 400
    return caught.value


def test_every_field_is_read() -> None:
    asked = parse(AnalyzeCommentRequest, json.dumps(WHOLE).encode())
    assert asked.model_dump(by_alias=True, exclude_unset=True) == WHOLE


def test_names_may_be_those_of_the_protocol_buffer_and_null_is_unset() -> None:
    body = b"""{"comment": {"text": "hi", "type": null}, "context": null,
               "requested_attributes": {"TOXICITY": {"score_threshold": 1}}}"""
    asked = parse(AnalyzeCommentRequest, body)
    assert asked.requested_attributes["TOXICITY"].score_threshold == 1.0
    assert asked.comment.type == "TEXT_TYPE_UNSPECIFIED"


def test_no_body_is_an_empty_request() -> None:
    assert parse(AnalyzeCommentRequest, b" ") == AnalyzeCommentRequest()


def test_keys_may_be_bare_as_in_the_example_for_curl() -> None:
    body = b"""{comment: {text: "what kind of {idiot: name} is \\"foo\\"?"},
       languages: ["en"],
       requestedAttributes: {TOXICITY:{}} }"""
    asked = parse(AnalyzeCommentRequest, body)
    assert asked.comment.text == 'what kind of {idiot: name} is "foo"?'
    assert list(asked.requested_attributes) == ["TOXICITY"]


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        ({"coment": {}}, None, 'Invalid JSON payload received. Unknown name "coment": Cannot find field.'),
        ({"comment": {"texts": ""}}, "comment.texts", "Unknown name \"texts\" at 'comment': Cannot find field."),
        ({"comment": {"text": 3}}, "comment.text", "Invalid value at 'comment.text'"),
        ({"comment": {"text": "a", "type": "MARKDOWN"}}, "comment.type", "Invalid value at 'comment.type'"),
        ({"languages": "en"}, "languages", "Invalid value at 'languages'"),
        ({"languages": [1]}, "languages[0]", "Invalid value at 'languages[0]'"),
        ({"requestedAttributes": ["TOXICITY"]}, "requestedAttributes", "Invalid value"),
        (
            {"requestedAttributes": {"A": {"scoreThreshold": "x"}}},
            "requestedAttributes.A.scoreThreshold",
            "Invalid value",
        ),
        ({"doNotStore": "yes"}, "doNotStore", "Invalid value"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(body: dict[str, Any], field: str | None, says: str) -> None:
    error = refused(body)
    assert says in error.detail
    assert error.details[0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"
    if field:
        assert error.details[0]["fieldViolations"][0]["field"] == field


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"comment":' * 10_000,
        b'{"comment":{"text":"\\ud800"}}',
        b'{"requestedAttributes":{"A":{"scoreThreshold":NaN}}}',
        b'{comment: {text: "',
    ],
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    assert refused(body).detail.startswith("Invalid JSON payload received. ")


@pytest.mark.parametrize("piece", [b'"', b'\\"', b"a", b"a:", b"{a:", b'"\\', b"a "])
def test_no_body_takes_more_than_a_pass(piece: bytes) -> None:
    began = time.process_time()
    refused((b"{" + piece * 65_536)[:65_536])
    assert time.process_time() - began < 6.0


def test_a_response_leaves_out_what_is_unset() -> None:
    scores = AttributeScores(summary_score=AttributeScore(value=0.0, type="RAW"))
    answer = AnalyzeCommentResponse(attribute_scores={"TOXICITY": scores}, languages=["en"], detected_languages=["en"])
    assert to_document(answer) == {
        "attributeScores": {"TOXICITY": {"spanScores": [], "summaryScore": {"value": 0.0, "type": "RAW"}}},
        "languages": ["en"],
        "detectedLanguages": ["en"],
    }
    assert "attributeScores" not in to_document(AnalyzeCommentResponse())


def test_the_suggestion_of_the_guide_is_read() -> None:
    body = b"""{"comment": {"text": "Get busy living, or get busy dying."}, "communityId": "/forum/movies",
               "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0}}}, "clientToken": "comment-53922"}"""
    asked = parse(SuggestCommentScoreRequest, body)
    assert asked.attribute_scores["TOXICITY"].summary_score == AttributeScore(value=0.0)
