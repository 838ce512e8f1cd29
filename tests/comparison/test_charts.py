"""Many periods: each against those before it, one alarm for a fact, and as many false ones as are stated."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.comparison import chart_finding, chart_period_files, chart_periods, charted_series
from evenhand.comparison.charts import ControlChart
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.findings_file import to_json
from evenhand.intervals.proportions import WilsonInterval

YEAR = [f"2026-{month:02}" for month in range(1, 13)]


def share(hits: float, n: int) -> Estimate:
    low, high = WilsonInterval(hits / n, 1.0 / n).interval(0.95)
    return Estimate(hits / n, low, high, 0.95, "wilson", n)


def period(
    name: str, prevalence: float, recall: float, *, parts: dict[str, float] | None = None, n: int = 1000
) -> Finding:
    estimates = [
        Measured(PREVALENCE, {}, share(prevalence * n, n)),
        Measured(RECALL, {}, share(recall * n, n)),
        Measured(PRECISION, {}, share(0.8 * n, n)),
        *(Measured(RECALL, {"language": part}, share(value * n, n)) for part, value in (parts or {}).items()),
    ]
    return Finding("accuracy", "?", tuple(estimates), (), {"measurement": {"period": name}})


def test_a_lasting_change_is_one_alarm() -> None:
    values = [0.60, 0.61, 0.59, 0.60, 0.45, 0.46, 0.44]
    chart = chart_periods([period(m, 0.05, v) for m, v in zip(YEAR, values, strict=False)], YEAR[:7])
    assert [one for one in YEAR[:7] if chart.alarms(one)] == ["2026-05"]
    (recall,) = (one for one in chart.series if one.measure == RECALL)
    assert [point.before for point in recall.points] == [0, 1, 2, 3, 4, 1, 2]
    assert recall.points[4].mean == pytest.approx(0.6)
    assert not chart.alarm
    lines = chart.lines()
    assert (
        lines[0] == "Without any change, 0.5 false alarms a year are expected over all 3 series, at 12 periods a year."
    )
    assert "2026-05: ALARM: Recall fell to 45 %" in lines[1]
    assert "The 4 periods before came to 60 %" in lines[1]
    assert lines[-1] == "2026-07: No alarm: nothing lies beyond its limits."


def test_a_fact_that_shows_in_parts_is_one_alarm() -> None:
    usual = [period(m, 0.05, 0.6, parts={"de": 0.6, "en": 0.6}) for m in YEAR[:3]]
    everywhere = chart_periods([*usual, period("2026-04", 0.05, 0.4, parts={"de": 0.4, "en": 0.4})], YEAR[:4])
    assert [one.title for one, _ in everywhere.alarms("2026-04")] == ["Recall"]
    assert everywhere.sentences("2026-04")[-1] == "This also shows in Recall, de, Recall, en."
    one_part = chart_periods([*usual, period("2026-04", 0.05, 0.59, parts={"de": 0.45, "en": 0.6})], YEAR[:4])
    assert [one.title for one, _ in one_part.alarms("2026-04")] == ["Recall, de"]
    assert one_part.alarm


def test_it_is_complete_in_a_finding(tmp_path: Path) -> None:
    chart = chart_periods([period(m, 0.05, v) for m, v in zip(YEAR, (0.6, 0.61, 0.4), strict=False)], YEAR[:3])
    finding = chart_finding(chart)
    assert charted_series(finding) == list(chart.series)
    assert [verdict.status for verdict in finding.verdicts] == ["stands_out"]
    files = []
    for name, value in zip(("a", "b", "c"), (0.6, 0.61, 0.4), strict=True):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(to_json([period("", 0.05, value)]), encoding="utf-8")
    from_files = chart_period_files(list(map(str, files)))
    assert from_files.periods == ("a", "b", "c")
    assert from_files.alarm


@pytest.mark.parametrize(
    ("periods", "names", "settings", "said"),
    [
        (1, 1, {}, "two periods or more"),
        (2, 2, {"false_alarms": 0.0}, "false_alarms"),
        (2, 2, {"false_alarms": 99.0}, "more than there are estimates in a year"),
    ],
)
def test_what_cannot_be_charted(periods: int, names: int, settings: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        chart_periods([period(m, 0.05, 0.6) for m in YEAR[:periods]], YEAR[:names], **settings)
    with pytest.raises(InputError, match="the same name"):
        chart_periods([period("x", 0.05, 0.6)] * 2, ["x", "x"])


def alarms_without_change(rng: np.random.Generator, n: int, false_alarms: float) -> int:
    """Two years of months that are all alike; the false alarms of the second."""
    findings = []
    for _ in range(24):
        estimates = [
            Measured(PREVALENCE, {}, share(rng.binomial(n, 0.05), n)),
            Measured(RECALL, {}, share(rng.binomial(n, 0.6), n)),
        ]
        findings.append(Finding("accuracy", "?", tuple(estimates), (), {}))
    chart: ControlChart = chart_periods(findings, [str(m) for m in range(24)], false_alarms=false_alarms)
    return sum(len(chart.raised(str(m))) for m in range(12, 24))


@pytest.mark.parametrize(("years", "false_alarms"), [(150, 1.0)])
def test_false_alarms_are_as_many_as_stated(years: int, false_alarms: float) -> None:
    rng = np.random.default_rng(6)
    found = sum(alarms_without_change(rng, 1500, false_alarms) for _ in range(years)) / years
    assert 0.5 * false_alarms <= found <= 1.3 * false_alarms


def test_the_command_its_report_and_its_exit_code(program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in zip(YEAR[:3], (0.6, 0.61, 0.4), strict=True):
        Path(f"{name}.json").write_text(to_json([period(name, 0.05, value, parts={"de": value})]), encoding="utf-8")
    files = [f"{name}.json" for name in YEAR[:3]]
    done = program("sample", "chart", *files, "--fail-on-alarm", "-o", "report")
    assert done.code == 3
    assert "2026-03: ALARM: Recall fell to 40 %" in done.out
    page = Path("report/report.html").read_text(encoding="utf-8")
    for text in ("Chance alone", "▼ fell", "2026-02", "Recall, de", "<svg"):
        assert text in page, text
    assert program("sample", "chart", *files[:2], "--fail-on-alarm").code == 0
    told = json.loads(program("sample", "chart", *files, "--json").out)
    assert told["findings"][0]["audit"] == "periods"
    assert program("sample", "chart", *files, "--per-year", "0").code == 2
