"""What changes with a new threshold: groups, the held-out half, and what must hold whatever the data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import brute
from evenhand.finding import Finding
from migration.logs import frame, moved


def test_numbers_are_those_counted_comment_by_comment() -> None:
    table = frame(900)
    finding = moved(table, thresholds=[0.8], groups=["women", "men"])
    new = table["ours"].to_numpy() >= finding.get("new_threshold", threshold="0.8", matched="flag_rate").value
    old = table["perspective"].to_numpy() >= 0.8
    here = {"threshold": "0.8", "matched": "flag_rate"}
    expected = brute.decisions(old, new)
    for measure in ("decision_agreement", "newly_flagged", "no_longer_flagged", "still_flagged", "gwet_ac1"):
        assert finding.get(measure, **here).value == pytest.approx(expected[measure])
    for group in ("women", "men"):
        inside = table[group].to_numpy()
        own = brute.decisions(old[inside], new[inside])
        assert finding.get("flag_rate_ratio", **here, group=group).value == pytest.approx(own["flag_rate_ratio"])
        assert finding.get("flag_rate", threshold="0.8", model="old", group=group).value == old[inside].mean()
        assert finding.get("flag_rate", **here, model="new", group=group).value == new[inside].mean()


def test_a_planted_lift_is_found_and_the_rest_is_not() -> None:
    finding = moved(frame(12_000, lift=1.5), thresholds=[0.8], groups=["women", "men"])
    tendencies = {r.slice["group"]: r.tendency for r in finding.readings if r.topic == "group"}
    assert tendencies["women"] == "larger"
    assert tendencies["men"] != "larger"
    (standing_out,) = [verdict for verdict in finding.verdicts if verdict.status == "stands_out"]
    assert "'women'" in standing_out.statement


def test_intervals_of_groups_allow_for_all_of_them() -> None:
    """One group alone has a narrower interval than the same group beside others and at three thresholds."""
    table = frame(1500)
    here = {"threshold": "0.8", "matched": "flag_rate", "group": "women"}
    alone = moved(table, thresholds=[0.8], groups=["women"]).get("flag_rate_ratio", **here)
    beside = moved(table, groups=["women", "men"]).get("flag_rate_ratio", **here)
    assert beside.value == alone.value
    assert beside.low < alone.low < alone.high < beside.high


def test_the_seed_settles_the_halves_and_nothing_else() -> None:
    table = frame(600)

    def numbers(finding: Finding, *, halves: bool) -> list[object]:
        return [m.estimate for m in finding if ("pool" in m.slice) == halves]

    one, again, other = (moved(table, seed=seed) for seed in (0, 0, 1))
    assert numbers(one, halves=True) == numbers(again, halves=True) != numbers(other, halves=True)
    assert numbers(one, halves=False) == numbers(other, halves=False)


def test_the_order_of_rows_changes_no_number_but_the_halves() -> None:
    table = frame(700)
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=3)
    one, two = (moved(one, label="toxic", groups=["women"], slices=["language"]) for one in (table, shuffled))
    for m, other in zip(one, two, strict=True):
        if "pool" not in m.slice:
            assert m.estimate == other.estimate, m


def test_the_same_model_changes_nothing() -> None:
    table = frame(800).with_columns(ours=pl.col("perspective"))
    finding = moved(table, groups=["women"], label="toxic")
    for threshold in finding.values("threshold"):
        here = {"threshold": threshold, "matched": "flag_rate"}
        assert finding.get("decision_agreement", **here).value == 1.0
        assert finding.get("still_flagged", **here).value == 1.0
        assert finding.get("flag_rate_ratio", **here, group="women").value == 1.0
        assert finding.get("precision_change", **here).value == 0.0
    assert finding.get("rank_agreement").value == pytest.approx(1.0)


@pytest.mark.parametrize(("rows", "digits"), [(60, None), (400, 2), (3000, None)])
def test_a_threshold_of_one_half_holds_on_the_other(rows: int, digits: int | None) -> None:
    """In most of some draws, with few rows and with ties; how often exactly is in the study."""
    held = []
    for seed in range(12):
        finding = moved(frame(rows, seed=seed, digits=digits), thresholds=[0.6, 0.8])
        found = [m.estimate for m in finding if "pool" in m.slice and m.estimate.defined]
        held.append(all(e.low <= 0.0 <= e.high for e in found))
    assert np.mean(held) >= 0.8


def test_scores_in_one_heap_are_said_to_miss_the_share() -> None:
    """Most new scores are the same number: no threshold flags the wanted share, and that is no match."""
    table = frame(1000).with_columns(ours=pl.when(pl.col("ours") > 0.3).then(0.9).otherwise(pl.col("ours")))
    finding = moved(table, thresholds=[0.9])
    assert any("no new one flags exactly the same share" in caveat for caveat in finding.caveats)
    (statement,) = [v.statement for v in finding.verdicts if v.statement.startswith("Replace the threshold")]
    assert "comes nearest to" in statement


def test_a_group_of_which_nothing_was_flagged() -> None:
    table = frame(600).with_columns(quiet=pl.col("perspective") < 0.2)
    finding = moved(table, thresholds=[0.8], groups=["quiet"])
    found = finding.get("flag_rate_ratio", threshold="0.8", matched="flag_rate", group="quiet")
    assert not found.defined
    (reading,) = [r for r in finding.readings if r.topic == "group"]
    assert reading.tendency == "unknown"
    assert "none was flagged before" in reading.text


def test_groups_of_few_comments_are_not_shown() -> None:
    rare = pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("fy")).otherwise("language")
    table = frame().with_columns(language=rare, few=pl.int_range(pl.len()) < 4)
    finding = moved(table, slices="language", groups=["few"], thresholds=[0.7])
    assert set(finding.values("language")) == {"de", "en"}
    assert finding.values("group") == ("few",)  # its column was named
    assert any(caveat.startswith("1 slice with fewer than 5 items") for caveat in finding.caveats)
    assert set(moved(table, group_by="language", thresholds=[0.7]).values("group")) == {"de", "en"}
    shown = moved(table, slices="language", thresholds=[0.7], smallest_group=1)
    assert set(shown.values("language")) == {"de", "en", "fy"}
    assert not any("not shown" in caveat for caveat in shown.caveats)
