"""Every public measure on whatever its contract allows: a finite number in its range, or a reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from evenhand.measures import bias, binary_calibration, calibration, collaboration, perspective, rates
from evenhand.measures.collaboration import Capacity, Collaboration, ReviewStage, toxicity_score, uncertainty_score
from evenhand.measures.perspective import agreement, divergence
from evenhand.measures.ranking import auprc_interpolated, auroc, average_precision
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Membership, PlacedRows, Rows, Tally, Weights
from studies.fuzz.watch import Watch

SCORES = (0.0, 1.0, 0.5, 0.1, 0.9, 1e-300, 5e-324, 1.0 - 2**-53, 0.3, 0.30000000000000004, -0.0)
WIDE = (0.0, -1e308, 1e308, 1e-320, -1.0, 1.0, 3.5, 2.0**60)
COUNTS = (1.0, 1.0, 2.0, 0.0, 1e15, 3.0)
SHARES = (1.0, 0.5, 1e-12, 1e-3, 0.999999999)


@dataclass(frozen=True)
class Items:
    """What a tally is made from."""

    score: np.ndarray
    label: np.ndarray
    groups: dict[str, Membership]
    weights: Weights | None
    probability: bool

    def tally(self) -> Tally:
        return self.placed().tally()

    def placed(self) -> PlacedRows:
        return PlacedRows.from_rows(self.score, Rows(self.label, self.groups, self.weights))


@st.composite
def items(draw: Any) -> Items:
    """Few items with extreme scores and weights, or many plain ones."""
    n = draw(st.sampled_from((0, 1, 2, 3, 5, 8, 30)))
    wide = draw(st.booleans())
    score = np.array(draw(st.lists(st.sampled_from(WIDE if wide else SCORES), min_size=n, max_size=n)))
    score = score.astype(draw(st.sampled_from((np.float64, np.float32))) if not wide else np.float64)
    label, inside, known = (
        np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool) for _ in range(3)
    )
    groups = {
        "g": Membership(np.flatnonzero(inside).astype(np.int32)),
        "h": Membership(np.flatnonzero(inside & known).astype(np.int32), known),
    }
    kind = draw(st.sampled_from(("none", "count", "inclusion", "both")))
    count = np.array(draw(st.lists(st.sampled_from(COUNTS), min_size=n, max_size=n)))
    share = np.array(draw(st.lists(st.sampled_from(SHARES), min_size=n, max_size=n)))
    weights = Weights.from_columns(
        count=np.maximum(count, 1.0) if kind == "both" else count if kind == "count" else None,
        inclusion=share if kind in ("inclusion", "both") else None,
    )
    return Items(score, label, groups, weights, not wide)


@dataclass(frozen=True)
class Table:
    """Probabilities of several classes, labels, weights."""

    probabilities: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None
    bins: int
    by: str


@st.composite
def tables(draw: Any) -> Table:
    n, k = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    raw = np.array(draw(st.lists(st.sampled_from(SCORES), min_size=n * k, max_size=n * k))).reshape(n, k) + 1e-12
    labels = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from(COUNTS), min_size=n, max_size=n))) if draw(st.booleans()) else None
    kind = draw(st.sampled_from((np.float32, np.float64)))
    share = (raw / raw.sum(axis=1, keepdims=True)).astype(kind)
    return Table(
        share, labels, weights, draw(st.sampled_from((1, 2, 15, 200))), draw(st.sampled_from(("width", "mass")))
    )


@dataclass(frozen=True)
class Said:
    """Labels by annotators, with what a model said of the items."""

    item: list[int]
    annotator: list[int]
    label: list[int]
    probabilities: np.ndarray
    group: np.ndarray
    options: dict[str, Any]


@st.composite
def said(draw: Any) -> Said:
    n = draw(st.sampled_from((0, 1, 2, 6, 25)))
    k, things, people = draw(st.integers(2, 3)), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    pick = lambda most: draw(st.lists(st.integers(0, most - 1), min_size=n, max_size=n))  # noqa: E731
    raw = np.array(draw(st.lists(st.sampled_from(SCORES), min_size=things * k, max_size=things * k))) + 1e-9
    table = raw.reshape(things, k) / raw.reshape(things, k).sum(axis=1, keepdims=True)
    group = np.array(draw(st.lists(st.integers(-1, 1), min_size=people, max_size=people)))
    options = {
        "ties": draw(st.sampled_from(tuple(perspective.TIE_RULES))),
        "leave_one_out": draw(st.booleans()),
        "bins": draw(st.sampled_from((1, 3, 40))),
        "smoothing": draw(st.sampled_from((0.0, 0.5))),
    }
    return Said(pick(things), pick(people), pick(k), table, group, options)


STRATEGY = st.one_of(items(), tables(), said())


def try_one(given: Items | Table | Said, watch: Watch) -> str:
    """Every measure that takes such data."""
    kind = {Items: of_items, Table: of_tables, Said: of_annotations}[type(given)]
    for name, take, low, high in kind(given):
        watch.look(_checked(take, low, high), f"{name} of {given!r}")
    return kind.__name__


def _checked(take: Callable[[], Any], low: float, high: float) -> Callable[[], None]:
    def action() -> None:
        for value in np.ravel(np.asarray(take(), dtype=np.float64)):
            assert math.isfinite(value), value
            assert low - 1e-9 <= value <= high + 1e-9, value

    return action


Row = tuple[str, Callable[[], Any], float, float]


def of_items(given: Items) -> list[Row]:
    tally = given.tally()
    rows: list[Row] = [
        ("auroc", lambda: auroc(tally.everyone), 0, 1),
        ("average_precision", lambda: average_precision(tally.everyone), 0, 1),
        ("auprc_interpolated", lambda: auprc_interpolated(tally.everyone), 0, 1),
    ]
    for group in given.groups:
        for comparison in bias.COMPARISONS:
            low, high = (-0.5, 0.5) if comparison.is_gap else (0, 1)
            rows.append((comparison.name, lambda c=comparison, g=group: c(tally.split(g)), low, high))
        for cut in (0.5, -1e300, 1e300):
            for rate in (rates.tpr, rates.fpr, rates.precision, rates.accuracy):
                rows.append((rate.__name__, lambda r=rate, g=group, t=cut: r(tally.confusion(t, g)).value, 0, 1))
            rows.append(("f1", lambda g=group, t=cut: rates.f1(tally.confusion(t, g)), 0, 1))
        rows += [
            ("positive_share", lambda g=group: rates.positive_share(tally.groups[g].inside).value, 0, 1),
            ("rank_spread", lambda g=group: bias.rank_spread(tally.split(g), violating=True), 0, math.inf),
            ("power_mean", lambda g=group: bias.power_mean([bias.bpsn_auc(tally.split(g)), 0.5]), 0, 1),
            ("gradient", lambda g=group: bias.power_mean_gradient([bias.bpsn_auc(tally.split(g)), 0.5]), 0, math.inf),
        ]
    return rows + (_of_probabilities(tally) if given.probability else [])


def _of_probabilities(tally: Tally) -> list[Row]:
    rows: list[Row] = []
    for group in (None, "g"):
        for name in ("brier", "ece"):
            rows.append(
                (name, lambda g=group, m=name: getattr(binary_calibration, m)(ScoreCells.from_tally(tally, g)), 0, 1)
            )
        for name in ("calibration_auroc", "calibration_auprc"):
            rows.append((name, lambda g=group, m=name: _with_review(getattr(binary_calibration, m), tally, g), 0, 1))
        for strategies in ((uncertainty_score,), (toxicity_score,), (toxicity_score, uncertainty_score)):
            for capacity in (Capacity.fraction(0.13), Capacity.items(2), Capacity.threshold(0.2), Capacity.fraction(1)):
                if capacity.kind == "threshold" and len(strategies) > 1:
                    continue  # a hybrid has no single review score
                for name, measure in collaboration.COLLABORATIVE_MEASURES.items():
                    take = _together(measure, strategies, capacity, tally, group)
                    rows.append((name, take, 0, 1))
    return rows


def _with_review(measure: Callable[..., float], tally: Tally, group: str | None) -> float:
    cells = ScoreCells.from_tally(tally, group)
    return measure(cells, uncertainty_score(cells.scores))


def _together(
    measure: Any, strategies: Any, capacity: Capacity, tally: Tally, group: str | None
) -> Callable[[], float]:
    def take() -> float:
        cells = ScoreCells.from_tally(tally, group)
        stages = [ReviewStage(strategy(cells.scores), 1.0 / len(strategies)) for strategy in strategies]
        found: float = measure(Collaboration.from_stages(cells, *stages, threshold=0.5).at(capacity))
        return found

    return take


def of_tables(given: Table) -> list[Row]:
    def measured() -> Any:
        predictions = calibration.ModelPredictions.from_probabilities(given.probabilities)
        return calibration.measure_calibration(
            predictions,
            given.labels,
            given.weights,
            bins=calibration.Bins(given.bins, given.by),  # type: ignore[arg-type]
        )

    shares = ("ece", "sce", "ace", "cece", "msece", "wsece", "ece_variance", "accuracy", "weighted_f1")
    rows: list[Row] = [(name, lambda n=name: getattr(measured(), n), 0, 1) for name in shares]
    rows += [("brier", lambda: measured().brier, 0, 2), ("log_loss", lambda: measured().log_loss, 0, 745)]
    for number in range(given.probabilities.shape[1]):
        rows.append(("class_ece", lambda k=number: measured().class_ece(k), 0, 1))
        rows.append(("class_ace", lambda k=number: measured().class_ace(k), 0, 1))
    return rows


def of_annotations(given: Said) -> list[Row]:
    size = (len(given.probabilities), len(given.group), given.probabilities.shape[1])

    def annotations() -> Any:
        return perspective.Annotations.from_columns(
            np.array(given.item, dtype=int),
            np.array(given.annotator, dtype=int),
            np.array(given.label, dtype=int),
            size=size,
        )

    def deltas() -> Any:
        found = perspective.majority_labels(
            annotations(), ties=given.options["ties"], leave_one_out=given.options["leave_one_out"]
        )
        return perspective.ConformityDeltas.from_labels(annotations(), given.probabilities, found)

    def sums(which: int, number: Any, columns: list[int]) -> float:
        made = deltas()
        found = perspective.sums_by_group(made.annotations, made.columns, given.group, 2)
        return float(number.of(found[which, columns]))

    def agreed(fold: Any, number: Any, *place: int) -> float:
        return float(
            number.of(agreement.fold_unweighted(fold, agreement.label_counts(annotations(), given.group, 2))[place])
        )

    def signs(which: int) -> float:
        made = deltas()
        by = made.signs_by_annotator
        mine = by[given.group == which].sum(axis=0)
        return divergence.uncertainty_divergence(by.sum(axis=0), mine, smoothing=given.options["smoothing"])

    def fitted(number: Any, which: Any) -> float:
        made = annotations()
        tables_ = perspective.group_confusions(made, perspective.decided_classes(given.probabilities), given.group, 2)
        return float(number.of(tables_[which]))

    rows: list[Row] = [
        (
            "fingerprints",
            lambda: perspective.delta_fingerprints(deltas(), bins=given.options["bins"], fewest=1).shares,
            0,
            1,
        ),
        ("gap", lambda: fitted(perspective.F1_GAP, [0, 2]), -1, 1),
    ]
    for which in (0, 1, 2):
        rows += [
            ("mean delta", lambda w=which: sums(w, perspective.MEAN_DELTA, [0, 1]), -1, 1),
            ("kappa", lambda w=which: agreed(agreement.pair_tables, agreement.KAPPA, w, w), -math.inf, 1),
            ("alpha", lambda w=which: agreed(agreement.coincidences, agreement.ALPHA, w), -math.inf, 1),
            ("ac1", lambda w=which: agreed(agreement.item_shares, agreement.AC1, w), -math.inf, 1),
            ("divergence", lambda w=which: signs(w), 0, math.inf),
            ("f1", lambda w=which: fitted(perspective.F1, w), 0, 1),
            ("macro f1", lambda w=which: fitted(perspective.MACRO_F1, w), 0, 1),
        ]
    table = np.abs(given.probabilities * 7).round()
    return [
        *rows,
        ("demographic", lambda: divergence.demographic_divergence(table), 0, math.inf),
        ("largest", lambda: divergence.largest_divergence(table), 0, math.inf),
    ]
