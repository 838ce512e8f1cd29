"""Simulated designs as a finding: closed forms, golden numbers, and what every number must agree with."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.finding import Finding
from evenhand.measurement.simulation import default_design, published_designs
from evenhand.measurement.simulation.experiments import Experiment
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.measurement.simulation.scenarios import SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import SimulationSettings, design_variant
from evenhand.measurement.simulation.simulate import simulate_designs
from evenhand.measurement.simulation.verdicts import BiasThresholds, SimulationTopic, simulation_caveats
from evenhand.sampling import ScoreDrivenSettings, Within, random_size, strata, stratified_size
from evenhand.sampling.sizes import StrataShares

SMALL = {"simulations": 200, "strata": (2, 6), "pilots": (10,), "pilot_totals": (64,), "variants": ("first=60",)}
NARROW = published_designs.stratified_slice("pilot", "quantile", 16, pilot=10)
LEAST = {"simulations": 100, "pilots": (), "pilot_totals": (), "variants": ()}


def made(items: int = 20_000, seed: int = 1) -> pl.DataFrame:
    """Shares of ten annotators, with a score that knows something of them; exactly 59 in 1000 are .5 or more."""
    rng = np.random.default_rng(seed)
    height = rng.normal(size=items)
    share = np.zeros(items)
    rank = np.argsort(np.argsort(-height))
    share[rank < 0.059 * items] = 0.5
    share[rank < 0.02 * items] = 0.9
    return pl.DataFrame({"p": expit(2.2 * height + rng.normal(size=items) - 4.5), "toxicity": share})


def bench(within: float = 0.2, threshold: float = 0.5, **settings: object) -> Experiment:
    (scenario,) = open_scenarios(
        made(), SimulationRequest(label="toxicity", score=("p",), thresholds=(threshold,))
    ).scenarios
    return Experiment(scenario, Within(within), SimulationSettings(**{**LEAST, **settings}))


@pytest.fixture(scope="module")
def finding() -> Finding:
    return simulate_designs(
        open_scenarios(made(), SimulationRequest(label="toxicity", score=("p",))), SimulationSettings(**SMALL)
    )


def test_the_published_random_sizes(finding: Finding) -> None:
    for within, n in ((0.2, 1532), (0.1, 6127), (0.05, 24508)):
        first, finite, _ = published_designs.random_sampling(bench(within))
        assert first.estimate.value == n
        assert finite.estimate.value == random_size(0.059, Within(within), items=20_000).n < n
    assert finding.get("prevalence").value == pytest.approx(0.059)
    headline = finding.readings[0].text
    assert "prevalence of 5.9 % to within 20 % of its value, simple random sampling needs 1,532 labels (2." in headline


def test_closed_forms_are_written_from_the_definition() -> None:
    table = made()
    label, score = table["toxicity"].to_numpy() >= 0.83, table["p"].to_numpy()
    error = 0.2 * label.mean() / 1.959964
    assert label.mean() == pytest.approx(0.02)
    for by, cut in (("equal_width", strata.equal_width_strata), ("quantile", strata.quantile_strata)):
        codes = cut(score, 6).codes
        here = [(np.mean(codes == code), label[codes == code].mean()) for code in np.unique(codes)]
        equal = len(here) * sum(w**2 * q * (1 - q) for w, q in here) / error**2
        optimal = sum(w * np.sqrt(q * (1 - q)) for w, q in here) ** 2 / error**2
        found = [m.estimate.value for m in published_designs.known_allocations(bench(threshold=0.83), by, 6)]
        assert found[0] == np.ceil(equal - 1e-3)
        assert found[2] == np.ceil(optimal - 1e-3)
        assert 0.7 * optimal < found[3] < optimal


def test_the_pattern_of_the_published_table(finding: Finding) -> None:
    """Random needs most, a pilot less, the oracle least; a useless score costs little; nothing passes the limit."""
    random = finding.get("labels_needed", within="0.2", design="random").value
    cell = {"within": "0.2", "strata": "8"}
    pilot = finding.get("labels_needed", design="pilot", strata_by="quantile", pilot="50", **cell)
    oracle = finding.get("labels_needed", design="optimal", strata_by="oracle", **cell).value
    default, limit = (finding.get("labels_needed", within="0.2", design=name) for name in ("default", "limit"))
    assert oracle < pilot.value < random
    assert limit.value < default.high
    assert default.low < pilot.value
    shuffled = finding.get("labels_needed", within="0.2", design="default", as_if="shuffled")
    assert 0.8 * random < shuffled.high
    assert shuffled.low < 1.25 * random
    assert finding.get("labels_needed", within="0.2", design="default", setting="first=60").value < random


def test_rarer_violations_need_more() -> None:
    for by, count in (("quantile", 8), ("oracle", 8)):
        rare, plain = (
            [m.estimate.value for m in published_designs.known_allocations(bench(threshold=t), by, count)]
            for t in (0.83, 0.5)
        )
        assert all(one > other for one, other in zip(rare, plain, strict=True))


@pytest.mark.parametrize(("each", "named", "spent"), [(200, {"pilot": 200}, 3200), (312, {"pilot_total": 5000}, 4992)])
def test_a_pilot_larger_than_what_is_needed_is_spent_all_the_same(each: int, named: dict, spent: int) -> None:
    design = published_designs.stratified_slice("pilot", "quantile", 16, **named)
    found = {m.measure: m.estimate for m in published_designs.pilot_allocation(bench(), "quantile", 16, each, design)}
    assert found["labels_needed"].value == found["labels_needed_finite"].value == spent


def test_the_published_design_is_biased_low() -> None:
    settings = {"simulations": 20_000}
    found = {
        m.measure: m.estimate for m in published_designs.pilot_allocation(bench(**settings), "quantile", 16, 10, NARROW)
    }
    assert found["bias_in_errors"].value < -3.5
    assert found["relative_bias"].high < 0.0


def test_bias_and_coverage(finding: Finding) -> None:
    """Of all designs but the pilot's: within chance."""
    optimal = {"design": "optimal", "strata_by": "quantile", "strata": "8"}
    for design in ({"design": "random"}, optimal, {"design": "default"}, {"design": "default", "as_if": "shuffled"}):
        cell = {"within": "0.2", **design}
        assert abs(finding.get("bias_in_errors", **cell).value) < 3.5
        bias = finding.get("relative_bias", **cell)
        assert bias.low - 0.02 < 0 < bias.high + 0.02
        for way in ("ours", "wilson", "logit", "log", "normal"):
            held = finding.get("interval_coverage", interval=way, **cell)
            assert held.high > 0.93
            assert held.n in (100, 200)
        spent, needed = (finding.get(name, **cell).value for name in ("labels_spent", "labels_needed"))
        assert 0.5 < spent / needed < 2.0  # found by a trial of a hundred samples


