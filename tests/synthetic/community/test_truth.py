"""Everything that is planted can be found again, by code that knows nothing of how it was planted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics import roc_auc_score

import evenhand as eh
from evenhand.synthetic.community import GROUPS, Community, community

FIVE = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg")


@pytest.fixture(scope="module")
def made() -> Community:
    return community(200_000, seed=21)


@pytest.fixture(scope="module")
def bias(made: Community):
    roles = {
        "score": ["model_a", "model_b"],
        "label": "toxicity",
        "groups": list(GROUPS),
        "text": "text",
        "audits": "bias",
    }
    return eh.audit(made.items, **roles).findings[0]


@pytest.mark.verify
def test_the_audit_finds_the_planted_groups_with_their_sign(bias, made: Community) -> None:
    for group, planted in made.truth["planted"]["groups"].items():
        for measure, shift in (("negative_aeg", planted["benign"]), ("positive_aeg", planted["violating"])):
            found = bias.get(measure, model="model_a", group=group)
            if abs(shift) >= 0.4 and group != "disabled":
                assert "stands_out" in found.flags, (group, measure)
                assert np.sign(found.value) == planted[measure]
                assert abs(bias.get(measure, model="model_b", group=group).value) < abs(found.value)


@pytest.mark.verify
@pytest.mark.parametrize("group", ["men", "asian"])
def test_the_audit_marks_no_group_without_a_shift(bias, group: str) -> None:
    assert GROUPS[group].benign == GROUPS[group].violating == 0.0
    for model in ("model_a", "model_b"):
        assert [m for m in FIVE if "stands_out" in bias.get(m, model=model, group=group).flags] == []


@pytest.mark.verify
def test_shifts_are_larger_in_short_comments(bias) -> None:
    for group in ("gay", "black", "muslim"):
        everywhere = bias.get("negative_aeg", model="model_a", group=group).value
        assert bias.get("negative_aeg", model="model_a", group=group, length="short").value > everywhere + 0.01


def test_the_second_period_is_worse_by_the_planted_factor(made: Community) -> None:
    """Among items that mention nobody, so that the mix of groups plays no part; communities weighted alike."""
    groups = [column for column in made.truths.columns if column.startswith("is_")]
    table = made.items.select("community", "period").hstack(made.truths).filter(~pl.any_horizontal(groups))
    share = table.group_by("community", "period").agg(pl.col("violates").mean(), pl.len())
    wide = share.pivot("period", index="community", values=["violates", "len"])
    weight = wide["len_2026-H1"]
    ratio = (wide["violates_2026-H2"] * weight).sum() / (wide["violates_2026-H1"] * weight).sum()
    assert ratio == pytest.approx(made.truth["planted"]["periods"]["prevalence_times"], rel=0.06)


def test_the_second_period_has_words_and_groups_of_its_own(made: Community) -> None:
    english = made.items.filter(pl.col("language") == "en")
    flood = english.with_columns(new=pl.col("text").str.contains("(?i)flood barrier|ferry strike|sandbags|evacuation"))
    new = dict(flood.group_by("period").agg(pl.col("new").mean()).iter_rows())
    assert new["2026-H1"] == 0.0
    assert new["2026-H2"] > 0.1
    both = made.items.select("period").hstack(made.truths)
    for group, factor in made.truth["planted"]["periods"]["group_shares_times"].items():
        share = dict(both.group_by("period").agg(pl.col(f"is_{group}").mean()).iter_rows())
        assert share["2026-H2"] / share["2026-H1"] == pytest.approx(factor, rel=0.08), group


def test_threads_are_clusters(made: Community) -> None:
    """More pairs of violating items in one thread than communities and periods alone would give."""
    table = made.items.select("thread", "community", "period").hstack(made.truths.select("violates"))
    cell = pl.col("violates").mean().over("community", "period")
    rest = table.with_columns((pl.col("violates") - cell).alias("rest"))
    sums = rest.group_by("thread").agg(
        (pl.col("rest").sum() ** 2 - (pl.col("rest") ** 2).sum()).alias("pairs"), (pl.len() * (pl.len() - 1)).alias("n")
    )
    spread = table.select((cell * (1 - cell)).mean()).item()
    assert sums["pairs"].sum() / sums["n"].sum() / spread > 0.01


KINDS = ("benign", "harassment", "hate", "threat", "sexual", "spam")


@pytest.fixture(scope="module")
def judged(made: Community) -> tuple[np.ndarray, np.ndarray]:
    log = np.log(made.items.select(f"p_{kind}" for kind in KINDS).to_numpy())
    return log, np.asarray([KINDS.index(kind) for kind in made.items["kind"]])


def loss(log: np.ndarray, kind: np.ndarray) -> float:
    top = log.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(log - top).sum(axis=1)) + top[:, 0] - log[np.arange(len(kind)), kind]))


def cooled(log: np.ndarray, temperature: np.ndarray) -> np.ndarray:
    """Log probabilities whose multiples by the temperatures differ from `log` by a constant a row: by bisection."""
    low, high = np.full(len(log), -400.0), np.full(len(log), 400.0)
    for _ in range(60):
        middle = (low + high) / 2
        over = np.exp(np.clip((log + middle[:, None]) / temperature, -700, 50)).sum(axis=1) > 1
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return (log + high[:, None]) / temperature


@pytest.mark.verify
def test_the_planted_temperatures_are_found_by_fitting(made: Community, judged) -> None:
    log, kind = judged
    planted = made.truth["planted"]["temperature"]
    one = minimize_scalar(lambda t: loss(log / t, kind), bounds=(0.5, 5.0), method="bounded").x
    assert one == pytest.approx(planted["benign"], rel=0.06)
    assert one > 1.3

    def both(t: np.ndarray) -> float:
        return loss(cooled(log[:60_000], np.where(np.asarray(KINDS) == "threat", t[1], t[0])), kind[:60_000])

    fitted = minimize(both, [1.2, 1.2], method="Nelder-Mead", options={"xatol": 0.01, "fatol": 1e-7}).x
    assert fitted == pytest.approx([planted["benign"], planted["threat"]], rel=0.08)


def test_undone_the_probabilities_are_honest_and_as_they_are_they_are_not(made: Community, judged) -> None:
    log, kind = judged
    honest = np.exp(cooled(log, np.asarray([made.truth["planted"]["temperature"][k] for k in KINDS])))
    for number, name in enumerate(KINDS):
        p, hit = honest[:, number], kind == number
        error = np.sqrt((p * (1 - p)).sum())
        assert abs(p.sum() - hit.sum()) < 4 * error, name
        likely = p > 0.5
        assert hit[likely].mean() == pytest.approx(p[likely].mean(), abs=0.03), name
        spoilt = np.exp(log[:, number])
        sure = spoilt > 0.9
        assert hit[sure].mean() < spoilt[sure].mean() - (0.002 if name == "benign" else 0.02), name
    rare = np.exp(log[:, KINDS.index("threat")]).sum() / (kind == KINDS.index("threat")).sum()
    assert rare < 0.9


def labels_of(made: Community) -> pl.DataFrame:
    hidden = made.truths.rename({"id": "item"})
    mention = pl.any_horizontal(column for column in hidden.columns if column.startswith("is_"))
    hidden = hidden.with_columns(mention=mention, contested=pl.col("veiled") | pl.col("rough"))
    people = made.annotators.rename({"id": "annotator"})
    return made.annotations.join(hidden, on="item").join(people, on="annotator")


def log_odds_ratio(table: pl.DataFrame, belongs: pl.Expr) -> float:
    """Mantel and Haenszel's, over how the item looks."""
    table = table.with_columns(belongs.alias("in"), one=pl.col("label") == 1)
    counts = table.group_by("violates", "veiled", "rough").agg(
        (pl.col("in") & pl.col("one")).sum().alias("a"),
        (pl.col("in") & ~pl.col("one")).sum().alias("b"),
        (~pl.col("in") & pl.col("one")).sum().alias("c"),
        (~pl.col("in") & ~pl.col("one")).sum().alias("d"),
        pl.len(),
    )
    up = counts.select((pl.col("a") * pl.col("d") / pl.col("len")).sum()).item()
    return float(np.log(up / counts.select((pl.col("b") * pl.col("c") / pl.col("len")).sum()).item()))


