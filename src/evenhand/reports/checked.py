"""Where the accuracy of model and people comes from: four counts (the paper's Figure 1) and two sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evenhand.figures.collaboration import headline, looked_at
from evenhand.figures.collaboration.capacities import percent
from evenhand.finding import Exhibit, Finding

KINDS = {"uncertain": "looked at (uncertain)", "certain": "left to the model (certain)"}
ROUNDING = 1e-6  # of an item


@dataclass(frozen=True, slots=True)
class Checked:
    """One strategy at one capacity: a row for what was looked at, one for the rest, one for both; and two sums, with
    a word where there is nothing to add.
    """

    strategy: str
    accuracy: str
    rows: list[tuple[str, list[tuple[str, str]]]]
    sums: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Shown:
    """One model: the capacity that stands in front, and the others, folded."""

    model: str
    front: tuple[str, list[Checked]]
    others: list[tuple[str, list[Checked]]]


def shown(finding: Finding) -> Iterator[Shown]:
    """The models for which something is known."""
    capacities = finding.values("capacity")
    exhibits = [exhibit for exhibit in finding.exhibits if exhibit.kind == "checked"]
    for model in dict.fromkeys(exhibit.slice["model"] for exhibit in exhibits):
        found: dict[str, list[Checked]] = {}
        for exhibit in exhibits:
            if exhibit.slice["model"] == model:
                for capacity, one in _tables(exhibit, capacities):
                    found.setdefault(capacity, []).append(one)
        if found:
            asked = [text for text in capacities if text in found]
            front = headline(asked)
            others = [(looked_at(text), found[text]) for text in asked if text != front]
            yield Shown(model, (looked_at(front), found[front]), others)


def _tables(exhibit: Exhibit, capacities: Sequence[str]) -> Iterator[tuple[str, Checked]]:
    """Each capacity with its counts."""
    for values in zip(*exhibit.columns.values(), strict=True):
        row = dict(zip(exhibit.columns, values, strict=True))
        accuracy = row["alone"] + row["gained"]
        one = Checked(exhibit.slice["strategy"], f"{accuracy:.4f}", _counts(row), [_gained(row), _left(row)])
        yield capacities[round(row["asked"])], one


def _counts(row: Mapping[str, float]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Wrong, right and both, with shares of all items."""
    table = {name: [row[f"{kind}_wrong"], row[f"{kind}_right"]] for kind, name in KINDS.items()}
    table["all items"] = [sum(column) for column in zip(*table.values(), strict=True)]
    total = sum(table["all items"])
    return [(name, [(_items(n), percent(n / total)) for n in (*pair, sum(pair))]) for name, pair in table.items()]


def _gained(row: Mapping[str, float]) -> tuple[str, str]:
    """Acc + α'·RE."""
    looks = row["uncertain_wrong"] + row["uncertain_right"]
    if looks <= ROUNDING:
        return f"{row['alone']:.4f}", "the model alone: nothing is looked at"
    efficiency = row["uncertain_wrong"] / looks
    return f"{row['alone']:.4f} + {row['share']:.4f} × {efficiency:.4f}", ""


def _left(row: Mapping[str, float]) -> tuple[str, str]:
    """Acc(not reviewed)·(1 − α') + α'."""
    rest = row["certain_wrong"] + row["certain_right"]
    if rest <= ROUNDING:
        return f"{row['share']:.4f}", "everything is looked at, and right"
    right = row["certain_right"] / rest
    return f"{right:.4f} × {1.0 - row['share']:.4f} + {row['share']:.4f}", ""


def _items(amount: float) -> str:
    """Items, to a tenth where a tie is split or items are weighted."""
    return f"{amount:,.0f}" if abs(amount - round(amount)) < ROUNDING * max(amount, 1.0) else f"{amount:,.1f}"
