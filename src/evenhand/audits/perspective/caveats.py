"""What to beware of when reading the perspective audit."""

from __future__ import annotations

from evenhand.audits.perspective.crowd import Crowd
from evenhand.audits.perspective.settings import EVERYBODY, OTHERS, PerspectiveSettings
from evenhand.evidence import AnnotationEvidence
from evenhand.measures.perspective import Majority


def of(evidence: AnnotationEvidence, crowd: Crowd, most: Majority, settings: PerspectiveSettings) -> tuple[str, ...]:
    """What the majority is, what was left out, and what a difference does not say."""
    found = [_majority(settings)]
    if most.tied:
        found.append(
            f"{most.items_tied:,} items with a tied majority ({most.tied:,} labels) are left out of the deltas."
        )
    if most.alone:
        found.append(f"{most.alone:,} labels of items that nobody of the majority labelled are left out of the deltas.")
    found.append(
        "A difference between groups of annotators is one between those who took part. It is not what a group "
        "thinks, and a model that shares a majority's judgement may still be wrong."
    )
    if evidence.annotators.within is None:
        found.append(
            "Groups were shuffled over all annotators. Where they were hired in different countries or batches, name "
            "that column with --within."
        )
    return (*found, *crowd.notes, *evidence.notes)


def _majority(settings: PerspectiveSettings) -> str:
    if settings.majority == EVERYBODY:
        return "The majority is that of all annotators of an item, the one who is judged by it among them."
    if settings.majority == OTHERS:
        return "The majority is that of the other annotators of an item: nobody helps to make the one that judges them."
    return f"The majority is that of the annotators in '{settings.majority}'."
