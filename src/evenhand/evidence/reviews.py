"""What reviewers decided of each item: a column for each decision that was made, empty where none was."""

from __future__ import annotations

import numpy as np
import polars as pl

from evenhand.arrays import Bools
from evenhand.evidence import rules
from evenhand.evidence.columns import SourceTable, label_words
from evenhand.evidence.declaration import Declaration
from evenhand.tally import Reviews


def read_reviews(table: SourceTable, declaration: Declaration, label: Bools) -> Reviews | None:
    """None where no column of reviews is declared. Decisions are written as labels are."""
    if not declaration.reviews:
        return None
    reviewers, violating = (np.zeros(len(label), dtype=np.int32) for _ in range(2))
    for column in declaration.reviews:
        decided = _decisions(table, column, declaration)
        reviewers += decided.is_not_null().to_numpy()
        violating += decided.fill_null(False).to_numpy()
    if not reviewers.any():
        table.fail("no item was reviewed: the columns of `reviews` are empty", declaration.reviews[0])
    gold = None if declaration.gold is None else _gold(table, declaration.gold)
    reviews = Reviews.from_labels(reviewers, violating, label, gold)
    if not reviews.gold_items:
        table.fail("no gold item was reviewed", declaration.gold or "")
    return reviews


def _decisions(table: SourceTable, column: str, declaration: Declaration) -> pl.Series:
    """Violating or not; empty where nobody decided."""
    if declaration.positive:
        words = label_words(table, column, "reviews").set(table.frame[column].is_null(), None)
        return words.is_in(list(declaration.positive)).set(words.is_null(), None)
    values = table.numbers(column, rules.review_role(declaration)).fill_nan(None)
    return values >= declaration.label_threshold


def _gold(table: SourceTable, column: str) -> Bools:
    """Which items are gold; empty is not."""
    values = table.numbers(column, rules.GOLD).fill_nan(None)
    gold: Bools = (values >= 1.0).fill_null(False).to_numpy()
    return gold
