"""The collaborative measures against their definition, row by row."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute
from evenhand.errors import InputError, Undefined
from evenhand.measures import ranking, rates
from evenhand.measures.collaboration import (
    COLLABORATIVE_MEASURES,
    ORACLE,
    Capacity,
    Collaboration,
    Reviewer,
    ReviewStage,
    stages,
    toxicity_score,
    uncertainty_score,
)
from evenhand.measures.collaboration.collaboration import TP
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Membership, PlacedRows, Rows, Weights

CAPACITIES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)
STRATEGIES = {"uncertainty": uncertainty_score, "toxicity": toxicity_score}
TOLERANCE = 1e-9
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)


@pytest.fixture(params=["search", "all cells"], autouse=True)
def way(request, monkeypatch) -> None:
    """Small tables are gone through and large ones searched: here both ways are asked everything."""
    monkeypatch.setattr(stages, "MOST_CELLS_SCANNED", 0 if request.param == "search" else 10**9)


def drawn(seed: int = 0, size: int = 600, digits: int = 2, dtype=np.float64):
    rng = np.random.default_rng(seed)
    label = rng.random(size) < 0.3
    score = np.round(1.0 / (1.0 + np.exp(-(2.0 * label - 1.2 + rng.normal(size=size)))), digits)
    return score.astype(dtype), label


def placed(score, label, *, count=None, inclusion=None, member=None) -> PlacedRows:
    groups = {} if member is None else {"g": Membership(np.flatnonzero(member).astype(np.int32))}
    weights = Weights.from_columns(count=count, inclusion=inclusion)
    return PlacedRows.from_rows(np.asarray(score), Rows(np.asarray(label, dtype=bool), groups, weights))


def by(strategy, score, label, *, group=None, threshold=0.5, **options) -> Collaboration:
    cells = ScoreCells.from_tally(placed(score, label, **options).tally(), group)
    return Collaboration.from_stages(cells, ReviewStage(strategy(cells.scores)), threshold=threshold)


def by_column(column, score, label, *, group=None, threshold=0.5, **options) -> Collaboration:
    cells = ScoreCells.paired(placed(score, label, **options), column, group)
    return Collaboration.from_stages(cells, ReviewStage(cells.column), threshold=threshold)


def hybrid(score, label, share=0.3) -> Collaboration:
    cells = ScoreCells.from_tally(placed(score, label).tally())
    return Collaboration.from_stages(
        cells,
        ReviewStage(toxicity_score(cells.scores), share),
        ReviewStage(uncertainty_score(cells.scores), 1.0 - share),
    )


def values(outcome) -> dict[str, float]:
    found = {}
    for name, measure in COLLABORATIVE_MEASURES.items():
        try:
            found[name] = measure(outcome)
        except Undefined:
            found[name] = math.nan
    return found


def same(outcome, expected, tolerance=TOLERANCE) -> None:
    assert values(outcome) == pytest.approx(expected, abs=tolerance, nan_ok=True)


def whole(alpha: float, size: float) -> int:
    return math.floor(alpha * size + 1e-9)


@each_strategy
@pytest.mark.parametrize("digits", [1, 2, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_equal_to_the_definition(strategy, digits, dtype, threshold) -> None:
    score, label = drawn(1, digits=digits, dtype=dtype)
    collaboration = by(strategy, score, label, threshold=threshold)
    flagging = float(dtype(threshold))
    for alpha in (0.0, *CAPACITIES, 0.29, 0.5, 0.77, 0.999, 1.0):
        parts = brute.reviewed_parts(strategy(score), whole(alpha, len(score)))
        same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score, label, parts, flagging))


@each_strategy
def test_a_column_that_is_a_function_of_the_score_changes_nothing(strategy) -> None:
    score, label = drawn(2, digits=1)
    one, two = by(strategy, score, label), by_column(strategy(score), score, label)
    for alpha in (0.0, *CAPACITIES, 0.5, 1.0):
        same(one.at(Capacity.fraction(alpha)), values(two.at(Capacity.fraction(alpha))), 1e-12)


@pytest.mark.parametrize("digits", [1, 9])
def test_any_column_equals_the_definition(digits) -> None:
    score, label = drawn(3, digits=1)
    column = np.round(np.random.default_rng(0).normal(size=len(score)) + uncertainty_score(score), digits)
    member = np.random.default_rng(1).random(len(score)) < 0.4
    for group, rows in ((None, np.ones(len(score), dtype=bool)), ("g", member)):
        collaboration = by_column(column, score, label, member=member, group=group)
        for alpha in (0.0, *CAPACITIES, 0.5, 1.0):
            parts = brute.reviewed_parts(column[rows], whole(alpha, rows.sum()))
            same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score[rows], label[rows], parts))


def test_a_bumpy_function_of_the_score_equals_the_definition() -> None:
    score, label = drawn(4)
    collaboration = by(lambda p: np.sin(20.0 * p), score, label)
    for alpha in CAPACITIES:
        parts = brute.reviewed_parts(np.sin(20.0 * score), whole(alpha, len(score)))
        same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score, label, parts))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("digits", [1, 2, 9])
def test_hybrid_equals_the_definition(share, digits) -> None:
    score, label = drawn(5, digits=digits)
    cells = ScoreCells.from_tally(placed(score, label).tally())
    stages = (
        ReviewStage(toxicity_score(cells.scores), share),
        ReviewStage(uncertainty_score(cells.scores), 1.0 - share),
    )
    collaboration = Collaboration.from_stages(cells, *stages)
    for alpha in (0.0, *CAPACITIES, 0.5, 0.9, 1.0):
        amount = whole(alpha, len(score))
        first = brute.reviewed_parts(score, whole(share, amount))
        rest = amount - whole(share, amount)
        second = brute.reviewed_parts(uncertainty_score(score), rest, 1.0 - first) if rest else np.zeros(len(score))
        parts = first + (1.0 - first) * second
        outcome = collaboration.at(Capacity.fraction(alpha))
        same(outcome, brute.collaborated(score, label, parts))
        assert outcome.share == pytest.approx(amount / len(score), abs=1e-12)


@each_strategy
def test_members_of_a_group(strategy) -> None:
    score, label = drawn(6, size=900)
    member = np.random.default_rng(2).random(900) < 0.3
    collaboration = by(strategy, score, label, member=member, group="g")
    for alpha in (0.0, *CAPACITIES, 1.0):
        parts = brute.reviewed_parts(strategy(score[member]), whole(alpha, member.sum()))
        same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score[member], label[member], parts))


@each_strategy
def test_members_of_a_group_under_everybodys_capacity(strategy) -> None:
    score, label = drawn(17, size=900)
    member = np.random.default_rng(2).random(900) < 0.3
    column = np.round(np.random.default_rng(3).random(900), 1)
    items = placed(score, label, member=member)
    both = (
        (strategy(score), by(strategy, score, label, member=member), ScoreCells.from_tally(items.tally(), "g")),
        (column, by_column(column, score, label, member=member), ScoreCells.paired(items, column, "g")),
    )
    for review, everybody, group in both:
        for alpha in (0.0, *CAPACITIES, 1.0):
            parts = brute.reviewed_parts(review, whole(alpha, 900))[member]
            outcome = everybody.among(group, Capacity.fraction(alpha))
            same(outcome, brute.collaborated(score[member], label[member], parts))
            assert outcome.share == pytest.approx(parts.mean(), abs=1e-12)
        with pytest.raises(ValueError, match=r"^these are not a group's cells and everybody's$"):
            everybody.among(everybody.cells, Capacity.fraction(0.1))


@each_strategy
def test_inclusion_probabilities_count_by_weight(strategy) -> None:
    score, label = drawn(7)
    inclusion = np.random.default_rng(3).uniform(0.05, 1.0, len(score))
    weight = 1.0 / inclusion
    for collaboration in (
        by(strategy, score, label, inclusion=inclusion),
        by_column(strategy(score), score, label, inclusion=inclusion),
    ):
        for alpha in (0.0, *CAPACITIES, 0.5):
            parts = brute.reviewed_parts(strategy(score), whole(alpha, weight.sum()), weight)
            same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score, label, parts, weight=weight))
        assert collaboration.at(Capacity.fraction(1.0)).share == 1.0


@each_strategy
def test_a_count_is_a_repetition(strategy) -> None:
    score, label = drawn(8)
    count = np.random.default_rng(4).integers(0, 4, len(score))
    repeated = by(strategy, np.repeat(score, count), np.repeat(label, count))
    for counted in (
        by(strategy, score, label, count=count.astype(float)),
        by_column(strategy(score), score, label, count=count.astype(float)),
    ):
        for alpha in (0.0, *CAPACITIES, 0.29, 1.0):
            same(counted.at(Capacity.fraction(alpha)), values(repeated.at(Capacity.fraction(alpha))), 1e-12)


@each_strategy
def test_a_path_is_what_every_capacity_gives(strategy) -> None:
    score, label = drawn(5, digits=1)
    for team in (by(strategy, score, label, threshold=0.4), hybrid(score, label)):
        path = team.path()
        for reviewer in (ORACLE, Reviewer(0.1, 0.3)):
            after = path.after(reviewer)
            for items in (0, 1, 37, 250, 599, 600):
                decided = team.at(Capacity.items(items)).decided(reviewer)
                names = ("true_negative", "false_positive", "false_negative", "true_positive")
                expected = [getattr(decided, name).weight for name in names]
                known = len(team.stages) == 1 or items in path.reviewed
                found = [np.interp(items, path.reviewed, column) for column in after.T]
                assert found == pytest.approx(expected, abs=1e-9 if known else 3.0)
        assert path.kinds[-1, TP] == ((score >= team.threshold) & label).sum()


@each_strategy
def test_a_stage_of_values_as_they_are_ties_only_equal_ones(strategy) -> None:
    score, label = drawn(6)
    cells = ScoreCells.from_tally(placed(score, label).tally())
    tiny, plain = strategy(cells.scores) * 1e-13, strategy(cells.scores).round(9)
    for amount in (1, 50, 300):
        ways = (ReviewStage(tiny.round(22), tied=0.0), ReviewStage(plain))
        first, second = (Collaboration.from_stages(cells, way).at(Capacity.items(amount)) for way in ways)
        same(first, values(second))


@each_strategy
def test_row_order_does_not_matter(strategy) -> None:
    score, label = drawn(9, digits=1)
    order = np.random.default_rng(5).permutation(len(score))
    column = np.round(np.random.default_rng(6).random(len(score)), 1)
    pairs = (
        (by(strategy, score, label), by(strategy, score[order], label[order])),
        (by_column(column, score, label), by_column(column[order], score[order], label[order])),
    )
    for one, two in pairs:
        for alpha in CAPACITIES:
            assert values(one.at(Capacity.fraction(alpha))) == values(two.at(Capacity.fraction(alpha)))


@each_strategy
@pytest.mark.parametrize("seed", range(8))
def test_the_mean_over_every_way_to_break_ties(strategy, seed) -> None:
    """Exactly so for the three that are linear in what is reviewed."""
    score, label = drawn(seed, size=14, digits=1)
    collaboration, review, rows = by(strategy, score, label), np.round(strategy(score), 10), np.arange(14)
    for amount in range(1, 14):
        last = np.sort(review)[-amount]
        above, tied = np.flatnonzero(review > last), np.flatnonzero(review == last)
        wrong, found = (score >= 0.5) != label, []
        for some in itertools.combinations(tied, amount - len(above)):
            reviewed = np.isin(rows, [*above, *some])
            caught = (wrong & reviewed).sum()
            found.append([(reviewed | ~wrong).mean(), caught / amount, caught / max(wrong.sum(), 1)])
        outcome = collaboration.at(Capacity.items(amount))
        settled = [outcome.accuracy().value, outcome.efficiency().value]
        settled.append(outcome.effectiveness().value if wrong.any() else 0.0)
        assert np.mean(found, axis=0) == pytest.approx(settled, abs=1e-12)


@each_strategy
def test_areas_differ_little_from_breaking_ties_by_lot(strategy) -> None:
    """By O(1 / ties), which the definition accepts."""
    score, label = drawn(10, size=400, digits=1)
    expected = values(by(strategy, score, label).at(Capacity.fraction(0.15)))
    rng, draws = np.random.default_rng(7), []
    for _ in range(60):
        first = np.lexsort((rng.random(400), -np.round(strategy(score), 10)))[:60]
        found = brute.collaborated(score, label, np.isin(np.arange(400), first).astype(float))
        draws.append([found["oc_auroc"], found["oc_auprc"]])
    assert np.mean(draws, axis=0) == pytest.approx([expected["oc_auroc"], expected["oc_auprc"]], abs=0.005)


@each_strategy
def test_identities(strategy) -> None:
    score, label = drawn(11)
    model = np.mean((score >= 0.5) == label)
    collaboration = by(strategy, score, label)
    for alpha in (*CAPACITIES, 0.3, 1.0):
        outcome = collaboration.at(Capacity.fraction(alpha))
        found, checked = outcome.accuracy().value, outcome.checked
        assert outcome.share == pytest.approx(whole(alpha, len(score)) / len(score), abs=1e-12)
        if outcome.share:
            assert found == pytest.approx(model + outcome.share * outcome.efficiency().value, abs=1e-12)
        if outcome.share < 1.0:
            rest = rates.accuracy(outcome.left).value
            assert found == pytest.approx(rest * (1.0 - outcome.share) + outcome.share, abs=1e-12)
        assert [sum(parts) for parts in outcome.decompositions()] == pytest.approx([found, found], abs=1e-12)
        assert sum(amount.weight for amount in checked) == pytest.approx(len(score), abs=1e-9)
        caught = checked.uncertain_wrong.weight / (checked.uncertain_wrong.weight + checked.certain_wrong.weight)
        assert outcome.effectiveness().value == pytest.approx(caught, abs=1e-12)


def test_both_ends() -> None:
    score, label = drawn(12)
    collaboration = by(uncertainty_score, score, label)
    nothing, everything = (collaboration.at(Capacity.fraction(alpha)) for alpha in (0.0, 1.0))
    with pytest.raises(Undefined, match=r"^nothing is reviewed at this capacity$"):
        _ = nothing.efficiency().value
    assert nothing.effectiveness().value == 0.0
    assert nothing.accuracy().value == pytest.approx(np.mean((score >= 0.5) == label), abs=1e-15)
    for name in COLLABORATIVE_MEASURES:
        if name.startswith("oc_"):
            assert COLLABORATIVE_MEASURES[name](everything) == 1.0
    assert everything.effectiveness().value == 1.0


def test_what_has_no_value_says_why() -> None:
    score = np.array([0.1, 0.2, 0.9, 0.95])
    right = by(uncertainty_score, score, score >= 0.5).at(Capacity.fraction(0.5))
    with pytest.raises(Undefined, match=r"^the model makes no errors at this threshold$"):
        _ = right.effectiveness().value
    benign = by(uncertainty_score, score, np.zeros(4, dtype=bool)).at(Capacity.fraction(0.5))
    for name in ("oc_auroc", "oc_auprc", "oc_recall"):
        with pytest.raises(Undefined, match=r"^there are no violating items$"):
            COLLABORATIVE_MEASURES[name](benign)
    violating = by(uncertainty_score, score, np.ones(4, dtype=bool)).at(Capacity.fraction(0.5))
    with pytest.raises(Undefined, match=r"^there are no benign items$"):
        COLLABORATIVE_MEASURES["oc_auroc"](violating)
    all_benign = by(uncertainty_score, score, np.zeros(4, dtype=bool)).at(Capacity.fraction(1.0))
    with pytest.raises(Undefined, match=r"^no item is found violating$"):
        COLLABORATIVE_MEASURES["oc_precision"](all_benign)
    with pytest.raises(Undefined, match=r"^no item is violating and none is flagged$"):
        COLLABORATIVE_MEASURES["oc_f1"](all_benign)
    empty = by(uncertainty_score, np.empty(0), np.empty(0, dtype=bool)).at(Capacity.fraction(0.5))
    for name in COLLABORATIVE_MEASURES:
        with pytest.raises(Undefined):
            COLLABORATIVE_MEASURES[name](empty)
    with pytest.raises(Undefined, match=r"^there are no items$"):
        _ = empty.share


def test_a_capacity_is_a_share_a_count_or_a_level() -> None:
    assert Capacity.fraction(0.29).amount(100) == 29
    assert Capacity.fraction(0.57).amount(1_000_000) == 570_000
    assert Capacity.fraction(0.299).amount(100) == 29
    assert Capacity.fraction(1.0).amount(10.5) == 10.5
    assert Capacity.items(29).amount(100) == 29
    assert Capacity.items(290).amount(100) == 100
    for wrong in (lambda: Capacity.fraction(1.2), lambda: Capacity.items(-1), lambda: Capacity.threshold(math.nan)):
        with pytest.raises(InputError):
            wrong()
    with pytest.raises(ValueError, match=r"^how much a threshold reviews depends on the review scores$"):
        Capacity.threshold(0.2).amount(100)


@each_strategy
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_level_reviews_everything_at_or_above_it(strategy, dtype) -> None:
    score, label = drawn(13, dtype=dtype)
    for level in (0.0, 0.09, 0.16, 0.21, 0.7, 2.0):
        parts = (strategy(score).astype(np.float64) >= float(strategy(score).dtype.type(level)) - 1e-12).astype(float)
        expected = brute.collaborated(score, label, parts)
        for one in (by(strategy, score, label), by_column(strategy(score), score, label)):
            same(one.at(Capacity.threshold(level)), expected)


def test_stages_must_fit() -> None:
    score, label = drawn(14)
    cells = ScoreCells.from_tally(placed(score, label).tally())
    with pytest.raises(ValueError, match=r"^a stage needs one review score per cell$"):
        Collaboration.from_stages(cells, ReviewStage(uncertainty_score(score)))
    with pytest.raises(ValueError, match=r"^the shares of the stages must add up to 1$"):
        Collaboration.from_stages(cells, ReviewStage(cells.scores, 0.5))
    hybrid = Collaboration.from_stages(
        cells, ReviewStage(cells.scores, 0.5), ReviewStage(uncertainty_score(cells.scores), 0.5)
    )
    with pytest.raises(ValueError, match=r"^a threshold needs a single review score$"):
        hybrid.at(Capacity.threshold(0.2))


def test_a_reviewer_who_errs() -> None:
    score, label = drawn(15)
    outcome = by(uncertainty_score, score, label).at(Capacity.fraction(0.2))
    parts = brute.reviewed_parts(uncertainty_score(score), whole(0.2, len(score)))
    says = np.where(label, 1.0 - 0.2, 0.1)  # the chance that the reviewer calls an item violating
    final = parts * says + (1.0 - parts) * (score >= 0.5)
    reviewer = Reviewer(benign_error=0.1, violating_error=0.2)
    assert outcome.accuracy(reviewer).value == pytest.approx(np.where(label, final, 1.0 - final).mean(), abs=1e-12)
    assert outcome.precision(reviewer).value == pytest.approx(final[label].sum() / final.sum(), abs=1e-12)
    assert outcome.recall(reviewer).value == pytest.approx(final[label].mean(), abs=1e-12)
    assert outcome.accuracy(Reviewer()).value == outcome.accuracy().value
    with pytest.raises(InputError):
        Reviewer(benign_error=1.1)


@pytest.mark.verify
@each_strategy
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_millions_of_distinct_scores_stay_exact(strategy, dtype) -> None:
    rng = np.random.default_rng(16)
    size = 1_800_000
    label = rng.random(size) < 0.08
    score = (1.0 / (1.0 + np.exp(-(2.4 * label - 2.0 + rng.normal(size=size))))).astype(dtype)
    collaboration = by(strategy, score, label)
    review = strategy(score).astype(np.float64)
    for alpha in (0.001, 0.2):
        amount = whole(alpha, size)
        last = np.partition(review, size - amount)[size - amount]
        above, tied = review > last + 1e-12, np.abs(review - last) <= 1e-12
        parts = above + tied * (amount - above.sum()) / tied.sum()
        same(collaboration.at(Capacity.fraction(alpha)), brute.collaborated(score, label, parts))


def real_models(folder):
    table = pl.read_parquet(folder / "wikipedia_context_gc.parquet")
    yield "wikipedia", table["api"].to_numpy(), table["label"].to_numpy() == 1
    table = pl.read_parquet(folder / "multilingual_predictions_a.parquet")
    for name in ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"):
        yield name, table[f"p_{name}"].to_numpy(), table[name].to_numpy() == 1


@pytest.mark.verify
@each_strategy
def test_real_models(real_data, strategy) -> None:
    for _, score, label in real_models(real_data):
        one, other = by(strategy, score, label), by_column(strategy(score), score, label)
        for alpha in CAPACITIES:
            parts = brute.reviewed_parts(strategy(score), whole(alpha, len(score)))
            expected = brute.collaborated(score, label, parts)
            same(one.at(Capacity.fraction(alpha)), expected)
            same(other.at(Capacity.fraction(alpha)), expected)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30
    ),
    st.floats(0.0, 1.0),
    st.sampled_from([0.0, 0.5, 0.7]),
)
def test_any_small_table_equals_the_definition_or_says_why(items, alpha, threshold) -> None:
    tenths, label, column, count = (np.array(values) for values in zip(*items, strict=True))
    score, count = tenths / 10.0, count.astype(float)
    if not count.sum():
        return
    amount = whole(alpha, count.sum())
    for review, one in (
        (uncertainty_score(score), by(uncertainty_score, score, label, count=count, threshold=threshold)),
        (toxicity_score(score), by(toxicity_score, score, label, count=count, threshold=threshold)),
        (column, by_column(column.astype(float), score, label, count=count, threshold=threshold)),
    ):
        outcome = one.at(Capacity.fraction(alpha))
        parts = brute.reviewed_parts(review, amount, count) if amount else np.zeros(len(score))
        assert outcome.share == pytest.approx(amount / count.sum(), abs=1e-12)
        if 0 < count[label].sum() < count.sum():
            found, expected = values(outcome), brute.collaborated(score, label, parts, threshold, count)
            assert found == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)
        else:
            with pytest.raises(Undefined, match="there are no"):
                outcome.auroc()


@each_strategy
@pytest.mark.parametrize("columns", [False, True], ids=["score", "column"])
def test_the_ranking_after_review_has_the_same_areas(strategy, columns) -> None:
    """Reviewed violating items above all others, benign ones below: a ranking like any other, with its weights."""
    score, label = drawn(18, digits=1)
    made = by_column if columns else by
    outcome = made(strategy(score) + 0.01 * (np.arange(600) % 3) if columns else strategy, score, label).at(
        Capacity.fraction(0.13)
    )
    after = outcome.ranking()
    assert ranking.auroc(after) == pytest.approx(outcome.auroc(), abs=1e-12)
    assert ranking.average_precision(after) == pytest.approx(outcome.auprc(), abs=1e-12)
    assert after.violating.weight.sum() == pytest.approx(label.sum())
    assert (after.violating.weight[0], after.benign.weight[-1]) == (0.0, 0.0)
    reviewed = sum(amount.weight for amount in outcome.checked[:2])
    assert after.violating.weight[-1] + after.benign.weight[0] == pytest.approx(reviewed)
    assert reviewed == whole(0.13, 600)


def test_a_path_of_one_stage_bends_at_every_tie_and_can_be_read_anywhere() -> None:
    score, label = drawn(19, digits=9)
    team = by(uncertainty_score, score, label)
    path = team.path(knots=5)
    np.testing.assert_array_equal(path.reviewed, np.arange(601))  # no two scores are equal: a knot after each item
    shares = np.array([0.0, 0.05, 0.5, 1.0])
    fewer = path.on(shares)
    np.testing.assert_array_equal(fewer.reviewed, [0.0, 30.0, 300.0, 600.0])
    for row, share in zip(fewer.kinds, shares, strict=True):
        reviewed = team.at(Capacity.fraction(share)).reviewed
        kinds = (reviewed.true_negative, reviewed.false_positive, reviewed.false_negative, reviewed.true_positive)
        assert row == pytest.approx([kind.weight for kind in kinds], abs=1e-9)
    np.testing.assert_allclose(path.at(np.array([30.5]))[0], (path.kinds[30] + path.kinds[31]) / 2)


def test_precision_of_nothing_found_says_so() -> None:
    outcome = by(uncertainty_score, np.array([0.1, 0.2]), np.array([False, False])).at(Capacity.fraction(0.0))
    with pytest.raises(Undefined) as raised:
        _ = outcome.precision().value
    assert str(raised.value) == "no item is found violating"


@pytest.mark.parametrize("seed", range(40))
def test_few_items_with_a_column_equal_the_definition(seed) -> None:
    """Nearly every cell is an end: violating items of the lowest score, ties across cells."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    score, column = rng.integers(0, 3, size) / 2.0, rng.integers(0, 3, size) / 2.0
    label = np.append([True, False], rng.random(size - 2) < 0.5)
    for amount in range(size + 1):
        expected = brute.collaborated(score, label, brute.reviewed_parts(column, amount))
        same(by_column(column, score, label).at(Capacity.items(amount)), expected)
