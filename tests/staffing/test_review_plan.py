"""The plan for a day: its sentences against its numbers, its guarantee by how the history was labelled, its files."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand import findings_file
from evenhand.evidence import Declaration, open_evidence
from evenhand.finding import Finding, Status
from evenhand.progress import silent
from evenhand.reports.plan import plan_files
from evenhand.routing import ReviewPolicy
from evenhand.staffing import StaffingSettings, plan_staffing
from staffing.plan_sentences import SENTENCE, half_a_unit, number

DAY = {"items_per_day": 4000.0, "seconds_per_review": 90.0, "hours_per_day": 8.0}


def planned(seed: int = 1, n: int = 800, roles: dict | None = None, power: float = 1.3, **settings) -> Finding:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.3, 0.8, n)
    table = pl.DataFrame({"p": p, "pct": 100 * p, "y": rng.random(n) < p**power, "pi": rng.uniform(0.2, 1.0, n)})
    declared = Declaration.of({"score": "p", "label": "y", **(roles or {})})
    return plan_staffing(open_evidence(table, declared), StaffingSettings.of({**DAY, **settings}), silent)


def check_sentence(finding: Finding) -> None:
    """Read the first sentence back, and hold every number of it against the estimates and the policy file."""
    match = SENTENCE.fullmatch(finding.verdicts[0].statement)
    assert match, finding.verdicts[0].statement
    said, own = match.groupdict(), {"target": "this plan"}
    policy = ReviewPolicy.from_dict(json.loads(plan_files(finding)["policy.json"]))
    assert number(said["people"] or said["cheapest"] or said["least"]) == finding.get("reviewers", **own).value
    reviews = number(said["reviews"] or said["cheap"] or said["needed"])
    assert reviews == policy.capacity
    ordered = said["next"] or said["highest"] or said["worth"] or said["other"] or "0"
    assert number(ordered) + number(said["drawn"] or "0") == reviews
    assert number(said["drawn"] or "0") == round(policy.measured_share * reviews)
    if policy.upper is None:
        assert said["upper"] is said["wrong"] is None
    else:
        upper = number(said["upper"]) / (100 if said["percent"] else 1)
        assert upper == pytest.approx(policy.upper, rel=1e-4)
        assert bool(said["percent"]) == (policy.scale == "percent")
        removed = finding.get("removed", **own)
        assert number(said["removed"]) == round(removed.value * finding.provenance["settings"]["items_per_day"])
    for measure, names in (("oc_recall", ("found", "low", "high")), ("wrong_removals", ("wrong", "wlow", "whigh"))):
        estimate = finding.get(measure, **own)
        if estimate.defined:
            ends = (estimate.value, estimate.low, estimate.high)
            assert [number(said[name]) for name in names] == pytest.approx(
                [1000 * end for end in ends], rel=6e-3, abs=max(half_a_unit(said[name]) for name in names)
            )
        else:
            assert said[names[0]] is None


def random_settings(rng: np.random.Generator) -> dict:
    settings: dict = {"measured_share": float(rng.choice([0.0, 0.05, 0.2]))}
    kind = rng.integers(4)
    if kind == 0:
        settings["reviewers"] = float(rng.choice([0.5, 1, 3]))
    elif kind == 1:
        settings |= {"targets": (f"oc_recall={rng.uniform(0.5, 1):.2f}",), "policy": True}
    elif kind == 2:
        settings |= {"false_removal": 2.0, "missed_violation": float(rng.uniform(1, 9)), "review": 0.2, "policy": True}
    else:
        settings |= {"reviewers": 2.0, "targets": ("oc_precision=0.9",)}
    if rng.random() < 0.6:
        settings["wrong_removals"] = float(rng.choice([0.02, 0.1, 0.3]))
    if rng.random() < 0.5:
        settings["labelled"] = str(rng.choice(["random", "policy"]))
    return settings


@pytest.mark.parametrize("seed", range(12))
def test_sentences_say_what_the_numbers_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check_sentence(
        planned(seed, int(rng.integers(150, 900)), power=float(rng.uniform(0.7, 2.0)), **random_settings(rng))
    )


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(100, 160))
def test_more_sentences_say_what_the_numbers_say(seed: int) -> None:
    test_sentences_say_what_the_numbers_say(seed)


def test_a_guarantee_needs_to_know_how_the_history_was_labelled() -> None:
    asked = {"reviewers": 1.0, "wrong_removals": 0.2}
    said = {how: planned(n=3000, **asked, labelled=how).verdicts[0].certainty for how in ("random", "policy", None)}
    assert said["random"].startswith(
        "Guarantee: with probability 0.9, at most 20 % of removals without review are wrong"
    )
    assert said["policy"] == "No guarantee: the labels are not a random sample. The figures are estimates."
    assert said[None].startswith("If the labelled items are a random sample of all items, with probability 0.9")
    drawn = planned(n=3000, roles={"inclusion": "pi"}, **asked).verdicts[0].certainty
    assert drawn.startswith(("Guarantee: ", "No guarantee: no threshold"))


def test_policy_files_hold_a_guarantee_only_if_there_is_one() -> None:
    asked = {"reviewers": 1.0, "wrong_removals": 0.2, "n": 3000}
    for how, shown in (("random", True), ("policy", False), (None, False)):
        policy = json.loads(plan_files(planned(**asked, labelled=how))["policy.json"])
        assert (policy["guarantee"] is not None) is shown


def test_without_a_threshold_that_passes_nothing_is_removed_and_the_nearest_miss_is_named() -> None:
    finding = planned(n=200, reviewers=1.0, wrong_removals=0.02, labelled="random")
    assert not finding.get("remove_from", target="this plan").defined
    assert (
        "Remove nothing without review; review the 304 items with the highest scores" in finding.verdicts[0].statement
    )
    assert "labelled items would" in finding.verdicts[0].certainty


def test_a_target_out_of_reach_is_said() -> None:
    finding = planned(reviewers=0.1, targets=("oc_recall=0.999",))
    assert [verdict.status for verdict in finding.verdicts] == [Status.MEASURED, Status.OPEN]
    assert "oc_recall 0.999 is not reached" in finding.verdicts[1].statement


def test_percentages_are_read_and_written_as_they_are() -> None:
    plain = planned(n=3000, reviewers=1.0, wrong_removals=0.2)
    percent = planned(n=3000, reviewers=1.0, wrong_removals=0.2, roles={"score": "pct", "scale": "percent"})
    assert " % or more, about " in percent.verdicts[0].statement
    assert percent.get("remove_from", target="this plan").value == plain.get("remove_from", target="this plan").value
    old = planned(targets=("oc_recall=0.9",), roles={"score": "pct", "scale": "percent"})
    assert old.get("capacity", strategy="toxicity", target="oc_recall 0.9").value == pytest.approx(
        planned(targets=("oc_recall=0.9",)).get("capacity", strategy="toxicity", target="oc_recall 0.9").value
    )


def test_miscalibrated_scores_are_noticed_and_calibrated_ones_are_not() -> None:
    off = planned(n=4000, power=3.0, reviewers=1.0, wrong_removals=0.2)
    assert "The scores are not calibrated: items scored" in off.readings[0].text
    assert "but hardly what this plan finds" in off.readings[0].text  # the order of the scores stays
    assert planned(n=4000, power=1.0, reviewers=1.0, wrong_removals=0.2).readings == ()


def test_calibrating_first_is_worth_something_where_costs_decide() -> None:
    costs = {"false_removal": 1.0, "missed_violation": 1.0, "review": 0.3, "policy": True, "mode": "decide"}
    off = planned(n=4000, power=4.0, **costs)
    assert any("evenhand calibrate" in reading.text or "but hardly what" in reading.text for reading in off.readings)


def test_a_plan_from_a_file_is_shown_as_the_one_that_was_made(tmp_path) -> None:
    report = eh.Report((planned(n=1000, reviewers=1.0, wrong_removals=0.2),))
    (loaded,) = findings_file.from_json(report.json(), source="findings.json")
    again = eh.Report((loaded,))
    assert (again.json(), again.html(), again.csv()) == (report.json(), report.html(), report.csv())
    report.save(tmp_path / "plan")
    written = {path.name for path in (tmp_path / "plan").iterdir()}
    assert {"report.html", "policy.json", "frontier.csv", "reviewers.csv", "figures"} <= written
    frontier = pl.read_csv(tmp_path / "plan" / "frontier.csv")
    assert frontier["chosen"].sum() == 1
    assert (frontier["removed_per_day"].diff().drop_nulls() >= -1e-6).all()


def test_settings_that_cannot_be() -> None:
    for settings, says in (
        ({"labelled": "maybe"}, "invalid `labelled`: 'maybe' \\(choose from: random, policy\\)"),
        ({"mode": "guess"}, "invalid `mode`"),
        ({"reviewers": -1.0}, "`reviewers`"),
        ({"measured_share": 2.0}, "`measured_share`"),
    ):
        with pytest.raises(eh.InputError, match=says):
            StaffingSettings.of(settings)
