"""From pools to estimates: the values of a confusion matrix, and what is said where a pool is lacking."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolShare, pool_measures
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample


def pool(hits: int, n: int, items: int) -> PoolShare:
    figure: SurveyShare = StratifiedSample.from_values(
        np.repeat([1.0, 0.0], [hits, n - hits]), np.zeros(n), [items]
    ).figure()
    return PoolShare(figure, items)


def found(population: ModeratedPopulation, **slice_: str) -> dict[str, Estimate]:
    return {m.measure: m.estimate for m in pool_measures(population) if dict(m.slice) == slice_}


def test_both_pools_give_every_measure() -> None:
    population = ModeratedPopulation(removed=pool(160, 200, 2_000), visible=pool(40, 2_000, 100_000))
    right, missed = 0.8 * 2_000, 0.02 * 100_000
    everything = found(population)
    expected = {
        "count": 2_200,
        "violations": 200,
        "population": 102_000,
        "prevalence": (right + missed) / 102_000,
        "recall": right / (right + missed),
        "precision": 0.8,
        "f1": 2 * right / (2 * right + 400 + missed),
        "accuracy": (right + 98_000) / 102_000,
        "missed": missed,
        "fpr": 400 / 98_400,
        "specificity": 98_000 / 98_400,
        "fnr": missed / (right + missed),
        "npv": 0.98,
    }
    assert set(everything) == set(expected)
    for name, value in expected.items():
        assert everything[name].value == pytest.approx(value, rel=1e-12), name
    assert found(population, pool="visible")["prevalence"].value == pytest.approx(0.02)
    assert found(population, pool="removed")["count"].value == 200


def test_what_is_missed_is_the_share_of_the_visible_in_items() -> None:
    population = ModeratedPopulation(removed=pool(160, 200, 2_000), visible=pool(40, 2_000, 100_000))
    share, number = found(population, pool="visible")["prevalence"], found(population)["missed"]
    assert (number.low, number.high) == pytest.approx((share.low * 100_000, share.high * 100_000))


def test_a_pool_without_violations_does_not_make_the_prevalence_sure() -> None:
    """Nothing was found among very many: the interval of the whole must carry what may be there unseen."""
    population = ModeratedPopulation(removed=pool(50, 100, 1_000), visible=pool(0, 100, 1_000_000))
    visible, whole = found(population, pool="visible")["prevalence"], found(population)["prevalence"]
    assert whole.high > 0.95 * visible.high


def test_one_pool_alone() -> None:
    whole = found(ModeratedPopulation(whole=pool(40, 2_000, 100_000)))
    assert set(whole) == {"count", "violations", "population", "prevalence"}
    visible = ModeratedPopulation(visible=pool(40, 2_000, 100_000))
    assert found(visible)["missed"].value == pytest.approx(2_000)
    assert found(visible)["recall"].note == found(visible)["precision"].note
    assert "removed" in str(found(visible)["recall"].note)


def test_a_slice_is_carried() -> None:
    rows = pool_measures(ModeratedPopulation(whole=pool(4, 200, 1_000)), slice_={"language": "de"})
    assert {tuple(m.slice.items()) for m in rows} == {(("language", "de"),)}


def test_nothing_or_two_kinds_of_pools_are_refused() -> None:
    with pytest.raises(InputError):
        ModeratedPopulation()
    with pytest.raises(InputError):
        ModeratedPopulation(whole=pool(4, 200, 1_000), visible=pool(4, 200, 1_000))
