"""The second opinion on numbers from annotations: loops over rows and pairs, straight from the definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import permutations

Row = tuple[int, int, int]  # item, annotator, label


def majorities(rows: list[Row], ties: str = "drop", reference=None, leave_one_out: bool = False) -> list[int | None]:
    """Per row the most frequent label of its item among the reference; None where there is none."""
    by_item = defaultdict(list)
    for item, annotator, label in rows:
        if reference is None or reference[annotator]:
            by_item[item].append((annotator, label))
    found: list[int | None] = []
    for item, annotator, _ in rows:
        votes = Counter(y for a, y in by_item[item] if not (leave_one_out and a == annotator))
        best = [y for y, n in votes.items() if n == max(votes.values())]
        if len(best) > 1 and ties == "drop":
            best = []
        found.append(None if not best else min(best) if ties == "lowest" else max(best))
    return found


def conformity(p: list[float], label: int) -> float:
    return sum(((k == label) - q) ** 2 for k, q in enumerate(p)) / len(p)


def deltas(rows: list[Row], p, majority: list[int | None]) -> list[float | None]:
    return [
        None if most is None else 0.0 if most == y else conformity(p[t], y) - conformity(p[t], most)
        for (t, _, y), most in zip(rows, majority, strict=True)
    ]


def kl(p: list[float], q: list[float]) -> float:
    p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
    return sum(x * math.log(x / y) for x, y in zip(p, q, strict=True) if x > 0)


def signs(values: list[float]) -> list[int]:
    return [sum(v < 0 for v in values), sum(v == 0 for v in values), sum(v > 0 for v in values)]


def fingerprint(values: list[float], bins: int) -> list[float]:
    found = [0] * bins
    for value in values:
        inside = [j for j in range(bins) if -1 + 2 * j / bins <= value < -1 + 2 * (j + 1) / bins]
        found[inside[0] if inside else bins - 1] += 1
    return [n / len(values) for n in found]


def f1(decided: list[int], labels: list[int], of: int) -> float:
    tp = sum(d == of and y == of for d, y in zip(decided, labels, strict=True))
    fp = sum(d == of and y != of for d, y in zip(decided, labels, strict=True))
    fn = sum(d != of and y == of for d, y in zip(decided, labels, strict=True))
    return 2 * tp / (2 * tp + fp + fn)


def by_item(rows: list[Row]) -> list[list[tuple[int, int]]]:
    found = defaultdict(list)
    for item, annotator, label in rows:
        found[item].append((annotator, label))
    return list(found.values())


def kappa(rows: list[Row], first, second) -> float:
    """Of all ordered pairs (a in the first group, b in the second, a ≠ b) on one item; groups are sets of people."""
    table: Counter = Counter()
    for people in by_item(rows):
        for (a, y), (b, z) in permutations(people, 2):
            if a != b and a in first and b in second:
                table[y, z] += 1
    n = sum(table.values())
    agree = sum(c for (y, z), c in table.items() if y == z) / n
    left, right = Counter(), Counter()
    for (y, z), c in table.items():
        left[y] += c / n
        right[z] += c / n
    chance = sum(left[y] * right[y] for y in left)
    return (agree - chance) / (1 - chance)


def alpha(rows: list[Row]) -> float:
    """1 − observed over expected disagreement, from pairable values (Krippendorff 2011)."""
    observed, values = 0.0, Counter()
    for people in by_item(rows):
        if len(people) < 2:
            continue
        values.update(y for _, y in people)
        observed += sum(y != z for (_, y), (_, z) in permutations(people, 2)) / (len(people) - 1)
    n = sum(values.values())
    expected = sum(values[y] * values[z] for y in values for z in values if y != z) / (n - 1)
    return 1 - observed / expected


def distant_alpha(rows: list[Row], distance: str, values: list[float]) -> float:
    """α with squared distances (Krippendorff 2011): of values, or of labels counted from one class to the other."""
    paired = [people for people in by_item(rows) if len(people) > 1]
    number = Counter(y for people in paired for _, y in people)

    def gap(y: int, z: int) -> float:
        if distance == "interval":
            return (values[y] - values[z]) ** 2
        between = sum(number[k] for k in range(min(y, z), max(y, z) + 1))
        return (between - (number[y] + number[z]) / 2) ** 2 if y != z else 0.0

    observed = sum(gap(y, z) / (len(people) - 1) for people in paired for (_, y), (_, z) in permutations(people, 2))
    n = sum(number.values())
    expected = sum(number[y] * number[z] * gap(y, z) for y in number for z in number) / (n - 1)
    return 1 - observed / expected


def weighted_kappa(rows: list[Row], power: int, values: list[float]) -> float:
    """1 − mean disagreement of pairs on one item over that of two labels from any two pairs (Cohen 1968)."""
    pairs = [(values[y], values[z]) for people in by_item(rows) for (_, y), (_, z) in permutations(people, 2)]
    observed = sum(abs(y - z) ** power for y, z in pairs) / len(pairs)
    expected = sum(abs(y - z) ** power for y, _ in pairs for _, z in pairs) / len(pairs) ** 2
    return 1 - observed / expected


def ac1(rows: list[Row], classes: int) -> float:
    """Gwet 2008: agreement over items with two labels, classes over items with one."""
    agree, shares, items = [], Counter(), by_item(rows)
    for people in items:
        pairs = list(permutations(people, 2))
        if pairs:
            agree.append(sum(y == z for (_, y), (_, z) in pairs) / len(pairs))
        for _, y in people:
            shares[y] += 1 / len(people) / len(items)
    chance = sum(shares[k] * (1 - shares[k]) for k in range(classes)) / (classes - 1)
    return (sum(agree) / len(agree) - chance) / (1 - chance)


def jsd(clusters: list[list[float]]) -> float:
    """Σ π_i KL(P_i ‖ M) over clusters of counts per group."""
    total = sum(map(sum, clusters))
    weights = [sum(c) / total for c in clusters]
    shares = [[x / sum(c) for x in c] if sum(c) else [0.0] * len(c) for c in clusters]
    mean = [sum(w * s[g] for w, s in zip(weights, shares, strict=True)) for g in range(len(clusters[0]))]
    return sum(
        w * x * math.log(x / m)
        for w, s in zip(weights, shares, strict=True)
        for x, m in zip(s, mean, strict=True)
        if x > 0
    )
