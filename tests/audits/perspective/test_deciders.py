"""Groups whose difference rests on one or two people, and groups whose difference does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.audits.perspective.deciders import deciders_exhibit
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.audits.perspective.verdicts import deciders_sentence
from evenhand.finding import Finding
from evenhand.measures.perspective import Annotations, ConformityDeltas

SETTINGS = PerspectiveSettings(permutations=999)
PEOPLE, ITEMS, SMALL = 40, 60, 8


def deltas_where(raised: np.ndarray) -> tuple[ConformityDeltas, AnnotatorGroups]:
    """Everybody's deltas scatter about 0; those of some people are higher. The first few people are a group."""
    rng = np.random.default_rng(1)
    who, what = (axis.ravel() for axis in np.meshgrid(np.arange(PEOPLE), np.arange(ITEMS)))
    annotations = Annotations.from_columns(what, who, np.zeros(len(who), int), size=(ITEMS, PEOPLE, 2))
    values = 0.02 * rng.normal(size=PEOPLE)[who] + 0.05 * rng.normal(size=len(who)) + raised[who]
    annotator_groups = AnnotatorGroups(("few", "others"), (np.arange(PEOPLE) >= SMALL).astype(np.int64), None, ())
    return ConformityDeltas(annotations, values, np.zeros(len(who), dtype=bool)), annotator_groups


def decided(raised: np.ndarray) -> dict[str, float]:
    deltas, annotator_groups = deltas_where(raised)
    exhibit = deciders_exhibit(deltas, annotator_groups, SETTINGS, {}, ([0.001, 0.001], [0.5]), within_items=False)
    if exhibit is None:
        return {}
    return dict(zip(exhibit.columns["annotators"], exhibit.columns["people"], strict=True))


def test_two_people_who_decide_are_counted_and_not_named() -> None:
    raised = np.zeros(PEOPLE)
    raised[[1, 4]] = 0.4
    assert decided(raised)["few"] in (1.0, 2.0)


def test_a_difference_of_the_whole_group_rests_on_nobody() -> None:
    raised = np.zeros(PEOPLE)
    raised[:SMALL] = 0.1
    assert decided(raised) == {}


def test_the_sentence() -> None:
    raised = np.zeros(PEOPLE)
    raised[[1, 4]] = 0.4
    deltas, annotator_groups = deltas_where(raised)
    exhibit = deciders_exhibit(deltas, annotator_groups, SETTINGS, {}, ([0.001, 0.9], [0.5]), within_items=False)
    assert exhibit is not None
    finding = replace(Finding("perspective", "?", (), (), {}), exhibits=(exhibit,))
    said = deciders_sentence(finding, {})
    assert said.startswith("The difference of few rests on ")
    assert "without them it is not statistically significant." in said
