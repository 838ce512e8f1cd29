"""Requests become texts and attributes, scores become responses; what Perspective refuses is refused in its words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evenhand.calibrators import Calibrator
from evenhand.classifiers.protocol import Scores, Targets
from evenhand.errors import InputError
from evenhand.service.engine import ScoredTexts
from evenhand.service.mappings import AttributeMapping, PerspectiveTable
from evenhand.service.models import LoadedModel
from evenhand.service.perspective.analysis import analysis_of, check_languages, check_suggestion, response_of
from evenhand.service.perspective.attributes import AttributeTable
from evenhand.service.perspective.google_errors import GoogleError
from evenhand.service.perspective.messages import AnalyzeCommentRequest, SuggestCommentScoreRequest, to_document
from evenhand.service.problems import Problem
from evenhand.service.served_models import ServedModel
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model

ERROR = "type.googleapis.com/google.commentanalyzer.v1alpha1.Error"
FAKE = fake_model(targets=Targets("multi-label", ("calm", "rude", "threat")))
CALIBRATED = LoadedModel("sure", fake_model().classifier, Calibrator("none", ("0", "1"), None, ()))
DECLARED = {
    "TOXICITY": AttributeMapping("rude", "fake", ("en",)),
    "THREAT": AttributeMapping("threat", "fake", ("en", "de")),
    "INSULT": AttributeMapping("toxic", "sure", ("en",)),
}


def table_of(declared: dict[str, AttributeMapping] | None = DECLARED, **models: LoadedModel) -> AttributeTable:
    settings = ServiceSettings(perspective=PerspectiveTable(declared))
    return AttributeTable.of_service(settings, models or {"fake": FAKE, "sure": CALIBRATED})


def asked(text: str = "you!", *names: str, **more: Any) -> AnalyzeCommentRequest:
    body = {"comment": {"text": text}, "requestedAttributes": {name: {} for name in names or ["TOXICITY"]}, **more}
    return AnalyzeCommentRequest.model_validate(body)


def answer(request: AnalyzeCommentRequest, languages: tuple[str, ...] = ("en",), **values: Any) -> dict[str, Any]:
    analysis = analysis_of(request, table_of())
    scored = {}
    for name in analysis.models:
        model = {"fake": FAKE, "sure": CALIBRATED}[name]
        lengths = np.array([[len(text)] * len(model.targets.classes) for text in analysis.texts]) / 100.0
        scored[name] = ScoredTexts.from_scores(model, Scores(model.targets, values.get(name, lengths)))
    detected = list(languages)
    return to_document(response_of(analysis, scored, check_languages(analysis, detected), detected))


def refused(call: Any, *arguments: Any) -> dict[str, Any]:
    with pytest.raises(GoogleError) as caught:
        call(*arguments)
    assert caught.value.status == 400
    return {"message": caught.value.detail, **caught.value.details[0]}


def test_the_whole_response() -> None:
    columns = np.array([[0.1, 0.25, 0.5]])
    assert answer(asked("🙂 you!", "TOXICITY", clientToken="mine"), fake=columns) == {
        "attributeScores": {
            "TOXICITY": {
                "summaryScore": {"value": 0.25, "type": "RAW"},
                "spanScores": [{"begin": 0, "end": 7, "score": {"value": 0.25, "type": "RAW"}}],
            }
        },
        "languages": ["en"],
        "detectedLanguages": ["en"],
        "clientToken": "mine",
        "evenhand": {
            "TOXICITY": {"model": "fake", "version": "0123456789abcdef", "class": "rude", "calibrated": False}
        },
    }


def test_only_calibrated_models_give_probabilities() -> None:
    scores = answer(asked("you", "TOXICITY", "INSULT"))["attributeScores"]
    kinds = {name: (one["summaryScore"]["type"], one["spanScores"][0]["score"]["type"]) for name, one in scores.items()}
    assert kinds == {"TOXICITY": ("RAW", "RAW"), "INSULT": ("PROBABILITY", "PROBABILITY")}
    for name, kind in (("TOXICITY", "PROBABILITY"), ("INSULT", "RAW"), ("TOXICITY", "PERCENTILE")):
        request = asked("you", requestedAttributes={name: {"scoreType": kind}})
        found = refused(analysis_of, request, table_of())
        assert found["message"] == f"Requested score type {kind} is not supported by attribute {name}"
    for name, kind in (("TOXICITY", "RAW"), ("INSULT", "PROBABILITY")):
        analysis_of(asked("you", requestedAttributes={name: {"scoreType": kind}}), table_of())


def test_sentences_are_scored_where_spans_are_asked_for() -> None:
    request = asked("Be quiet! 🙂 ok.", spanAnnotations=True)
    assert analysis_of(request, table_of()).texts == ["Be quiet! 🙂 ok.", "Be quiet!", "🙂 ok."]
    spans = answer(request)["attributeScores"]["TOXICITY"]["spanScores"]
    assert [(span["begin"], span["end"], span["score"]["value"]) for span in spans] == [(0, 9, 0.09), (10, 16, 0.05)]
    assert analysis_of(asked("One only.", spanAnnotations=True), table_of()).texts == ["One only."]


def test_what_is_below_the_threshold_is_left_out() -> None:
    def thresholds(least: float) -> Any:
        request = asked(
            "Be quiet! ok.", requestedAttributes={"TOXICITY": {"scoreThreshold": least}}, spanAnnotations=True
        )
        return answer(request).get("attributeScores", {}).get("TOXICITY")

    assert [span["begin"] for span in thresholds(0.05)["spanScores"]] == [0]
    assert thresholds(0.13)["summaryScore"]["value"] == 0.13
    assert thresholds(0.131) is None
    request = asked("ok", requestedAttributes={"TOXICITY": {"scoreThreshold": 0.5}, "THREAT": {}})
    assert list(answer(request)["attributeScores"]) == ["THREAT"]


def test_a_model_that_gives_no_score_is_no_zero() -> None:
    with pytest.raises(Problem, match="returned no score") as caught:
        answer(asked(), fake=np.array([[0.1, np.nan, 0.1]]))
    assert caught.value.status == 503


def test_attributes_that_are_not_there_are_unknown() -> None:
    for name in ("SPAM", "toxicity", "TOXICITY@6", "TOXICITY@", ""):
        found = refused(analysis_of, asked("you", "TOXICITY", name), table_of())
        assert found["message"] == f"Unknown requested attribute: {name}"
        assert (found["@type"], found["errorType"]) == (ERROR, "INVALID_REQUEST")
    assert len(refused(analysis_of, asked("you", "X" * 10_000), table_of())["message"]) < 200


def test_a_version_can_be_asked_for() -> None:
    name = "TOXICITY@0123456789abcdef"
    assert list(answer(asked("you", name))["attributeScores"]) == [name]


@pytest.mark.parametrize(
    ("request_", "message", "kind"),
    [
        (asked(""), "Comment must be non-empty.", "COMMENT_EMPTY"),
        (asked(" \n"), "Comment must be non-empty.", "COMMENT_EMPTY"),
        (asked(comment={"text": "<p></p>", "type": "HTML"}), "Comment must be non-empty.", "COMMENT_EMPTY"),
        (asked("a" * 20_481), "Comment text too long.", "COMMENT_TOO_LONG"),
        (asked("é" * 10_241), "Comment text too long.", "COMMENT_TOO_LONG"),
        (asked(requestedAttributes={}), "Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES"),
        (
            asked(context={"entries": [{"text": "a"}], "articleAndParentComment": {"article": {"text": "b"}}}),
            "Context can have either entries or article_and_parent_comment, but both fields were populated.",
            "INVALID_REQUEST",
        ),
    ],
)
def test_what_perspective_refuses_is_refused_in_its_words(
    request_: AnalyzeCommentRequest, message: str, kind: str
) -> None:
    found = refused(analysis_of, request_, table_of())
    assert (found["message"], found["@type"], found["errorType"]) == (message, ERROR, kind)


def test_the_longest_comment_is_scored() -> None:
    for text in ("a" * 20_480, "é" * 10_240, "🙂" * 5_120):
        assert analysis_of(asked(text), table_of()).texts == [text]
    with pytest.raises(GoogleError, match="too long"):
        analysis_of(asked("a" * 11), table_of(), longest=10)


def languages_of(request: AnalyzeCommentRequest, *detected: str) -> list[str]:
    return check_languages(analysis_of(request, table_of()), list(detected))


def test_languages_are_those_of_the_request_or_the_first_detected() -> None:
    assert languages_of(asked(), "en", "fr") == ["en"]
    assert languages_of(asked(languages=["en-GB"]), "fr") == ["en-GB"]
    assert languages_of(asked(languages=["fr", "en"])) == ["fr", "en"]
    assert languages_of(asked("you", "THREAT"), "de") == ["de"]


def test_an_attribute_that_is_not_there_for_a_language_is_refused() -> None:
    found = refused(languages_of, asked("du", "THREAT", "TOXICITY"), "de", "nl")
    assert found == {
        "message": "Attribute TOXICITY does not support request languages: de",
        "@type": ERROR,
        "errorType": "LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
        "languageNotSupportedByAttributeError": {"detectedLanguages": ["de", "nl"], "attribute": "TOXICITY"},
    }
    found = refused(languages_of, asked(languages=["ru", "hi-Latn"]), "en")
    assert found["message"] == "Attribute TOXICITY does not support request languages: ru,hi-Latn"
    assert found["languageNotSupportedByAttributeError"]["requestedLanguages"] == ["ru", "hi-Latn"]


def test_where_no_language_is_detected_one_must_be_given() -> None:
    assert refused(languages_of, asked("!!!"))["errorType"] == "LANGUAGE_DETECTION_FAILED"
    assert languages_of(asked("!!!", languages=["en"])) == ["en"]


def test_the_shipped_model_answers_what_it_was_trained_for_and_another_nothing() -> None:
    shipped = replace(fake_model(), name="default")
    undeclared = table_of(None, default=shipped)
    assert {name: (one.class_name, one.languages) for name, one in undeclared.attributes.items()} == {
        "TOXICITY": ("toxic", ("en",))
    }
    assert table_of(None, mine=fake_model()).attributes == {}
    assert table_of({}, default=shipped).attributes == {}
    settings = ServiceSettings(models=(ServedModel("default", name="wiki"),))
    renamed = replace(shipped, name="wiki")
    assert AttributeTable.of_service(settings, {"wiki": renamed}).attributes["TOXICITY"].model is renamed


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        (AttributeMapping("rude", "fkae", ("en",)), r"perspective.attributes.A: there is no model 'fkae'; .* 'fake'"),
        (AttributeMapping("rud", None, ("en",)), r"the model 'fake' has no class 'rud'; did you mean 'rude'"),
    ],
)
def test_a_mapping_to_nothing_does_not_start(mapping: AttributeMapping, says: str) -> None:
    with pytest.raises(InputError, match=says):
        table_of({"A": mapping})


SUGGESTED = {"comment": {"text": "fine"}, "attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.0}}}}
SPAN = {"begin": 0, "end": 2, "score": {"value": 1.0}}


def test_a_suggestion_needs_scores_with_values_and_spans_with_places() -> None:
    def check(scores: Any) -> Any:
        body = {**SUGGESTED, "attributeScores": scores}
        return check_suggestion(SuggestCommentScoreRequest.model_validate(body), table_of()).read

    assert check(SUGGESTED["attributeScores"]) == check({"THREAT": {"spanScores": [SPAN]}}) == "fine"
    for wrong in (
        {},
        {"summaryScore": {}},
        {"spanScores": [{**SPAN, "end": None}]},
        {"spanScores": [{"begin": 0, "end": 1}]},
    ):
        assert "TOXICITY must have scores" in refused(check, {"TOXICITY": wrong})["message"]
    assert refused(check, {})["errorType"] == "NO_REQUESTED_ATTRIBUTES"
    assert refused(check, {"SPAM": {"summaryScore": {"value": 1.0}}})["message"] == "Unknown requested attribute: SPAM"
