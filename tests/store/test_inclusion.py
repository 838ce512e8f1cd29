"""Inclusion probabilities against a loop over items, written from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.arrays import Floats, Ints
from evenhand.store.inclusion import WEEK, VerdictInclusion
from evenhand.store.measured import HARMLESS, NOT_JUDGEABLE, NOT_JUDGED, VIOLATES, MeasuredItems


def arrivals(seed: int, size: int = 300) -> tuple[MeasuredItems, Ints]:
    """Three weeks, with two probabilities of the draw, of which the last is not reviewed to its end."""
    rng = np.random.default_rng(seed)
    arrived = np.sort(rng.integers(0, 3 * WEEK, size))
    drawn, order = rng.random(size) < 0.5, rng.random(size)
    late = (arrived > 2 * WEEK) & (order > 0.6)
    reached = (rng.random(size) < 0.2) & ~late
    judged = (drawn & ~late) | reached
    verdict = np.where(judged, rng.choice([VIOLATES, HARMLESS, NOT_JUDGEABLE], size, p=[0.3, 0.6, 0.1]), NOT_JUDGED)
    nobody = np.zeros(size, dtype=bool)
    return (
        MeasuredItems(
            removed_unseen=nobody, reached=reached, verdict=verdict, drawn=drawn, order=order, panel=nobody,
            panel_probability=np.zeros(size),
            probability=rng.choice([0.2, 0.5], size), panel_verdict=np.full(size, NOT_JUDGED),
        ),
        arrived,
    )  # fmt: skip


def one_by_one(items: MeasuredItems, arrived: Ints) -> Floats:
    """Reached: 1. Drawn and judged before the first that waits in its week: probability times the share of those."""
    chance = []
    for own in range(len(arrived)):
        week = (arrived[own] - arrived[0]) // WEEK
        peers = [n for n in range(len(arrived)) if (arrived[n] - arrived[0]) // WEEK == week]
        candidates = [n for n in peers if items.drawn[n] and not items.reached[n]]
        frontier = min((items.order[n] for n in candidates if items.verdict[n] == NOT_JUDGED), default=math.inf)
        before = [n for n in candidates if items.order[n] < frontier]
        if items.reached[own] and items.verdict[own] != NOT_JUDGED and before:
            chance.append(1.0)
        elif own in before:
            chance.append(items.probability[own] * len(before) / len(candidates))
        else:
            chance.append(math.nan)
    return np.array(chance)


@pytest.mark.parametrize("seed", range(5))
def test_every_probability_is_that_of_the_definition(seed: int) -> None:
    items, arrived = arrivals(seed)
    np.testing.assert_allclose(VerdictInclusion.from_items(items, arrived).chance, one_by_one(items, arrived))


def test_a_week_without_judgements_of_drawn_items_is_open() -> None:
    items, arrived = arrivals(1)
    third = (arrived - arrived[0]) // WEEK == 2
    verdict = np.where(third & ~items.reached, NOT_JUDGED, items.verdict)
    values = {name: getattr(items, name) for name in MeasuredItems.__dataclass_fields__}
    inclusion = VerdictInclusion.from_items(MeasuredItems(**{**values, "verdict": verdict}), arrived)
    assert (inclusion.open == third).all()
    assert not inclusion.known[third].any()


def test_weights_add_up_to_the_items_on_average() -> None:
    """Reached and sampled, weighted by one over their probability, stand for all items: to 3 standard errors."""
    totals = []
    for seed in range(200):
        items, arrived = arrivals(seed)
        probability = np.where(np.arange(len(arrived)) % 2 == 0, 0.3, 0.6)
        drawn = np.random.default_rng(1000 + seed).random(len(arrived)) < probability
        judged = items.reached | (drawn & (items.order < 0.6))
        values = {name: getattr(items, name) for name in MeasuredItems.__dataclass_fields__}
        values |= {"drawn": drawn, "probability": probability, "verdict": np.where(judged, HARMLESS, NOT_JUDGED)}
        inclusion = VerdictInclusion.from_items(MeasuredItems(**values), arrived)
        totals.append((1.0 / inclusion.chance[inclusion.known]).sum() / len(arrived))
    assert abs(np.mean(totals) - 1.0) < 3 * np.std(totals) / math.sqrt(len(totals))