def test_a_bias_is_named_by_its_strength(finding: Finding) -> None:
    """By hand: 5 % on two sides of one look are 1.96 errors, of twenty looks (5 % / 20 / 2 on a side) 3.023."""
    bars = BiasThresholds(20)
    assert (bars.perhaps, bars.sure) == pytest.approx((1.960, 3.023), abs=5e-4)
    words = {1.9: "no bias detected", -2.0: "possibly biased", 3.0: "possibly biased", -3.2: "biased"}
    assert {errors: bars.judge(errors) for errors in words} == words
    assert BiasThresholds(1).sure == bars.perhaps
    assert BiasThresholds.for_measured(finding).looks == sum(m.measure == "bias_in_errors" for m in finding) > 5
    paper = next(r.text for r in finding.readings if r.topic == SimulationTopic.PUBLISHED)
    errors = finding.get("bias_in_errors", within="0.2", **published_designs.PAPER).value
    assert f"{abs(errors):.1f} standard errors" in paper
    assert BiasThresholds.for_measured(finding).judge(errors) in paper
    assert ("known to bias estimates slightly downwards" in paper) == (errors < 1.96)
    assert any(
        f"above {BiasThresholds.for_measured(finding).sure:.1f}, which allows" in caveat for caveat in finding.caveats
    )


@pytest.mark.verify
def test_a_design_does_not_depend_on_what_else_is_simulated(finding: Finding) -> None:
    same = bench(simulations=200, strata=(2, 4), variants=())
    for m in (
        *published_designs.pilot_allocation(same, "quantile", 8, 50, published_designs.PAPER),
        *published_designs.bias_and_coverage(same),
    ):
        assert m.estimate == finding.get(m.measure, **m.slice)
    one, two, other = (
        {m.measure: m.estimate for m in default_design.default_design_results(bench(0.5, seed=seed), lambda _: None)}
        for seed in (0, 0, 1)
    )
    assert one == two
    assert one["labels_needed"] != other["labels_needed"]


