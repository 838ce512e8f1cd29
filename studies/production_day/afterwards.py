"""What must hold after the day: of what was acknowledged nothing is lost, doubled or stuck, and the numbers hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from evenhand.estimate import Estimate
from evenhand.store import Store, audit_store, open_store, rebuild, schema, seal, signed_head, verify
from evenhand.store.live_audits import AUDITS
from evenhand.store.measured import ADJUDICATED, REVIEWER
from evenhand.store.study_ledger import load_study
from evenhand.store.study_results import outcome_of
from evenhand.store.weeks import SHOWN, measure_weeks
from studies.production_day.content import ArrivingItem
from studies.production_day.day import ProductionDay, slow
from studies.study import Row

MOST_TIMES_IDLE = 2.0


def figure(name: str, value: float, bar: str = "", holds: bool | None = None, **interval: float) -> Row:
    """A row of the results; a figure without a bar is for information."""
    columns = {"low": interval.get("low", ""), "high": interval.get("high", ""), "truth": interval.get("truth", "")}
    return {"figure": name, "value": value, **columns, "bar": bar, "holds": "" if holds is None else int(holds)}


def none(name: str, number: int) -> Row:
    """What there must be none of."""
    return figure(name, number, "0", number == 0)


def figures(day: ProductionDay, level: float = 0.95) -> list[Row]:
    """Everything that is asked after the day."""
    with open_store(str(day.desk.store)) as store:
        return [
            *_volume(day, store),
            *kept(day, store),
            *_measured(day, store, level),
            *_study(day, store),
            *_audits(store),
            *_speed(day),
        ]


def kept(day: ProductionDay, store: Store) -> Iterator[Row]:
    """Nothing is lost, doubled or stuck, here and in the copy that was restored; however busy the machine is."""
    yield from _whole(store)
    yield from acknowledged(day, store)
    yield from _stuck(store)
    yield from _restored(day.folder, store)


def _volume(day: ProductionDay, store: Store) -> Iterator[Row]:
    log = day.log
    yield figure("items received", len(log.received))
    yield figure("notices", log.notices.total())
    yield figure("reviews", len(log.judged))
    yield figure("undone", len(log.undone))
    yield figure("appeals", len(log.appealed))
    yield figure("labels of the study", len(log.labelled))
    yield figure("refused as a conflict", log.refused.total())
    kinds = Counter(row.kind for row in _events(store))
    yield figure("events", kinds.total())
    yield figure("leases that ran out", sum('"expired"' in row.payload for row in _events(store)))
    yield figure("scored again by another model", kinds["scored"] - len(log.received))


def _whole(store: Store) -> Iterator[Row]:
    """The chain, and the state that it gives."""
    seal(store)
    yield none("faults of the chain", int(not verify(store, signed_head(store)).ok))
    yield none("differences of the state from the events", int(not rebuild(store).same))


def _events(store: Store) -> list[Any]:
    with store.database.reading() as connection:
        return list(connection.execute(sa.select(schema.events)).all())


def _rows(store: Store, table: sa.Table) -> list[Any]:
    with store.database.reading() as connection:
        return list(connection.execute(sa.select(table)).all())


def acknowledged(day: ProductionDay, store: Store) -> Iterator[Row]:
    """What the desk said it did, against what it did."""
    log, items, tasks = (
        day.log,
        {row.external_id: row for row in _rows(store, schema.items)},
        _rows(store, schema.tasks),
    )
    done = {row.id: (row.person, row.verdict) for row in tasks if row.state == "done" and not row.virtual}
    last = {task: (person, verdict) for task, person, verdict in log.judged}
    undone = Counter(log.undone)
    judged = Counter(task for task, _, _ in log.judged)
    kept = {task: answer for task, answer in last.items() if judged[task] > undone[task]}
    yield none(
        "items lost", sum(items.get(name) is None or items[name].id != id_ for name, id_ in log.received.items())
    )
    yield none("items without having been sent", len(items) - len(log.received))
    yield none("notices lost or doubled", sum(items[name].notices != log.notices[name] for name in items))
    yield none("judgements lost or altered", sum(done.get(task) != answer for task, answer in kept.items()))
    yield none("judgements that nobody was told of", len(set(done) - set(kept)))
    given = [row for row in _events(store) if row.kind in ("judged", "undone")]
    stored = Counter((row.kind, json.loads(row.payload)["task"]) for row in given)
    expected = Counter({("judged", task): number for task, number in judged.items()})
    expected.update({("undone", task): number for task, number in undone.items()})
    yield none("judgements doubled", sum((stored - expected).values()))
    yield none("appeals lost", sum(items[name].appeal is None for name in log.appealed))
    labels = [row.id for row in _rows(store, schema.study_tasks) if row.state == "done"]
    yield none("labels lost or doubled", len(set(labels) ^ set(log.labelled)) + len(labels) - len(set(labels)))
    told = {name: log.actions.get(name) for name in items}
    yield none("decisions that the platform was not told of", sum(told[name] != items[name].action for name in items))


def _stuck(store: Store) -> Iterator[Row]:
    """Nobody holds anything any more, and nobody has had the same item twice."""
    tasks = _rows(store, schema.tasks)
    yield none("tasks held by nobody who is there", sum(row.state == "claimed" for row in tasks))
    twice = Counter((row.item, row.person) for row in tasks if row.state == "done" and row.person and not row.virtual)
    yield none("items judged twice by one person", sum(number > 1 for number in twice.values()))
    waiting = [row for row in tasks if row.state == "waiting" and not row.virtual]
    yield figure("reviews that still wait", len(waiting))


def _measured(day: ProductionDay, store: Store, level: float) -> Iterator[Row]:
    """The measurement in the queue against what is true; the reviewer's verdict is what a first reader sees."""
    (answer,) = measure_weeks(store)
    truth = _truth(day, store)
    for target, measure, estimate in answer.estimates(level):
        yield _covering(f"{measure}, {target}", estimate, truth[target][measure])


