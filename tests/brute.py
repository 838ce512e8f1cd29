"""The second opinion: every number straight from its definition, slow and plain, knowing nothing of tallies."""

from __future__ import annotations

import numpy as np


def auc(high, low, high_weight=None, low_weight=None) -> float:
    """P(high > low) + P(high = low) / 2, pair by pair."""
    high, low = np.asarray(high, dtype=np.float64), np.asarray(low, dtype=np.float64)
    w = np.ones(len(high)) if high_weight is None else np.asarray(high_weight, dtype=np.float64)
    v = np.ones(len(low)) if low_weight is None else np.asarray(low_weight, dtype=np.float64)
    won = (high[:, None] > low[None, :]) + 0.5 * (high[:, None] == low[None, :])
    return float(w @ won @ v / (w.sum() * v.sum()))


def concordance(scores, labels) -> float:
    """Of pairs with different labels, those whose scores are in the same order; equal scores count one half."""
    won = pairs = 0.0
    for score, label in zip(scores, labels, strict=True):
        for other, lower in zip(scores, labels, strict=True):
            if label > lower:
                pairs += 1
                won += (score > other) + 0.5 * (score == other)
    return won / pairs


def five(score, label, inside, weight=None) -> dict[str, float]:
    """The five comparisons of Borkan et al. 2019, definitions 1, 3 and 4; `inside` may hold None (not annotated)."""
    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    known = np.array([x is not None for x in inside])
    member = np.array([bool(x) for x in inside])
    samples = {
        "g+": known & member & label,
        "g-": known & member & ~label,
        "d+": known & ~member & label,
        "d-": known & ~member & ~label,
    }

    def of(high: str, low: str) -> float:
        h, lo = samples[high], samples[low]
        return auc(score[h], score[lo], weight[h], weight[lo])

    return {
        "subgroup_auc": of("g+", "g-"),
        "bpsn_auc": of("d+", "g-"),
        "bnsp_auc": of("g+", "d-"),
        "negative_aeg": 0.5 - of("d-", "g-"),
        "positive_aeg": 0.5 - of("d+", "g+"),
    }


def average_precision(score, label, weight=None) -> float:
    """Σ (R_k − R_{k−1}) P_k, one distinct threshold after the other."""
    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    total, before, area = weight[label].sum(), 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        flagged = score >= threshold
        hits = weight[flagged & label].sum()
        area += (hits / total - before) * hits / weight[flagged].sum()
        before = hits / total
    return float(area)


def delong_variance(high, low) -> float:
    """DeLong, DeLong and Clarke-Pearson 1988: the variances of the placements, side by side."""
    high, low = np.asarray(high, dtype=np.float64), np.asarray(low, dtype=np.float64)
    won = (high[:, None] > low[None, :]) + 0.5 * (high[:, None] == low[None, :])
    return float(won.mean(axis=1).var(ddof=1) / len(high) + won.mean(axis=0).var(ddof=1) / len(low))


def reviewed_parts(review, amount, weight=None) -> np.ndarray:
    """The share of each row that is reviewed: highest review scores first, ties at the boundary split alike."""
    review = np.asarray(review, dtype=np.float64)
    weight = np.ones(len(review)) if weight is None else np.asarray(weight, dtype=np.float64)
    if amount <= 0:
        return np.zeros(len(review))
    last, reached = None, 0.0
    for row in np.argsort(-review, kind="stable"):
        last, reached = review[row], reached + weight[row]
        if reached >= amount * (1 - 1e-14):
            break
    above, tied = review > last + 1e-12, np.abs(review - last) <= 1e-12
    return above + tied * min((amount - weight[above].sum()) / weight[tied].sum(), 1.0)


