"""Items that went confidently wrong, only for those who ask (the paper's Appendix B)."""

from __future__ import annotations

import numpy as np

from evenhand.evidence import Evidence
from evenhand.finding import Example
from evenhand.measures.calibration import predicted


def examples(evidence: Evidence, number: int) -> tuple[Example, ...]:
    """Per model, the rarest class first: items of the class of which the model is surest that they are another."""
    if not number:
        return ()
    found: list[tuple[dict[str, str], str, float, int]] = []
    for classed in evidence.classed(evidence.parts[0]):
        named = {"model": classed.model} if len(evidence.models) > 1 else {}
        taken_for, sure = predicted(classed.probabilities), classed.probabilities.max(axis=1)
        sizes = np.bincount(classed.label, minlength=len(classed.classes))
        for column in np.argsort(sizes, kind="stable"):
            wrong = np.flatnonzero((classed.label == column) & (taken_for != column))
            for row in wrong[np.argsort(-sure[wrong], kind="stable")][:number]:
                kind = f"taken for '{classed.classes[taken_for[row]]}'"
                found.append(({**named, "class": classed.classes[column]}, kind, float(sure[row]), int(row)))
    texts = evidence.texts([row for *_, row in found])
    return tuple(
        Example(slice_, kind, score, text) for (slice_, kind, score, _), text in zip(found, texts, strict=True)
    )