def _covering(name: str, estimate: Estimate, truth: float) -> Row:
    bar = f"the {100 * estimate.level:g} % interval holds the truth"
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return figure(name, -1.0, f"{bar}; {estimate.note}", holds=False, truth=truth)
    return figure(name, value, bar, low <= truth <= high, low=low, high=high, truth=truth)


def _truth(day: ProductionDay, store: Store) -> dict[str, dict[str, float]]:
    rows = [row for row in _rows(store, schema.items) if row.policy is not None]
    planted = [day.truth.items[row.external_id] for row in rows]
    readings = [_reading(row, item) for row, item in zip(rows, planted, strict=True)]
    reached, unseen = np.array([row.reached for row in rows]), np.array([row.route == "remove" for row in rows])
    removed = np.where(reached, readings, unseen)
    return {
        target: dict(zip(SHOWN, _shares(removed, np.array(violating)), strict=True))
        for target, violating in ((REVIEWER, readings), (ADJUDICATED, [item.violates for item in planted]))
    }


def _reading(row: Any, item: ArrivingItem) -> bool:
    return item.first_reading if row.measured_verdict is None else bool(row.measured_verdict == "violating")


def _shares(removed: np.ndarray, violating: np.ndarray) -> tuple[float, float, float]:
    """Recall, precision, prevalence."""
    both = float((removed & violating).sum())
    return both / float(violating.sum()), both / float(removed.sum()), float(violating.mean())


def _study(day: ProductionDay, store: Store) -> Iterator[Row]:
    """The prevalence at noon, among what had arrived then."""
    with store.database.reading() as connection:
        case = load_study(connection, day.study, subjects=())
        outcome = outcome_of(connection, store.keys, case)
    assert outcome is not None
    there = [row.external_id for row in _rows(store, schema.items) if row.received_at <= case.study.opened_at]
    truth = float(np.mean([day.truth.items[name].violates for name in there]))
    yield _covering("prevalence at noon, study", outcome.finding.get("prevalence"), truth)


def _audits(store: Store) -> Iterator[Row]:
    report = audit_store(store)
    yield figure("audits that ran", len(report.findings), str(len(AUDITS)), len(report.findings) == len(AUDITS))


def _restored(folder: Path, store: Store) -> Iterator[Row]:
    """The copy of the afternoon is the beginning of the history of the day."""
    with open_store(str(folder / "restored.db"), key=folder / "desk.db.key") as restored:
        hashes = [{row.number: bytes(row.chain) for row in _events(one) if row.number} for one in (restored, store)]
    other = sum(hashes[1].get(number) != chain for number, chain in hashes[0].items())
    yield figure("events in the restored copy", len(hashes[0]))
    yield none("events of the restored copy that are others", other)


def _speed(day: ProductionDay) -> Iterator[Row]:
    """Wall-clock seconds, as somebody at the desk sees them."""
    ratio = slow(day.log.claims) / slow(day.idle)
    yield figure("ms to the next item while nobody else works (95th percentile)", 1000 * slow(day.idle))
    yield figure("ms to the next item (median)", 1000 * float(np.median(day.log.claims)))
    yield figure("ms to the next item (95th percentile)", 1000 * slow(day.log.claims))
    bar = f"at most {MOST_TIMES_IDLE:g}"
    yield figure("the 95th percentile, times that while nobody else works", ratio, bar, ratio <= MOST_TIMES_IDLE)
    for name, seconds in sorted(day.times.items()):
        yield figure(f"s: {name}", seconds)
