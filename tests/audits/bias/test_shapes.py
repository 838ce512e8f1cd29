"""Words and letters follow what stands out, and never say more."""

from __future__ import annotations

import pytest

from evenhand.audits.bias.shapes import GroupSigns, describe_group, name_tendency, recognise_shape
from evenhand.estimate import Estimate

QUIET = {"subgroup_auc": 0.95, "bpsn_auc": 0.95, "bnsp_auc": 0.95, "negative_aeg": 0.0, "positive_aeg": 0.0}
RATES = ("tpr", "fpr", "tpr_gap", "fpr_gap", "count")


def signs(*, wide: bool = False, unsure: tuple[str, ...] = (), skewed: bool = False, **values: float) -> GroupSigns:
    """What differs from a quiet group stands out, unless it is named as unsure."""
    estimates = {
        name: Estimate(value, value, value, 0.95, "wilson", 100, flags=_flags(name in values and name not in unsure))
        for name, value in (QUIET | dict.fromkeys(RATES, 0.0) | values).items()
    }
    return GroupSigns(estimates, 0.95, wide, skewed)


def _flags(stands_out: bool) -> tuple[str, ...]:
    return ("stands_out",) if stands_out else ()


@pytest.mark.parametrize(
    ("found", "letter", "word"),
    [
        (signs(), None, None),
        (signs(negative_aeg=0.1, positive_aeg=0.1), "A", "higher"),
        (signs(negative_aeg=-0.1, positive_aeg=-0.1), "A", "lower"),
        (signs(negative_aeg=0.3, positive_aeg=0.3, bpsn_auc=0.7), "B", "higher"),
        (signs(negative_aeg=0.3, positive_aeg=0.3, bpsn_auc=0.7, skewed=True), "C", "higher"),
        (signs(negative_aeg=-0.3, positive_aeg=-0.3, bnsp_auc=0.7), "D", "lower"),
        (signs(negative_aeg=0.3, positive_aeg=-0.3, subgroup_auc=0.8), "E", "apart"),
        (signs(wide=True), "F", "wider"),
        (signs(subgroup_auc=0.8), "G", "apart"),
        # one gap alone is a small shift, unless the other points the other way or ranks suffer
        (signs(negative_aeg=0.1), "A", "higher"),
        (signs(negative_aeg=0.1, positive_aeg=-0.02, unsure=("positive_aeg",)), "A", "higher"),
        (signs(negative_aeg=0.07, positive_aeg=-0.08, unsure=("positive_aeg",)), None, "higher"),
        (signs(negative_aeg=0.1, bpsn_auc=0.7, unsure=("bpsn_auc",)), None, "higher"),
        (signs(negative_aeg=0.3, positive_aeg=0.2, bpsn_auc=0.7, unsure=("positive_aeg",)), None, "higher"),
        (signs(negative_aeg=0.07, positive_aeg=-0.08, subgroup_auc=0.9, unsure=("positive_aeg",)), "E", "apart"),
        (signs(negative_aeg=0.3, bpsn_auc=0.7, subgroup_auc=0.8), "E", "apart"),
        (signs(positive_aeg=-0.3, bnsp_auc=0.7, subgroup_auc=0.8), "E", "apart"),
        (signs(negative_aeg=0.3, positive_aeg=-0.3), None, "apart"),  # closer, and still told apart
        (signs(negative_aeg=-0.3, positive_aeg=0.3), None, "better"),  # told apart better than elsewhere
        (signs(negative_aeg=-0.3, positive_aeg=0.3, wide=True), None, "better"),
        (signs(wide=True, bpsn_auc=0.8), None, None),
        (signs(negative_aeg=0.04, positive_aeg=0.04), None, None),  # certain, and too little to matter
        (signs(negative_aeg=0.3, positive_aeg=0.3, unsure=("negative_aeg", "positive_aeg")), None, None),
    ],
)
def test_letter_and_tendency(found: GroupSigns, letter: str | None, word: str | None) -> None:
    assert recognise_shape(found) == letter
    assert name_tendency(found, letter) == word
    assert ("The scores resemble shape" in describe_group(found, letter)) == (letter is not None)


def test_what_does_not_stand_out_is_not_said_to_be_the_same() -> None:
    found = signs(negative_aeg=0.07, positive_aeg=-0.08, unsure=("positive_aeg",))
    text = describe_group(found, recognise_shape(found))
    assert "Benign items in the group are scored higher than other benign items" in text
    assert (
        "violating items in the group show no statistically significant difference from other violating items" in text
    )


def test_false_alarms_are_foretold_only_where_benign_items_moved() -> None:
    """Where everybody else's violating items score lower, BPSN falls without any false alarm in the group."""
    better = signs(positive_aeg=0.3, bpsn_auc=0.8)
    assert "false positives" not in describe_group(better, None)
    assert "false positives" in describe_group(signs(negative_aeg=0.3, bpsn_auc=0.8), None)
    assert "false negatives" not in describe_group(signs(bnsp_auc=0.8), None)
    assert "false negatives" in describe_group(signs(positive_aeg=-0.3, bnsp_auc=0.8), None)


def test_sure_and_small_is_not_the_same_as_unsure() -> None:
    both = describe_group(signs(negative_aeg=0.04, positive_aeg=0.3, unsure=("positive_aeg",)), None)
    assert (
        "The scores of benign items in the group differ from those of other items: statistically significant but small"
        in both
    )
    assert "No statistically" not in describe_group(signs(negative_aeg=0.04), None)
    one = describe_group(signs(negative_aeg=0.04, positive_aeg=0.3), None)
    assert "Benign items in the group differ from other benign items, statistically significantly but little" in one
    assert "other items, benign or violating" in describe_group(signs(), None)


@pytest.mark.parametrize(
    ("own", "elsewhere", "says"),
    [
        (0.004, 0.06, "0.4 % of benign items in the group (6 % of other benign items)"),
        (0.9989, 0.5, "99.9 % of benign items in the group (50 % of other benign items)"),
        (0.0, 0.3, "0 % of"),
    ],
)
def test_little_is_not_nothing(own: float, elsewhere: float, says: str) -> None:
    found = signs(fpr=own, fpr_gap=elsewhere - own)
    assert says in describe_group(found, None)
