"""Several targets of one plan: the labels that each drives, and how far each is after a batch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.measurement import AnswerFiles, Campaign, ItemColumns, SampleSizeRequest, plan_campaign, read_plan
from evenhand.measurement.planning import PlannedCampaign
from evenhand.measurement.summary import outcome_lines, plan_lines, plan_summary
from evenhand.measurement.targets import read_targets
from evenhand.sampling import ScoreDrivenDesign, SequentialDesign

PURPOSE = {"ground_truth": "terms", "codebook": "v1", "population": "all", "period": "2026-01"}
COLUMNS = ItemColumns(id="id", score="p", decision="removed", by=("language",))


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    violating = rng.random(8000) < 0.08
    height = 2.0 * (2.2 * violating + rng.normal(size=8000) - 1.1) + np.log(0.08 / 0.92)
    table = pl.DataFrame(
        {
            "id": np.arange(8000),
            "text": [f"text {number}" for number in range(8000)],
            "p": expit(height),
            "removed": rng.random(8000) < expit(2.5 * (height - 1.0)),
            "language": np.where(rng.random(8000) < 0.2, "fr", "en"),
            "violating": violating,
        }
    )
    table.drop("violating").write_parquet("items.parquet")
    return table


def planned(*targets: str, columns: ItemColumns = COLUMNS) -> PlannedCampaign:
    size = SampleSizeRequest.of(None, {}, None, 0.95, targets)
    return plan_campaign(
        Path("items.parquet"),
        Path("plan.json"),
        roles=columns,
        design=ScoreDrivenDesign(),
        size=size,
        purpose=PURPOSE,
        seed=2,
    )


def test_the_plan_has_the_labels_of_the_target_that_needs_most(items: pl.DataFrame) -> None:
    made = planned("recall=0.15", "prevalence=0.2", "precision=0.1", "parts=0.5")
    needs = {need.name: need for need in made.needs}
    for pool in made.plan.pools:
        assert pool.labels == max(50, *(need.labels[pool.name] for need in made.needs))
    assert needs["precision"].labels["visible"] == 0
    assert needs["parts"].part == "fr"
    lines = plan_lines(made, 600.0, 1)
    assert "Labels that each target drives:" in lines
    assert any(line.startswith("  recall ±15 %") for line in lines)
    assert [one["target"] for one in plan_summary(made, 600.0, 1)["targets"]] == [*needs]
    assert read_plan("plan.json").targets == {"recall": 0.15, "prevalence": 0.2, "precision": 0.1, "parts": 0.5}


@pytest.mark.parametrize("name", ["recall", "prevalence", "precision"])
def test_half_the_width_takes_four_times_the_labels(items: pl.DataFrame, name: str) -> None:
    """As long as neither the fewest labels nor the number of items bounds them."""
    (wide,), (narrow,) = (planned(f"{name}={share}").needs for share in (0.2, 0.1))
    pool = "removed" if name == "precision" else "visible"
    free = wide.labels[pool] > 50 and narrow.labels[pool] < 4000
    if free and name != "precision":  # of a pool, the finite number of items counts
        assert narrow.labels[pool] == pytest.approx(4 * wide.labels[pool], rel=0.05)
    assert narrow.labels[pool] > wide.labels[pool]


def test_every_target_is_held_against_its_interval(items: pl.DataFrame) -> None:
    planned("recall=0.3", "precision=0.2", "parts=0.8")
    campaign = Campaign(Path("plan.json"))
    truth, sheets = dict(items.select("id", "violating").iter_rows()), []
    written = campaign.draw(Path("b1.csv"))
    while written is not None:
        table = pl.read_csv(written.files[0])
        answers = ["yes" if truth[id_] else "no" for id_ in table["id"]]
        table.with_columns(label=pl.Series(answers)).write_csv(written.files[0])
        sheets.append(written.files[0])
        outcome = campaign.take(AnswerFiles(tuple(sheets)))
        written = campaign.go_on(Path(f"b{len(sheets) + 1}.csv"), outcome)
    assert [one.title for one in outcome.targets] == ["recall", "precision", "prevalence of en", "prevalence of fr"]
    for one in outcome.targets:
        part = one.title.rpartition(" of ")[2]
        slice_ = {"language": part, "pool": "visible"} if part in ("en", "fr") else {}
        estimate = outcome.finding.get(one.measure, **slice_)
        assert one.target.excess(estimate) == pytest.approx(one.excess) or one.usual_excess is not None
    lines = "\n".join(outcome_lines(outcome))
    assert lines.count("Target for ") == 4
    assert lines.count("labelling can stop here") == int(bool(outcome.kept))  # once, where all are reached
    assert "of violating items were removed" in lines.splitlines()[1]  # the result first
    record = json.loads(json.dumps(outcome.finding.provenance["targets"]))
    assert [one["of"] for one in record] == [one.title for one in outcome.targets]
    assert outcome.kept == all(one.reached for one in outcome.targets)
    worst = [one for one in outcome.targets if not one.reached]
    assert outcome.progress in (worst or outcome.targets)


def test_targets_that_cannot_be_planned(items: pl.DataFrame) -> None:
    for pairs in (["recal=0.2"], ["recall=20"], ["recall=x"], ["recall=0.2", "recall=0.3"]):
        with pytest.raises(InputError, match="target"):
            read_targets(pairs)
    with pytest.raises(InputError, match="needs `decision`"):
        planned("recall=0.2", columns=ItemColumns(id="id", score="p"))
    with pytest.raises(InputError, match="needs `by`"):
        planned("parts=0.5", columns=ItemColumns(id="id", score="p"))
    with pytest.raises(InputError, match="not both"):
        SampleSizeRequest.of("100", {}, None, 0.95, ["recall=0.2"])
    with pytest.raises(InputError, match="not both"):
        SampleSizeRequest.of(None, {"within": 0.2}, None, 0.95, ["recall=0.2"])
    with pytest.raises(InputError, match="has no `target`"):
        plan_campaign(
            Path("items.parquet"),
            Path("other.json"),
            roles=ItemColumns(id="id", score="p"),
            design=SequentialDesign(),
            size=SampleSizeRequest.of(None, {}, None, 0.95, ["prevalence=0.2"]),
            purpose=PURPOSE,
            seed=1,
        )


def test_from_the_command_line(program, items: pl.DataFrame) -> None:
    words = ("sample", "plan", "items.parquet", "--score", "p", "--decision", "removed", "--target", "recall=0.2")
    done = program(*words, "--target", "precision=0.1", "-o", "several.json")
    assert done.code == 0, done.err
    assert "Labels that each target drives:" in done.out
    done = program(*words, "--by", "language", "--target", "parts=0.05", "-o", "parts.json")
    assert "alone needs" in done.out
    assert "choose a less precise target for parts, or combine small parts." in done.out
    done = program(*words, "--within", "0.2", "-o", "other.json")
    assert done.code == 2
    assert "not both" in done.err
