"""From a request to the texts that are scored, and from their scores to the response."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.service.engine import ScoredTexts
from evenhand.service.perspective.attributes import AttributeTable, ServedAttribute
from evenhand.service.perspective.comment_text import CommentText, TextSpan
from evenhand.service.perspective.google_errors import invalid_request, unsupported_language
from evenhand.service.perspective.languages import unsupported
from evenhand.service.perspective.messages import (
    AnalyzeCommentRequest,
    AnalyzeCommentResponse,
    AnsweringModel,
    AttributeScore,
    AttributeScores,
    Context,
    SpanScore,
    SuggestCommentScoreRequest,
    TextEntry,
)
from evenhand.service.problems import Problem

LONGEST_COMMENT = 20_480  # bytes of UTF-8
UNDETERMINED = "und"  # of BCP 47


@dataclass(frozen=True)
class CommentAnalysis:
    """A request that can be answered: the comment and the parts of it to score, and the attributes to score it for.

    `texts` are the comment and, where it has more than one span, its spans.
    """

    request: AnalyzeCommentRequest
    comment: CommentText
    attributes: Mapping[str, ServedAttribute]
    spans: tuple[TextSpan, ...]

    @property
    def texts(self) -> list[str]:
        """What is scored; spans only where they are not the whole."""
        return [self.comment.read, *(span.text for span in self.spans if len(self.spans) > 1)]

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked."""
        return tuple(dict.fromkeys(attribute.model.name for attribute in self.attributes.values()))


def analysis_of(
    request: AnalyzeCommentRequest, table: AttributeTable, *, longest: int = LONGEST_COMMENT
) -> CommentAnalysis:
    """What a request asks for; languages are checked apart, once they are known (`check_languages`)."""
    comment = checked_comment(request.comment, longest)
    check_context(request.context)
    attributes = table.select(request.requested_attributes)
    spans = comment.sentences() if request.span_annotations else []
    return CommentAnalysis(request, comment, attributes, tuple(spans if len(spans) > 1 else [comment.whole()]))


def checked_comment(entry: TextEntry, longest: int = LONGEST_COMMENT) -> CommentText:
    """The comment, if it is neither blank nor too long: in bytes, and where less is allowed here in characters."""
    if len(entry.text.encode()) > LONGEST_COMMENT or len(entry.text) > longest:
        raise invalid_request("Comment text too long.", "COMMENT_TOO_LONG")
    comment = CommentText.of_html(entry.text) if entry.type == "HTML" else CommentText.of_plain(entry.text)
    if not comment.read.strip():
        raise invalid_request("Comment must be non-empty.", "COMMENT_EMPTY")
    return comment


def check_context(context: Context) -> None:
    """Context may be given in one of two forms; it is not read."""
    if context.entries and context.article_and_parent_comment:
        both = "Context can have either entries or article_and_parent_comment, but both fields were populated."
        raise invalid_request(both)


def check_languages(analysis: CommentAnalysis, detected: list[str]) -> list[str]:
    """The languages that count: those of the request, or the first of the detected ones, if they are supported."""
    requested = analysis.request.languages
    if not requested and not detected:
        raise invalid_request("Unable to detect language", "LANGUAGE_DETECTION_FAILED")
    effective = requested or detected[:1]
    for name, attribute in analysis.attributes.items():
        if unsupported(effective, attribute.languages):
            raise unsupported_language(name, requested, detected, effective)
    return effective


def response_of(
    analysis: CommentAnalysis, scored: Mapping[str, ScoredTexts], languages: list[str], detected: list[str]
) -> AnalyzeCommentResponse:
    """The response, from the scores of each model."""
    scores = {
        name: _attribute_scores(analysis, name, attribute, scored[attribute.model.name])
        for name, attribute in analysis.attributes.items()
    }
    return AnalyzeCommentResponse(
        attribute_scores={name: one for name, one in scores.items() if one.summary_score or one.span_scores},
        languages=languages,
        detected_languages=detected or [UNDETERMINED],
        client_token=analysis.request.client_token,
        evenhand={name: _answering(attribute) for name, attribute in analysis.attributes.items()},
    )


def check_suggestion(
    request: SuggestCommentScoreRequest, table: AttributeTable, *, longest: int = LONGEST_COMMENT
) -> CommentText:
    """The comment of a suggestion, if the suggestion is complete."""
    comment = checked_comment(request.comment, longest)
    check_context(request.context)
    if not request.attribute_scores:
        raise invalid_request("Missing attribute_scores", "NO_REQUESTED_ATTRIBUTES")
    for name, scores in request.attribute_scores.items():
        table.find(name)
        if not _is_complete(scores):
            raise invalid_request(f"Attribute {name} must have scores with values, and spans with begin and end")
    return comment


def _is_complete(scores: AttributeScores) -> bool:
    """Whether there is a score at least, every score has a value, and every span its place."""
    span_scores = [span.score for span in scores.span_scores]
    span_scores += [scores.summary_score] if scores.summary_score else []
    placed = all(span.begin is not None and span.end is not None for span in scores.span_scores)
    return bool(span_scores) and placed and all(score is not None and score.value is not None for score in span_scores)


def _attribute_scores(
    analysis: CommentAnalysis, name: str, attribute: ServedAttribute, scored: ScoredTexts
) -> AttributeScores:
    """What is at or above the threshold."""
    values = [float(value) for value in scored.probabilities[:, attribute.column]]
    if any(map(math.isnan, values)):
        raise Problem(503, "model-unavailable", f"the model '{scored.model}' returned no score")
    threshold = analysis.request.requested_attributes[name].score_threshold
    least = -math.inf if threshold is None else threshold
    spans = zip(analysis.spans, values[1:] or values, strict=True)
    return AttributeScores(
        summary_score=_score(attribute, values[0]) if values[0] >= least else None,
        span_scores=[
            SpanScore(begin=span.begin, end=span.end, score=_score(attribute, value))
            for span, value in spans
            if value >= least
        ],
    )


def _score(attribute: ServedAttribute, value: float) -> AttributeScore:
    return AttributeScore(value=value, type=attribute.score_type)


def _answering(attribute: ServedAttribute) -> AnsweringModel:
    model = attribute.model
    return AnsweringModel(
        model=model.name,
        version=model.version,
        class_name=attribute.class_name,
        calibrated=model.calibrator is not None,
    )
