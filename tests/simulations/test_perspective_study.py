"""What two-way intervals promise, held against the committed study, and a short run that must agree with it."""

from __future__ import annotations

import pytest
from studies import perspective

from simulations.agreement import close


def ordinary(row: dict) -> bool:
    """People do not differ more than items do."""
    return row["people_spread"] <= row["items_spread"]


def test_numbers_from_sums_cover_as_they_say_and_are_hardly_wider_than_they_must_be() -> None:
    rows = [row for row in perspective.STUDY.read() if ordinary(row) and row["measure"] in perspective.READ]
    error = 3.0 * (0.05 * 0.95 / perspective.STUDY.draws) ** 0.5
    assert len(rows) == len(perspective.READ) * 9
    assert [row for row in rows if not 0.93 - error / 2.0 <= row["coverage"] <= 0.97 + error] == []
    assert [row for row in rows if row["relative"] > 1.3] == []


def test_agreement_covers_at_least_what_it_says() -> None:
    kappa = [row for row in perspective.STUDY.read() if row["measure"] == "cohen_kappa"]
    assert min(row["coverage"] for row in kappa) >= 0.93


def test_where_people_differ_more_than_items_mean_delta_covers_less() -> None:
    """They sway the majority together, which leaving one of them out does not show; the audit says so."""
    hard = [row for row in perspective.STUDY.read() if not ordinary(row)]
    delta = [row["coverage"] for row in hard if row["measure"].startswith("conformity_delta")]
    assert 0.7 <= min(delta) <= max(delta) < 0.93
    assert min(row["coverage"] for row in hard if not row["measure"].startswith("conformity_delta")) >= 0.92


def test_taking_labels_for_independent_is_too_sure() -> None:
    rows = [row for row in perspective.STUDY.read() if row["measure"] in ("f1", "conformity_delta")]
    assert min(row["rows"] for row in rows) < 0.8


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
