"""HateCheck: not in the paper, another set of sentences made from templates, about seven groups."""

from __future__ import annotations

import polars as pl

from evenhand.classifiers.opening import open_model
from evenhand.reports import audit
from evenhand.reproduce.bias.groups import FIVE, TITLES
from evenhand.reproduce.bias.scored import BALANCED, with_scores
from evenhand.reproduce.paper import Workplace
from evenhand.reproduce.result import Result, Table, beside, of_finding


def hatecheck(place: Workplace) -> Result:
    """The five measures of the default model by whom a case is about."""
    if not place.corpora.has("hatecheck"):
        return Result()
    loaded = place.corpora.load("hatecheck")
    frame = with_scores(loaded.frame.filter(pl.col("target").is_not_null()), {BALANCED: open_model("default")})
    finding = audit(frame, score=BALANCED, **loaded.roles).findings[0]
    rows = [(group, of_finding(finding, FIVE, {"group": group})) for group in finding.values("group")]
    table = Table(
        "hatecheck",
        "Beyond the paper: HateCheck",
        "group",
        TITLES,
        tuple((group, beside(ours, [None] * len(FIVE))) for group, ours in rows),
        on=f"HateCheck, {len(frame):,} cases that are about a group, scored by the default model",
        digits=2,
        notes=("The default model knows no hate that says no bad word, so Subgroup AUC is low for every group.",),
    )
    return Result((table,))
