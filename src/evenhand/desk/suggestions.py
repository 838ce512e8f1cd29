"""Where scores go that clients of the Perspective API suggest to a desk: its store keeps them, unverified."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from evenhand.service.perspective.messages import AttributeScore, AttributeScores
from evenhand.service.perspective.suggestions import ScoreSuggestion
from evenhand.store import Store
from evenhand.store.ledger import EventLedger
from evenhand.store.roles import SYSTEM
from evenhand.store.suggestions import MOST_SPANS, keep_suggestion


class StoreSuggestions:
    """The sink of a desk: a suggestion is acknowledged once it is in the store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def accept(self, suggestion: ScoreSuggestion) -> None:
        """Keep one, in a thread: the database may be slow."""
        await asyncio.to_thread(self._keep, suggestion)

    def _keep(self, suggestion: ScoreSuggestion) -> None:
        scores = [
            {"attribute": name, "model": suggestion.versions.get(name), **score}
            for name, given in suggestion.attribute_scores.items()
            for score in _scores(given)
        ]

        def keep(ledger: EventLedger) -> dict[str, Any]:
            about = {"community": suggestion.community_id or None, "caller": suggestion.caller}
            return keep_suggestion(ledger, suggestion.text, scores, languages=suggestion.languages, **about)

        self.store.once(SYSTEM, None, {}, keep)  # no key: again only where another process was first


def _scores(given: AttributeScores) -> Iterator[dict[str, Any]]:
    """The summary, and the spans with their places."""
    if given.summary_score is not None:
        yield _score(given.summary_score)
    for span in given.span_scores[:MOST_SPANS]:
        if span.score is not None:
            yield {**_score(span.score), "begin": span.begin, "end": span.end}


def _score(score: AttributeScore) -> dict[str, Any]:
    return {"value": score.value, "score_type": score.type}