def test_progress_comes_to_its_end() -> None:
    steps: list[tuple[int, int]] = []
    opened = open_scenarios(made(2000), SimulationRequest(label="toxicity", score=("p",)))
    settings = SimulationSettings(within=(0.5,), simulations=100, strata=(2,), pilots=(), pilot_totals=(16,))
    simulate_designs(opened, settings, lambda what, done, of: steps.append((done, of)))
    assert steps[0][0] == 0
    assert steps == sorted(steps)
    assert steps[-1][0] >= 0.95 * steps[-1][1]
    assert all(done <= of for done, of in steps)


def test_several_models_and_thresholds() -> None:
    table = made(3000).with_columns(q=1.0 - pl.col("p"))
    opened = open_scenarios(table, SimulationRequest(label="toxicity", score=("p", "q"), thresholds=(0.5, 0.83)))
    assert [dict(scenario.slice) for scenario in opened.scenarios] == [
        {"model": model, "label_threshold": threshold} for threshold in ("0.5", "0.83") for model in ("p", "q")
    ]
    assert [scenario.here.prevalence for scenario in opened.scenarios[1:3]] == pytest.approx([0.059, 0.02])


def test_a_classifier_trained_here() -> None:
    rng = np.random.default_rng(3)
    bad = rng.random(3000) < 0.1
    words = [" ".join(rng.choice(["awful", "ugly"] if b else ["fine", "kind", "calm", "blue"], 4)) for b in bad]
    texts = pl.DataFrame({"text": words, "y": bad, "split": ["a", "b", "b"] * 1000})
    by_share = open_scenarios(
        texts, SimulationRequest(label="y", text="text", train_share=0.2, method="unigram"), seed=4
    )
    by_split = open_scenarios(
        texts, SimulationRequest(label="y", text="text", train_where="split = 'a'", method="unigram")
    )
    assert by_split.provenance["trained_on"] == 1000
    assert by_share.provenance["trained_on"] == pytest.approx(600, abs=80)
    for opened in (by_share, by_split):
        (scenario,) = opened.scenarios
        assert len(scenario.here) + opened.provenance["trained_on"] == 3000
        assert scenario.here.score[scenario.here.label == 1].min() > scenario.here.score[scenario.here.label == 0].max()
        assert "was trained on" in opened.notes[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"within": ()},
        {"within": (0.0,)},
        {"within": (1.5,)},
        {"strata": (1,)},
        {"pilots": (1,)},
        {"simulations": 20},
        {"per_hour": 0.0},
        {"variants": ("last=3",)},
        {"variants": ("first=a",)},
        {"variants": ("first=1",)},
        {"variants": ("floor=0.1-0.5",)},
    ],
)
def test_settings_that_make_no_sense(wrong: dict) -> None:
    with pytest.raises(InputError):
        SimulationSettings(**wrong)


def test_settings_of_the_default_design() -> None:
    assert design_variant("first=50, strata=20") == ScoreDrivenSettings(first=50, strata=20)
    assert design_variant("floor=0.2-0.05,each=3").floor == (0.2, 0.05)
    assert design_variant("floor=0.2").floor == (0.2, 0.2)


def test_the_population_is_the_file() -> None:
    (scenario,) = open_scenarios(made(), SimulationRequest(label="toxicity", score=("p",))).scenarios
    assert isinstance(scenario.here, LabelledPopulation)
    assert scenario.endless.times == 50
    parts = scenario.strata("quantile", 4)
    urns = scenario.urns("quantile", 4, endless=False)
    assert (
        stratified_size(urns.parts, Within(0.2)).n
        == stratified_size(StrataShares.of(parts.sizes, parts.prevalences(scenario.here.label)), Within(0.2)).n
    )


def test_few_violations_in_a_simulation_are_said() -> None:
    table = made(2000).with_columns(toxicity=pl.when(pl.int_range(pl.len()) < 20).then(1.0).otherwise(0.0))
    opened = open_scenarios(table, SimulationRequest(label="toxicity", score=("p",)))
    said = list(simulation_caveats(opened, SimulationSettings(), BiasThresholds.for_measured(())))
    assert any("only 20 violating items in the file" in caveat for caveat in said)


def test_a_simulation_is_of_one_kind_of_violation() -> None:
    table = pl.DataFrame({"text": ["a b", "c d", "e f"] * 100, "mood": ["calm", "glad", "angry"] * 100})
    with pytest.raises(InputError, match="name those that mean violating with `positive`"):
        open_scenarios(table, SimulationRequest(label="mood", text="text", train_share=0.5))
