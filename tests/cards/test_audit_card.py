"""The card of a model that was audited: all numbers filled in, prompts for the rest."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import evenhand as eh
from evenhand.cards.audit_card import CARD_PROMPTS, model_card, restrict_to_model
from evenhand.errors import InputError


@pytest.fixture(scope="module")
def report(small: pl.DataFrame) -> eh.Report:
    audits = ["bias", "collaboration", "calibration"]
    options = {"label": "y", "groups": ["a", "b"], "replicates": 50}
    return eh.audit(small, audits=audits, score=["first", "second"], **options)


@pytest.mark.verify
def test_every_audit_is_filled_in_by_group_with_intervals(report: eh.Report) -> None:
    card = model_card(report.findings, name="The first", model="first")
    assert card.startswith("# Model card: The first\n")
    for finding in report:
        assert f"### {finding.question}" in card
    for group in "ab":
        e = report.findings[0].get("bpsn_auc", model="first", group=group)
        assert f"\\[{e.low:.3f}, {e.high:.3f}\\]" in card
    assert "second" not in card


@pytest.mark.verify
def test_what_only_people_know_is_asked_for(report: eh.Report) -> None:
    card = model_card(report.findings, name="x", model="second")
    for title, prompts in CARD_PROMPTS.items():
        assert f"## {title}\n" in card
        assert all(f"- *To fill in*: {prompt}" in card for prompt in prompts)
    for caveat in report.findings[0].caveats[:2]:
        assert caveat[:40] in card


@pytest.mark.verify
def test_one_model_is_seen_as_if_alone(report: eh.Report, small: pl.DataFrame) -> None:
    alone = eh.audit(small, score="first", label="y", groups=["a", "b"], audits="collaboration").findings[0]
    finding = restrict_to_model(report.findings[1], "first")
    for measure in ("accuracy", "recall", "auroc"):
        assert finding.get(measure, group="a").value == alone.get(measure, group="a").value
    assert not finding.values("model")


@pytest.mark.verify
def test_which_model_must_be_said(report: eh.Report) -> None:
    with pytest.raises(InputError, match="first, second"):
        model_card(report.findings, name="x")
    with pytest.raises(InputError, match="did you mean 'first'"):
        model_card(report.findings, name="x", model="firts")
    with pytest.raises(InputError, match="no findings"):
        model_card([], name="x")


@pytest.mark.verify
def test_the_command(program, small: pl.DataFrame) -> None:
    small.write_parquet("items.parquet")
    assert (
        program("audit", "items.parquet", "--score", "first", "--label", "y", "--groups", "a,b", "-o", "out").code == 0
    )
    done = program("card", "out/findings.json", "--name", "Mine")
    assert done.code == 0, done.err
    assert Path("model_card.md").read_text().startswith("# Model card: Mine")
    again = program("card", "out/findings.json")
    assert again.code == 2
    assert "--force" in again.err
    assert program("card", "out/findings.json", "--force").code == 0
    assert "# Model card: first" in Path("model_card.md").read_text()


def test_groups_by_words_are_listed_with_their_words(small: pl.DataFrame) -> None:
    roles = {"text": "text", "terms": {"brief": ["short"], "wordy": ["long"]}}
    (finding,) = eh.audit(small, audits="bias", score="first", label="y", **roles)
    card = model_card([finding], name="x")
    assert "brief: short, wordy: long" in card
