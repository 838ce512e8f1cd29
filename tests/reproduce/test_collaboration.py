"""The paper `collaboration`, end to end on made-up runs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.reproduce import reproduce
from reproduce import tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("runs")
    tiny.runs(made)
    return made


@pytest.fixture(scope="module")
def made(folder: Path):
    return reproduce("collaboration", folder)


def tables(made) -> dict:
    return {table.name: table for table in made.result.tables}


@pytest.mark.verify
def test_the_metrics_are_means_over_the_runs(made, folder: Path) -> None:
    rows = dict(tables(made)["table_3"].rows)
    assert list(rows)[:5] == [
        f"XENT: {m}" for m in ("Deterministic", "SNGP", "MC Dropout", "Deep Ensemble", "SNGP Ensemble")
    ]
    frame = pl.read_parquet(folder / "deployment.parquet")
    own = [
        eh.audit(frame, audits="collaboration", score=f"p:sngp:focal:{seed}", label="label")
        .findings[0]
        .get("auroc")
        .value
        for seed in (0, 1)
    ]
    auroc = rows["focal: SNGP"][0]
    assert auroc.ours.value == pytest.approx(sum(own) / 2)
    assert (auroc.ours.low, auroc.ours.high) == pytest.approx((min(own), max(own)))
    assert auroc.published == 0.8003
    assert rows["XENT: Deep Ensemble"][0].ours.low == rows["XENT: Deep Ensemble"][0].ours.high  # one run


@pytest.mark.verify
def test_in_domain_has_what_is_legible_of_the_paper(made) -> None:
    rows = dict(tables(made)["table_2"].rows)
    assert rows["focal: MC Dropout"][6].published == 0.3890
    assert rows["XENT: SNGP"][6].published is None


@pytest.mark.verify
def test_every_figure_has_its_numbers_and_both_strategies(made) -> None:
    found = tables(made)
    for measure in ("oc_auroc", "oc_auprc", "oc_accuracy", "review_efficiency", "review_effectiveness"):
        for environment in ("test", "deployment"):
            table = found[f"{measure}_{environment}"]
            assert len(table.rows) == 20
            assert table.columns == ("0.1 %", "0.5 %", "1 %", "2 %", "5 %", "10 %", "15 %", "20 %")
    names = {figure.name for figure in made.result.figures}
    assert {"curves_test_focal", "curves_deployment_cross-entropy", "reliability_test_focal_sngp"} <= names
    assert len(names) == 12


@pytest.mark.verify
def test_accuracy_and_efficiency_keep_their_identity(made) -> None:
    """OC-Acc = Acc + α' · RE, in the means too: each run reviews the same share."""
    found = tables(made)
    accuracy = dict(found["table_2"].rows)["focal: SNGP"][2].ours.value
    oc = dict(found["oc_accuracy_test"].rows)["focal: SNGP, uncertainty"]
    efficiency = dict(found["review_efficiency_test"].rows)["focal: SNGP, uncertainty"]
    for place, share in ((3, 0.02), (5, 0.1)):
        assert oc[place].ours.value == pytest.approx(accuracy + share * efficiency[place].ours.value)


@pytest.mark.verify
def test_what_is_planted_is_judged(made) -> None:
    assert all(claim.data and claim.interval for claim in made.result.claims)
    verdicts = {claim.text: claim.verdict for claim in made.result.claims}
    assert next(v for t, v in verdicts.items() if t.startswith("From test to deployment")) in ("held", "not held")
    for text, verdict in verdicts.items():
        if text.startswith("Ensembles have the best"):
            assert verdict == "held"
    assert len(verdicts) == 15


@pytest.mark.verify
def test_model_uncertainty_stands_beside(made) -> None:
    rows = dict(tables(made)["model_uncertainty_test"].rows)
    assert "XENT: Deterministic" not in rows
    assert all(cell.ours is not None for cell in rows["XENT: SNGP"])


@pytest.mark.verify
def test_one_loss_and_few_methods_are_enough(tmp_path: Path) -> None:
    tiny.runs(tmp_path / "collaboration", 400, seeds=1, losses=("focal",))
    for path in (tmp_path / "collaboration").glob("*.parquet"):
        frame = pl.read_parquet(path)
        frame.select("id", "label", "p:deterministic:focal:0", "p:ensemble:focal:0").write_parquet(path)
    verdicts = {claim.verdict for claim in reproduce("collaboration", tmp_path).result.claims}
    assert "undecided" in verdicts


def test_bad_folders_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"test\.parquet is missing: id, label and a column p:METHOD:LOSS:SEED"):
        reproduce("collaboration", tmp_path)
    tiny.runs(tmp_path, 50)
    frame = pl.read_parquet(tmp_path / "test.parquet")
    for change, said in (
        (frame.rename({"p:sngp:focal:0": "p:sngd:focal:0"}), "there is no method 'sngd'; did you mean 'sngp'"),
        (frame.rename({"p:sngp:focal:0": "p:sngp:local:0"}), "there is no loss 'local'; did you mean 'focal'"),
        (frame.drop("label"), "column 'label': this column is missing"),
        (frame.select("id", "label"), "there is no run"),
    ):
        change.write_parquet(tmp_path / "test.parquet")
        with pytest.raises(InputError, match=said):
            reproduce("collaboration", tmp_path)
