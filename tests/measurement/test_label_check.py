"""Labels worth checking: planted errors come first, confidence is calibrated, and the estimate's interval covers."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.measurement import LabelCheck, estimate_label_errors, label_disagreement
from evenhand.measurement.label_check import relabelled

ROLES = {"score": "p", "label": "y", "id": "id", "text": "text"}
FLIPPED = 0.03


def planted(seed: int = 0, n: int = 5000) -> pl.DataFrame:
    """Sharp, calibrated scores, and labels of which some were turned around."""
    rng = np.random.default_rng(seed)
    p = 1.0 / (1.0 + np.exp(-rng.normal(-4.0, 4.0, n)))
    truth, wrong = rng.random(n) < p, rng.random(n) < FLIPPED
    ids = [f"c{number}" for number in range(n)]
    return pl.DataFrame({"id": ids, "p": p, "y": truth ^ wrong, "text": ids, "wrong": wrong})


def test_planted_errors_are_at_the_top() -> None:
    precision = []
    for seed in range(4):
        items = planted(seed)
        listed = LabelCheck.from_data(items, ROLES).table().join(items, on="id", how="left", maintain_order="left")
        precision.append([listed["wrong"].head(number).mean() for number in (50, 100, len(listed))])
    top, hundred, whole = np.mean(precision, axis=0)
    assert top >= 0.9
    assert hundred >= 0.75
    assert FLIPPED * 4 < whole < hundred < top


def test_the_confidence_is_calibrated() -> None:
    """Also where wrong labels keep the share of violating ones away from 0 and 1."""
    items = planted(1, 20_000)
    violating = items["y"].to_numpy()
    disagreement = label_disagreement(items["p"].to_numpy(), violating)
    probability = np.where(violating, 1.0 - disagreement, disagreement)
    for low, high in ((0.0, 0.05), (0.05, 0.3), (0.3, 0.7), (0.7, 0.94), (0.94, 1.0)):
        inside = (probability >= low) & (probability < high)
        error = np.sqrt(probability[inside].mean() * (1.0 - probability[inside].mean()) / inside.sum())
        assert abs(violating[inside].mean() - probability[inside].mean()) < 4.0 * error + 0.005


def test_no_item_calibrates_itself() -> None:
    items = planted(2, 400)
    p, y = items["p"].to_numpy(), items["y"].to_numpy().copy()
    whole = label_disagreement(p, y)
    y[7] = ~y[7]
    other = label_disagreement(p, y)
    assert other[7] != pytest.approx(whole[7])  # it is now about the other label
    assert 0.0 < whole.min() < whole.max() < 1.0


def test_equal_doubts_are_ordered_by_the_score() -> None:
    items = planted(3)
    listed = LabelCheck.from_data(items, ROLES).table().join(items.select("id", "p"), on="id", how="left")
    assert listed["confidence"].is_sorted(descending=True)
    for (_, label), part in listed.group_by("confidence", "label"):
        assert part.sort("rank")["p"].is_sorted(descending=label == "benign")


def test_texts_only_on_request() -> None:
    items = planted(4, 1000)
    roles = {name: value for name, value in ROLES.items() if name not in ("text", "id")}
    check = LabelCheck.from_data(items, {**roles, "where": "p > 0.01"})
    table = check.table()
    assert table.columns == ["rank", "id", "label", "model", "confidence", "relabel"]
    for row in table.iter_rows(named=True):  # without ids: the number of the row
        assert items["y"][int(row["id"]) - 1] is (row["label"] == "violating")
    with pytest.raises(InputError, match="needs the text column"):
        check.sheet()
    assert set(LabelCheck.from_data(items, ROLES).sheet().columns) == {"id", "text"}


def test_from_the_list_to_the_number_of_errors(tmp_path: Path) -> None:
    items = planted(5)
    check = LabelCheck.from_data(items, ROLES, seed=1)
    check.write(tmp_path / "list.csv")
    truth = items.select("id", right=pl.col("y") ^ pl.col("wrong"))
    answers = check.sheet().join(truth, on="id", how="left", maintain_order="left")
    words = pl.when(pl.col("right")).then(pl.lit("remove")).otherwise(pl.lit("keep"))
    answers.select("id", label=words).write_csv(tmp_path / "answers.csv")
    errors = relabelled(tmp_path / "list.csv", [tmp_path / "answers.csv"], positive=["remove"])
    wrong = int(check.table().join(items, on="id", how="left")["wrong"].sum())
    assert errors.number.low <= wrong <= errors.number.high
    assert errors.relabelled == 50
    assert errors.sentence().startswith(f"About {round(errors.number.value)} of the {errors.listed} listed labels")
    answers.head(49).select("id", label=words).write_csv(tmp_path / "answers.csv")
    with pytest.raises(InputError, match="49 of 50 drawn items"):
        relabelled(tmp_path / "list.csv", [tmp_path / "answers.csv"], positive=["remove"])


@pytest.mark.parametrize(("listed", "drawn"), [(60, 50), (50, 50), (300, 50), (1000, 50), (40, 7)])
def test_the_interval_covers_exactly(listed: int, drawn: int) -> None:
    """The probability of covering, summed over all samples: no simulation is needed."""
    found = [
        estimate_label_errors(listed, [True] * hits + [False] * (drawn - hits)).number for hits in range(drawn + 1)
    ]
    for errors in range(0, listed + 1, max(1, listed // 40)):
        covered = sum(
            comb(errors, hits) * comb(listed - errors, drawn - hits)
            for hits in range(max(0, drawn + errors - listed), min(drawn, errors) + 1)
            if found[hits].low <= errors <= found[hits].high
        )
        assert covered / comb(listed, drawn) >= 0.95
    assert all(e.low <= e.value <= e.high for e in found)
    if drawn == listed:
        assert all(e.low == e.value == e.high for e in found)


def test_what_cannot_be_told_widens_the_interval() -> None:
    clear = estimate_label_errors(300, [True] * 10 + [False] * 40).number
    unclear = estimate_label_errors(300, [True] * 10 + [None] * 5 + [False] * 35)
    assert unclear.number.low == clear.low
    assert unclear.number.high > clear.high
    assert "5 could not be told" in unclear.sentence()
    nothing = estimate_label_errors(300, [None] * 50)
    assert "undetermined" in nothing.sentence()


def test_too_little_to_calibrate() -> None:
    with pytest.raises(InputError, match="too few items of one kind: 3"):
        label_disagreement(np.linspace(0.0, 1.0, 60), np.arange(60) >= 57)
