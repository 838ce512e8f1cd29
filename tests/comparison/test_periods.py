"""Two periods: which way is worse, what raises an alarm, and how it is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.audits.accuracy.blind_spots import ROBUST
from evenhand.catalogue.accuracy import MISSED, PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.comparison.periods import compare_period_files, compare_periods, period_caveats
from evenhand.errors import InputError
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Measured
from evenhand.findings_file import to_json


def period(share: float, missed: float, recall: float) -> Finding:
    estimates = (
        Measured(PREVALENCE, {}, Estimate(share, share - 0.01, share + 0.01, 0.95, "wilson", 900)),
        Measured(PREVALENCE, {"pool": "visible"}, Estimate(share, share - 0.01, share + 0.01, 0.95, "wilson", 500)),
        Measured(PREVALENCE, {"pool": "removed"}, Estimate(0.8, 0.7, 0.9, 0.95, "wilson", 400)),
        Measured(MISSED, {}, Estimate(missed, missed - 50.0, missed + 50.0, 0.95, "wilson", 900)),
        Measured(RECALL, {}, Estimate(recall, recall - 0.02, recall + 0.02, 0.95, "mover", 900)),
    )
    return Finding("accuracy", "?", estimates, (), {"measurement": {"period": f"{share:g}"}})


def test_the_direction_of_a_measure_says_what_is_worse() -> None:
    found = compare_periods(period(0.1, 900.0, 0.5), period(0.05, 400.0, 0.7))
    assert [(one.measure, dict(one.slice)) for one in found] == [
        (PREVALENCE, {}),
        (PREVALENCE, {"pool": "visible"}),
        (MISSED, {}),
        (RECALL, {}),
    ]  # the share among the removed is the precision
    assert all(one.worse and one.change.alarm for one in found)
    assert not any(one.worse for one in compare_periods(period(0.05, 400.0, 0.7), period(0.1, 900.0, 0.5)))


def test_files_are_compared_in_sentences_and_as_data(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("june.json", "may.json")]
    for file, finding in zip(files, (period(0.1, 900.0, 0.5), period(0.05, 400.0, 0.7)), strict=True):
        file.write_text(to_json([finding]), encoding="utf-8")
    found = compare_period_files(*map(str, files), rule="overlap")
    assert found.alarm
    assert found.record()["alarm"] is True
    assert [one["measure"] for one in found.record()["changes"]] == [PREVALENCE, PREVALENCE, MISSED, RECALL]
    lines = found.lines()
    assert lines[0] == "This period: 0.1. Last period: 0.05."
    assert lines[1].startswith("Prevalence rose from 5 % to 10 %: by +5.0 points (+3.6 to +6.4). ALARM, for the worse.")
    assert lines[2].startswith("Prevalence of what is visible rose")
    assert lines[3].startswith("Violating items still visible rose from 400 to 900: by +500 items")
    assert sum("ALARM, " in line for line in lines) == len(found.alarms) == 2  # one for each fact
    follow = "This also shows in Prevalence of what is visible up, Violating items still visible up."
    assert lines[-1] == f"ALARM: Prevalence up, Recall down. {follow}"
    assert found.record()["alarms"] == [{"measure": PREVALENCE, "slice": {}}, {"measure": RECALL, "slice": {}}]


def test_a_file_without_moderation_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(to_json([Finding("bias", "?", (), (), {})]), encoding="utf-8")
    with pytest.raises(InputError, match="no findings with a prevalence"):
        compare_period_files(str(file), str(file))


def robust(share: float, *, flagged: bool) -> Finding:
    """A prevalence whose usual interval is narrow, with a robust one beside."""
    flags = (Flag.BLIND_SPOT,) if flagged else ()
    usual = Estimate(share, share - 0.005, share + 0.005, 0.95, "beta", 900, flags=flags)
    wide = Estimate(share, share - 0.02, share + 0.06, 0.95, "one_more_violation", 900)
    return Finding("accuracy", "?", (Measured(PREVALENCE, {}, usual), Measured(PREVALENCE, ROBUST, wide)), (), {})


def test_an_interval_that_assumes_too_much_raises_no_alarm() -> None:
    """The report gives the robust interval there, so the comparison does too."""
    (sure,) = compare_periods(robust(0.08, flagged=False), robust(0.05, flagged=False))
    assert sure.change.alarm
    (doubtful,) = compare_periods(robust(0.08, flagged=True), robust(0.05, flagged=True))
    assert not doubtful.change.alarm
    assert doubtful.this.method == "one_more_violation"
    caveats = period_caveats(robust(0.08, flagged=True), robust(0.05, flagged=False))
    assert any("The score may miss violations in this period" in text for text in caveats)


def test_the_same_authors_in_both_periods_are_said() -> None:
    one = replace(period(0.1, 900.0, 0.5), provenance={"roles": {"cluster": ["author"]}})
    assert any("by 'author' in both periods" in text for text in period_caveats(one, one))
    assert not any("'author'" in text for text in period_caveats(one, period(0.1, 900.0, 0.5)))
