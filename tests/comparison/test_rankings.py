"""Whether two findings put models into the same order."""

from __future__ import annotations

import polars as pl
import pytest

import evenhand as eh
from evenhand.comparison.rankings import agreement
from evenhand.errors import InputError


def test_models_that_two_findings_do_not_share(small: pl.DataFrame) -> None:
    first = eh.audit(small, score=["first", "second"], label="y", groups=["a", "b"], audits="bias").findings[0]
    other = small.rename({"first": "third", "second": "fourth"})
    second = eh.audit(other, score=["third", "fourth"], label="y", groups=["a", "b"], audits="bias").findings[0]
    with pytest.raises(InputError, match="no model in common: first, second; and third, fourth"):
        agreement(first, second)
