"""The collaboration audit end to end: its numbers against brute force, its words, and what it does with odd data."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import brute
import evenhand as eh

CAPACITIES = ["0", "0.01", "5%", "50", "120 items", ">=0.2", "0.29", "1"]
STRATEGIES = ["uncertainty", "toxicity", "hybrid:0.3", "column:u"]
OC = ("oc_accuracy", "oc_auroc", "oc_auprc", "oc_precision", "oc_recall", "oc_f1")
REVIEW = ("review_efficiency", "review_effectiveness")
SYSTEM = ("reviewed", *(f"system_{rate}{kind}" for rate in ("fpr", "fnr") for kind in ("", "_ratio", "_difference")))
ROLES = {"score": "p", "label": "y", "audits": "collaboration"}


@pytest.fixture(scope="module")
def items() -> pl.DataFrame:
    """Scores with ties, a second model, an uncertainty for each, a group, a language, counts and a design."""
    rng = np.random.default_rng(4)
    y = rng.random(700) < 0.3
    p, q = (np.round(1.0 / (1.0 + np.exp(-(a * y - 1.2 + rng.normal(size=700)))), 2) for a in (2.0, 1.5))
    return pl.DataFrame(
        {
            "y": y,
            "p": p,
            "q": q,
            "u": np.round(p * (1 - p) + 0.1 * rng.random(700), 3),
            "v": rng.random(700),
            "g": rng.random(700) < 0.4,
            "language": np.where(rng.random(700) < 0.5, "en", "de"),
            "n": rng.integers(1, 4, 700),
            "pi": rng.uniform(0.1, 1.0, 700),
        }
    )


def finding(data, **options) -> eh.Finding:
    return eh.audit(data, **{**ROLES, **options}).findings[0]


def reviewed(strategy: str, capacity: str, p, u, weight) -> np.ndarray | None:
    """The share of each row that is reviewed, from the definition; None where there is none."""
    scores = {"uncertainty": p * (1 - p), "toxicity": p, "column:u": u, "column:v": u}
    total = weight.sum()
    if capacity.startswith(">="):
        return None if strategy not in scores else (scores[strategy] >= float(capacity[2:]) - 1e-12).astype(float)
    number = float(capacity.rstrip("%items "))
    share = number / 100 if capacity.endswith("%") else number
    amount = min(share, total) if share > 1 else math.floor(share * total + 1e-9)
    if strategy in scores:
        return brute.reviewed_parts(scores[strategy], amount, weight)
    first = brute.reviewed_parts(p, math.floor(0.3 * amount + 1e-9), weight)
    rest = amount - math.floor(0.3 * amount + 1e-9)
    return first + (1 - first) * brute.reviewed_parts(p * (1 - p), rest, weight * (1 - first))


def agrees(found: eh.Finding, table: pl.DataFrame, model="p", unsure="u", weight=None, plain=True, **named) -> None:
    """Every number of one model on these rows."""
    y, p, u = (table[name].to_numpy() for name in ("y", model, unsure))
    weight = np.ones(len(y)) if weight is None else table[weight].to_numpy().astype(float)
    wrong = (p >= 0.5) != y

    def same(measure: str, expected: float, **more: str) -> None:
        value = found.get(measure, **named, **more).value
        assert (math.nan if value is None else value) == pytest.approx(expected, abs=1e-9, nan_ok=True), (measure, more)

    if plain:
        same("count", weight.sum())
        same("accuracy", weight[~wrong].sum() / weight.sum())
        same("auroc", roc_auc_score(y, p, sample_weight=weight))
        same("auprc", average_precision_score(y, p, sample_weight=weight))
        same("auprc_interpolated", _interpolated(p, y, weight))
        same("brier", brier_score_loss(y, p, sample_weight=weight))
        if "group" not in named:
            same("ece", brute.ece(p, y, weight))
        for strategy, review in (("uncertainty", p * (1 - p)), ("toxicity", p), (f"column:{found_column(found)}", u)):
            ranks = np.round(review, 11)  # p(1 − p) tells p from 1 − p in floating point only
            same("calibration_auroc", roc_auc_score(wrong, ranks, sample_weight=weight), strategy=strategy)
            same("calibration_auprc", average_precision_score(wrong, ranks, sample_weight=weight), strategy=strategy)
    for strategy in found.values("strategy"):
        for capacity in found.values("capacity"):
            slice_ = {"strategy": strategy, "capacity": capacity}
            parts = reviewed(strategy, capacity, p, u, weight)
            if parts is None:
                assert "hybrid" in found.get("oc_accuracy", **named, **slice_).note
                continue
            for measure, value in brute.collaborated(p, y, parts, weight=weight).items():
                same(measure, value, **slice_)
            together, efficiency = (found.get(m, **named, **slice_).value for m in ("oc_accuracy", "review_efficiency"))
            share = (weight * parts).sum() / weight.sum()
            alone = found.get("accuracy", **named).value
            assert together == pytest.approx(alone + share * (efficiency or 0.0), abs=1e-12)


def found_column(found: eh.Finding) -> str:
    return next(name for name in found.values("strategy") if name.startswith("column:")).partition(":")[2]


def _interpolated(p, y, weight) -> float:
    """Davis and Goadrich, by their integral in closed form, score by score."""
    hits = alarms = area = 0.0
    for score in sorted(set(p.tolist()), reverse=True):
        more, false = weight[(p == score) & y].sum(), weight[(p == score) & ~y].sum()
        if more:
            slope, start, size = 1 + false / more, hits + alarms, more + false
            first = more / slope
            second = (hits - start / slope) / slope * math.log((start + size) / start) if start else 0.0
            area += first + second
        hits, alarms = hits + more, alarms + false
    return area / weight[y].sum()


def test_all_numbers_equal_brute_force(items: pl.DataFrame) -> None:
    found = finding(items, uncertainty="u", groups="g", slices="language", capacities=CAPACITIES, strategies=STRATEGIES)
    agrees(found, items)
    agrees(found, items.filter("g"), group="g")
    agrees(found, items.filter(pl.col("language") == "de"), language="de")


def test_reviewing_all_is_perfect_and_nothing_is_the_model_alone(items: pl.DataFrame) -> None:
    found = finding(items, uncertainty="u", capacities=["0", "1"], strategies=STRATEGIES)
    for strategy in STRATEGIES:
        for measure in (*OC, "review_effectiveness"):
            assert found.get(measure, strategy=strategy, capacity="1").value == 1.0
        none = found.get("review_efficiency", strategy=strategy, capacity="0")
        assert none.value is None
        assert none.note == "nothing is reviewed at this capacity"
        for measure, plain in (("oc_accuracy", "accuracy"), ("oc_auroc", "auroc"), ("oc_auprc", "auprc")):
            one, two = found.get(measure, strategy=strategy, capacity="0"), found.get(plain)
            for part in ("value", "low", "high"):
                assert getattr(one, part) == pytest.approx(getattr(two, part), abs=1e-12), measure


def test_several_models_each_with_its_own_uncertainty(items: pl.DataFrame) -> None:
    found = finding(items, score=["p", "q"], uncertainty=["u", "v"], capacities=["0.05", "0.2"])
    assert found.values("model") == ("p", "q")
    assert found.values("strategy") == ("uncertainty", "toxicity", "column:u")
    for model, unsure in (("p", "u"), ("q", "v")):
        alone = finding(items, score=model, uncertainty=unsure, capacities=["0.05", "0.2"])
        agrees(alone, items, model=model, unsure=unsure)
        for measured in alone:
            named = {**measured.slice, "model": model}
            if named.get("strategy", "").startswith("column:"):
                named["strategy"] = "column:u"
            if measured.measure != "ece":  # its draws are the same, of other models too
                assert found.get(measured.measure, **named) == measured.estimate


def test_counts_are_repetitions(items: pl.DataFrame) -> None:
    """Values and intervals alike: a row that stands for two is two rows."""
    options = {"uncertainty": "u", "groups": "g", "capacities": ["0.05", "100", ">=0.2"], "strategies": STRATEGIES}
    repeated = items.select(pl.all().repeat_by("n")).explode(pl.all())
    found = finding(items, count="n", **options)
    for one, two in zip(found, finding(repeated, **options), strict=True):
        assert one.slice == two.slice
        for part in ("value", "low", "high", "n", "note"):
            if one.measure not in ("ece", "brier") or part not in ("low", "high"):  # redrawn
                assert getattr(one.estimate, part) == pytest.approx(getattr(two.estimate, part), abs=1e-9), one
    agrees(found, items, weight="n")


def test_inclusion_probabilities(items: pl.DataFrame) -> None:
    found = finding(items, uncertainty="u", inclusion="pi", capacities=["0.05", "0.2"], strategies=STRATEGIES)
    weighted = items.with_columns((1.0 / pl.col("pi")).alias("w"))
    agrees(found, weighted, weight="w")


@pytest.mark.parametrize("strategy", ["uncertainty", "toxicity", "column:u"])
def test_a_thin_sample_does_not_pass_for_a_large_one(items: pl.DataFrame, strategy: str) -> None:
    """An item drawn with probability .05 stands for twenty, and is still one item that was looked at."""
    options = {"uncertainty": "u", "capacities": ["0", "0.1"], "strategies": [strategy]}
    plain = finding(items, **options)
    thin = finding(items.with_columns(pl.lit(0.05).alias("pi")), inclusion="pi", **options)
    for one, two in zip(plain, thin, strict=True):
        if one.estimate.value is not None and one.measure not in ("count", "ece"):
            assert two.estimate.value == pytest.approx(one.estimate.value, abs=0.01)
            widths = [e.high - e.low for e in (one.estimate, two.estimate)]
            if widths == [0.0, 0.0] and one.slice["capacity"] == "0":  # nothing is reviewed: strategies do not differ
                continue
            assert 0.9 < widths[1] / widths[0] < 1.5, (one.measure, one.slice, widths)


def test_scales_other_than_probabilities(items: pl.DataFrame) -> None:
    table = items.with_columns(
        (100.0 * pl.col("p")).alias("percent"), (pl.col("p") / (1 - pl.col("p"))).log().alias("logit")
    )
    plain = finding(table, capacities=["0.05", "0.2"])
    for scale in ("percent", "logit"):
        found = finding(table, score=scale, scale=scale, capacities=["0.05", "0.2"])
        for one, two in zip(plain, found, strict=True):
            assert two.estimate.value == pytest.approx(one.estimate.value, abs=1e-9), (scale, one)


def test_a_rank_has_an_order_and_no_probability(items: pl.DataFrame) -> None:
    found = finding(items, scale="rank", threshold=0.5, capacities=["0.2"])
    plain = finding(items, capacities=["0.2"])
    at = {"strategy": "toxicity", "capacity": "0.2"}
    assert found.get("oc_auroc", **at) == plain.get("oc_auroc", **at)
    for missing in (found.get("brier"), found.get("oc_auroc", strategy="uncertainty", capacity="0.2")):
        assert missing.note == "the score is not a probability: only its ranking can be used"
    uncut = finding(items, scale="rank", capacities=["0.2"])
    assert "`threshold`" in uncut.get("oc_accuracy", **at).note
    assert uncut.get("auroc").defined


def test_a_model_without_errors(items: pl.DataFrame) -> None:
    perfect = items.with_columns((0.9 * pl.col("y") + 0.05).alias("p"))
    found = finding(perfect, capacities=["0.1", "0.2"])
    for strategy in ("uncertainty", "toxicity"):
        assert found.get("review_efficiency", strategy=strategy, capacity="0.1").value == 0.0
        missing = found.get("review_effectiveness", strategy=strategy, capacity="0.1")
        assert missing.value is None
        assert missing.note == "the model makes no errors at this threshold"
        assert found.get("calibration_auprc", strategy=strategy).note == missing.note
    (only,) = found.readings
    assert only.text == "The model makes no errors on these items, so review cannot find any."


def test_the_output_contract(items: pl.DataFrame) -> None:
    report = eh.audit(
        items,
        **{**ROLES, "score": ["p", "q"]},
        uncertainty="u",
        groups="g",
        capacities=CAPACITIES,
        strategies=STRATEGIES,
    )
    records = json.loads(report.json())["findings"][0]["estimates"]
    keys = [(r["measure"], tuple(sorted(r["slice"].items()))) for r in records]
    assert len(keys) == len(set(keys))
    plain = {"count", "positive_share", "accuracy", "precision", "recall", "f1"}
    plain |= {"auroc", "auprc", "auprc_interpolated", "brier", "ece"}
    assert {r["measure"] for r in records} == plain | {"calibration_auroc", "calibration_auprc", *OC, *REVIEW, *SYSTEM}
    for record in records:
        kinds = {"model"} | ({"group"} & set(record["slice"]))
        kinds |= {"strategy"} if record["measure"] not in plain else set()
        kinds |= {"capacity"} if record["measure"] in (*OC, *REVIEW, *SYSTEM) else set()
        kinds |= {"against"} & set(record["slice"])
        assert set(record["slice"]) == kinds
        if record["value"] is None:
            assert record["low"] is record["high"] is None
            assert record["note"]
        else:
            is_difference = "against" in kinds or record["measure"].endswith("_difference")
            assert -1.0 * is_difference <= record["low"] <= record["value"] <= record["high"]
            assert record["high"] <= 1.0 or record["measure"] == "count" or record["measure"].endswith("_ratio")
    assert "NaN" not in report.json()


def test_the_same_seed_gives_the_same_bytes(items: pl.DataFrame) -> None:
    options = {**ROLES, "uncertainty": "u", "groups": "g", "capacities": ["0.05"]}
    one, two, other = (eh.audit(items, **options, seed=seed).json() for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_bootstrap_and_analytic_intervals_agree(items: pl.DataFrame) -> None:
    options = {"uncertainty": "u", "capacities": ["0.05", "0.2"]}
    analytic, drawn = finding(items, **options), finding(items, **options, interval="bootstrap", replicates=200, seed=3)
    for one, two in zip(analytic, drawn, strict=True):
        a, b = one.estimate, two.estimate
        assert a.value == b.value
        if a.method == "precision_score" or one.measure == "review_effectiveness":  # cautious: docs/intervals.md
            assert b.high - b.low <= 1.45 * (a.high - a.low)
        elif a.method not in ("exact", "poisson_bootstrap"):
            assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.45, abs=0.012), (one.measure, one.slice)


def planted(kind: str) -> pl.DataFrame:
    """Errors near one half, or at the top of the score, or at the top first and near one half after."""
    p = np.linspace(0.0005, 0.9995, 1000)
    y = p >= 0.5
    if kind == "middle":
        y[450:550] = ~y[450:550]
    elif kind == "top":
        y[900:] = False
    else:
        y[980:] = False
        y[400:600] = ~y[400:600]
    return pl.DataFrame({"p": p, "y": y})


def test_readings_say_what_the_numbers_say() -> None:
    capacities = ["0.01", "0.05", "0.1"]
    middle = [reading.text for reading in finding(planted("middle"), capacities=capacities).readings]
    best = "By OC-AUROC, reviewing the most uncertain items is better than reviewing the highest scores"
    assert middle[0].startswith(best)
    assert middle[1].endswith("review by uncertainty finds more errors at every capacity.")
    top = [reading.text for reading in finding(planted("top"), capacities=capacities).readings]
    assert top[0].startswith("By OC-AUROC, reviewing the highest scores is better than reviewing the most uncertain")
    assert top[1].endswith("review by toxicity finds more errors at every capacity.")
    for shares in (["0.01", "0.05", "0.1"], ["0.01", "0.02", "0.05"]):  # at 0.02 the two are level
        found = finding(planted("both"), capacities=shares, strategies=["uncertainty", "toxicity"])
        leads = [
            found.get("review_efficiency", strategy="uncertainty", capacity=c).value
            - found.get("review_efficiency", strategy="toxicity", capacity=c).value
            for c in shares
        ]
        assert leads[0] == 0.0
        assert leads[-1] > 0.0
        assert "review by uncertainty finds at least as many errors at every capacity" in found.readings[1].text


def test_a_crossing_is_found_and_placed() -> None:
    table = planted("both").with_columns((pl.col("y") ^ (pl.int_range(pl.len()).is_between(495, 504))).alias("y"))
    found = finding(table, capacities=["0.01", "0.05", "0.1"])
    text = found.readings[1].text
    assert text.startswith(
        "By Review Efficiency, review by toxicity is better at low capacities; the order reverses between 1 %"
    )
    assert f"{100 * table['y'].mean():.3g} % of the items are violating" in text
    assert "between 1 % and 5 % of the items" in text


def test_accuracy_that_says_little_is_said() -> None:
    """Two in a hundred violate; the model flags five others."""
    p, y = np.full(200, 0.1), np.zeros(200, dtype=bool)
    p[:5], y[100:104] = 0.9, True
    found = finding(pl.DataFrame({"p": p, "y": y}), capacities=["0.05", "0.1"])
    said = found.readings[0].text
    assert "Flagging nothing would have an accuracy of 98 %, the model has 95.5 %" in said
    assert (found.get("recall").value, found.get("precision").value) == (0.0, 0.0)
    assert found.get("f1").value == 0.0


def test_differences_within_the_intervals_are_not_called_clear() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    table = pl.DataFrame({"p": p, "y": rng.random(300) < 0.4 + 0.2 * p})
    texts = [reading.text for reading in finding(table, capacities=["0.02", "0.05"]).readings]
    assert texts[0].endswith("; at no capacity is the difference statistically significant.")
    ranks = finding(table, scale="rank", threshold=0.5, capacities=["0.05"]).readings
    assert all("cannot be compared" in reading.text for reading in ranks)
    assert "the score is not a probability" in ranks[0].text


def test_capacities_that_were_perhaps_not_meant(items: pl.DataFrame) -> None:
    said = " ".join(finding(items, capacities=[">=2", "100000", 0.1]).caveats)
    assert "At a capacity of >=2, no item is reviewed by uncertainty: p(1 − p) is at most 0.25." in said
    assert "A capacity of 100000 covers all items: everything is reviewed." in said


def test_capacities_may_be_numbers(items: pl.DataFrame) -> None:
    found = finding(items, capacities=[0.1, 50])
    assert found.values("capacity") == ("0.1", "50")
    with pytest.raises(eh.InputError, match="must be a word, not True"):
        finding(items, capacities=[True])


def test_no_pair_no_reading(items: pl.DataFrame) -> None:
    assert finding(items, strategies=["toxicity"]).readings == ()
    assert finding(items, capacities=["100"]).readings == ()
    three = items.with_columns(pl.col("v").alias("r"))
    last = finding(three, score=["p", "q", "r"], capacities=["0.1"]).readings[-1]
    assert "of 3" in last.text


@pytest.mark.verify
def test_on_the_command_line(items: pl.DataFrame, program) -> None:
    items.write_csv("items.csv")
    roles = ["--audits", "collaboration", "--score", "p", "--label", "y", "--uncertainty", "u", "--groups", "g"]
    chosen = ["--capacities", ",".join(CAPACITIES), "--strategies", ",".join(STRATEGIES)]
    done = program("audit", "items.csv", *roles, *chosen, "--json")
    assert done.code == 0, done.err
    (printed,) = json.loads(done.out)["findings"]
    found = finding(items, uncertainty="u", groups="g", capacities=CAPACITIES, strategies=STRATEGIES)
    assert [r["value"] for r in printed["estimates"]] == pytest.approx([m.estimate.value for m in found], abs=1e-12)
    assert program("audit", "items.csv", *roles, *chosen).code == 0
