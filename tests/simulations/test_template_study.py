"""What is promised of template sets, and of two strategies on the same items: the committed studies, and short runs."""

from __future__ import annotations

import pytest
from studies import strategies, templates

from simulations.agreement import again

BELOW = (
    0.93 - 2.0 * (0.05 * 0.95 / templates.STUDY.draws) ** 0.5
)  # two Monte Carlo errors below the least that is stated


def test_terms_and_templates_are_covered() -> None:
    rows = templates.STUDY.read()
    assert len(rows) == 8 * 8 + 4 * 4
    assert [row for row in rows if row["coverage"] < BELOW] == []
    assert min(row["independent"] for row in rows) < 0.3


def test_gaps_between_terms_are_not_wider_than_they_must_be() -> None:
    """Without the templates equality gaps cover nearly always: what two terms share in a template cancels."""
    rows = [row for row in templates.STUDY.read() if row["measure"].endswith("_aeg") and row["spread"] == 1.5]
    ours, plain = (sum(row[way] for row in rows) / len(rows) for way in ("coverage", "independent"))
    assert plain > 0.995
    assert ours < 0.985


def test_differences_of_strategies_are_covered_at_all_capacities_together() -> None:
    rows = strategies.STUDY.read()
    assert len(rows) == len(strategies.STUDY.cells) * len(strategies.MEASURES)
    assert [row for row in rows if not BELOW <= row["coverage"] <= 0.995] == []


def test_differences_are_known_better_than_the_numbers() -> None:
    rows = strategies.STUDY.read()
    recall = [row for row in rows if row["measure"] == "oc_recall"]
    assert min(row["wider"] for row in recall) > 2.0
    assert min(row["apart"] for row in rows if row["items"] == 2000) > 0.85


@pytest.mark.verify
def test_templates_again() -> None:
    again(templates.STUDY, 3, 60, ("coverage", "independent"))


@pytest.mark.verify
def test_strategies_again() -> None:
    again(strategies.STUDY, 1, 40, ("coverage", "apart"))
