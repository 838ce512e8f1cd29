"""Thresholds of a policy, chosen from labelled items so that its guarantees hold.

Wrong removals: the share of wrong removals need not fall as the threshold rises, so no single order statistic will do.
The thresholds of a grid that no label has decided about are tested from the highest down (`threshold_grids`). Missed
violations: an order statistic of the violating items' scores, whose rank is exact for any scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.formatting import format_share
from evenhand.routing.label_shift import LabelShift, shifted_limit
from evenhand.routing.policies import Policy, scores_and_labels
from evenhand.routing.safety_p_values import (
    betting_p_value,
    betting_rank,
    clustered_p_value,
    clustered_rank,
    items_to_rank,
    items_to_reject,
    p_value_below_share,
    safe_rank,
)
from evenhand.routing.threshold_grids import DEFAULT_GRID, ThresholdGrid, grid_from_scores

FEWEST_OBSERVED = 10  # removed items from which an error rate is extrapolated
MOST_TRIED = 5  # thresholds for which the labels needed are worked out, the most promising
MOST_LABELLED = 1_000_000  # items that anybody could have labelled


def choose(
    p: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    wrong_removals: float | None = None,
    missed_violations: float | None = None,
    delta: float = 0.1,
    grid: ThresholdGrid | None = None,
    inclusion: npt.ArrayLike | None = None,
    cluster: npt.ArrayLike | None = None,
    candidates: int = 1,
    fresh: npt.ArrayLike | None = None,
) -> Policy:
    """Thresholds that keep what is promised with probability 1 − delta, halved between two promises (Bonferroni).

    `wrong_removals`: at most this share of automatic removals is wrong. `missed_violations`: at most this share of
    violations is left alone. What is not promised is not done: without the first nothing is removed automatically.
    `inclusion` are the probabilities with which the items were drawn, where they differ. `cluster` says which items
    belong together, such as the author of each: the guarantee then counts clusters. `candidates` is how many models or
    calibrations are tried on these labels before one is taken: each gets its part of delta. `fresh` are scores of items
    that the policy will decide, without labels: wrong removals are then limited at their share of violations, and
    nothing is guaranteed where they differ in more than that.

    >>> p = np.linspace(0, 1, 1000)
    >>> policy = eh.routing.choose(p, p > 0.6, wrong_removals=0.1)
    >>> policy.upper, policy.n
    (0.57, 1000)
    """
    score, label = scores_and_labels(p, y)
    limits = [share for share in (wrong_removals, missed_violations) if share is not None]
    if not limits:
        raise InputError("give what to guarantee: `wrong_removals`, `missed_violations`, or both")
    shares = {"wrong_removals": wrong_removals, "missed_violations": missed_violations, "delta": delta}
    for name, share in shares.items():
        if share is not None:
            arrays.share(share, f"`{name}`")
    items = ThresholdSample(score, label, _design_weights(inclusion, len(score)), _cluster_codes(cluster, len(score)))
    shift = _shift(score, label, fresh, plain=inclusion is None and cluster is None)
    if shift is not None and not shift.fits:
        return _refused(items, shares, shift)
    each, upper, lower = delta / len(limits) / arrays.whole(candidates, "`candidates`"), None, None
    needed: list[int | None] = []
    notes: list[str] = []
    if wrong_removals is not None:
        upper = _shifted_upper(items, wrong_removals, each, grid, shift, needed, notes)
    if missed_violations is not None:
        lower = _lower(items, missed_violations, each, needed, notes)
    if upper is not None and lower is not None and upper <= lower:
        lower = upper
        notes.append("both thresholds are the same: the model decides everything, and nothing is left to review")
    more = None if None in needed else max((n for n in needed if n), default=None)
    return Policy(
        upper, lower, wrong_removals, missed_violations, delta, len(score), int(label.sum()),
        _fingerprint(score, label), more, tuple(notes),
    )  # fmt: skip


def _shift(score: Floats, label: Bools, fresh: npt.ArrayLike | None, *, plain: bool) -> LabelShift | None:
    if fresh is None:
        return None
    if not plain:
        raise InputError("`fresh` needs independent items that were drawn alike: leave out `inclusion` and `cluster`")
    return LabelShift.between(score, label, fresh)


def _refused(items: ThresholdSample, limits: Mapping[str, float | None], shift: LabelShift) -> Policy:
    """Nothing is guaranteed."""
    return Policy(
        None, None, limits["wrong_removals"], limits["missed_violations"], limits["delta"] or 0.0, len(items.p),
        int(items.y.sum()), _fingerprint(items.p, items.y), None, (shift.misfit,),
    )  # fmt: skip


def _shifted_upper(
    items: ThresholdSample,
    allowed: float,
    delta: float,
    grid: ThresholdGrid | None,
    shift: LabelShift | None,
    needed: list[int | None],
    notes: list[str],
) -> float | None:
    """As `_upper`; with fresh scores half of delta is for the share of violations among them."""
    if shift is None:
        return _upper(items, allowed, delta, grid, needed, notes)
    limit = shifted_limit(allowed, shift.most_odds_lost(delta / 2.0))
    notes.append(shift.describe(allowed, limit, 1.0 - delta))
    if not limit:
        needed.append(None)
        notes.append("fresh items may hold hardly any violations, so nothing is removed without review")
        return None
    return _upper(items, limit, delta / 2.0, grid, needed, notes)


@dataclass(frozen=True, slots=True)
class ThresholdSample:
    """Scores, labels, design weights where the items were not drawn alike, and which items belong together."""

    p: Floats
    y: Bools
    weights: Floats | None
    cluster: Ints | None = None

    def p_values(self, items: Ints, wrong: Ints, allowed: float) -> Floats:
        """Of each threshold, by how many items lie at or above it."""
        if self.weights is None and self.cluster is None:
            return p_value_below_share(wrong, items, allowed)
        order = np.argsort(-self.p, kind="stable")
        error, weights = ~self.y[order], self._weights[order]
        if self.cluster is None:
            return np.array([betting_p_value(error[:count], weights[:count], allowed) for count in items.tolist()])
        codes = self.cluster[order]
        return np.array([clustered_p_value(error[:n], weights[:n], codes[:n], allowed) for n in items.tolist()])

    @property
    def _weights(self) -> Floats:
        return np.ones(len(self.p)) if self.weights is None else self.weights

    @property
    def items_for_one(self) -> float:
        """How many items of such clusters show as much as one independent item, before any label is seen."""
        if self.cluster is None:
            return 1.0
        sizes = np.bincount(self.cluster)
        return float((sizes**2).sum() / sizes.sum())

    def labels_needed(self, allowed: float, delta: float) -> int | None:
        """How many labelled items would show that some threshold is safe, at the rates observed; None if none would."""
        order = np.argsort(-self.p, kind="stable")
        last = np.flatnonzero(np.append(np.diff(self.p[order]) != 0.0, True))  # of items with the same score
        counts, wrong = last + 1, np.cumsum(~self.y[order])[last]
        enough = counts >= min(FEWEST_OBSERVED, len(order))
        counts, wrong = counts[enough], wrong[enough]
        clear = np.maximum(allowed - wrong / counts, 0.0) ** 2 * counts  # what each threshold has shown so far
        best = np.argsort(-clear, kind="stable")[:MOST_TRIED].tolist()
        sizes = [(items_to_reject(float(wrong[at] / counts[at]), allowed, delta), int(counts[at])) for at in best]
        return min((-(-size * len(order) // above) for size, above in sizes if size), default=None)

    def safe_score(self, allowed: float, delta: float) -> float | None:
        """The score of the violating item that has as many below it as is safe; None if none has."""
        order = np.argsort(self.p[self.y], kind="stable")
        scores = self.p[self.y][order]
        if self.cluster is not None:
            rank = clustered_rank(scores, self._weights[self.y][order], self.cluster[self.y][order], allowed, delta)
        elif self.weights is None:
            rank = safe_rank(len(scores), allowed, delta)
        else:
            rank = betting_rank(self.weights[self.y][order], allowed, delta)
        return float(scores[rank - 1]) if rank else None


def _design_weights(inclusion: npt.ArrayLike | None, size: int) -> Floats | None:
    if inclusion is None:
        return None
    chance = arrays.numbers(inclusion, "inclusion", size=size)
    arrays.refuse((chance <= 0.0) | (chance > 1.0), "an inclusion probability lies above 0 and up to 1", "inclusion")
    weights: Floats = 1.0 / chance
    return None if (weights == weights[0]).all() else weights


def _cluster_codes(cluster: npt.ArrayLike | None, size: int) -> Ints | None:
    if cluster is None:
        return None
    values = np.asarray(cluster)
    if values.shape != (size,):
        raise InputError(f"`cluster` must have one value for each of the {size:,} items")
    known, codes = np.unique(values, return_inverse=True)
    return None if len(known) == size else codes.astype(np.int64)


MORE_CLUSTERS = "items of one cluster count together, so label items of more clusters, such as more authors"


def _upper(
    sample: ThresholdSample,
    allowed: float,
    delta: float,
    thresholds: ThresholdGrid | None,
    needed: list[int | None],
    notes: list[str],
) -> float | None:
    """The lowest threshold that was shown to be safe; of those that remove the same items, the highest."""
    times = sample.items_for_one
    grid = thresholds or grid_from_scores(sample.p, allowed, delta, times=times) or DEFAULT_GRID
    items, wrong = grid.count(sample.p, ~sample.y)
    chance = sample.p_values(items, wrong, allowed)
    passed = np.flatnonzero(grid.accepted(chance, delta))
    if len(passed):
        same = passed[items[passed] == items[passed[-1]]]  # nothing was seen between them
        return grid.thresholds[int(same[0])]
    clustered = sample.cluster is not None
    enough = None if clustered else sample.labels_needed(allowed, delta / 2.0)  # half is what the first start has
    beyond = enough is not None and enough > MOST_LABELLED
    needed.append(None if beyond else enough)
    limit = format_share(allowed)
    why = f"no threshold is shown to keep wrong removals at or below {limit}, so nothing is removed without review"
    near = int(np.argmin(chance))
    if chance[near] < 1.0:
        why += f"; the nearest is {grid.thresholds[near]:g}, with {wrong[near]:,} wrong of {items[near]:,} removed"
    if clustered:
        notes.append(f"{why}; {MORE_CLUSTERS}")
    elif enough is None:
        notes.append(f"{why}; at the error rates observed here, no number of labelled items would show it")
    elif beyond:
        notes.append(
            f"{why}; the share of wrong removals observed here is so close to the limit that it would take more "
            f"than {MOST_LABELLED:,} labelled items to show it"
        )
    else:
        notes.append(f"{why}; at the error rates observed here, about {enough:,} labelled items would be enough")
    return None


def _lower(
    sample: ThresholdSample, allowed: float, delta: float, needed: list[int | None], notes: list[str]
) -> float | None:
    """The score below which items may be left."""
    safe = sample.safe_score(allowed, delta)
    if safe is not None:
        return safe
    violating, enough = int(sample.y.sum()), items_to_rank(allowed, delta)
    if sample.cluster is not None:
        needed.append(None)
        notes.append(
            f"{violating:,} violating items of {len(np.unique(sample.cluster[sample.y])):,} clusters cannot show that "
            f"at most {format_share(allowed)} of violations are missed, so nothing is left up without review; "
            f"{MORE_CLUSTERS}"
        )
        return None
    needed.append(-(-enough * len(sample.p) // violating) if violating else None)
    notes.append(
        f"{violating:,} violating items cannot show that at most {format_share(allowed)} of violations are missed, "
        f"so nothing is left up without review; {enough:,} violating items would be enough"
    )
    return None


def _fingerprint(p: Floats, y: Bools) -> str:
    return hashlib.sha256(p.tobytes() + y.tobytes()).hexdigest()[:16]
