"""The runner makes a correct table: ratios from medians, promises judged, both sides asked once; on tiny sizes."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks import results, runs
from benchmarks.benchmark import FASTER, SLOWER, Benchmark, Outcome, Promise, Run
from benchmarks.place import PeersError, Place
from benchmarks.registry import BENCHMARKS

OURS, PEER, FLOOR = Run((0.4, 0.5, 9.0), 405.0), Run((20.0,), 547.0), Run((0.2,), 136.0)


def made_up(**changes: object) -> Benchmark:
    outcome = Outcome(OURS, PEER, FLOOR, memory=405.0, also={"largest difference": 1e-8}, note="on made-up data")
    plain = Benchmark(
        "made-up",
        "something",
        "somebody",
        "nothing",
        lambda place: outcome,
        speed=Promise(FASTER, 40),
        memory=Promise(SLOWER, 700, "MB"),
        also={"largest difference": Promise(SLOWER, 1e-6, "")},
    )
    return replace(plain, **changes)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def rows(table: str) -> dict[str, dict[str, str]]:
    """By name; the second column called `promised` is that of memory."""
    head, _, *body = (cells(line) for line in table.splitlines())
    head[head.index("memory") + 1] = "memory promised"
    return {row[0]: dict(zip(head, row, strict=True)) for row in body}


def run(*benchmarks: Benchmark) -> results.Record:
    return command.measure(benchmarks, Place(Path(), Path("nowhere")))


def test_a_row_has_the_ratio_of_medians_beside_what_is_promised() -> None:
    (row,) = rows(results.table(run(made_up())["rows"])).values()
    assert row == {
        "benchmark": "made-up",
        "ours": "0.5 s, 405 MB",
        "held against": "20 s, 547 MB",
        "floor": "0.2 s, 136 MB",
        "ratio": "40 ×",
        "promised": "≥ 40 ×",
        "memory": "405 MB",
        "memory promised": "≤ 700 MB",
        "kept": "yes",
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"speed": Promise(FASTER, 41)}, "made-up: speed 40 ×, promised ≥ 41 ×"),
        ({"speed": Promise(SLOWER, 0.02)}, "made-up: speed 0.025 ×, promised ≤ 0.02 ×"),
        ({"speed": Promise(SLOWER, 0.4, "s")}, "made-up: speed 0.5 s, promised ≤ 0.4 s"),
        ({"memory": Promise(SLOWER, 404, "MB")}, "made-up: memory 405 MB, promised ≤ 404 MB"),
        (
            {"also": {"largest difference": Promise(SLOWER, 1e-9, "")}},
            "made-up: largest difference 1.0e-08, promised ≤ 1.0e-09",
        ),
    ],
)
def test_each_promise_can_be_broken(
    changes: dict[str, object], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "BENCHMARKS", (made_up(name="kept"), made_up(**changes)))
    assert command.main(["made-up", "--peers", "nowhere"]) == 1
    assert said in capsys.readouterr().out
    assert command.main(["kept", "--peers", "nowhere"]) == 0
    assert "every promise was kept" in capsys.readouterr().out


def test_without_a_peer_the_floor_stands_in() -> None:
    alone = made_up(run=lambda place: Outcome(OURS, floor=FLOOR), speed=Promise(SLOWER, 3), memory=None, also={})
    (row,) = rows(results.table(run(alone)["rows"])).values()
    assert (row["ratio"], row["held against"], row["memory"], row["kept"]) == ("2.5 ×", "", "", "yes")


@pytest.mark.parametrize("given", [["no-such"], ["bias", "--write"], ["--write", "--scale", "0.1"]])
def test_what_cannot_be_measured_is_refused(given: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(given)
    assert isinstance(stopped.value.code, str)


def test_a_side_that_fails_breaks_its_promise_and_no_other(tmp_path: Path) -> None:
    place = Place(tmp_path, Path("nowhere"))
    failing = made_up(name="failing", run=lambda place: place.ours("floors:comments", "no such file", None))
    found = command.measure([failing, made_up()], place)
    assert [row["broken"] for row in found["rows"]] == [["failing: floors:comments failed"], []]
    assert rows(results.table(found["rows"]))["failing"]["kept"] == "**no**"
    assert "failing*: floors:comments failed" in results.page(found | {"minutes": 1}, {"about": "", "rows": []})


def test_without_peers_one_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(PeersError, match="make bench"):
        Place(tmp_path, tmp_path / "python").theirs("machine:installed", [])


def test_real_sides_fill_a_row(tmp_path: Path) -> None:
    """Each in a process of its own; this environment stands in for that of the peers."""
    asked: list[str] = []
    place = Place(tmp_path, Path(sys.executable), scale=0.0, say=asked.append)
    (benchmark,) = (one for one in BENCHMARKS if one.name == "perspective")
    row = results.record(benchmark, benchmark.run(place), load=0.0)
    assert len(asked) == 4
    assert row["ratio"]["value"] == pytest.approx(row["peer"]["median"] / row["ours"]["median"])
    assert row["ours"]["peak_mb"] > 20
    assert row["also"]["largest difference of a fingerprint"]["value"] < 1e-12
    assert place.made("annotations", "annotations", 4000) == str(tmp_path / "annotations")
    assert len(asked) == 4  # made once
    loop = place.sides['peers.perspective:loop "annotations" 60']
    assert "seconds" in loop
    assert "shares" not in loop


SIDES = sorted(set(re.findall(r'"((?:data|floors|ours\.\w+|peers\.\w+):\w+)"', Path(runs.__file__).read_text())))


@pytest.mark.parametrize("side", SIDES)
def test_every_side_that_is_named_is_there(side: str) -> None:
    """Those of peers are read and not imported: their environment is another."""
    module, function = side.split(":")
    if module.startswith("peers"):
        path = Path(runs.__file__).with_name("peers") / f"{module.removeprefix('peers.')}.py"
        assert f"\ndef {function}(" in path.read_text()
    else:
        assert callable(getattr(import_module(f"benchmarks.{module}"), function))


def test_the_comparison_of_models_can_be_imported() -> None:
    assert callable(import_module("models.compared").main)


def test_measurements_are_judged_by_the_promises_of_today() -> None:
    """A limit that changed, a promise that was not measured then, and a row that is new."""
    stricter = made_up(speed=Promise(FASTER, 41), also={"not measured then": Promise(SLOWER, 1)})
    known, new = results.judged_again(run(made_up()), [stricter, made_up(name="new")])["rows"]
    assert known["broken"] == ["made-up: speed 40 ×, promised ≥ 41 ×"]
    assert (known["also"], known["ours"]["median"]) == ({}, 0.5)
    assert new["broken"] == ["new: not measured yet"]
    assert rows(results.table([known, new]))["new"]["kept"] == "**no**"
    assert results.judged_again(run(made_up()), [made_up()])["rows"] == run(made_up())["rows"]


def test_a_power_of_the_rows_is_the_exponent() -> None:
    sizes = [1_000, 10_000, 100_000]
    assert runs._slope(sizes, [3.0 * size**1.2 for size in sizes]) == pytest.approx(1.2)


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="marks"):
        results.filled("# Speed\n", run(made_up()))


def test_the_page_holds_what_was_measured() -> None:
    """RESULTS.md is made of results.json and gpu.json, and its rows are those of the registry."""
    kept = json.loads(results.JSON.read_text(encoding="utf-8"))
    assert not any('"/' in side for side in kept["sides"]), "no path of the machine it ran on"
    text = results.PAGE.read_text(encoding="utf-8")
    assert results.filled(text, kept) == text
    promised = {
        one.name: {"measured": one.measured, "against": one.against, "floor_is": one.floor} for one in BENCHMARKS
    }
    assert {row["name"]: {key: row[key] for key in promised[row["name"]]} for row in kept["rows"]} == promised
    assert kept["scale"] == 1
    for one, row in zip(BENCHMARKS, kept["rows"], strict=True):
        if row["ours"] is None:
            assert row["broken"], one.name
            continue
        assert (row["ratio"] or {}).get("promised") == (one.speed.shown() if one.speed else None), one.name
        assert (row["memory"] or {}).get("promised") == (one.memory.shown() if one.memory else None), one.name
