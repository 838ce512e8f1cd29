"""Calibrating a file in one step: fitted on some rows, measured on others, in the scale of the scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.calibrators import fit
from evenhand.errors import InputError
from evenhand.recalibration import calibrate_one_file

ROLES = {"score": "pct", "scale": "percent", "label": "y"}


def table(n: int = 1500, power: float = 3.0) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.8, n)
    part = np.where(np.arange(n) % 2 == 0, "old", "new")
    return pl.DataFrame({"pct": 100.0 * p, "y": rng.random(n) < p**power, "part": part})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def calibrated(frame: pl.DataFrame, **options) -> tuple[pl.DataFrame, object]:
    done = calibrate_one_file(frame, Path("out.parquet"), ROLES, **options)
    return pl.read_parquet("out.parquet"), done


def test_the_scale_is_kept_and_said() -> None:
    out, done = calibrated(table())
    assert out.columns == ["pct", "y", "part", "pct_calibrated"]
    assert out["pct_calibrated"].is_between(0.0, 100.0).all()
    assert out["pct_calibrated"].max() > 1.5
    assert done.column.startswith("pct_calibrated (percent, as pct; every row calibrated by other rows)")
    gap = abs(out["pct_calibrated"].mean() / 100.0 - out["y"].mean())
    assert gap < 0.02 < abs(out["pct"].mean() / 100.0 - out["y"].mean())


def test_a_queue_gets_a_calibrator_that_keeps_the_order() -> None:
    out, done = calibrated(table(), split="part=old", purpose="queue")
    order = out.sort("pct")["pct_calibrated"].to_numpy()
    assert (np.diff(order) > 0.0).all()
    assert done.sentence.startswith("For a queue, which needs the order of the scores: ")
    assert f"{out['pct_calibrated'].n_unique():,} different values" in done.sentence
    assert done.losses[done.method] < done.losses["none"]
    _, reported = calibrated(table(), purpose="reporting")
    assert {"isotonic", "histogram"} <= set(reported.losses)
    assert not {"isotonic", "histogram"} & set(done.losses)


def test_a_split_by_a_column_by_hand() -> None:
    frame = table()
    out, done = calibrated(frame, split="part=old", method="platt")
    p = np.stack([1.0 - frame["pct"].to_numpy() / 100.0, frame["pct"].to_numpy() / 100.0], axis=1)
    old = (frame["part"] == "old").to_numpy()
    expected = fit(p[old], frame["y"].cast(int).to_numpy()[old], method="platt").apply(p)[:, 1]
    assert out["pct_calibrated"].to_numpy() == pytest.approx(100.0 * expected)
    new = np.where(frame["y"].to_numpy(), expected, 1.0 - expected)[~old]
    assert done.losses["platt"] == pytest.approx(-np.log(new).mean())


def test_calibrated_scores_stay_as_they_are() -> None:
    out, done = calibrated(table(power=1.0))
    assert done.method == "none"
    assert done.calibrator is None
    assert "keep the scores as they are" in done.sentence
    assert out["pct_calibrated"].to_numpy() == pytest.approx(out["pct"].to_numpy())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"split": "half"}, "invalid `split`: 'half'"),
        ({"split": "2"}, "invalid `split`: '2'"),
        ({"split": "part=none"}, "at least 20 are needed"),
        ({"split": "other=x"}, "other"),
        ({"purpose": "fun"}, "invalid `purpose`: 'fun'"),
        ({"method": "magic"}, "there is no calibration method 'magic'"),
    ],
)
def test_what_cannot_be_calibrated(options: dict, says: str) -> None:
    with pytest.raises(InputError, match=says):
        calibrated(table(), **options)
    assert not Path("out.parquet").exists()