def test_sensitivities_are_found(made: Community) -> None:
    """A little smaller than planted, because annotators and items vary besides (by some 8 %)."""
    table = labels_of(made)
    for planted in made.truth["planted"]["sensitivities"]:
        kind = pl.col("kind") == planted["items"]
        about = pl.col(planted["items"]) if planted["items"] in ("contested", "mention") else kind
        found = log_odds_ratio(table.filter(about), pl.col(planted["attribute"]) == planted["value"])
        assert found == pytest.approx(planted["shift"] * 0.92, abs=0.3), planted
        elsewhere = log_odds_ratio(table.filter(~about), pl.col(planted["attribute"]) == planted["value"])
        assert abs(elsewhere) < 0.15, planted


def t_of(table: pl.DataFrame, belongs: pl.Expr) -> float:
    """Welch's t between annotators' mean residuals: annotators, not labels, are the units."""
    expected = pl.col("label").mean().over("violates", "veiled", "rough")
    each = table.with_columns(rest=pl.col("label") - expected, member=belongs)
    means = each.group_by("annotator", "member").agg(pl.col("rest").mean(), pl.len()).filter(pl.col("len") >= 10)
    one, two = (means.filter(pl.col("member") == side)["rest"].to_numpy() for side in (True, False))
    return float((one.mean() - two.mean()) / np.sqrt(one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)))


def test_the_null_attribute_shows_nothing_where_others_do(made: Community) -> None:
    table = labels_of(made)
    assert made.truth["planted"]["null_attribute"] == "handedness"
    for part in (table, table.filter("contested"), table.filter("mention")):
        assert abs(t_of(part, pl.col("handedness") == "left")) < 3
    assert t_of(table.filter("contested"), pl.col("gender") == "woman") > 8


