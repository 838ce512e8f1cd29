"""Where the accuracy of model and reviewers comes from: four counts of items (the paper's Figure 1) and two sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evenhand.audits.collaboration.exhibits import CollaborationExhibit
from evenhand.audits.collaboration.settings import headline_capacity, reviewed_in_words
from evenhand.finding import Exhibit, Finding, SliceKey
from evenhand.formatting import format_share

ROW_TITLES = {"uncertain": "reviewed (uncertain)", "certain": "not reviewed (certain)"}
ROUNDING = 1e-6  # of an item


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """One strategy at one capacity: a row for what is reviewed, one for the rest, one for both; and two sums, with
    a word where there is nothing to add.
    """

    strategy: str
    accuracy: str
    rows: list[tuple[str, list[tuple[str, str]]]]
    sums: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ModelReviewCounts:
    """One model: the capacity that stands in front, and the others, folded."""

    model: str
    front: tuple[str, list[ReviewCounts]]
    others: list[tuple[str, list[ReviewCounts]]]


def review_counts(finding: Finding) -> Iterator[ModelReviewCounts]:
    """The models for which something is known."""
    exhibits = [exhibit for exhibit in finding.exhibits if exhibit.kind == CollaborationExhibit.CHECKED]
    for model in dict.fromkeys(exhibit.slice[SliceKey.MODEL] for exhibit in exhibits):
        by_capacity: dict[str, list[ReviewCounts]] = {}
        for exhibit in exhibits:
            if exhibit.slice[SliceKey.MODEL] == model:
                for capacity, one in _counts_by_capacity(exhibit):
                    by_capacity.setdefault(capacity, []).append(one)
        if by_capacity:
            texts = [text for text in finding.values(SliceKey.CAPACITY) if text in by_capacity]
            front = headline_capacity(texts)
            others = [(reviewed_in_words(text), by_capacity[text]) for text in texts if text != front]
            yield ModelReviewCounts(model, (reviewed_in_words(front), by_capacity[front]), others)


def _counts_by_capacity(exhibit: Exhibit) -> Iterator[tuple[str, ReviewCounts]]:
    """Each capacity with its counts."""
    numbers = {name: column for name, column in exhibit.columns.items() if name != SliceKey.CAPACITY}
    for capacity, *values in zip(exhibit.columns[SliceKey.CAPACITY], *numbers.values(), strict=True):
        row = {name: float(value or 0.0) for name, value in zip(numbers, values, strict=True)}
        accuracy, sums = row["alone"] + row["gained"], [_gained_sum(row), _remaining_sum(row)]
        strategy = exhibit.slice[SliceKey.STRATEGY]
        yield str(capacity), ReviewCounts(strategy, f"{accuracy:.4f}", _count_rows(row), sums)


def _count_rows(row: Mapping[str, float]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Wrong, right and both, with shares of all items."""
    table = {name: [row[f"{kind}_wrong"], row[f"{kind}_right"]] for kind, name in ROW_TITLES.items()}
    table["all items"] = [sum(column) for column in zip(*table.values(), strict=True)]
    total = sum(table["all items"])
    return [
        (name, [(_item_text(n), format_share(n / total)) for n in (*pair, sum(pair))]) for name, pair in table.items()
    ]


def _gained_sum(row: Mapping[str, float]) -> tuple[str, str]:
    """Acc + α'·RE."""
    reviews = row["uncertain_wrong"] + row["uncertain_right"]
    if reviews <= ROUNDING:
        return f"{row['alone']:.4f}", "the model alone: nothing is reviewed"
    efficiency = row["uncertain_wrong"] / reviews
    return f"{row['alone']:.4f} + {row['share']:.4f} × {efficiency:.4f}", ""


def _remaining_sum(row: Mapping[str, float]) -> tuple[str, str]:
    """Acc(not reviewed)·(1 − α') + α'."""
    rest = row["certain_wrong"] + row["certain_right"]
    if rest <= ROUNDING:
        return f"{row['share']:.4f}", "everything is reviewed, and correct"
    right = row["certain_right"] / rest
    return f"{right:.4f} × {1.0 - row['share']:.4f} + {row['share']:.4f}", ""


def _item_text(amount: float) -> str:
    """Items, to a tenth where a tie is split or items are weighted."""
    return f"{amount:,.0f}" if abs(amount - round(amount)) < ROUNDING * max(amount, 1.0) else f"{amount:,.1f}"
