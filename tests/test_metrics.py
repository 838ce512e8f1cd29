"""Every measure in one call gives what the audit gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import evenhand as eh
from evenhand import metrics
from evenhand.errors import InputError


@pytest.mark.parametrize("name", ["subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg", "fpr_gap"])
def test_groups_as_in_the_audit(small: pl.DataFrame, name: str) -> None:
    finding = eh.audit(small, score="first", label="y", groups=["a"], audits=["bias"]).findings[0]
    measure: Callable[..., eh.Estimate] = getattr(metrics, name)
    found, audited = measure(small["first"], small["y"], small["a"]), finding.get(name, group="a")
    assert (found.value, found.low, found.high, found.n) == (audited.value, audited.low, audited.high, audited.n)


@pytest.mark.parametrize("name", ["auroc", "auprc", "auprc_interpolated", "accuracy", "precision", "recall", "f1"])
def test_predictions_as_in_the_audit(small: pl.DataFrame, name: str) -> None:
    finding = eh.audit(small, score="first", label="y", audits=["collaboration"]).findings[0]
    found, audited = getattr(metrics, name)(small["first"].to_list(), small["y"].to_numpy()), finding.get(name)
    assert (found.value, found.low, found.high) == (audited.value, audited.low, audited.high)


@pytest.mark.parametrize("name", ["oc_accuracy", "oc_auroc", "oc_auprc", "oc_f1", "review_efficiency"])
def test_review_as_in_the_audit(small: pl.DataFrame, name: str) -> None:
    report = eh.audit(small, score="first", label="y", audits=["collaboration"], capacities=["0.05"])
    audited = report.findings[0].get(name, strategy="uncertainty", capacity="0.05")
    found = getattr(metrics, name)(small["first"], small["y"], capacity=0.05)
    assert (found.value, found.low, found.high) == (audited.value, audited.low, audited.high)


def test_probabilities_as_in_the_audit(classed: pl.DataFrame) -> None:
    columns = [column for column in classed.columns if column.startswith("p_")]
    classes = [column.removeprefix("p_") for column in columns]
    report = eh.audit(classed, probabilities=columns, classes=classes, label="kind", audits=["calibration"])
    labels = [classes.index(kind) for kind in classed["kind"]]
    for name in ("ece", "ace", "sce", "cece", "msece", "wsece", "ece_variance", "brier", "log_loss"):
        audited = report.findings[0].get(name)
        found = getattr(metrics, name)(classed.select(columns).to_numpy(), labels)
        assert found.value == pytest.approx(audited.value, abs=1e-12), name
        if name not in ("brier", "log_loss"):
            assert (found.low, found.high) == pytest.approx((audited.low, audited.high), abs=1e-12), name


@pytest.mark.parametrize("name", ["class_ece", "class_ace", "class_brier"])
def test_one_class_as_in_the_audit(classed: pl.DataFrame, name: str) -> None:
    columns = [column for column in classed.columns if column.startswith("p_")]
    classes = [column.removeprefix("p_") for column in columns]
    report = eh.audit(classed, probabilities=columns, classes=classes, label="kind", audits=["calibration"])
    labels = [classes.index(kind) for kind in classed["kind"]]
    single = getattr(metrics, name)(classed.select(columns).to_numpy(), labels, 1)
    assert single.value == pytest.approx(report.findings[0].get(name, **{"class": classes[1]}).value, abs=1e-12)


def test_error_rates_of_a_group_beside_everyone_else(small: pl.DataFrame) -> None:
    flagged, violates, member = (small[c].to_numpy() for c in ("first", "y", "a"))
    keep = (small["y"].is_not_null() & small["a"].is_not_null() & small["first"].is_not_null()).to_numpy()
    flagged, violates, member = flagged[keep] >= 0.5, violates[keep].astype(bool), member[keep].astype(bool)
    wrong = [flagged[~violates & side].mean() for side in (member, ~member)]
    missed = [1 - flagged[violates & side].mean() for side in (member, ~member)]
    columns = (small["first"], small["y"], small["a"])
    assert metrics.fpr_ratio(*columns).value == pytest.approx(wrong[0] / wrong[1])
    assert metrics.fpr_difference(*columns).value == pytest.approx(wrong[0] - wrong[1])
    assert metrics.fnr_ratio(*columns).value == pytest.approx(missed[0] / missed[1])
    assert metrics.fnr_difference(*columns).value == pytest.approx(missed[0] - missed[1])
    assert metrics.fnr(*columns[:2]).value == pytest.approx((violates & ~flagged).sum() / violates.sum())
    assert metrics.specificity(*columns[:2]).value == pytest.approx((~violates & ~flagged).sum() / (~violates).sum())


def test_without_a_value_it_says_why() -> None:
    nothing = metrics.bpsn_auc([0.1, 0.9, 0.2], [1, 1, 0], [1, 0, 0])
    assert nothing.value is None
    assert nothing.note == "there are no benign items in the group"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: metrics.auroc([0.1, 0.2], [1]), "the arrays must have the same length: scores 2, labels 1"),
        (lambda: metrics.auroc(["a", "b"], [1, 0]), "scores"),
        (lambda: metrics.ece([0.1, 1.2], [0, 1], bins=1), "a probability lies between 0 and 1"),
        (lambda: metrics.ece([0.1, 0.2], [0, 2], bins=1), "from 0 to 1"),
        (lambda: metrics.bootstrap(np.mean), "at least one array"),
        (lambda: metrics.bootstrap(np.mean, [1.0, 2.0], cluster=[1]), "`cluster` has 1 values for 2 rows"),
        (lambda: metrics.bootstrap(np.mean, [1.0, 2.0], cluster=[1, 1]), "one cluster"),
    ],
)
def test_wrong_arrays_are_named(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        wrong()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.verify
def test_the_bootstrap_covers(clustered: bool) -> None:
    """60 authors with 5 items each, intra-class correlation 0.5: rows alone would cover far too seldom."""
    rng, hits, alone = np.random.default_rng(3), 0, 0
    author = np.repeat(np.arange(60), 5)
    for number in range(150):
        own = rng.normal(size=60)[author] if clustered else 0.0
        values = own + rng.normal(size=300)
        found = metrics.bootstrap(np.mean, values, cluster=author if clustered else None, replicates=200, seed=number)
        hits += found.low <= 0.0 <= found.high
        rows = metrics.bootstrap(np.mean, values, replicates=200, seed=number)
        alone += rows.low <= 0.0 <= rows.high
    assert 134 <= hits <= 149  # 0.95 ± 2.5 standard errors, and a little for the percentiles
    assert clustered is (alone < 125)


@pytest.mark.parametrize("name", ["krippendorff_alpha", "cohen_kappa", "gwet_ac1"])
def test_agreement_as_in_the_audit(name: str) -> None:
    rng = np.random.default_rng(5)
    item, annotator = np.repeat(np.arange(60), 4), rng.permuted(np.tile(np.arange(12), (60, 1)), axis=1)[:, :4].ravel()
    labels = (rng.random(240) < np.repeat(rng.random(60), 4)).astype(int)
    table = pl.DataFrame({"item": item, "who": annotator, "label": labels, "p": np.repeat(rng.random(60), 4)})
    table = table.with_columns(side=pl.when(pl.col("who") < 6).then(pl.lit("a")).otherwise(pl.lit("b")))
    roles = {"item": "item", "annotator": "who", "label": "label", "score": "p", "annotator_groups": "side"}
    audited = eh.audit(table, **roles, permutations=99).findings[0].get(name)
    found = getattr(metrics, name)(table["item"], table["who"], table["label"])
    assert (found.value, found.low, found.high, found.n) == (audited.value, audited.low, audited.high, audited.n)


def test_agreement_of_two_people_who_name_classes() -> None:
    items, people = ["x", "x", "y", "y", "z", "z"], ["ann", "bo"] * 3
    found = metrics.cohen_kappa(items, people, ["spam", "spam", "ok", "ok", "ok", "spam"])
    assert found.value == pytest.approx(1 / 3)
    assert found.low is not None
    assert -1 <= found.low <= found.value
    one_class = metrics.krippendorff_alpha(items, people, ["ok"] * 6)
    assert one_class.value is None
    assert "all their labels are the same" in str(one_class)


ON_A_SCALE = [("krippendorff_alpha", {"distance": name}) for name in ("ordinal", "interval")]
ON_A_SCALE += [("cohen_kappa", {"weights": name}) for name in ("linear", "quadratic")]
ON_A_SCALE_IDS = ["alpha ordinal", "alpha interval", "kappa linear", "kappa quadratic"]


def ratings(seed: int, *, agreement: float = 0.6) -> tuple[npt.NDArray[np.int64], ...]:
    """40 items rated from 1 to 5 by 4 of 15 annotators: the item's own rating, or one drawn from all."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(40), 4)
    annotator = rng.permuted(np.tile(np.arange(15), (40, 1)), axis=1)[:, :4].ravel()
    own, other = rng.choice(5, 40, p=RATING_SHARES)[item], rng.choice(5, 160, p=RATING_SHARES)
    return item, annotator, np.where(rng.random(160) < np.sqrt(agreement), own, other) + 1


