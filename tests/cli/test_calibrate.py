"""evenhand calibrate: fitted, kept, applied, compared; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audits.calibration.made import COLUMNS, made
from cli.program import fails, ran
from evenhand.calibrators import read
from marks import smoke

ROLES = ["--probabilities", ",".join(COLUMNS), "--label", "kind"]


@pytest.fixture
def files(program):
    for name, seed in (("validation", 1), ("test", 2)):
        made(600, seed, 2.0).with_columns(id=pl.Series([f"00{k}" for k in range(600)])).write_csv(f"{name}.csv")
    return program


@pytest.mark.parametrize("method", smoke(["ts", "wts", "vector", "isotonic", "histogram"]))
def test_fit_then_apply(files, method: str) -> None:
    done = files("calibrate", "fit", "validation.csv", *ROLES, "--method", method, "-o", "c.json")
    assert done.code == 0, done.err
    content = json.loads(Path("c.json").read_text())
    assert content["method"] == method
    assert content["fitted_on"]["columns"] == COLUMNS
    assert files("calibrate", "apply", "c.json", "test.csv", "-o", "out.csv").code == 0
    before, after = pl.read_csv("test.csv", infer_schema=False), pl.read_csv("out.csv", infer_schema=False)
    assert after.select(before.columns).equals(before)
    found = after.select(pl.col(f"{column}_calibrated").cast(pl.Float64) for column in COLUMNS).to_numpy()
    given = pl.read_csv("test.csv").select(COLUMNS).to_numpy()
    assert np.allclose(found, read("c.json").apply(given), atol=1e-15)
    assert np.allclose(found.sum(axis=1), 1.0, atol=1e-12)
    audited = [f"{column}_calibrated" for column in COLUMNS]
    shown = files(
        "audit", "out.csv", "--probabilities", ",".join(audited), "--label", "kind", "--replicates", "50", "--json"
    )
    assert json.loads(shown.out)["findings"][0]["audit"] == "calibration"


def test_a_score_in_other_files_and_on_other_scales(files) -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(0.5, 2.0, 1000)
    frame = pl.DataFrame({"z": 2 * np.log(p / (1 - p)), "y": rng.random(1000) < p})
    frame.write_parquet("binary.parquet")
    roles = ["--score", "z", "--scale", "logit", "--label", "y"]
    assert files("calibrate", "fit", "binary.parquet", *roles, "--method", "platt", "-o", "c.json").code == 0
    assert files("calibrate", "apply", "c.json", "binary.parquet", "-o", "out.parquet").code == 0
    out = pl.read_parquet("out.parquet")
    assert out.columns == ["z", "y", "z_calibrated"]
    frame.with_columns(z=100.0 / (1.0 + (-pl.col("z")).exp())).write_parquet("percent.parquet")
    done = files("calibrate", "apply", "c.json", "percent.parquet", "--scale", "percent", "-o", "again.parquet")
    assert done.code == 0, done.err
    assert np.allclose(pl.read_parquet("again.parquet")["z_calibrated"], out["z_calibrated"], atol=1e-9)
    assert np.corrcoef(out["z_calibrated"], p)[0, 1] > 0.99


@pytest.mark.verify
def test_compare_recommends(files) -> None:
    done = files("calibrate", "compare", "validation.csv", "test.csv", *ROLES, "--seeds", "2")
    assert done.code == 0, done.err
    assert "temperature scaling" in done.out
    found = json.loads(
        files("calibrate", "compare", "validation.csv", "test.csv", *ROLES, "--seeds", "2", "--json").out
    )
    finding = found["findings"][0]
    assert finding["audit"] == "calibrators"
    assert {record["slice"]["calibrator"] for record in finding["estimates"]} >= {"none", "ts", "wts", "isotonic"}
    with_report = files("calibrate", "compare", "validation.csv", "test.csv", *ROLES, "--seeds", "1", "--out", "report")
    assert with_report.code == 0, with_report.err
    assert Path("report/report.html").exists()
    beside = files("calibrate", "compare", "validation.csv", "test.csv", *ROLES, "--beside", "other=test.csv", "--json")
    assert "other" in beside.out


def test_what_fit_refuses(files) -> None:
    fit = ["calibrate", "fit", "validation.csv"]
    fails(files, *fit, *ROLES, "--method", "tss", "-o", "c.json", says=["'tss'", "did you mean 'ts'"])
    fails(files, *fit, *ROLES, "--method", "platt", "-o", "c.json", says=["validation.csv", "two classes"])
    fails(files, *fit, *ROLES[:2], "-o", "c.json", says=["label"])
    fails(files, *fit, "--probabilities", "p_neutral,p_hate", "--label", "kind", "-o", "c.json", says=["p_hate"])
    fails(files, *fit, *ROLES, "-o", "c.json", "--bins", "3", says=["no option 'bins'"])
    fails(files, *fit, *ROLES, "-o", "none/c.json", says=["none/c.json", "cannot be written: No such file"])
    fails(files, *fit, *ROLES, "--method", "histogram", "--bins", "0", "-o", "c.json", says=["bins"])
    fails(files, "calibrate", "fit", "nothing.csv", *ROLES, "-o", "c.json", says=["no such file"])


def test_what_apply_refuses(files) -> None:
    assert files("calibrate", "fit", "validation.csv", *ROLES, "-o", "c.json").code == 0
    apply = ["calibrate", "apply", "c.json"]
    pl.read_csv("test.csv").drop("p_neutral").write_csv("short.csv")
    fails(files, *apply, "short.csv", "-o", "o.csv", says=["short.csv", "p_neutral"])
    other = ["--probabilities", ",".join(COLUMNS[:3])]
    fails(files, *apply, "test.csv", *other, "-o", "o.csv", says=["fitted for the classes", "other classes"])
    swapped = ["--probabilities", ",".join(reversed(COLUMNS))]
    fails(files, *apply, "test.csv", *swapped, "-o", "o.csv", says=["another order"])
    fails(files, *apply, "test.csv", "--score", "p_neutral", "-o", "o.csv", says=["4 classes"])
    fails(files, *apply, "test.csv", "-o", "o.exe", says=["o.exe", "must end in"])
    pl.read_csv("test.csv").with_columns(p_neutral=pl.col("p_neutral") + 0.5).write_csv("off.csv")
    fails(files, *apply, "off.csv", "-o", "o.csv", says=["off.csv", "p_neutral"])
    assert files(*apply, "test.csv", "-o", "o.csv").code == 0
    fails(files, *apply, "o.csv", "-o", "again.csv", says=["calibrated before"])
    text = Path("c.json").read_text()
    Path("c.json").write_text(text.replace('"temperature": ', '"temperature": 1'))
    fails(files, *apply, "test.csv", "-o", "p.csv", says=["c.json", "altered"])
    Path("c.json").write_text("no json")
    fails(files, *apply, "test.csv", "-o", "p.csv", says=["c.json", "not JSON"])


def test_what_compare_refuses(files) -> None:
    compare = ["calibrate", "compare", "validation.csv", "test.csv", *ROLES]
    fails(files, *compare, "--seeds", "0", says=["invalid --seeds: 0"])
    fails(files, *compare, "--bins", "601", says=["test.csv", "601 bins, but only"])
    fails(files, *compare, "--beside", "test.csv", says=["NAME=FILE"])
    fails(files, *compare, "--run", "which", says=["which"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"p_neutral": 1.7}, ["'p_neutral', row 3", "outside 0 to 1"]),
        ({"p_neutral": -0.2}, ["'p_neutral', row 3", "-0.2"]),
        ({"p_neutral": 0.9, "p_hostility": 0.9}, ["row 3", "1 of 600 rows", "--normalise"]),
        ({"kind": "hostilty"}, ["'kind', row 3", "'hostilty' is not one of the classes", "'hostility'"]),
        ({"kind": None}, ["'kind', row 3", "empty"]),
    ],
)
def test_bad_probabilities(files, change: dict[str, object], says: list[str]) -> None:
    third = pl.int_range(pl.len()) == 2
    columns = [pl.when(third).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in change.items()]
    pl.read_csv("test.csv").with_columns(columns).write_csv("bad.csv")
    fails(files, "audit", "bad.csv", "--audits", "calibration", *ROLES, says=["bad.csv", *says])
    fails(files, "audit", "test.csv", "--audits", "calibration", *ROLES, "--bins", "601", says=["601 bins"])


def scored() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 2.0, 200)
    return pl.DataFrame({"p": p, "q": rng.random(200), "y": rng.random(200) < p})


def test_calibrators_say_what_to_beware_of(program) -> None:
    scored().write_parquet("items.parquet")
    scored().reverse().write_parquet("test.parquet")
    two = ("--score", "p,q", "--label", "y")
    fails(program, "calibrate", "fit", "items.parquet", *two, "-o", "c.json", says=["fitted to a single model"])
    fails(program, "calibrate", "compare", "items.parquet", "test.parquet", *two, says=["compared for a single model"])
    one = ("--score", "p", "--label", "y")
    out = ran(
        program, "calibrate", "fit", "items.parquet", *one, "--method", "histogram", "--bins", "60", "-o", "c.json"
    )
    assert "\n· " in out
    out = ran(program, "calibrate", "apply", "c.json", "items.parquet", "--score", "q", "-o", "out.parquet")
    assert "· fitted on p: check that this is the same model and class" in out
