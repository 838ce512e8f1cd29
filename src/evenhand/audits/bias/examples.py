"""Texts of single items, only for those who ask: where the model and the label are furthest apart."""

from __future__ import annotations

import numpy as np

from evenhand.audits.view import Views
from evenhand.errors import InputError
from evenhand.evidence import Evidence
from evenhand.finding import Example


def examples(evidence: Evidence, views: Views, groups: tuple[str, ...], number: int) -> tuple[Example, ...]:
    """Per model and group: the benign items scored highest and the violating items scored lowest."""
    if not number:
        return ()
    if not evidence.has_rows:
        raise InputError("examples need the rows at hand, not on a cluster", source=evidence.name)
    found: list[tuple[dict[str, str], str, float, int]] = []
    for model, view in views.items():
        named = {"model": model} if len(views) > 1 else {}
        for group in groups:
            for violating, kind in ((False, "benign, scored highest"), (True, "violating, scored lowest")):
                rows, _ = view.rows.slots[group].members[violating]
                place = view.rows.place[rows]
                order = np.argsort(place if violating else -place, kind="stable")[:number]
                slice_ = {**named, "group": group}
                found += [(slice_, kind, float(view.tally.scores[place[i]]), int(rows[i])) for i in order]
    texts = evidence.texts([row for *_, row in found])
    return tuple(
        Example(slice_, kind, score, text) for (slice_, kind, score, _), text in zip(found, texts, strict=True)
    )