RATING_SHARES = [0.35, 0.25, 0.2, 0.1, 0.1]


@pytest.mark.parametrize(("name", "options"), ON_A_SCALE, ids=ON_A_SCALE_IDS)
def test_near_labels_count_as_nearly_agreeing(name: str, options: dict[str, str]) -> None:
    items, people = np.repeat(np.arange(30), 2), np.tile([0, 1], 30)
    own = np.random.default_rng(1).integers(1, 5, 30)
    near = np.stack((own, own + 1), axis=1).ravel()  # one apart everywhere
    estimate, plain = (
        getattr(metrics, name)(items, people, near, **options),
        getattr(metrics, name)(items, people, near),
    )
    assert plain.value < 0.0 < 0.25 < estimate.value
    assert estimate.low < estimate.value < estimate.high
    words = getattr(metrics, name)(items, people, near.astype(str), **options)
    assert (words.value, words.low, words.high) == (estimate.value, estimate.low, estimate.high)
    with pytest.raises(InputError, match="labels on a scale must be numbers"):
        getattr(metrics, name)(items, people, ["low", "high"] * 30, **options)
    with pytest.raises(InputError, match=r"invalid `\w+`: 'ordinary' \(choose from: "):
        getattr(metrics, name)(items, people, near, **dict.fromkeys(options, "ordinary"))
    assert "all their labels are the same" in str(getattr(metrics, name)(items, people, [3] * 60, **options))


@pytest.mark.verify
@pytest.mark.parametrize(("name", "options"), ON_A_SCALE, ids=ON_A_SCALE_IDS)
def test_agreement_on_a_scale_covers_its_truth(name: str, options: dict[str, str]) -> None:
    """Two labels of an item agree with probability 0.6 and are else independent: every distance has a truth of 0.6."""
    estimates = [getattr(metrics, name)(*ratings(seed), replicates=100, seed=seed, **options) for seed in range(200)]
    assert np.mean([one.value for one in estimates]) == pytest.approx(0.6, abs=0.02)
    assert np.mean([one.low <= 0.6 <= one.high for one in estimates]) >= 0.93
    assert np.mean([one.low > 0.0 for one in estimates]) >= 0.65  # conservative for so few annotators, and not empty
