"""Labels on a scale, such as 1 to 5, with a declared cut."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError

RATINGS = [1, 2, 3, 4, 5] * 20
TABLE = pl.DataFrame({"p": np.linspace(0.01, 0.99, 100), "rating": RATINGS})


@pytest.mark.parametrize("kind", ["whole numbers", "numbers", "text"])
def test_a_cut_says_from_where_an_item_is_violating(kind: str) -> None:
    dtype = {"whole numbers": pl.Int64, "numbers": pl.Float64, "text": pl.String}[kind]
    table = TABLE.with_columns(pl.col("rating").cast(dtype), cut=pl.col("rating") >= 4)
    scaled = eh.audit(table, score="p", label="rating", label_threshold=4, audits="collaboration").findings[0]
    plain = eh.audit(table, score="p", label="cut", audits="collaboration").findings[0]
    assert [m.estimate for m in scaled] == [m.estimate for m in plain]
    assert "The label 'rating' is 1 to 5: 4 or more counts as violating." in scaled.caveats


def test_without_a_cut_the_message_names_it() -> None:
    with pytest.raises(InputError, match=r"the label 2 is neither 0, 1 nor a share .* with `label_threshold`"):
        eh.audit(TABLE, score="p", label="rating", audits="collaboration")


def test_a_cut_above_every_label() -> None:
    with pytest.raises(InputError, match="column 'rating': no label is 6 or more, so nothing is violating"):
        eh.audit(TABLE, score="p", label="rating", label_threshold=6, audits="collaboration")


@pytest.mark.parametrize("cut", [0.0, -1.0, float("nan"), float("inf")])
def test_a_cut_that_is_none(cut: float) -> None:
    with pytest.raises(InputError, match=r"invalid `label_threshold`: .* \(must be a number above 0\)"):
        eh.Declaration(score="p", label="rating", label_threshold=cut)
