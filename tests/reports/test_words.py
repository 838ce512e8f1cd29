"""How numbers are written and what they are said to mean."""

from __future__ import annotations

from evenhand.audits.bias.quantities import OF_GROUPS
from evenhand.audits.calibration.numbers import OF_CLASSES, OVERALL
from evenhand.audits.collaboration.quantities import PLAIN, at, of_strategy
from evenhand.audits.quantities import OF_EVERYTHING
from evenhand.estimate import Estimate
from evenhand.measures.collaboration import Capacity
from evenhand.reports import words
from evenhand.reports.perspective import GLOSSARY
from evenhand.routing.strategies import UNCERTAINTY


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, "m", 100)


def test_numbers() -> None:
    assert words.number("bpsn_auc", 0.93456) == "0.935"
    assert words.number("negative_aeg", 0.1) == "+0.100"
    assert words.number("negative_aeg", -0.1) == "−0.100"
    assert words.number("brier", 0.02461) == "0.0246"
    assert words.number("count", 12345.0) == "12,345"
    assert words.number("bpsn_auc", 0.05, signed=True) == "+0.050"


def test_intervals() -> None:
    e = estimate(0.5, 0.41, 0.62)
    assert words.interval("bpsn_auc", e) == "0.410 to 0.620"
    assert words.interval("bpsn_auc", e, brief=True) == ".41 to .62"
    assert words.interval("bpsn_auc", estimate(0.5, 0.4998, 0.5003), brief=True) == ".500 to .500"
    assert words.interval("ece", estimate(0.01, 0.0041, 0.0128), brief=True) == ".004 to .013"
    assert words.interval("ece", estimate(0.0123, 0.01221, 0.01234), brief=True) == ".0122 to .0123"
    assert words.interval("ece", estimate(0.01, 0.01, 0.01)) == ""
    assert words.interval("count", Estimate.exact(5, level=0.95, n=5)) == ""
    assert words.interval("bpsn_auc", Estimate.undefined("why", level=0.95, n=0)) == ""


def test_a_value_without_an_interval_has_its_p_value() -> None:
    tested = Estimate.tested(0.0023, 0.016, level=0.95, method="permutation", n=100)
    for brief in (False, True):
        assert words.interval("uncertainty_divergence", tested, brief=brief) == "p = .016"
    assert words.number("uncertainty_divergence", 0.00231) == "0.0023"
    assert words.p_value(1.0) == "p = 1.000"
    assert words.p_value(1e-9) == "p < .001"
    assert words.p_value(0.0005) == "p = .001"


def test_deltas_have_a_sign_and_four_digits() -> None:
    assert words.number("conformity_delta", -0.00124) == "−0.0012"
    e = estimate(-0.0012, -0.017, 0.012)
    assert words.interval("conformity_delta", e) == "−0.0170 to +0.0120"
    assert words.interval("conformity_delta", e, brief=True) == "−.017 to .012"


def test_points() -> None:
    assert words.points(0.1387) == "13.9 points"
    assert words.points(0.0041) == "0.41 points"


def test_plain_words() -> None:
    said = words.plainly("bpsn_auc", estimate(0.65, 0.63, 0.66), "gay")
    assert said == "In 65 of 100 pairs a violating item from elsewhere scores above a benign item of 'gay' (63 to 66)."
    gap = words.plainly("negative_aeg", estimate(0.2, 0.1, 0.3), "gay")
    assert gap.startswith("In 70 of 100 pairs a benign item of 'gay' scores above a benign item from elsewhere")
    assert "50 would be even" in gap
    assert words.plainly("bpsn_auc", estimate(0.995, 0.99, 1.0), "x").startswith("In 99.5 of 100")
    assert words.plainly("auroc", estimate(0.5, 0.4, 0.6), "x") is None
    assert words.plainly("bpsn_auc", Estimate.undefined("why", level=0.95, n=0), "x") is None


def test_every_quantity_has_words() -> None:
    together = (*of_strategy(UNCERTAINTY), *at(UNCERTAINTY, Capacity.fraction(0.01)))
    for quantity in (*OF_EVERYTHING, *OF_GROUPS, *PLAIN, *together):
        assert words.word(quantity.name).meaning, quantity.name
    for name in (*(number.measure for number in OVERALL), *OF_CLASSES):
        assert words.word(name).meaning, name
        assert words.word(name).kind == ("share" if name in ("accuracy", "weighted_f1") else "loss"), name
    for name in GLOSSARY:
        assert words.word(name).meaning, name
    assert words.word("new_measure").label == "new measure"


def test_thresholds_are_rounded_to_the_side_where_less_is_decided_unseen() -> None:
    assert words.number("remove_from", 0.24172) == "0.2418"
    assert words.number("leave_below", 0.24178) == "0.2417"
    assert words.number("remove_from", 0.29) == words.number("leave_below", 0.29) == "0.2900"