def collaborated(score, label, parts, threshold=0.5, weight=None) -> dict[str, float]:
    """Every collaborative measure: each row once reviewed and once not, reviewed scores beyond all others."""
    from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    beyond = np.where(label, score.max() + 1, score.min() - 1)
    y, flagged = np.tile(label, 2), np.concatenate((label, score >= threshold))
    ranks, w = np.concatenate((beyond, score)), np.concatenate((weight * parts, weight * (1 - parts)))
    some, wrong = w > 0, (score >= threshold) != label
    y, flagged, ranks, w = y[some], flagged[some], ranks[some], w[some]
    precision, recall, f1, _ = precision_recall_fscore_support(
        y, flagged, average="binary", sample_weight=w, zero_division=np.nan
    )
    caught = (weight * parts)[wrong].sum()
    return {
        "oc_accuracy": float(w[y == flagged].sum() / w.sum()),
        "oc_auroc": float(roc_auc_score(y, ranks, sample_weight=w)),
        "oc_auprc": float(average_precision_score(y, ranks, sample_weight=w)),
        "oc_precision": float(precision),
        "oc_recall": float(recall),
        "oc_f1": float(f1),
        "review_efficiency": float(caught / (weight * parts).sum()) if parts.any() else np.nan,
        "review_effectiveness": float(caught / weight[wrong].sum()) if weight[wrong].sum() else np.nan,
    }


def ece(score, label, weight=None, bins=15) -> float:
    """Bin by bin of the confidence."""
    p, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(p)) if weight is None else np.asarray(weight, dtype=np.float64)
    confidence, right = np.maximum(p, 1 - p), (p >= 0.5) == label
    error = 0.0
    for b in range(bins):
        inside = (confidence > b / bins + 1e-12) & (confidence <= (b + 1) / bins + 1e-12)
        error += abs((weight * (right - confidence.astype(float)))[inside].sum())
    return float(error / weight.sum())


def auprc_interpolated(score, label, weight=None, steps=4000) -> float:
    """Davis and Goadrich 2006: between two points of the curve false alarms grow in proportion to the hits."""
    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    hits = alarms = area = 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        at = score == threshold
        more, false = weight[at & label].sum(), weight[at & ~label].sum()
        middle = (np.arange(steps) + 0.5) / steps
        if more:
            tp, fp = hits + middle * more, alarms + middle * false
            area += more * float(np.mean(tp / (tp + fp)))
        hits, alarms = hits + more, alarms + false
    return float(area / weight[label].sum())


