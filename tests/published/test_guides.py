"""The worked examples in the guides are what the audits say of the real data."""

from __future__ import annotations

import json
import re
import shutil
import textwrap
from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.cli.main import app

GUIDES = Path(__file__).parents[2] / "docs" / "audits"


def test_the_example_of_bias(real_data: Path) -> None:
    page = (GUIDES / "bias.md").read_text()
    old, new = "toxicity_1", "toxicity_6"
    words = ["lesbian", "gay", "queer", "straight", "bisexual", "homosexual", "heterosexual", "cis", "trans"]
    words += ["nonbinary", "black", "white"]
    roles = {"score": [old, new], "label": "label", "positive": "toxic", "text": "phrase", "terms": words}
    (finding,) = eh.audit(real_data / "perspective_madlibs.parquet", audits="bias", **roles).findings
    for word in ("homosexual", "gay", "lesbian", "black", "bisexual", "straight"):
        numbers = [finding.get("bpsn_auc", model=model, group=word) for model in (old, new)]
        numbers.append(finding.get("bpsn_auc", model=new, against=old, group=word))
        gaps = [f"{finding.get('negative_aeg', model=model, group=word).value:.3f}" for model in (old, new)]
        assert f"| {' | '.join([word, *map(str, numbers), *gaps])} |" in page
    assert [f"{finding.get('auroc', model=model).value:.3f}" for model in (old, new)] == ["0.919", "0.989"]


def test_the_example_of_collaboration(real_data: Path) -> None:
    page = (GUIDES / "collaboration.md").read_text()
    roles = {"score": "api", "label": "label", "capacities": ["0.5%", "1%", "5%"]}
    (finding,) = eh.audit(real_data / "wikipedia_context_gc.parquet", audits="collaboration", **roles).findings
    for capacity in roles["capacities"]:
        for strategy in ("uncertainty", "toxicity"):
            where = {"strategy": strategy, "capacity": capacity}
            sure = [str(finding.get(name, **where)) for name in ("review_efficiency", "review_effectiveness")]
            short = [f"{finding.get(name, **where).value:.3f}" for name in ("oc_accuracy", "oc_auroc")]
            assert f"| {' | '.join([capacity.replace('%', ' %'), strategy, *sure, *short])} |" in page


def test_the_example_of_accuracy(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (GUIDES / "accuracy.md").read_text()
    items = pl.read_parquet(real_data / "wikipedia_context_gc.parquet").with_columns(removed=pl.col("api") >= 0.8)
    truth = dict(items.select("id", pl.col("label") == 1).iter_rows())
    monkeypatch.chdir(tmp_path)
    items.select("id", "text", "api", "removed").write_parquet("comments.parquet")
    sample("plan comments.parquet --score api --decision removed --n 600 -o plan.json")
    sample("draw plan.json -o 1.csv")
    for batch in (1, 2, 3):
        fill(Path(f"{batch}.csv"), truth)
        done = " ".join(f"{number}.csv" for number in range(1, batch + 1))
        sample(f"estimate plan.json {done} " + ("" if batch == 3 else f"--next {batch + 1}.csv"))
    printed = capsys.readouterr().out.split("600 labels of 10,000 items")[1]
    for said in ("15.1 % (9.02 to 26.6 %)", "118 (58 to 212)", "1.39 % (0.791 to 2.33 %)", "98.6 % (97.7 to 99.2 %)"):
        assert said in printed
        assert said in page
    found = items.filter((pl.col("label") == 1) & pl.col("removed")).height
    assert (found, sum(truth.values()) - found) == (21, 130)


def test_the_example_of_perspective(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (GUIDES / "perspective.md").read_text()
    blocks = [textwrap.dedent(block) for block in re.findall(r"\n\n((?:    .*\n)+)", page)]
    (command,) = [block for block in blocks if block.startswith("evenhand audit")]
    monkeypatch.chdir(tmp_path)
    Path("map.toml").write_text(next(block for block in blocks if block.startswith("[gender]")))
    shutil.copy(real_data / "crehate_annotations.parquet", tmp_path)
    eh.score_file(real_data / "crehate_texts.parquet", "scored.parquet", text="Text")
    capsys.readouterr()
    app([*command.replace("\\\n", " ").split()[1:], "--json"], standalone_mode=False)
    estimates = json.loads(capsys.readouterr().out)["findings"][0]["estimates"]
    deltas = {e["slice"].get("annotators"): e["value"] for e in estimates if e["measure"] == "conformity_delta"}
    for group, said in ((None, "+0.0106"), ("women × white", "+0.0187"), ("men × white", "−0.0012")):
        assert f"{deltas[group]:+.4f}".replace("-", "−") == said
        assert said in page


def sample(line: str) -> None:
    app(["sample", *line.split()], standalone_mode=False)


def fill(sheet: Path, truth: dict[str, bool]) -> None:
    table = pl.read_csv(sheet, infer_schema=False)
    said = ["yes" if truth[name.removeprefix("'")] else "no" for name in table["id"]]
    table.with_columns(label=pl.Series(said)).write_csv(sheet)
