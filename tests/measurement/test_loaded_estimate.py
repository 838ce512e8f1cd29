"""A finding of a campaign that was read back from JSON is whole: every figure, section and verdict is drawn from it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli.loop import answered, made_up
from evenhand.figures import draw_figures
from evenhand.findings_file import from_json, to_json
from evenhand.measurement import AnswerFiles, Campaign, ItemColumns, SampleSizeRequest, plan_campaign
from evenhand.reports import Report
from evenhand.sampling.designs import DESIGNS, design_from_options

PURPOSE = {"ground_truth": "illegal content", "codebook": "rules 3", "population": "visible", "period": "May"}


@pytest.mark.verify
@pytest.mark.parametrize("name", DESIGNS)
def test_what_is_read_back_draws_everything(name: str, tmp_path: Path) -> None:
    items, design = made_up(), design_from_options(name, {})
    items.write_csv(tmp_path / "items.csv")
    columns = {"id": "id", "score": "p", "cluster": "thread" if design.traits.clusters else None}
    columns |= {"by": ["language"]} if design.traits.groups else {}
    columns |= {"decision": "removed"} if design.traits.pools else {}
    plan_campaign(
        tmp_path / "items.csv",
        tmp_path / "plan.json",
        roles=ItemColumns.of({key: value for key, value in columns.items() if value is not None}),
        design=design,
        size=SampleSizeRequest.of("300", {}, None, 0.95),
        purpose=PURPOSE,
        seed=1,
    )
    campaign = Campaign(tmp_path / "plan.json")
    campaign.draw(tmp_path / "batch.csv")
    answered(tmp_path / "batch.csv", items, lambda id_, answer: "cannot tell" if id_.endswith("3") else answer)
    finding = campaign.take(AnswerFiles((tmp_path / "batch.csv",))).finding
    (again,) = from_json(to_json([finding]), source="findings.json")
    assert finding.verdicts
    assert again.verdicts == finding.verdicts
    assert to_json([again]) == to_json([finding])
    drawn, redrawn = draw_figures(finding), draw_figures(again)
    assert drawn
    assert redrawn == drawn
    report, loaded = Report((finding,), "items"), Report((again,), "items")
    assert loaded.html() == report.html()
    assert str(loaded) == str(report)


def test_the_labelled_items_are_written_beside(tmp_path: Path) -> None:
    items = made_up()
    items.write_csv(tmp_path / "items.csv")
    plan_campaign(
        tmp_path / "items.csv",
        tmp_path / "plan.json",
        roles=ItemColumns.of({"id": "id", "score": "p"}),
        design=design_from_options("random", {}),
        size=SampleSizeRequest.of("100", {}, None, 0.95),
        purpose=PURPOSE,
        seed=1,
    )
    campaign = Campaign(tmp_path / "plan.json")
    campaign.draw(tmp_path / "batch.csv")
    answered(tmp_path / "batch.csv", items)
    outcome = campaign.take(AnswerFiles((tmp_path / "batch.csv",)), evidence=tmp_path / "evidence.csv")
    assert outcome.finding.get("count").value == len(pl.read_csv(tmp_path / "evidence.csv")) == 100
    assert outcome.to_come == 0
    assert outcome.finding.provenance["measurement"]["metric"] == "prevalence"


@pytest.mark.parametrize("design", ["random", "stratified"])
def test_groups_of_few_items_are_not_shown(design: str, tmp_path: Path) -> None:
    rare = pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("fy")).otherwise("language")
    items = made_up().with_columns(language=rare)
    items.write_csv(tmp_path / "items.csv")
    plan_campaign(
        tmp_path / "items.csv",
        tmp_path / "plan.json",
        roles=ItemColumns.of({"id": "id", "score": "p", "by": ["language"]}),
        design=design_from_options(design, {}),
        size=SampleSizeRequest.of("300", {}, None, 0.95),
        purpose=PURPOSE,
        seed=1,
    )
    campaign = Campaign(tmp_path / "plan.json")
    campaign.draw(tmp_path / "batch.csv")
    answered(tmp_path / "batch.csv", items)
    files = AnswerFiles((tmp_path / "batch.csv",))
    outcome = campaign.take(files)
    every = campaign.take(files, smallest_group=1).finding
    assert "fy" not in outcome.finding.values("language")
    assert "fy" in every.values("language")
    assert not any(name.startswith("fy") for name in outcome.finding.values("stratum"))
    assert any(name.startswith("fy") for name in every.values("stratum")) == (design == "stratified")
    assert any("1 group with fewer than 5 items" in caveat for caveat in outcome.finding.caveats)
