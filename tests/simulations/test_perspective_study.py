"""What two-way intervals promise, held against the committed study, and a short run that must agree with it."""

from __future__ import annotations

import pytest
from studies import perspective

from simulations.agreement import close

NAMES = ("conformity_delta", "f1")


def ordinary(row: dict) -> bool:
    """People do not differ more than items do."""
    return row["people_spread"] <= row["items_spread"]


def test_mean_delta_and_f1_cover_at_least_95_percent_less_simulation_error() -> None:
    rows = [row for row in perspective.STUDY.read() if ordinary(row)]
    error = 2.0 * (0.05 * 0.95 / perspective.STUDY.draws) ** 0.5
    assert {row["measure"].split()[0] for row in rows} >= set(NAMES)
    assert [row for row in rows if row["coverage"] < 0.95 - error] == []


def test_where_people_differ_more_than_items_mean_delta_covers_less() -> None:
    """They sway the majority together, which redrawing labels does not show."""
    hard = [row for row in perspective.STUDY.read() if not ordinary(row)]
    delta = [row["coverage"] for row in hard if row["measure"].startswith("conformity_delta")]
    assert min(delta) >= 0.90
    assert min(row["coverage"] for row in hard if not row["measure"].startswith("conformity_delta")) >= 0.95


def test_a_bootstrap_over_rows_is_too_sure() -> None:
    rows = [row for row in perspective.STUDY.read() if row["measure"] in ("f1", "f1 shifted")]
    assert min(row["rows"] for row in rows) < 0.8


def test_the_stretch_is_needed() -> None:
    assert min(row["percentile"] for row in perspective.STUDY.read()) < 0.93


@pytest.mark.verify
@pytest.mark.parametrize("number", [2])
def test_again(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perspective, "WORLDS", 300)
    perspective.truth.cache_clear()
    study = perspective.STUDY
    kept = [row for row in study.read() if all(row[k] == v for k, v in study.cells[number].items())]
    for old, new in zip(kept, study.cell(number, 60), strict=True):
        assert new["truth"] == pytest.approx(old["truth"], abs=0.03)
        assert close(new["coverage"], old["coverage"], 60, study.draws)
