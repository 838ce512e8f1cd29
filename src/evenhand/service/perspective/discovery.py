"""The discovery document: the description from which Google's generic clients build their methods.

Its schemas are made from the messages themselves, and its addresses from the address under which it was asked for.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from evenhand.service.perspective.messages import (
    AnalyzeCommentRequest,
    AnalyzeCommentResponse,
    SuggestCommentScoreRequest,
    SuggestCommentScoreResponse,
)

API, VERSION = "commentanalyzer", "v1alpha1"
DESCRIPTION = "Perspective's Comment Analyzer API, answered by models that Evenhand serves."
QUERY_PARAMETERS = {
    "key": "API token; may be sent in the header X-Goog-Api-Key instead.",
    "alt": "Response format; only json.",
    "fields": "Ignored: responses are always complete.",
    "prettyPrint": "Not read.",
    "quotaUser": "Not read.",
}
METHODS: dict[str, tuple[str, type[BaseModel], type[BaseModel]]] = {
    "analyze": ("Scores a comment.", AnalyzeCommentRequest, AnalyzeCommentResponse),
    "suggestscore": (
        "Accepts suggested scores for a comment.",
        SuggestCommentScoreRequest,
        SuggestCommentScoreResponse,
    ),
}
FORMATS = {"number": "float", "integer": "int32"}


def discovery_document(root: str, revision: str) -> dict[str, Any]:
    """The document for a service at this address."""
    return {
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": f"{API}:{VERSION}",
        "name": API,
        "version": VERSION,
        "revision": revision,
        "title": "Perspective Comment Analyzer API",
        "description": DESCRIPTION,
        "protocol": "rest",
        "rootUrl": f"{root}/",
        "servicePath": "",
        "baseUrl": f"{root}/",
        "basePath": "",
        "batchPath": "batch",
        "parameters": {
            name: {"type": "string", "description": what, "location": "query"}
            for name, what in QUERY_PARAMETERS.items()
        },
        "schemas": schemas(),
        "resources": {"comments": {"methods": {name: _method(name) for name in METHODS}}},
    }


def schemas() -> dict[str, Any]:
    """The messages, as discovery documents describe them."""
    documents: dict[str, Any] = {}
    for _, request, response in METHODS.values():
        for message in (request, response):
            schema = message.model_json_schema(by_alias=True, ref_template="{model}")
            definitions = schema.pop("$defs", {})
            names = {name: one.get("title", name) for name, one in definitions.items()}
            for one in (schema, *definitions.values()):
                documents[one["title"]] = _schema(one, names)
    return dict(sorted(documents.items()))


def _method(name: str) -> dict[str, Any]:
    what, request, response = METHODS[name]
    path = f"{VERSION}/comments:{name}"
    return {
        "id": f"{API}.comments.{name}",
        "description": what,
        "httpMethod": "POST",
        "path": path,
        "flatPath": path,
        "parameters": {},
        "parameterOrder": [],
        "request": {"$ref": request.__name__},
        "response": {"$ref": response.__name__},
    }


def _schema(schema: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    properties = {name: _kind(one, names) for name, one in schema["properties"].items()}
    about = {"description": schema["description"]} if "description" in schema else {}
    return {"id": schema["title"], "type": "object", **about, "properties": properties}


def _kind(one: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The type of a field: draft 3 of JSON Schema, in which nothing is null and references stand alone."""
    options = [option for option in one.get("anyOf", [one]) if option.get("type") != "null"]
    kind = options[0]
    if "$ref" in kind:
        return {"$ref": names[kind["$ref"]]}
    described = {"type": kind["type"]}
    if kind["type"] in FORMATS:
        described["format"] = FORMATS[kind["type"]]
    for key in ("items", "additionalProperties"):
        if isinstance(kind.get(key), dict):
            described[key] = _kind(kind[key], names)
    return {**described, "enum": kind["enum"]} if "enum" in kind else described
