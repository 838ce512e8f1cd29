"""How numbers are written and what they are said to mean."""

from __future__ import annotations

from evenhand import catalogue, formatting
from evenhand.audits.bias.quantities import GROUP_QUANTITIES
from evenhand.audits.calibration.quantities import CLASS_MEASURES, OVERALL_MEASURES
from evenhand.audits.collaboration.quantities import MODEL_QUANTITIES, capacity_quantities, strategy_quantities
from evenhand.audits.quantities import OVERALL_QUANTITIES
from evenhand.estimate import Estimate
from evenhand.formatting import half_width, names_in_sentence
from evenhand.measures.collaboration import Capacity
from evenhand.reports.bias import bias_shade
from evenhand.reports.perspective import GLOSSARY
from evenhand.routing.strategies import UNCERTAINTY

WHY = "nobody was asked"


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, "m", 100)


def test_numbers() -> None:
    assert formatting.format_number("bpsn_auc", 0.93456) == "0.935"
    assert formatting.format_number("negative_aeg", 0.1) == "+0.100"
    assert formatting.format_number("negative_aeg", -0.1) == "−0.100"
    assert formatting.format_number("brier", 0.02461) == "0.0246"
    assert formatting.format_number("count", 12345.0) == "12,345"
    assert formatting.format_number("bpsn_auc", 0.05, signed=True) == "+0.050"


def test_no_number_is_in_powers_of_ten() -> None:
    shares = {0.0: "0 %", 8.21e-7: "0.0000821 %", 1e-12: "0 %", 0.5: "50 %", 0.99996: "100 %"}
    assert {value: formatting.format_share(value) for value in shares} == shares
    points = {1.0: "+100", 0.997: "+100", -1.0: "−100", 0.0: "0", -1e-12: "0", 1.2e-7: "+0.000012", -0.0345: "−3.5"}
    assert {value: formatting.signed_points(value) for value in points} == points
    assert "within ±100;" in formatting.precision_range([("a", estimate(0.0, -99.6, 99.6))])


def test_intervals() -> None:
    e = estimate(0.5, 0.41, 0.62)
    assert formatting.format_interval("bpsn_auc", e) == "0.410 to 0.620"
    assert formatting.format_interval("prevalence", estimate(0.1, 0.0975, 0.103)) == "9.75 to 10.3 %"
    assert formatting.format_interval("bpsn_auc", e, brief=True) == ".41 to .62"
    assert formatting.format_interval("bpsn_auc", estimate(0.5, 0.4998, 0.5003), brief=True) == ".500 to .500"
    assert formatting.format_interval("ece", estimate(0.01, 0.0041, 0.0128), brief=True) == ".004 to .013"
    assert formatting.format_interval("fpr_ratio", estimate(3.8, 0.64, 20.54), brief=True) == ".6 to 20.5"
    assert formatting.format_interval("ece", estimate(0.0123, 0.01221, 0.01234), brief=True) == ".0122 to .0123"
    assert formatting.format_interval("ece", estimate(0.01, 0.01, 0.01)) == ""
    assert formatting.format_interval("count", Estimate.exact(5, level=0.95, n=5)) == ""
    assert formatting.format_interval("bpsn_auc", Estimate.undefined("why", level=0.95, n=0)) == ""


def test_a_value_without_an_interval_has_its_p_value() -> None:
    tested = Estimate.tested(0.0023, 0.016, level=0.95, method="permutation", n=100)
    for brief in (False, True):
        assert formatting.format_interval("uncertainty_divergence", tested, brief=brief) == "p = .016"
    assert formatting.format_number("uncertainty_divergence", 0.00231) == "0.0023"
    assert formatting.format_p_value(1.0) == "p = 1.000"
    assert formatting.format_p_value(1e-9) == "p < .001"
    assert formatting.format_p_value(0.0005) == "p = .001"


def test_deltas_have_a_sign_and_four_digits() -> None:
    assert formatting.format_number("conformity_delta", -0.00124) == "−0.0012"
    e = estimate(-0.0012, -0.017, 0.012)
    assert formatting.format_interval("conformity_delta", e) == "−0.0170 to +0.0120"
    assert formatting.format_interval("conformity_delta", e, brief=True) == "−.017 to .012"


def test_points() -> None:
    assert formatting.format_points(0.1387) == "13.9 percentage points"
    assert formatting.format_points(0.0041) == "0.41 percentage points"


def test_plain_words() -> None:
    said = formatting.explain_in_pairs("bpsn_auc", estimate(0.65, 0.63, 0.66), "gay")
    assert (
        said
        == "In 65 of 100 pairs, a violating item outside group 'gay' scores higher than a benign item in it (63 to 66)."
    )
    gap = formatting.explain_in_pairs("negative_aeg", estimate(0.2, 0.1, 0.3), "gay")
    assert gap.startswith(
        "In 70 of 100 pairs, a benign item in group 'gay' scores higher than a benign item outside it"
    )
    assert "50 means no difference" in gap
    assert formatting.explain_in_pairs("bpsn_auc", estimate(0.995, 0.99, 1.0), "x").startswith("In 99.5 of 100")
    assert formatting.explain_in_pairs("auroc", estimate(0.5, 0.4, 0.6), "x") is None
    assert formatting.explain_in_pairs("bpsn_auc", Estimate.undefined("why", level=0.95, n=0), "x") is None


def test_every_quantity_has_words() -> None:
    together = (*strategy_quantities(UNCERTAINTY), *capacity_quantities(UNCERTAINTY, Capacity.fraction(0.01)))
    for quantity in (*OVERALL_QUANTITIES, *GROUP_QUANTITIES, *MODEL_QUANTITIES, *together):
        assert catalogue.find_measure(quantity.name).explanation, quantity.name
    for name in (*(number.measure for number in OVERALL_MEASURES), *CLASS_MEASURES):
        assert catalogue.find_measure(name).explanation, name
        assert catalogue.find_measure(name).unit == ("share" if name in ("accuracy", "weighted_f1") else "loss"), name
    for name in GLOSSARY:
        assert catalogue.find_measure(name).explanation, name
    assert catalogue.find_measure("new_measure").title == "new measure"


def test_thresholds_are_rounded_to_the_side_where_less_is_decided_unseen() -> None:
    assert formatting.format_number("remove_from", 0.24172) == "0.2418"
    assert formatting.format_number("leave_below", 0.24178) == "0.2417"
    assert formatting.format_number("remove_from", 0.29) == formatting.format_number("leave_below", 0.29) == "0.2900"


def test_many_names_are_cut() -> None:
    assert names_in_sentence(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert names_in_sentence(list("abc")) == "a, b and c"


def test_nothing_is_as_wide_as_what_has_no_value() -> None:
    assert half_width(Estimate.undefined(WHY, level=0.95, n=0)) is None
    assert half_width(Estimate.tested(0.3, 0.04, level=0.95, method="m", n=9)) is None
    assert bias_shade("bpsn_auc", Estimate.undefined(WHY, level=0.95, n=0)) == ""
    assert bias_shade("bpsn_auc", None) == ""