def test_the_first_model_shares_one_view(made: Community) -> None:
    view = made.truth["planted"]["shared_view"]
    agree = made.truth["realised"]["agreement_with_model_a"]
    assert agree[view["nearer"]] > agree[view["farther"]] + 0.04
    scored = labels_of(made).join(made.items.select("model_a", item="id"), on="item").filter("contested")
    right = ((scored["model_a"] >= 0.5).cast(pl.Int8) == scored["label"]).alias("right")
    again = dict(scored.with_columns(right).group_by("gender").agg(pl.col("right").mean()).iter_rows())
    assert again == pytest.approx(agree)


def test_uncertainty_tells_more_about_errors_than_the_score_does(made: Community) -> None:
    p = made.items["model_a"].to_numpy().astype(float)
    wrong = (p >= 0.5) != made.truths["violates"].to_numpy()
    spread, doubt = made.items["model_a_uncertainty"].to_numpy().astype(float), p * (1 - p)
    assert roc_auc_score(wrong, spread) > roc_auc_score(wrong, doubt) + 0.02
    within = []
    for part in np.array_split(np.argsort(doubt, kind="stable"), 50):  # alike in p(1-p)
        if 20 < wrong[part].sum() < len(part) - 20:
            within.append(roc_auc_score(wrong[part], spread[part] / doubt[part]))
    assert len(within) > 20
    assert np.mean(within) > 0.55


def test_communities_differ_as_planted(made: Community) -> None:
    places = made.truth["planted"]["communities"]
    found = made.truth["realised"]["prevalence"]["everything"]["community"]
    assert sorted(places, key=lambda name: places[name]["prevalence"]) == sorted(found, key=found.get)


@pytest.mark.verify
def test_the_calibration_audit_finds_a_model_too_sure_of_itself_and_the_rarest_kind_worst(made: Community) -> None:
    columns = [f"p_{kind}" for kind in KINDS]
    finding = eh.audit(made.items, audits="calibration", probabilities=columns, label="kind", replicates=50).findings[0]
    assert finding.readings[0].tendency == "too sure"
    assert "stands_out" in finding.get("ece").flags
    excess = {
        kind: found.value - finding.get("class_ece", **{"class": kind, "as_if": "calibrated"}).value
        for kind in KINDS
        if (found := finding.get("class_ece", **{"class": kind})).value is not None
    }
    assert max(excess, key=excess.get) == "threat"


@pytest.mark.parametrize(("attribute", "marked"), [("gender", "woman"), ("ethnicity", "black"), ("handedness", None)])
def test_the_perspective_audit_finds_whose_view_is_not_shared(made: Community, attribute: str, marked: str) -> None:
    finding = eh.audit(
        made.annotations,
        audits="perspective",
        items=made.items,
        annotators=made.annotators,
        item="item",
        annotator="annotator",
        label="label",
        score="model_a",
        annotator_groups=attribute,
        replicates=50,
        permutations=499,
    ).findings[0]
    deltas = {name: finding.get("conformity_delta", annotators=name) for name in finding.values("annotators")}
    standing = [name for name, e in deltas.items() if "stands_out" in e.flags]
    assert (max(standing, key=lambda name: deltas[name].value) if standing else None) == marked


@pytest.mark.verify
def test_the_collaboration_audit_finds_that_the_uncertainty_tells_more(made: Community) -> None:
    roles = {"score": "model_a", "label": "toxicity", "uncertainty": "model_a_uncertainty", "capacities": "0.05"}
    finding = eh.audit(made.items, audits="collaboration", **roles).findings[0]
    own, doubt = (
        finding.get("calibration_auroc", strategy=name) for name in ("column:model_a_uncertainty", "uncertainty")
    )
    assert own.low > doubt.high


def test_the_accuracy_audit_finds_recall_and_precision_from_a_sample(made: Community) -> None:
    """Half of the removed and one in thirty of the others, drawn item by item."""
    truth = made.truth["realised"]["moderation"]["everything"]["by_decision"]
    table = made.items.join(made.truths.select("id", "violates"), on="id")
    chance = np.where(table["decision"] == "removed", 0.5, 1 / 30)
    drawn = np.random.default_rng(3).random(len(table)) < chance
    sample = table.with_columns(pi=pl.Series(chance)).filter(pl.Series(drawn))
    roles = {"label": "violates", "decision": "decision", "removes": "removed", "inclusion": "pi"}
    (finding,) = eh.audit(sample, **roles, slices="community", audits="accuracy")
    for measure in ("recall", "precision"):
        found = finding.get(measure)
        assert found.low <= truth[measure] <= found.high, measure
        assert found.high - found.low < 0.08, measure
    missed = finding.get("missed")
    assert missed.low <= truth["violating_kept"] <= missed.high
    real = made.truth["realised"]["prevalence"]["everything"]["community"]
    held = [name for name, share in real.items() if _holds(finding.get("prevalence", community=name), share)]
    assert len(held) >= len(real) - 1


def _holds(estimate: eh.Estimate, truth: float) -> bool:
    return estimate.low <= truth <= estimate.high
