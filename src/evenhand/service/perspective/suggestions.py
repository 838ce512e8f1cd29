"""Scores that users suggest: what they are, and where they go.

A suggestion is what somebody says a score should be. Whoever may call the service may say so of any comment, so it is
no label, is never learnt from, and counts in no audit; a store may keep it for people to look at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from evenhand.service.perspective.messages import AttributeScores


@dataclass(frozen=True)
class ScoreSuggestion:
    """A suggestion as it came: `versions` are the models that answer its attributes at this time, as name@version."""

    text: str
    attribute_scores: Mapping[str, AttributeScores]
    versions: Mapping[str, str]
    languages: tuple[str, ...]
    community_id: str
    session_id: str
    caller: str | None


class SuggestionSink(Protocol):
    """Where suggestions go."""

    async def accept(self, suggestion: ScoreSuggestion) -> None:
        """Take one; it is acknowledged afterwards."""
        ...


class NoSuggestions:
    """Where no store is configured: nothing is kept."""

    async def accept(self, suggestion: ScoreSuggestion) -> None:
        """Forget it."""
