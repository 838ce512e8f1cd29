"""Which kind of evidence a declaration gives, and what is said to an audit that needs another."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.evidence import Evidence, as_annotated, as_classed, as_judged, as_scored, as_tallied

ITEMS = pl.DataFrame({"p": [0.1, 0.8, 0.4, 0.9], "q": [0.9, 0.2, 0.6, 0.1], "y": [0, 1, 0, 1], "d": [1, 0, 0, 1]})
LABELS = ITEMS.with_columns(
    item=pl.Series([1, 1, 2, 2]), who=pl.Series(["a", "b", "a", "b"]), p=pl.lit(0.5)
).with_columns(gender=pl.Series(["f", "m", "f", "m"]))
KINDS: dict[str, tuple[pl.DataFrame, dict[str, object]]] = {
    "scores": (ITEMS, {"score": ("p",), "label": "y"}),
    "classes": (ITEMS, {"probabilities": ("p", "q"), "classes": ("1", "0"), "label": "y"}),
    "judgements": (ITEMS, {"label": "y", "decision": "d"}),
    "annotations": (
        LABELS,
        {"score": ("p",), "label": "y", "item": "item", "annotator": "who", "annotator_groups": ("gender",)},
    ),
}
PROBLEMS: dict[Callable, tuple[set[str], str]] = {
    as_tallied: ({"scores"}, "this needs one score, not a probability for each class"),
    as_classed: ({"scores", "classes"}, "this needs the rows locally, not on a cluster"),
    as_judged: ({"scores", "classes", "judgements"}, "this needs the rows at hand, one an item"),
    as_annotated: ({"annotations"}, "this needs labels by annotators"),
}


def opened(kind: str) -> Evidence:
    frame, roles = KINDS[kind]
    return eh.open_evidence(frame, eh.Declaration(**roles))


@pytest.mark.parametrize("kind", KINDS)
def test_all_evidence_has_what_every_audit_reads(kind: str) -> None:
    evidence = opened(kind)
    assert isinstance(evidence, Evidence)
    assert evidence.size == 4
    assert evidence.has_rows
    assert evidence.parts[0].slice == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("needed", PROBLEMS)
def test_evidence_is_of_a_kind_or_says_why_not(kind: str, needed: Callable) -> None:
    evidence, (fitting, problem) = opened(kind), PROBLEMS[needed]
    if kind in fitting:
        assert needed(evidence) is evidence
    else:
        with pytest.raises(InputError, match=problem):
            needed(evidence)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_row_by_row(kind: str) -> None:
    if kind == "scores":
        assert as_scored(opened(kind), "a plan needs").rows.label.tolist() == [False, True, False, True]
    else:
        with pytest.raises(InputError, match="a plan needs the rows locally, not on a cluster"):
            as_scored(opened(kind), "a plan needs")
