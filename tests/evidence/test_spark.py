"""Spark: rows stay on the cluster, and the counts that come back give the same numbers within the bound they carry."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.evidence import Declaration, open_evidence, spark_counts

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


@pytest.mark.verify
def test_what_needs_the_rows_is_left_out_unless_asked_for(on_cluster, small: pl.DataFrame) -> None:
    frame = on_cluster(small)
    assert [finding.audit for finding in eh.audit(frame, **ROLES).findings] == ["bias"]
    with pytest.raises(eh.InputError, match="needs the rows locally"):
        eh.audit(frame, **ROLES, audits="collaboration")


@pytest.mark.verify
def test_all_audits_of_one_score_are_run_on_what_a_cluster_counted(on_cluster, small: pl.DataFrame) -> None:
    holed = small.with_columns(pl.when(pl.col("id") % 4 > 0).then(pl.col("a").cast(pl.Float64)).alias("a"))
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "text": "text", "threshold": 0.4321}
    local, remote = eh.audit(holed, **roles), eh.audit(on_cluster(holed), **roles)
    assert [finding.audit for finding in remote] == ["bias", "collaboration", "calibration"]
    for here, there in zip(local, remote, strict=True):
        assert largest_difference(here, there) < 1e-9
    with pytest.raises(eh.InputError, match="examples need the rows locally, not on a cluster"):
        eh.audit(on_cluster(small), **roles, audits="bias", examples=2)


@pytest.mark.verify
def test_many_scores_are_counted_in_cells(on_cluster, small: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_counts, "EXACT_ROWS", 0)
    roles = {"score": "first", "label": "y", "groups": ["a", "b"], "audits": "bias"}
    local, remote = eh.audit(small, **roles).findings[0], eh.audit(on_cluster(small), **roles).findings[0]
    assert 0.0 < largest_difference(local, remote) < 1e-4  # of 600 items, a pair that shares a cell
    assert any("cells of the score" in caveat for caveat in remote.caveats)


def largest_difference(here: eh.Finding, there: eh.Finding) -> float:
    """Of the values, but for what is redrawn to have any."""
    assert len(here.estimates) == len(there.estimates) > 20
    pairs = [(m.estimate, there.get(m.measure, **m.slice)) for m in here if "as_if" not in m.slice]
    assert all((one.value is None) == (two.value is None) and one.n == two.n for one, two in pairs)
    return max(abs(one.value - two.value) for one, two in pairs if one.value is not None)


@pytest.mark.verify
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


@pytest.mark.verify
def test_other_scales(on_cluster, small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("first") / (1 - pl.col("first"))).log())
    options = {"score": "first", "scale": "logit", "label": "y", "groups": "a"}
    same(eh.audit(on_cluster(table), **options).findings[0], eh.audit(table, **options).findings[0])


@pytest.mark.verify
@pytest.mark.parametrize(
    ("change", "options", "says"),
    [
        (pl.lit(None, dtype=pl.Float64).alias("first"), {}, "column 'first': the score is empty$"),
        ((pl.col("first") * 3).alias("first"), {}, "the score .* is outside 0 to 1; set `scale` to percent"),
        (pl.lit(False).alias("y"), {}, "every item is benign"),
        (pl.lit(False).alias("a"), {}, "group 'a' has no members"),
        (pl.lit(-1.0).alias("w"), {"count": "w"}, r"column 'w': invalid: -1 \(must be a whole number from 0\)"),
        (pl.lit(0.5).alias("w"), {"count": "w"}, "invalid: 0.5"),
        (pl.lit(1.5).alias("w"), {"inclusion": "w"}, r"1.5 \(must be above 0 and at most 1\)"),
        (
            pl.when(pl.col("id") == 7).then(None).otherwise(pl.col("y")).alias("y"),
            {},
            "the label is empty",
        ),
        (pl.col("id").alias("y"), {}, "the label [0-9]+ is neither 0, 1 nor a share"),
        (pl.when(pl.col("id") == 7).then(None).otherwise(pl.lit("x")).alias("y"), {"positive": "x"}, "label is empty"),
        (pl.col("id").alias("a"), {}, "must be true/false, 0/1 or a share"),
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


def at_seven(column: str, value: object) -> pl.Expr:
    """Another value in one row."""
    return pl.when(pl.col("id") == 7).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("change", "options"),
    [
        (at_seven("first", None), {}),
        (at_seven("first", float("-inf")), {"scale": "logit"}),
        (at_seven("first", 1.5), {}),
        (at_seven("first", 101.0), {"scale": "percent"}),
        (pl.when(pl.col("id") == 7).then(pl.lit("0,5")).otherwise(pl.lit(" 0.5 ")).alias("first"), {}),
        (pl.when(pl.col("id") == 7).then(2).otherwise(pl.col("y").cast(pl.Int64)).alias("y"), {}),
        (pl.lit("rude").alias("y"), {}),
        (pl.lit("rude").alias("y"), {"positive": "rood"}),
        (pl.col("y").cast(pl.Float64), {"positive": "rude"}),
        (pl.lit(True).alias("y"), {}),
        (pl.when(pl.col("id") == 7).then(-0.5).otherwise(pl.col("a").cast(pl.Float64)).alias("a"), {}),
        (pl.lit("x").alias("a"), {}),
        ([pl.lit(False).alias("a"), pl.lit(False).alias("b")], {}),
        (pl.lit(0).alias("w"), {"count": "w"}),
        (pl.lit(2.0**53 + 2).alias("w"), {"count": "w"}),
        (pl.lit(1.5).alias("w"), {"count": "w"}),
        (pl.lit(float("inf")).alias("w"), {"count": "w"}),
        (pl.lit(1e-13).alias("w"), {"inclusion": "w"}),
        (pl.lit(0.0).alias("w"), {"inclusion": "w"}),
        (pl.lit(None, dtype=pl.Float64).alias("w"), {"inclusion": "w"}),
        (pl.lit(float("inf")).alias("w"), {"uncertainty": "w"}),
        (pl.lit("one").alias("w"), {"groups": None, "group_by": "w"}),
        (pl.col("id").alias("w"), {"groups": None, "group_by": "w"}),
        (pl.col("id").alias("w"), {"slices": "w"}),
        (pl.lit(3).alias("w"), {"id": "w"}),
    ],
)
def test_a_cluster_refuses_what_is_refused_at_hand_in_the_same_words(
    on_cluster, small: pl.DataFrame, change: pl.Expr, options: dict
) -> None:
    table, roles = small.with_columns(change), {**ROLES, "score": "first", **options}
    with pytest.raises(eh.InputError) as here:
        open_evidence(table, Declaration.of(roles))
    with pytest.raises(eh.InputError) as there:
        open_evidence(on_cluster(table), Declaration.of(roles))
    assert (there.value.fault, there.value.column, there.value.role) == (
        here.value.fault,
        here.value.column,
        here.value.role if here.value.role not in ("where", "skip_unscored") else None,  # no rows are left out there
    )


@pytest.mark.verify
def test_not_a_number_and_no_number_at_all(spark, on_cluster, small: pl.DataFrame) -> None:
    frame = on_cluster(small.drop("first")).selectExpr("*", "double('NaN') AS first", "date('2024-01-01') AS day")
    for column, says in (("first", "the score is NaN; it must be finite"), ("day", "scores must be numbers, not Date")):
        with pytest.raises(eh.InputError, match=says):
            open_evidence(frame, Declaration.of({**ROLES, "score": column}))


@pytest.mark.verify
def test_numbers_that_were_written_as_text_are_read(on_cluster, small: pl.DataFrame) -> None:
    table = small.with_columns(
        pl.col("first").cast(pl.String), pl.col("y").cast(pl.String), pl.col("a").cast(pl.String)
    )
    same(eh.audit(on_cluster(table), **ROLES).findings[0], eh.audit(small, **ROLES, audits="bias").findings[0])


@pytest.mark.verify
def test_columns_whose_names_findings_use_themselves(on_cluster, small: pl.DataFrame) -> None:
    table = small.with_columns(run=pl.when("b").then(pl.lit("one")).otherwise(pl.lit("two")))
    roles = {"score": "first", "label": "y", "groups": "a", "slices": "run"}
    remote, local = eh.audit(on_cluster(table), **roles).findings[0], eh.audit(table, **roles).findings[0]
    assert set(remote.values("run_column")) == {"one", "two"}
    same(remote, local)


@pytest.mark.verify
def test_labels_of_whole_numbers_that_came_as_floats(on_cluster, small: pl.DataFrame) -> None:
    table = small.with_columns((pl.col("y") * 2.0).alias("y"))
    roles = {"score": "first", "label": "y", "positive": "2", "groups": "a"}
    same(eh.audit(on_cluster(table), **roles).findings[0], eh.audit(table, **roles).findings[0])


@pytest.mark.verify
def test_small_groups_and_slices_are_left_out_as_elsewhere(on_cluster, small: pl.DataFrame) -> None:
    few = pl.when(pl.col("id") < 3).then(pl.lit("few"))
    table = small.with_columns(
        g=few.when("a").then(pl.lit("x")).otherwise(pl.lit("z")),
        l=few.when("b").then(pl.lit("de")).otherwise(pl.lit("en")),
    )
    roles = {"score": "first", "label": "y", "group_by": "g", "slices": ["l"]}
    remote, local = eh.audit(on_cluster(table), **roles).findings[0], eh.audit(table, **roles).findings[0]
    same(remote, local)
    assert set(remote.values("group")) == {"x", "z"}
    assert set(remote.values("l")) == {"de", "en"}
    assert sum("not shown" in caveat for caveat in remote.caveats) == 2
    assert "few" in eh.audit(on_cluster(table), **roles, smallest_group=1).findings[0].values("group")


@pytest.mark.verify
def test_names_are_cleaned_as_elsewhere(on_cluster, small: pl.DataFrame) -> None:
    values = pl.when("a").then(pl.lit("x\x1b[31m ")).when("b").then(pl.lit(" ")).otherwise(pl.lit("z")).alias("g")
    words = pl.when("y").then(pl.lit("bad ")).otherwise(pl.lit("ok")).alias("y")
    table = small.with_columns(values, words, (pl.col("id") % 2).alias("n"))
    roles = {"score": "first", "label": "y", "positive": "bad", "group_by": "g", "count": "n"}
    remote, local = eh.audit(on_cluster(table), **roles).findings[0], eh.audit(table, **roles).findings[0]
    same(remote, local)
    assert sorted(remote.values("group")) == ["x\x1b[31m", "z"]
    with pytest.raises(eh.InputError, match="fewer than two different values"):
        eh.audit(on_cluster(table.with_columns(pl.lit("one").alias("g"))), **roles)


@pytest.mark.verify
def test_infinite_scores(on_cluster, small: pl.DataFrame) -> None:
    broken = small.with_columns(pl.when(pl.col("id") == 5).then(float("inf")).otherwise("first").alias("first"))
    with pytest.raises(eh.InputError, match="the score is infinite; it must be finite"):
        eh.audit(on_cluster(broken), **ROLES, scale="rank")


@pytest.mark.verify
def test_too_many_values(on_cluster, small: pl.DataFrame) -> None:
    with pytest.raises(
        eh.InputError, match="600 different values: grouping by its values needs a column with at most 200"
    ):
        eh.audit(on_cluster(small), score="first", label="y", group_by="id", audits="bias")


@pytest.mark.verify
def test_texts_are_not_looked_up(on_cluster, small: pl.DataFrame) -> None:
    with pytest.raises(eh.InputError, match="examples need the rows locally, not on a cluster"):
        eh.audit(on_cluster(small), **ROLES, text="text", examples=2)


@pytest.mark.verify
def test_what_cannot_be_asked_of_a_cluster(on_cluster, small: pl.DataFrame) -> None:
    from evenhand.measurement.simulation.scenarios import SimulationRequest as Asked
    from evenhand.measurement.simulation.scenarios import open_scenarios as open_scenes
    from evenhand.progress import silent
    from evenhand.staffing.plan import StaffingSettings as PlanSettings
    from evenhand.staffing.plan import plan_staffing as make_plan

    frame = on_cluster(small)
    with pytest.raises(eh.InputError, match="without scores the rows are needed at hand"):
        open_evidence(frame, Declaration.of({"label": "y", "decision": "a"}))
    evidence = open_evidence(frame, Declaration.of({**ROLES, "id": "id"}))  # each id once
    with pytest.raises(eh.InputError, match="a plan needs the rows locally, not on a cluster"):
        make_plan(evidence, PlanSettings(targets=("oc_accuracy=0.9",)), silent)
    with pytest.raises(eh.InputError, match="a simulation needs the rows locally, not on a cluster"):
        open_scenes(frame, Asked(label="y", score=("first",)))


@pytest.mark.verify
def test_a_frame_without_rows(on_cluster, small: pl.DataFrame) -> None:
    with pytest.raises(eh.InputError, match="there are no rows"):
        eh.audit(on_cluster(small).where("id < 0"), **ROLES)


@pytest.mark.verify
def test_ranks_on_a_cluster_have_no_threshold(on_cluster, small: pl.DataFrame) -> None:
    options = {"score": "first", "scale": "rank", "label": "y", "groups": "a"}
    same(eh.audit(on_cluster(small), **options).findings[0], eh.audit(small, **options).findings[0])
