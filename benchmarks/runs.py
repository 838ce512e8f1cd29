"""Each benchmark run once: which sides are asked, on which data, and what is made of their answers."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from benchmarks.benchmark import Outcome, Run
from benchmarks.data import GROUPS
from benchmarks.place import Place

ROWS, LABELLED = 1_800_000, 400_000
ITEMS, TEXTS, TIMED_TEXTS = 100_000_000, 10_000_000, 20_000
SERVED_TEXTS, DAY_ITEMS, WAITING = 200_000, 1_000_000, 1_000_000
TIMED_PEOPLE = 60  # annotators on whom the loop is timed
AUDITS = ("bias", "collaboration", "calibration")
FEW_ROWS = 27_750
GROWING_ROWS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000)
LINEAR_FROM = 1_000_000  # rows, below which most of the time is not that of rows


def bias(place: Place) -> Outcome:
    table = _comments(place)
    floor, ours, peer = (
        place.ours("floors:comments", table, None),
        place.ours("ours.bias:audit", table),
        place.theirs("peers.bias:notebook", table),
    )
    return Outcome(
        Run.of(ours),
        Run.of(peer),
        Run.of(floor),
        memory=ours["peak_mb"],
        also={
            "largest difference": _furthest(ours["values"], peer["values"]),
            "beside the floor": Run.of(ours).median / Run.of(floor).median,
        },
        note=f"{ours['estimates']} estimates; first of {len(ours['seconds'])} runs {ours['seconds'][0]:.2f} s; "
        + _by_cores(Run.of(ours), Run.of(floor)),
    )


def collaboration(place: Place) -> Outcome:
    table = _comments(place)
    floor = place.ours("floors:comments", table, ["p", "toxic"])
    return _collaboration(place, table, "from_parquet", floor)


def collaboration_in_memory(place: Place) -> Outcome:
    table = _comments(place)
    return _collaboration(place, table, "from_memory", place.ours("floors:scores", table))


def calibration(place: Place) -> Outcome:
    classes = place.made("classes", "classes", place.rows(ROWS))
    floor, ours = place.ours("floors:confidences", classes), place.ours("ours.calibration:everything", classes)
    peer = place.theirs("peers.calibration:netcal", classes)
    named, same = (_added(peer["calls"], ("ece", "sce", ace)) for ace in ("own ace", "ace"))
    apart = [peer["values"][name] / ours["values"][name] - 1.0 for name in ("ece", "sce", "ace")]
    mine = Run.of(ours)
    return Outcome(
        mine,
        named,
        Run.of(floor),
        also={"largest relative difference": max(map(abs, apart)), "ECE beside exact sums": ours["off"]},
        note=f"{len(ours['values'])} numbers and 9 curves; {same.median / mine.median:.1f} × as fast with ACE as "
        f"defined here; again with labels redrawn {Run.of(ours['redrawn']).median:.2f} s",
    )


def perspective(place: Place) -> Outcome:
    labels = place.made("annotations", "annotations", place.rows(LABELLED, least=4000))
    floor = place.ours("floors:annotations", labels)
    peer = place.theirs("peers.perspective:loop", labels, TIMED_PEOPLE)
    ours = place.ours("ours.perspective:everything", labels, peer["people"])
    once = peer["seconds"][0] / len(peer["people"]) * peer["of"]
    off = max(
        abs(a - b) for p, shares in ours["shares"].items() for a, b in zip(shares, peer["shares"][p], strict=True)
    )
    return Outcome(
        Run.of(ours),
        Run((once * (1 + ours["draws"]),)),
        Run.of(floor),
        also={"largest difference of a fingerprint": off},
        note=f"the loop was timed on {len(peer['people'])} annotators and scaled to {peer['of']:,} and {ours['draws']} "
        f"draws; without any draws it takes {once:.0f} s",
    )


def plan(place: Place) -> Outcome:
    few, many = _populations(place)
    found = place.ours("ours.sampling:plan", many, f"{many}.json", True)
    flat = [place.ours("ours.sampling:plan", path, f"{path}.no-ids.json", False) for path in (few, many)]
    return Outcome(
        Run.of(found),
        floor=Run.of(place.ours("floors:histogram", many)),
        memory=found["peak_mb"],
        also={"10 × the items without ids, memory": flat[1]["peak_mb"] / flat[0]["peak_mb"]},
        note=f"without ids {flat[1]['seconds'][0]:.1f} s and {flat[1]['peak_mb']:.0f} MB",
    )


def draw(place: Place) -> Outcome:
    few, many = _populations(place)
    for path in (few, many):
        place.ours("ours.sampling:plan", path, f"{path}.json", True)
    short, long = (place.ours("ours.sampling:draw", f"{path}.json", f"{path}.csv") for path in (few, many))
    return Outcome(
        Run.of(long),
        floor=Run.of(place.ours("floors:histogram", many)),
        memory=long["peak_mb"] / short["peak_mb"],
        note=f"{short['peak_mb']:.0f} MB with a tenth of the items",
    )


def scoring(place: Place) -> Outcome:
    path = str(place.folder / "timed.parquet")
    made = place.ours("data:timed_texts", path, place.rows(TIMED_TEXTS))
    return Outcome(
        Run.of(place.ours("ours.scoring:texts", path)),
        Run.of(place.theirs("peers.scoring:profanity", path)),
        Run.of(place.ours("floors:words", path)),
        note="real comments" if made["real"] else "synthetic sentences, since EVENHAND_DATA is not set",
    )


def scoring_files(place: Place) -> Outcome:
    paths = [place.made(f"texts-{rows}.parquet", "texts", place.rows(rows)) for rows in (TEXTS // 10, TEXTS)]
    short, long = (place.ours("ours.scoring:file", path, f"{path}.scored.parquet") for path in paths)
    return Outcome(
        Run.of(long),
        Run.of(short),
        Run.of(place.ours("floors:copied", paths[1], f"{paths[1]}.copied.parquet")),
        memory=long["peak_mb"] / short["peak_mb"],
        note=f"synthetic sentences; {place.rows(TEXTS) / long['seconds'][0]:,.0f} rows a second",
    )


def service(place: Place) -> Outcome:
    path = place.made("served.parquet", "texts", place.rows(SERVED_TEXTS, least=20_000))
    ours, alone = place.ours("ours.service:served", path), place.ours("ours.service:in_memory", path)
    (one, many), (slow, fast) = ours["p95"], ours["rates"]
    rate = place.rows(SERVED_TEXTS, least=20_000) / ours["seconds"][0]
    return Outcome(
        Run.of(ours),
        Run.of(alone),
        Run.of(place.ours("floors:words", path)),
        memory=ours["peak_mb"] / ours["before_mb"],
        also={
            "95th percentile of 32 clients beside one": many / one,
            "throughput of 32 clients beside one": fast / slow,
            "requests without an answer": ours["failed"],
        },
        note=f"synthetic sentences; {rate:,.0f} texts a second; one text a request: 95th percentile "
        f"{1000 * one:.1f} ms for one client, {1000 * many:.1f} ms for 32",
    )


def review(place: Place) -> Outcome:
    found = place.ours("ours.review:next_items", place.rows(WAITING, least=2000))
    ours, few, echo = Run.of(found), Run(tuple(found["few"]), cpu=found["few_cpu"]), Run(tuple(found["echo"]))
    slowest, bare = (1000 * statistics.quantiles(run.seconds, n=20)[-1] for run in (ours, echo))
    return Outcome(
        ours,
        few,
        echo,
        also={
            "95th percentile": slowest,
            "beside a few waiting items, by seconds of a core": ours.cores / few.cores,
        },
        note=f"95th percentile of a bare HTTP echo of as many bytes in the same run {bare:.1f} ms; "
        f"{1000 * ours.cores:.1f} ms of a core for each verdict",
    )


def three(place: Place) -> Outcome:
    table = _comments(place)
    alone = {name: place.ours("ours.audits:run", table, [name]) for name in AUDITS}
    together = place.ours("ours.audits:run", table, list(AUDITS))
    slowest = max(alone.values(), key=lambda one: Run.of(one).median)
    cores = together["cpu"] / max(one["cpu"] for one in alone.values())
    floor = Run.of(place.ours("floors:comments", table, None))
    sides = {name: Run.of(side) for name, side in ({"together": together} | alone).items()}
    beside = {f"{name} beside the floor": side.median / floor.median for name, side in sides.items()}
    return Outcome(
        Run.of(together),
        Run.of(slowest),
        floor,
        memory=together["peak_mb"] / max(one["peak_mb"] for one in alone.values()),
        also={"by seconds of a core": cores, "times the file is parsed": together["reads"]} | beside,
        note="; ".join(f"{name} {side.median:.2f} s, {_by_cores(side, floor)}" for name, side in sides.items()),
    )


def calibration_intervals(place: Place) -> Outcome:
    table = _comments(place)
    ours = Run.of(place.ours("ours.audits:run", table, ["calibration"], 0))
    peer = Run.of(place.theirs("peers.calibration:binary", table))
    floor = Run.of(place.ours("floors:comments", table, ["p", "toxic"]))
    return Outcome(ours, peer, floor, note=f"netcal took {peer.cores:.2f} and ours {ours.cores:.2f} seconds of a core")


def growth(place: Place) -> Outcome:
    """Time by rows of each audit: the exponent of the power of the rows that it grows with, where rows are many."""
    sizes = [place.rows(rows) for rows in GROWING_ROWS]
    tables = [place.made(f"comments-{rows}", "comment_files", rows) for rows in sizes]
    sides = {name: [place.ours("ours.audits:run", table, [name], GROUPS, 1) for table in tables] for name in AUDITS}
    many = [number for number, rows in enumerate(GROWING_ROWS) if rows >= LINEAR_FROM]
    seconds = {name: [one["seconds"][0] for one in side] for name, side in sides.items()}
    slopes = {name: _slope([sizes[n] for n in many], [took[n] for n in many]) for name, took in seconds.items()}
    each = "; ".join(f"{name} {', '.join(f'{one:.2g}' for one in took)} s" for name, took in seconds.items())
    peaks = ", ".join(f"{name} {side[-1]['peak_mb']:,.0f} MB" for name, side in sides.items())
    slowest = max((side[-1] for side in sides.values()), key=lambda side: side["seconds"])
    return Outcome(
        Run.of(slowest),
        memory=max(side[-1]["peak_mb"] for side in sides.values()),
        also={f"exponent of {name}": slope for name, slope in slopes.items()},
        note=f"with {', '.join(f'{rows:,}' for rows in sizes)} rows: {each}; peaks with the most: {peaks}",
    )


def _slope(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """By least squares of the logarithms."""
    return statistics.linear_regression([log(size) for size in sizes], [log(each) for each in seconds]).slope


def report(place: Place) -> Outcome:
    """The command with a report less the command without, beside imports and reading."""
    table, floor = _few_comments(place)
    with_report = place.ours("ours.start:audited", table, "bias", "--out", f"{table}.report")
    without = place.ours("ours.start:audited", table, "bias", "--json")
    whole, bare = Run.of(with_report), Run.of(without)
    added = Run((max(whole.median - bare.median, 0.0),))
    cores = (whole.cores - bare.cores) / floor.cores
    return Outcome(
        added, floor=floor, also={"by seconds of a core": cores}, note=f"the whole command {whole.median:.2f} s"
    )


def three_questions(place: Place) -> Outcome:
    table, floor = _few_comments(place)
    ours = place.ours("ours.start:audited", table, ",".join(AUDITS), "--out", f"{table}.report")
    return Outcome(Run.of(ours), floor=floor, also={"by seconds of a core": Run.of(ours).cores / floor.cores})


def _few_comments(place: Place) -> tuple[str, Run]:
    table = place.made("few.parquet", "few_comments", place.rows(FEW_ROWS, least=5_000))
    return table, Run.of(place.ours("floors:imported", table))


def queue(place: Place) -> Outcome:
    path = place.made("queued.csv", "queued_items", place.rows(DAY_ITEMS))
    ours = Run.of(place.ours("ours.staffing:queue", path, f"{path}.today.csv"))
    floor = Run.of(place.ours("floors:copied_csv", path, f"{path}.copied.csv"))
    return Outcome(ours, floor=floor, also={"by seconds of a core": ours.cores / floor.cores})


def mentions(place: Place) -> Outcome:
    path = place.made(f"texts-{DAY_ITEMS}.parquet", "texts", place.rows(DAY_ITEMS))
    ours, floor = (Run.of(place.ours(side, path)) for side in ("ours.staffing:mentions", "floors:lowered"))
    return Outcome(ours, floor=floor, also={"seconds of a core": ours.cores}, note="synthetic sentences")


def start(place: Place) -> Outcome:
    return Outcome(Run.of(place.ours("ours.start:helped")), floor=Run.of(place.ours("floors:typer")))


def audit_start(place: Place) -> Outcome:
    return Outcome(Run.of(place.ours("ours.start:helped", "audit")), floor=Run.of(place.ours("floors:typer")))


def _by_cores(one: Run, floor: Run) -> str:
    return f"{one.cores / floor.cores:.1f} × the floor by seconds of a core"


def _comments(place: Place) -> str:
    return place.made("comments.parquet", "comments", place.rows(ROWS, least=100_000))


def _populations(place: Place) -> list[str]:
    """A tenth of the items, and all."""
    return [place.made(f"items-{rows}.parquet", "items", place.rows(rows)) for rows in (ITEMS // 10, ITEMS)]


def _collaboration(place: Place, table: str, way: str, floor: Mapping[str, Any]) -> Outcome:
    ours, peer = place.ours(f"ours.collaboration:{way}", table), place.theirs(f"peers.collaboration:{way}", table)
    off = _furthest(ours["values"], peer["values"])
    return Outcome(Run.of(ours), Run.of(peer), Run.of(floor), also={"largest difference": off})


def _furthest(one: Mapping[str, Any], two: Mapping[str, Any]) -> float:
    return max(abs(one[key][name] - two[key][name]) for key in one for name in one[key])


def _added(calls: Mapping[str, Any], names: tuple[str, ...]) -> Run:
    """Calls one after the other, as one."""
    medians = [Run.of(calls[name]).median for name in names]
    return Run((sum(medians),), max(calls[name]["peak_mb"] for name in names))
