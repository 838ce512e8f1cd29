"""The discovery document has the methods and fields of Perspective's own, and generic clients can build on it."""

from __future__ import annotations

import pytest
from googleapiclient.discovery import build_from_document

from evenhand.service.perspective.discovery import discovery_document, schemas

SCORE_TYPES = ["SCORE_TYPE_UNSPECIFIED", "PROBABILITY", "STD_DEV_SCORE", "PERCENTILE", "RAW"]
FIELDS = {  # of Google's document, revision 20190414
    "AnalyzeCommentRequest": "clientToken comment communityId context doNotStore languages requestedAttributes "
    "sessionId spanAnnotations",
    "AnalyzeCommentResponse": "attributeScores clientToken detectedLanguages languages",
    "ArticleAndParentComment": "article parentComment",
    "AttributeParameters": "scoreThreshold scoreType",
    "AttributeScores": "spanScores summaryScore",
    "Context": "articleAndParentComment entries",
    "Score": "type value",
    "SpanScore": "begin end score",
    "SuggestCommentScoreRequest": "attributeScores clientToken comment communityId context languages sessionId",
    "SuggestCommentScoreResponse": "clientToken detectedLanguages requestedLanguages",
    "TextEntry": "text type",
}


def test_the_fields_are_those_of_the_original() -> None:
    found = {name: sorted(schema["properties"]) for name, schema in schemas().items()}
    assert found.pop("AnsweringModel") == ["calibrated", "class", "model", "version"]
    found["AnalyzeCommentResponse"].remove("evenhand")
    assert found == {name: fields.split() for name, fields in FIELDS.items()}


def test_the_types_are_those_of_the_original() -> None:
    found = {name: schema["properties"] for name, schema in schemas().items()}
    assert found["Score"] == {
        "value": {"type": "number", "format": "float"},
        "type": {"type": "string", "enum": SCORE_TYPES},
    }
    assert found["SpanScore"]["begin"] == {"type": "integer", "format": "int32"}
    assert found["SpanScore"]["score"] == {"$ref": "Score"}
    assert found["Context"]["entries"] == {"type": "array", "items": {"$ref": "TextEntry"}}
    asked = found["AnalyzeCommentRequest"]
    assert asked["requestedAttributes"] == {"type": "object", "additionalProperties": {"$ref": "AttributeParameters"}}
    assert asked["doNotStore"] == {"type": "boolean"}
    assert asked["comment"] == {"$ref": "TextEntry"}


@pytest.mark.parametrize("method", ["analyze", "suggestscore"])
def test_a_generic_client_builds_its_methods_from_it(method: str) -> None:
    client = build_from_document(discovery_document("http://localhost:8717", "1"), developerKey="key")
    request = getattr(client.comments(), method)(body={"comment": {"text": "a"}})
    assert request.uri == f"http://localhost:8717/v1alpha1/comments:{method}?key=key&alt=json"
    assert request.method == "POST"