def edges_by_mass(value, weight, bins) -> np.ndarray:
    """The share of each row in each bin: every bin holds equally much, rows of one value are split alike."""
    value, weight = np.asarray(value, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    size, parts, reached = weight.sum() / bins, np.zeros((bins, len(value))), 0.0
    for v in sorted(set(value.tolist())):
        tied = value == v
        own = weight[tied].sum()
        if not own:
            continue
        for b in range(bins):
            common = min(reached + own, (b + 1) * size) - max(reached, b * size)
            parts[b, tied] = max(common, 0.0) / own
        reached += own
    return parts


def edges_by_width(value, bins) -> np.ndarray:
    """1 where a row lies in a bin (lo, hi], 0 in the first."""
    parts = np.zeros((bins, len(value)))
    for row, v in enumerate(value):
        b = 0
        while v > (b + 1) / bins + 1e-12 and b < bins - 1:
            b += 1
        parts[b, row] = 1.0
    return parts


def binned_error(value, true, weight, bins, by) -> float:
    """Σ (n_b / N) |accuracy − mean value| over bins."""
    value, true = np.asarray(value, dtype=np.float64), np.asarray(true, dtype=np.float64)
    parts = edges_by_width(value, bins) if by == "width" else edges_by_mass(value, weight, bins)
    error = 0.0
    for part in parts:
        inside = part * weight
        if inside.sum() > 1e-14 * weight.sum():
            accuracy, confidence = (inside @ true) / inside.sum(), (inside @ value) / inside.sum()
            error += inside.sum() / weight.sum() * abs(accuracy - confidence)
    return float(error)


def calibration(p, label, weight=None, bins=15, by="width") -> dict[str, float]:
    """Every number of Obadinma et al. 2021 from its definition; of equal probabilities the last is predicted."""
    p, label = np.asarray(p, dtype=np.float64), np.asarray(label)
    n, classes = p.shape
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    predicted = np.array([max(range(classes), key=lambda k: (row[k], k)) for row in p])
    confidence, right = p.max(axis=1), predicted == label

    def ece(rows) -> float:
        return binned_error(confidence[rows], right[rows], weight[rows], bins, by)

    def over_columns(rows, kind) -> float:
        return (
            sum(binned_error(p[rows, k], label[rows] == k, weight[rows], bins, kind) for k in range(classes)) / classes
        )

    everybody, total = np.ones(n, dtype=bool), weight.sum()
    found = {"ece": ece(everybody), "sce": over_columns(everybody, "width"), "ace": over_columns(everybody, "mass")}
    there = [k for k in range(classes) if weight[label == k].sum() > 0]
    own = {k: ece(label == k) for k in there}
    found |= {f"class_ece {k}": own[k] for k in there}
    found |= {f"class_ace {k}": over_columns(label == k, "mass") for k in there}
    found["cece"] = sum(e * e for e in own.values()) / sum(own.values())
    found["msece"] = sum(own.values()) / len(own)
    found["wsece"] = sum(weight[label == k].sum() / total * e for k, e in own.items())
    found["ece_variance"] = sum((e - found["ece"]) ** 2 for e in own.values()) / len(own)
    for k in range(classes):
        found[f"class_brier {k}"] = float((weight * ((label == k) - p[:, k]) ** 2).sum() / total)
    found["accuracy"] = float((weight * right).sum() / total)
    return found


def decisions(old, new) -> dict[str, float]:
    """Two decisions about the same items, item by item; nan where there is no value."""
    pairs = list(zip(np.asarray(old, dtype=bool).tolist(), np.asarray(new, dtype=bool).tolist(), strict=True))
    flagged = [new for old, new in pairs if old]
    alike = sum(old == new for old, new in pairs) / len(pairs)
    either = [flag for pair in pairs for flag in pair]
    chance = 2.0 * np.mean(either) * (1.0 - np.mean(either))
    return {
        "decision_agreement": alike,
        "flag_rate_change": sum(new for _, new in pairs) / len(pairs) - sum(old for old, _ in pairs) / len(pairs),
        "flag_rate_ratio": sum(new for _, new in pairs) / len(flagged) if flagged else np.nan,
        "still_flagged": sum(flagged) / len(flagged) if flagged else np.nan,
        "newly_flagged": sum(new and not old for old, new in pairs) / len(pairs),
        "no_longer_flagged": sum(old and not new for old, new in pairs) / len(pairs),
        "gwet_ac1": float((alike - chance) / (1.0 - chance)),
    }


def matched_cut(score, decision, level) -> tuple[float, float | None, float | None]:
    """The distinct score from which on most nearly as many items are flagged as decided, and the ends of its interval.

    McNemar's exact test at every distinct score: of the items on which both differ, too many of one kind.
    """
    from math import comb

    score, decision = np.asarray(score, dtype=np.float64), np.asarray(decision, dtype=bool)
    wanted, values = decision.sum(), sorted(set(score.tolist()))

    def tail(hits: int, misses: int) -> float:
        return sum(comb(hits + misses, k) for k in range(hits, hits + misses + 1)) / 2 ** (hits + misses)

    nearest = min(values, key=lambda value: (abs(int((score >= value).sum()) - int(wanted)), -value))
    extra = {value: int(((score >= value) & ~decision).sum()) for value in values}
    missed = {value: int(((score < value) & decision).sum()) for value in values}
    alpha = (1.0 - level) / 2.0
    more = [value for value in values if tail(extra[value], missed[value]) <= alpha]
    fewer = [value for value in values if tail(missed[value], extra[value]) <= alpha]
    low = min(max(more), nearest) if more else None
    return nearest, low, max(min(fewer), nearest) if fewer else None


def smoothed_precision(score, label) -> dict[float, float]:
    """Precision at every distinct score, by the least squares fit of the labels that never falls with the score."""
    from sklearn.isotonic import IsotonicRegression

    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=np.float64)
    fitted = IsotonicRegression().fit_transform(score, label)
    return {value: float(fitted[score >= value].mean()) for value in sorted(set(score.tolist()))}
