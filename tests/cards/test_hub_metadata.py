"""Metadata for the Hub: what its own library reads from a card are the numbers of the findings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

import evenhand as eh
from evenhand.cards import save_model_card
from evenhand.cards.hub_metadata import hub_metadata

TABLE = {"p": np.linspace(0, 1, 200), "y": [False, True] * 100, "women": [True, True, False, False] * 50}


def findings(name: str = "women") -> list[eh.Finding]:
    table = {**TABLE, name: TABLE["women"]}
    return list(eh.audit(table, score="p", label="y", groups=name, audits="bias").findings)


def block(text: str) -> dict:
    _, middle, _ = text.split("---\n", 2)
    return yaml.safe_load(middle)


def test_the_numbers_are_those_of_the_findings() -> None:
    (index,) = block(hub_metadata(findings(), name="ours"))["model-index"]
    (finding,) = findings()
    assert index["name"] == "ours"
    metrics = {
        (result["dataset"].get("config", ""), metric["type"]): metric
        for result in index["results"]
        for metric in result["metrics"]
    }
    auc = finding.get("bpsn_auc", group="women")
    found = metrics["group=women", "bpsn_auc"]
    assert found["value"] == pytest.approx(auc.value, rel=1e-5)
    assert (found["args"]["low"], found["args"]["high"]) == pytest.approx((auc.low, auc.high), rel=1e-5)
    assert len(metrics) == sum(m.estimate.defined for m in finding if not {"as_if", "against"} & set(m.slice))


def test_the_library_of_the_hub_reads_it(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    save_model_card(findings(), tmp_path / "README.md", name="ours", hub=True)
    card = hub.ModelCard((tmp_path / "README.md").read_text())
    assert card.data.model_name == "ours"
    assert {result.metric_type for result in card.data.eval_results} >= {"subgroup_auc", "bpsn_auc", "bnsp_auc"}


def test_a_card_without_it_is_as_before(tmp_path: Path) -> None:
    save_model_card(findings(), tmp_path / "card.md", name="ours")
    save_model_card(findings(), tmp_path / "hub.md", name="ours", hub=True)
    plain, hub = ((tmp_path / name).read_text() for name in ("card.md", "hub.md"))
    assert hub.endswith(plain)
    assert plain.startswith("# Model card")


@pytest.mark.parametrize("name", ["a: b", "---", "x\u202ey", "#tag", '"', "- item", "\U0001f600"], ids=range(7))
def test_names_stay_names(name: str) -> None:
    (index,) = block(hub_metadata(findings(name), name=name))["model-index"]
    assert any("group=" in result["dataset"].get("config", "") for result in index["results"])
    assert index["name"].replace("\\u202e", "\u202e") == name
