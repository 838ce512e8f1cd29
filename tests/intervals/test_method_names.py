"""What intervals are called: the names are in every output, so that they may not change unnoticed."""

from __future__ import annotations

import pytest

from evenhand.intervals import (
    auc,
    blind_spots,
    bootstrap,
    clusters,
    confidence_sequence,
    matched_cut,
    mover,
    paired_shares,
    permutation,
    proportions,
    rank_correlation,
    survey,
    two_way_bootstrap,
)

METHODS = {
    "one_more_violation": blind_spots.ONE_MORE_VIOLATION,
    "betting": confidence_sequence.BETTING,
    "delong_score": auc.DELONG_SCORE,
    "poisson_bootstrap": bootstrap.POISSON_BOOTSTRAP,
    "directional_bootstrap": bootstrap.DIRECTIONAL_BOOTSTRAP,
    "mover": mover.MOVER,
    "inverted_mcnemar": matched_cut.INVERTED_MCNEMAR,
    "inverted_test": bootstrap.INVERTED_TEST,
    "paired_difference": paired_shares.PAIRED_DIFFERENCE,
    "paired_ratio": paired_shares.PAIRED_RATIO,
    "table_wilson": paired_shares.TABLE_WILSON,
    "permutation": permutation.PERMUTATION,
    "precision_score": auc.PRECISION_SCORE,
    "wilson": proportions.WILSON,
    "spearman_bonett_wright": rank_correlation.SPEARMAN,
    "two_way_bootstrap": two_way_bootstrap.TWO_WAY_BOOTSTRAP,
}


@pytest.mark.parametrize(("name", "constant"), METHODS.items())
def test_methods_are_called_as_in_the_documentation(name: str, constant: str) -> None:
    assert name == constant


def test_modules_with_several_methods() -> None:
    assert proportions.NEWCOMBE == "newcombe"
    assert clusters.BY_CLUSTER == "_by_cluster"
    assert rank_correlation.KENDALL == "permutation"
    assert (survey.SCORE, survey.CAUTIOUS) == ("survey_wilson", "korn_graubard")
