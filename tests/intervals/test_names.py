"""What intervals are called: the names are in every output, so that they may not change unnoticed."""

from __future__ import annotations

import pytest

from evenhand.intervals import (
    anytime,
    auc,
    bootstrap,
    calibration,
    independent,
    inversion,
    permutation,
    pools,
    precision,
    proportions,
    ranks,
    survey,
    two_way,
)

METHODS = {
    anytime: "betting",
    auc: "delong_score",
    bootstrap: "poisson_bootstrap",
    calibration: "directional_bootstrap",
    independent: "mover",
    inversion: "inverted_test",
    permutation: "permutation",
    pools: "mover",
    precision: "precision_score",
    proportions: "wilson",
    ranks: "spearman_bonett_wright",
    two_way: "two_way_bootstrap",
}


@pytest.mark.parametrize(("module", "name"), METHODS.items(), ids=METHODS.values())
def test_methods_are_called_as_in_the_documentation(module, name: str) -> None:
    assert name == module.METHOD


def test_modules_with_several_methods() -> None:
    assert proportions.DIFFERENCE == "newcombe"
    assert ranks.SHUFFLED == "permutation"
    assert (survey.SCORE, survey.CAUTIOUS, survey.SMALL) == ("survey_wilson", "korn_graubard", "small")
