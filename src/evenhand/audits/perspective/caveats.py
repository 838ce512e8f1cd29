"""Caveats of the perspective audit: which majority counts, what was left out, what a difference does not say."""

from __future__ import annotations

from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import EVERYBODY, OTHERS, PerspectiveSettings
from evenhand.evidence import AnnotatedEvidence
from evenhand.measures.perspective import Majority

WITHIN_ITEMS = (
    "Groups labelled different items, more than chance would give. So tests compare each group with everybody on the "
    "same items; mean deltas and their intervals do not, and also reflect which items a group labelled."
)
ANNOTATORS_DIFFER = (
    "Annotators differ more than items do, so they sway the majority together: intervals of mean deltas are too short "
    "(in simulations of 20 annotators they held the truth in 80 to 90 % of samples, not 95 %)."
)


def perspective_caveats(
    evidence: AnnotatedEvidence,
    annotator_groups: AnnotatorGroups,
    most: Majority,
    settings: PerspectiveSettings,
    design: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """What the majority is, what was left out, and what a difference does not say."""
    caveats = [_majority_sentence(settings)]
    if most.tied:
        caveats.append(
            f"{most.items_tied:,} items with a tied majority ({most.tied:,} labels) are excluded from the deltas."
        )
    if most.alone:
        caveats.append(f"{most.alone:,} labels of items without a majority label are excluded from the deltas.")
    caveats.append(
        "Differences between groups of annotators apply to those who took part, not to the group at large, and a "
        "model that agrees with a majority may still be wrong."
    )
    if evidence.annotators.within is None:
        caveats.append(
            "Groups were shuffled among all annotators. If they were recruited in different countries or batches, name "
            "that column with `within`."
        )
    return (*caveats, *design, *annotator_groups.notes, *evidence.notes)


def _majority_sentence(settings: PerspectiveSettings) -> str:
    if settings.majority == EVERYBODY:
        return "The majority label is that of all annotators of an item, including the annotator compared with it."
    if settings.majority == OTHERS:
        return "The majority label is that of the other annotators of the item, without the annotator compared with it."
    return f"The majority label is that of the annotators in group '{settings.majority}'."
