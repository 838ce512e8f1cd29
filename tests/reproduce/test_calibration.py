"""The paper `calibration`, end to end on made-up tweets in the published format, and its tables from one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.reproduce import reproduce
from evenhand.reproduce.calibration.runs import RUN, predict_runs
from evenhand.reproduce.calibration.tables import recompute_summaries
from evenhand.reproduce.workspace import Workspace
from reproduce import tiny


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("tweets")
    tiny.east_asian(folder, 500)
    return reproduce("calibration", folder, light=True)


def test_table_3_follows_from_table_1_but_for_one_number() -> None:
    result = recompute_summaries()
    rows = dict(result.tables[0].rows)
    for name in ("Contraharmonic ECE", "Macro Subset ECE", "ECE Variance"):
        assert all(abs(cell.difference) < 1e-4 for cell in rows[name]), name
    weighted = {abs(cell.difference) for cell in rows["Weighted Subset ECE"]}
    assert sorted(weighted)[-2] < 6e-4 < 1.7e-3 < max(weighted)
    assert [claim.verdict for claim in result.claims] == ["held", "not held"]


@pytest.mark.verify
def test_the_four_tables_have_the_papers_rows_and_numbers(made) -> None:
    found = {table.name: table for table in made.result.tables}
    first = found["table_1_east_asian_prejudice"]
    assert [row for row, _ in first.rows] == ["Uncalibrated", "TS", "IR", "HB", "VS", "SMOTE", "WTS"]
    assert first.columns == ("Criticism", "Discussion", "Hostility", "Neutral", "overall")
    assert dict(first.rows)["TS"][3].published == 0.035463
    assert all(cell.ours.defined for _, cells in first.rows for cell in cells)
    third = dict(found["table_3_east_asian_prejudice"].rows)
    assert third["Contraharmonic ECE"][6].published == 0.2426
    assert [len(cells) for _, cells in found["table_4_east_asian_prejudice"].rows] == [4] * 6


def test_temperature_scaling_leaves_f1_alone_and_runs_are_averaged(made) -> None:
    rows = dict({t.name: t for t in made.result.tables}["table_3_east_asian_prejudice"].rows)
    f1 = [cell.ours for cell in rows["Weighted F1"]]
    assert f1[0].value == pytest.approx(f1[1].value) == pytest.approx(f1[6].value)
    assert f1[0].low < f1[0].value < f1[0].high  # of two runs
    assert f1[5].low < f1[5].high  # those of the oversampled model too


def test_figures_show_both_before_and_after(made) -> None:
    assert [figure.name.split("_east")[0] for figure in made.result.figures] == [
        "figure_1a",
        "figure_2a",
        "figure_1b",
        "figure_2b",
    ]


def test_every_run_has_its_own_split(tmp_path: Path) -> None:
    tiny.east_asian(tmp_path, 300)
    place = Workspace(tmp_path, light=True)
    found = predict_runs(place, place.corpora.load("east_asian_prejudice").frame)
    assert found.runs == 2
    assert found.test.group_by(RUN).len()["len"].to_list() == [30, 30]
    assert found.test.select(f"p_{name}" for name in found.classes).sum_horizontal().to_numpy() == pytest.approx(1.0)
    first, second = (found.test.filter(run=run)["label"].to_list() for run in "01")
    assert first != second


def test_a_class_of_a_handful_is_refused(tmp_path: Path) -> None:
    tiny.east_asian(tmp_path, 40)
    with pytest.raises(InputError, match="fewer than ten texts"):
        reproduce("calibration", tmp_path, light=True)
