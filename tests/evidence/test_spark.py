"""Spark: rows stay on the cluster, and the counts that come back give the same numbers within the bound they carry."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import Declaration, open_evidence

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark warns about versions of pandas

ROLES = {"score": ["first", "second"], "label": "y", "groups": ["a", "b"]}


@pytest.fixture(scope="module")
def spark() -> Iterator[object]:
    if not shutil.which("java"):
        pytest.skip("Java is not installed: Spark needs it")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.log.level", "OFF").getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def on_cluster(spark):
    return lambda frame: spark.createDataFrame(frame.to_pandas())


def same(remote: eh.Finding, local: eh.Finding) -> None:
    """Every number of the cluster equals the local one, within what binning may cost."""
    compared = 0
    for measured in local:
        if "against" in measured.slice:
            assert not remote.has(measured.measure, **measured.slice)
            continue
        here, there = measured.estimate, remote.get(measured.measure, **measured.slice)
        assert (there.value is None) == (here.value is None), measured
        if here.value is not None:
            assert there.value == pytest.approx(here.value, abs=2e-5), measured
            assert there.n == here.n
            if not there.method.startswith("influence"):
                assert (there.low, there.high) == pytest.approx((here.low, here.high), abs=1e-4), measured
            else:
                assert there.high - there.low >= (here.high - here.low) * 0.999
        compared += 1
    assert compared > 20


def test_the_same_numbers(on_cluster, small: pl.DataFrame) -> None:
    holed = small.with_columns(pl.when(pl.col("id") % 4 > 0).then(pl.col("a").cast(pl.Float64)).alias("a"))
    options = {**ROLES, "text": "text", "threshold": 0.43}
    local, remote = eh.audit(holed, **options), eh.audit(on_cluster(holed), **options)
    same(remote.findings[0], local.findings[0])
    assert any("bins" in caveat for caveat in remote.findings[0].caveats)
    assert "report" in remote.html()


def test_what_needs_the_rows_is_left_out_unless_asked_for(on_cluster, small: pl.DataFrame) -> None:
    frame = on_cluster(small)
    assert [finding.audit for finding in eh.audit(frame, **ROLES).findings] == ["bias"]
    with pytest.raises(eh.InputError, match="needs the rows at hand"):
        eh.audit(frame, **ROLES, audits="collaboration")
    with pytest.raises(eh.InputError, match=r"bias needs groups$"):
        eh.audit(frame, score="first", label="y")


def test_weights_and_words_and_values(on_cluster, small: pl.DataFrame) -> None:
    rng = np.random.default_rng(0)
    table = small.with_columns(
        pl.Series("pi", rng.uniform(0.2, 1.0, 600)),
        pl.when("a").then(pl.lit("an Émigré here")).otherwise(pl.lit("émigrés there")).alias("text"),
        pl.when("b").then(pl.lit("en")).otherwise(pl.lit("de")).alias("lang"),
        pl.when("y").then(pl.lit("bad")).otherwise(pl.lit("ok")).alias("y"),
    )
    words = {"score": "first", "label": "y", "positive": "bad", "text": "text", "terms": ["émigré"], "inclusion": "pi"}
    same(eh.audit(on_cluster(table), **words).findings[0], eh.audit(table, **words).findings[0])
    values = {"score": "first", "label": "y", "positive": "bad", "group_by": "lang", "slices": "lang"}
    same(eh.audit(on_cluster(table), **values).findings[0], eh.audit(table, **values).findings[0])


def test_other_scales(on_cluster, small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("first") / (1 - pl.col("first"))).log())
    options = {"score": "first", "scale": "logit", "label": "y", "groups": "a"}
    same(eh.audit(on_cluster(table), **options).findings[0], eh.audit(table, **options).findings[0])


@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (pl.lit(None, dtype=pl.Float64).alias("first"), {}, "is empty or no number in 600 rows"),
        ((pl.col("first") * 3).alias("first"), {}, "outside its scale"),
        (pl.lit(False).alias("y"), {}, "every item is benign"),
        (pl.lit(False).alias("a"), {}, "nobody is in the group 'a'"),
        (pl.lit(-1.0).alias("w"), {"count": "w"}, "column 'w': the count is no whole number from 0 in 600 rows"),
        (pl.lit(0.5).alias("w"), {"count": "w"}, "the count is no whole number"),
        (pl.lit(1.5).alias("w"), {"inclusion": "w"}, "the inclusion probability is not above 0 and up to 1"),
        (
            pl.when(pl.col("id") == 7).then(None).otherwise(pl.col("y")).alias("y"),
            {},
            "label is empty or no number in 1",
        ),
        (pl.col("id").alias("y"), {}, "the label is neither 0, 1 nor a share"),
        (pl.when(pl.col("id") == 7).then(None).otherwise(pl.lit("x")).alias("y"), {"positive": "x"}, "label is empty"),
        (pl.col("id").alias("a"), {}, "a group holds something else"),
        (pl.lit(3).alias("w"), {"id": "w"}, "the id 3 occurs twice"),
        (pl.lit(1).alias("w"), {"interval": "bootstrap"}, "not on a cluster"),
        (pl.lit(1).alias("w"), {"groups": ["zz"]}, "no column 'zz'"),
        (pl.lit(1).alias("w"), {"where": "id > 3"}, "filter the Spark frame"),
        (pl.lit(1).alias("w"), {"intersections": True}, "not on a cluster"),
        (pl.lit(1).alias("w"), {"examples": 2, "text": "text"}, "not on a cluster"),
    ],
)
def test_bad_input(on_cluster, small: pl.DataFrame, change: pl.Expr, options: dict, says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        eh.audit(on_cluster(small.with_columns(change)), **{**ROLES, **options})


def test_names_are_cleaned_as_elsewhere(on_cluster, small: pl.DataFrame) -> None:
    values = pl.when("a").then(pl.lit("x\x1b[31m ")).when("b").then(pl.lit(" ")).otherwise(pl.lit("z")).alias("g")
    words = pl.when("y").then(pl.lit("bad ")).otherwise(pl.lit("ok")).alias("y")
    table = small.with_columns(values, words, (pl.col("id") % 2).alias("n"))
    roles = {"score": "first", "label": "y", "positive": "bad", "group_by": "g", "count": "n"}
    remote, local = eh.audit(on_cluster(table), **roles).findings[0], eh.audit(table, **roles).findings[0]
    same(remote, local)
    assert sorted(remote.values("group")) == ["x�[31m", "z"]
    with pytest.raises(eh.InputError, match="fewer than two different values"):
        eh.audit(on_cluster(table.with_columns(pl.lit("one").alias("g"))), **roles)


def test_infinite_scores(on_cluster, small: pl.DataFrame) -> None:
    broken = small.with_columns(pl.when(pl.col("id") == 5).then(float("inf")).otherwise("first").alias("first"))
    with pytest.raises(eh.InputError, match="not finite in 1 rows"):
        eh.audit(on_cluster(broken), **ROLES, scale="rank")


def test_too_many_values(on_cluster, small: pl.DataFrame) -> None:
    with pytest.raises(eh.InputError, match="more than 200 different values"):
        eh.audit(on_cluster(small), score="first", label="y", group_by="id")


def test_texts_are_not_looked_up(on_cluster, small: pl.DataFrame) -> None:
    evidence = open_evidence(on_cluster(small), Declaration.of(ROLES))
    with pytest.raises(eh.InputError, match="cluster"):
        evidence.texts([1])
    assert evidence.size == 600


def test_what_cannot_be_asked_of_a_cluster(on_cluster, small: pl.DataFrame) -> None:
    from evenhand.audits.planning import PlanSettings, make_plan
    from evenhand.audits.simulation import Asked, open_scenes
    from evenhand.progress import silent

    frame = on_cluster(small)
    with pytest.raises(eh.InputError, match="without scores the rows are needed at hand"):
        open_evidence(frame, Declaration.of({"label": "y", "decision": "a"}))
    evidence = open_evidence(frame, Declaration.of({**ROLES, "id": "id"}))  # each id once
    with pytest.raises(eh.InputError, match="a plan needs the rows at hand, not on a cluster"):
        make_plan(evidence, PlanSettings(targets=("oc_accuracy=0.9",)), silent)
    with pytest.raises(eh.InputError, match="a simulation needs the rows at hand, not on a cluster"):
        open_scenes(frame, Asked(label="y", score=("first",)))


def test_a_frame_without_rows(on_cluster, small: pl.DataFrame) -> None:
    with pytest.raises(eh.InputError, match="it holds no rows"):
        eh.audit(on_cluster(small).where("id < 0"), **ROLES)


def test_ranks_on_a_cluster_have_no_threshold(on_cluster, small: pl.DataFrame) -> None:
    options = {"score": "first", "scale": "rank", "label": "y", "groups": "a"}
    same(eh.audit(on_cluster(small), **options).findings[0], eh.audit(small, **options).findings[0])
