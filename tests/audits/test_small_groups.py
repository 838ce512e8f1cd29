"""Groups and slices of a handful of items are not shown unless somebody asks, anywhere; the others stay as they are."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from contracts.every_finding import annotated
from evenhand.cards.audit_card import model_card
from evenhand.comparison.runs import compare_runs
from evenhand.errors import InputError
from evenhand.reports.paper_formats import render_tables
from reports.pages import printed

SUMMARIES = ("subgroup_auc_power_mean", "bpsn_auc_power_mean", "bnsp_auc_power_mean", "jigsaw_score")
ROLES = {"score": "p", "label": "y"}
BY_VALUE = {**ROLES, "group_by": "who", "slices": ["language"], "audits": "bias"}
FEW = ("duo", "trio", "manx")  # two and three items, and four in a language


def items(rows: int = 400, seed: int = 3) -> pl.DataFrame:
    """Two large groups and two of a handful, in two large languages and a small one."""
    rng = np.random.default_rng(seed)
    label = rng.random(rows) < 0.4
    who = rng.choice(["women", "men"], rows).astype(object)
    who[:2], who[2:5] = "duo", "trio"
    language = rng.choice(["de", "en"], rows).astype(object)
    language[10:14] = "manx"
    score = 1.0 / (1.0 + np.exp(-(2.0 * label - 1.0 + rng.normal(size=rows))))
    text = np.where(who == "duo", "the duo again", np.where(who == "women", "of women", "of others"))
    columns = {
        "p": score,
        "y": label,
        "who": who.astype(str),
        "language": language.astype(str),
        "text": text.astype(str),
    }
    return pl.DataFrame({**columns, "duo": who == "duo", "removed": score > 0.6, "times": np.full(rows, 3)})


@pytest.fixture(scope="module")
def usual() -> eh.Report:
    return eh.audit(items(), **BY_VALUE)


@pytest.fixture(scope="module")
def everything() -> eh.Report:
    return eh.audit(items(), **BY_VALUE, smallest_group=1)


def test_they_are_counted_and_not_named(usual: eh.Report) -> None:
    (finding,) = usual
    assert set(finding.values("group")) == {"women", "men"}
    assert set(finding.values("language")) == {"de", "en"}
    said = " ".join(finding.caveats)
    assert "2 groups with fewer than 5 items each are not shown (a lower `smallest_group` shows more)." in said
    assert "1 slice with fewer than 5 items is not shown (a lower `smallest_group` shows more)." in said


@pytest.mark.verify
def test_no_output_has_them(usual: eh.Report, everything: eh.Report) -> None:
    (finding,) = usual
    (earlier,) = eh.audit(items(seed=4), **BY_VALUE)
    outputs = {
        "json": usual.json(),
        "csv": usual.csv(),
        "terminal": printed(usual, 200),
        "page": usual.html(),
        "tables": "".join(render_tables(usual.findings, ["markdown", "latex"]).values()),
        "card": model_card(usual.findings, name="m"),
        "comparison": eh.Report((compare_runs([finding], [earlier]),)).json(),
        "agreement": eh.Report((eh.agreement(finding, finding),)).json(),
    }
    for where, text in outputs.items():
        assert not [name for name in FEW if name in text], where
    assert all(name in everything.json() for name in FEW)


def test_numbers_of_the_others_stay_as_they_are(usual: eh.Report, everything: eh.Report) -> None:
    (finding,), (whole,) = usual, everything
    shown = [m for m in finding if m.measure not in SUMMARIES and not m.estimate.method.endswith("_simultaneous")]
    assert len(shown) > 50
    assert [m.estimate for m in shown] == [whole.get(m.measure, **m.slice) for m in shown]
    assert any(m.estimate != whole.get(m.measure, **m.slice) for m in finding if m.measure in SUMMARIES)


def test_a_group_that_is_large_may_be_small_in_a_slice() -> None:
    german, few = pl.col("language") == "de", pl.int_range(pl.len()).is_in([21, 22, 23, 24])
    who = pl.when(german & few).then(pl.lit("men")).when(german).then(pl.lit("women")).otherwise("who")
    some = items().with_columns(who=who)
    (finding,) = eh.audit(some, **BY_VALUE)
    assert finding.has("count", group="men")
    assert not finding.has("count", group="men", language="de")
    assert not [e for e in finding.exhibits if e.slice.get("group") == "men" and e.slice.get("language") == "de"]
    assert any("within a slice with fewer than 5 items" in caveat for caveat in finding.caveats)


def test_words_in_the_text_and_columns_that_were_named() -> None:
    terms = {"duo": ["duo"], "women": ["women"]}
    (finding,) = eh.audit(items(), **ROLES, text="text", terms=terms, audits="bias")
    assert finding.values("group") == ("women",)
    (named,) = eh.audit(items(), **ROLES, groups=["duo"], audits="bias")
    assert named.get("count", group="duo").value == 2


def test_counted_rows_are_as_many_items() -> None:
    (finding,) = eh.audit(items(), **BY_VALUE, count="times")
    assert set(finding.values("group")) == {"women", "men", "duo", "trio"}


@pytest.mark.verify
@pytest.mark.parametrize("audit", ["collaboration", "calibration", "accuracy"])
def test_every_audit(audit: str) -> None:
    roles = BY_VALUE if audit != "accuracy" else {"label": "y", "decision": "removed", "group_by": "who"}
    report = eh.audit(items(), **{**roles, "slices": ["language"], "audits": audit}, replicates=50)
    assert not [name for name in FEW if name in report.json()]
    assert any("2 groups with fewer than 5 items" in caveat for caveat in report.findings[0].caveats)


def test_nothing_but_small_groups_is_refused() -> None:
    with pytest.raises(InputError, match="every group has fewer than 5 items; `smallest_group` shows smaller ones"):
        eh.audit(items(), **ROLES, text="text", terms={"duo": ["duo"]})
    with pytest.raises(InputError, match="invalid `smallest_group`: 0"):
        eh.audit(items(), **BY_VALUE, smallest_group=0)


def test_annotators_are_never_fewer_than_five() -> None:
    table = annotated().with_columns(
        gender=pl.when(pl.col("who").is_in(["person 0", "person 2"])).then(pl.lit("rare")).otherwise("gender")
    )
    roles = {"item": "item", "annotator": "who", "label": "y", "annotator_groups": ["gender"], "score": "first"}
    quick = {"replicates": 50, "permutations": 99, "fewest_labels": 8, "audits": "perspective"}
    (finding,) = eh.audit(table, **roles, **quick, smallest_group=1)
    assert "rare" not in json.dumps([dict(m.slice) for m in finding])
    with pytest.raises(InputError, match="fewer than two groups have 30 annotators"):
        eh.audit(table, **roles, **quick, smallest_group=30)


@pytest.mark.verify
def test_the_option(program) -> None:
    items().write_csv("items.csv")
    command = "audit items.csv --score p --label y --group-by who --json"
    usual, asked = (program(*command.split(), *more) for more in ([], ["--smallest-group", "1"]))
    assert "duo" not in usual.out
    assert '"duo"' in asked.out
    shown = program(*command.split()[:-1], "-o", "report")
    assert "(a lower --smallest-group shows more)" in " ".join(shown.out.split())
