"""The table of a run: as text, as JSON with everything behind it, and within the page that explains it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.benchmark import Benchmark, Outcome, Promise, Run, number

HERE = Path(__file__).parent
PAGE, JSON, GPU = HERE / "RESULTS.md", HERE / "results.json", HERE / "gpu.json"
HEAD = ("benchmark", "ours", "held against", "floor", "ratio", "promised", "memory", "promised", "kept")
Record = dict[str, Any]


def record(benchmark: Benchmark, outcome: Outcome, load: float) -> Record:
    """One row with everything: the texts of the registry, every run, every promise."""
    return _words(benchmark) | {
        **{side: _side(getattr(outcome, side)) for side in ("ours", "peer", "floor")},
        "ratio": _held(benchmark.speed, benchmark.ratio(outcome)),
        "memory": _held(benchmark.memory, outcome.memory),
        "also": {name: _held(promise, outcome.also[name]) for name, promise in benchmark.also.items()},
        "note": outcome.note,
        "broken": benchmark.broken(outcome),
        "load": round(load, 2),
    }


def unmeasured(benchmark: Benchmark, why: str) -> Record:
    """The row of a benchmark that came to nothing: its promise counts as broken, and the others are still measured."""
    empty = dict.fromkeys(("ours", "peer", "floor", "ratio", "memory"))
    return _words(benchmark) | empty | {"also": {}, "note": why, "broken": [f"{benchmark.name}: {why}"], "load": None}


def judged_again(run: Mapping[str, Any], benchmarks: Iterable[Benchmark]) -> Record:
    """The same measurements by what is promised now; a benchmark added since then is not measured."""
    measured = {one["name"]: one for one in run["rows"]}
    return {**run, "rows": [_judged(one, measured.get(one.name)) for one in benchmarks]}


def _judged(benchmark: Benchmark, row: Mapping[str, Any] | None) -> Record:
    if row is None or row["ours"] is None:
        return unmeasured(benchmark, row["note"] if row else "not measured yet")
    values = {name: held["value"] for name, held in row["also"].items()}
    promised = replace(benchmark, also={name: one for name, one in benchmark.also.items() if name in values})
    sides = {side: _run_again(row[side]) for side in ("ours", "peer", "floor")}
    memory = row["memory"] and row["memory"]["value"]
    return record(promised, Outcome(**sides, memory=memory, also=values, note=row["note"]), row["load"])


def _run_again(side: Mapping[str, Any] | None) -> Any:
    return side and Run(tuple(side["seconds"]), side["peak_mb"], side["cpu"])


def table(records: Iterable[Record]) -> str:
    """The one table of ratios."""
    rows = [
        (
            one["name"],
            _run(one["ours"]),
            _run(one["peer"]),
            _run(one["floor"]),
            *_shown(one["ratio"]),
            *_shown(one["memory"]),
            "**no**" if one["broken"] else "yes",
        )
        for one in records
    ]
    return _aligned([HEAD, *rows], right=range(1, 8))


def page(run: Mapping[str, Any], gpu: Mapping[str, Any]) -> str:
    """What is between the marks of the page: the machine, the table, what its rows mean, and graphics cards."""
    meaning = [
        ("benchmark", "measured", "held against", "floor"),
        *((one["name"], one["measured"], one["against"], one["floor_is"]) for one in run["rows"]),
    ]
    parts = [_machine(run), table(run["rows"]), _aligned(meaning), _remarks(run["rows"]), _graphics(gpu)]
    return "\n\n".join(parts)


def write(run: Mapping[str, Any], *, path: Path = PAGE, data: Path = JSON) -> None:
    """Both files."""
    data.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    path.write_text(filled(path.read_text(encoding="utf-8"), run), encoding="utf-8")


def filled(text: str, run: Mapping[str, Any]) -> str:
    """The page with this run between its marks."""
    made = page(run, json.loads(GPU.read_text(encoding="utf-8")))
    between = re.compile(r"(<!-- measured -->\n).*?(\n<!-- end -->)", re.DOTALL)
    whole, found = between.subn(lambda marks: f"{marks[1]}\n{made}\n{marks[2]}", text)
    if found != 1:
        raise ValueError("the page needs one pair of marks: <!-- measured --> and <!-- end -->, an empty line between")
    return whole


def _words(benchmark: Benchmark) -> Record:
    return {
        "name": benchmark.name,
        "measured": benchmark.measured,
        "against": benchmark.against,
        "floor_is": benchmark.floor,
    }


def _machine(run: Mapping[str, Any]) -> str:
    hardware, versions = run["hardware"], run["versions"]
    loads = ", ".join(f"{load:g}" for load in hardware["load_at_start"])
    cores = f"{hardware['cores']} cores of {hardware['cpu']}, {hardware['memory_gb']:g} GB, {hardware['system']}"
    lines = [f"{cores}; load average at the start {loads} (1, 5 and 15 minutes); {run['minutes']:.0f} minutes in all."]
    lines += [f"{who}: {_versions(versions[who.lower()])}." for who in ("Ours", "Peers") if versions[who.lower()]]
    return "\n".join(lines)


def _versions(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in found.items())


def _remarks(records: Iterable[Record]) -> str:
    lines = []
    for one in records:
        also = [
            f"{name} {_promise(held).shown(held['value'])} ({held['promised']})" for name, held in one["also"].items()
        ]
        said = "; ".join(filter(None, [*also, one["note"]]))
        lines += [f"- *{one['name']}*: {said}."] if said else []
    return "\n".join(lines)


def _graphics(gpu: Mapping[str, Any]) -> str:
    rows = [("on a graphics card", "measured", "promised", "kept")]
    for one in gpu["rows"]:
        promise = Promise(**one["promise"]) if one.get("promise") else None
        values = f"{' to '.join(number(value) for value in one['values'])} {one['unit']}"
        kept = "" if promise is None else "yes" if all(map(promise.held, one["values"])) else "**no**"
        rows.append((one["measured"], values, promise.shown() if promise else "", kept))
    return f"{gpu['about']}\n\n{_aligned(rows, right=(1, 2))}"


def _side(run: Run | None) -> Record | None:
    return asdict(run) | {"median": run.median} if run else None


def _held(promise: Promise | None, value: float | None) -> Record | None:
    if promise is None or value is None:
        return None
    return {"value": value, "promised": promise.shown(), **asdict(promise), "held": promise.held(value)}


def _promise(held: Mapping[str, Any]) -> Promise:
    return Promise(held["sign"], held["limit"], held["unit"])


def _shown(held: Mapping[str, Any] | None) -> tuple[str, str]:
    return (_promise(held).shown(held["value"]), held["promised"]) if held else ("", "")


def _run(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return ""
    peak = f", {side['peak_mb']:,.0f} MB" if side["peak_mb"] else ""
    return f"{number(side['median'])} s{peak}"


def _aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> str:
    """A table of Markdown whose columns also line up as they are."""
    widths, right = [max(map(len, column)) for column in zip(*rows, strict=True)], set(right)
    rule = ["-" * (w - 1) + ":" if k in right else "-" * w for k, w in enumerate(widths)]

    def line(row: Sequence[str]) -> str:
        cells = enumerate(zip(row, widths, strict=True))
        return "| " + " | ".join(c.rjust(w) if k in right else c.ljust(w) for k, (c, w) in cells) + " |"

    return "\n".join(map(line, (rows[0], rule, *rows[1:])))
