"""What some hundred runs of the program give is what they gave when they were recorded.

A difference that is meant is listed in changed_on_purpose.toml, with its reason.
"""

from __future__ import annotations

import json
import os

import pytest

from guard.compare import TOLERANCE, Allowed, Difference, allowed, differences, unexpected
from guard.record import MACHINE, RECORDED, given, machine, recorded
from guard.runs import RUNS
from guard.steps import DATA

ELSEWHERE, TRAINED_ELSEWHERE = 1e-9, 1e-3  # where numpy works with other instructions than where it was recorded
SHOWN = 30


def _parameter(name: str) -> object:
    return pytest.param(name, marks=[pytest.mark.verify] if RUNS[name].slow else [])


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", [_parameter(name) for name in RUNS])
def test_a_run_gives_what_it_gave(name: str) -> None:
    run = RUNS[name]
    if run.real and not os.environ.get(DATA):
        pytest.skip(f"{DATA} is not set: this run is of real public data")
    same = json.loads(MACHINE.read_text(encoding="utf-8")) == machine()
    tolerance = TOLERANCE if same else TRAINED_ELSEWHERE if run.trained else ELSEWHERE
    found = unexpected(name, differences(recorded(name), given(name), tolerance=tolerance), allowed())
    if run.trained and not same:  # the hash of a model is that of its last digits
        found = [one for one in found if not (isinstance(one.recorded, str) and isinstance(one.found, str))]
    told = "\n".join(str(one) for one in found[:SHOWN])
    assert not found, f"{len(found)} differences from what was recorded:\n{told}"


def test_every_run_is_recorded_and_nothing_else() -> None:
    assert {path.name.removesuffix(".json.gz") for path in RECORDED.glob("*.gz")} == set(RUNS)
    assert sum(path.stat().st_size for path in RECORDED.iterdir()) < 2_000_000


BEFORE = {"steps": [{"code": 0, "out": {"estimates": {"auroc{}": {"value": 0.5, "note": None}}}}], "files": {}}


@pytest.mark.parametrize(
    ("value", "seen"),
    [(0.5, False), (0.5 + 1e-13, False), (0.5 + 1e-11, True), (None, True), ("0.5", True), (True, True)],
)
def test_a_changed_number_is_seen(value: object, seen: bool) -> None:
    after = json.loads(json.dumps(BEFORE))
    after["steps"][0]["out"]["estimates"]["auroc{}"]["value"] = value
    (found,) = list(differences(BEFORE, after)) or [None]
    assert (found is not None) == seen
    if found:
        assert found.path == "steps/0/out/estimates/auroc{}/value"


def test_keys_and_files_that_come_and_go_are_seen_and_so_is_the_order() -> None:
    after = {
        "steps": [{"code": 0, "out": {"estimates": {"brier{}": {}, "auroc{}": {"value": 0.5}}}}],
        "files": {"more.json": {}},
    }
    assert {(one.kind, one.path) for one in differences(BEFORE, after)} == {
        ("gone", "steps/0/out/estimates/auroc{}/note"),
        ("added", "steps/0/out/estimates/brier{}"),
        ("added", "files/more.json"),
    }
    first, second = {"a/estimates": {"x": 1, "y": 2}}, {"a/estimates": {"y": 2, "x": 1}}
    assert [one.path for one in differences(first, second)] == ["a/estimates/<order>"]


def test_only_what_is_listed_may_differ() -> None:
    rows = [
        Allowed("audit-* : */readings/*/text", ("change",), "sentences"),
        Allowed("* : files/*.json/exhibits", ("be added",), "figures of loaded findings"),
    ]
    meant = Difference("steps/0/out/findings/bias/readings/{group=a}/text", "changed", "x", "y")
    added = Difference("files/report/findings.json/exhibits", "added")
    value = Difference("steps/0/out/findings/bias/estimates/auroc{}/value", "changed", 0.5, 0.6)
    gone = Difference("files/report/findings.json/exhibits", "gone")
    assert unexpected("audit-x", [meant, added, value, gone], rows) == [value, gone]
    assert unexpected("report-x", [meant, added], rows) == [meant]
    assert all(row.reason for row in allowed())


@pytest.mark.parametrize(
    ("where", "may", "reason"),
    [("out/*", ("change",), "x"), ("* : out", ("vanish",), "x"), ("* : out", (), "x"), ("* : out", ("change",), " ")],
)
def test_a_row_says_where_what_and_why(where: str, may: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=r"must be|may:|no reason"):
        Allowed(where, may, reason)
