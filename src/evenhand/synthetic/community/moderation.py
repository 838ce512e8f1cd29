"""What the platform did: reports, decisions by the model and by moderators, appeals; as columns and as events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats, Ints
from evenhand.synthetic.community.items import HOUR, ItemContent, ItemContext, author_count
from evenhand.synthetic.community.parameters import APPEAL, AUTOMATIC, MODERATOR, PLACES, QUEUED, REINSTATE, REPORTS

EXPECTED_REPORTS = (1.4, 0.7, 0.15, 0.03)  # reports to be expected for what looks overt, veiled, rough, plain
MODERATORS = 24
EVENT_ORDER = pl.Enum(["posted", "reported", "removed", "kept", "appealed", "upheld", "reinstated"])  # at the same time


@dataclass(frozen=True, slots=True)
class ModerationOutcomes:
    """One value per item: number of reports, who decided, and the decision."""

    reports: Ints
    automatic: Bools
    reviewed: Bools
    removed: Bools
    appealed: Bools
    reinstated: Bools

    @property
    def visible(self) -> Bools:
        """What can be read in the end."""
        return ~self.removed | self.reinstated

    def columns(self) -> dict[str, pl.Series]:
        """As they stand among the items."""
        by = pl.Series(["model", "moderator", None])
        return {
            "reports": pl.Series(self.reports, dtype=pl.Int32),
            "decision": pl.Series(["kept", "removed"]).gather(self.removed.astype(np.int64)),
            "decided_by": by.gather(np.where(self.automatic, 0, np.where(self.reviewed, 1, 2))),
            "appealed": pl.Series(self.appealed),
            "reinstated": pl.Series(self.reinstated),
        }


def moderate(setting: ItemContext, nature: ItemContent, score: Floats, rng: np.random.Generator) -> ModerationOutcomes:
    """The model removes items with a high score at once; moderators review medium scores and reported items."""
    automatic = score >= AUTOMATIC
    rate = np.asarray(EXPECTED_REPORTS)[nature.look] * np.asarray([p.reporting for p in PLACES.values()])[setting.place]
    reports = np.where(automatic, 0, rng.poisson(rate))
    reviewed = ~automatic & ((score >= QUEUED) | (reports >= REPORTS))
    removed = automatic | (reviewed & _happens(MODERATOR, nature, rng))
    appealed = removed & _happens(APPEAL, nature, rng)
    return ModerationOutcomes(
        reports, automatic, reviewed, removed, appealed, appealed & _happens(REINSTATE, nature, rng)
    )


def moderation_history(
    setting: ItemContext, done: ModerationOutcomes, ids: pl.Series, rng: np.random.Generator
) -> pl.DataFrame:
    """Every event in the order of time: `item`, `event`, `by`, `at`. Later events never change earlier ones."""
    size, writers = setting.size, _writers(setting)
    everything, reported = np.arange(size), np.repeat(np.arange(size), done.reports)
    report_at = setting.created[reported] + _delays(rng, 5.0, len(reported))
    readers = rng.integers(0, len(writers), len(reported))
    decided = _decision_times(setting, done, reported, report_at, rng)
    appealed = decided + _delays(rng, 48.0, size)
    appeals = np.flatnonzero(done.appealed)
    events = [
        _events("posted", everything, writers.gather(setting.author), setting.created),
        _events("reported", reported, writers.gather(readers), report_at),
        _events("appealed", appeals, writers.gather(setting.author[appeals]), appealed[appeals]),
    ]
    return _ordered(events + _decisions(done, decided, appealed + _delays(rng, 72.0, size), rng), ids)


def _decision_times(
    setting: ItemContext, done: ModerationOutcomes, reported: Ints, report_at: Ints, rng: np.random.Generator
) -> Ints:
    """When each item was decided on, if it was: by the model at once, by a moderator after the last report."""
    last = setting.created.copy()
    np.maximum.at(last, reported, report_at)
    return np.where(done.automatic, setting.created + 2_000_000, last + _delays(rng, 12.0, setting.size))


def _decisions(done: ModerationOutcomes, decided: Ints, resolved: Ints, rng: np.random.Generator) -> list[pl.DataFrame]:
    """What the model and moderators did; an appeal goes before another moderator, or by chance the same."""
    first, second = (rng.integers(0, MODERATORS, len(decided)) for _ in range(2))
    who = np.where(done.automatic, MODERATORS, first)
    table = (
        ("removed", done.removed, who, decided),
        ("kept", done.reviewed & ~done.removed, who, decided),
        ("upheld", done.appealed & ~done.reinstated, second, resolved),
        ("reinstated", done.reinstated, second, resolved),
    )
    return [
        _events(event, rows, _deciders().gather(by[rows]), at[rows])
        for event, which, by, at in table
        for rows in (np.flatnonzero(which),)
    ]


def _events(event: str, rows: Ints, by: pl.Series, at: Ints) -> pl.DataFrame:
    return pl.DataFrame({"row": rows, "by": by, "at": at}).with_columns(pl.lit(event, dtype=EVENT_ORDER).alias("event"))


def _ordered(parts: list[pl.DataFrame], ids: pl.Series) -> pl.DataFrame:
    events = pl.concat(parts).sort("at", "row", "event", maintain_order=True)
    return events.select(
        ids.gather(events["row"]).alias("item"),
        pl.col("event").cast(pl.String),
        "by",
        pl.col("at").cast(pl.Datetime("us")),
    )


def _writers(setting: ItemContext) -> pl.Series:
    return pl.select(
        pl.format("u{}", pl.int_range(author_count(setting.size)).cast(pl.String).str.zfill(7))
    ).to_series()


def _deciders() -> pl.Series:
    """The moderators, and the model behind them."""
    return pl.Series([*(f"m{number:02d}" for number in range(1, MODERATORS + 1)), "model_a"])


def _happens(chance: Mapping[str, float], nature: ItemContent, rng: np.random.Generator) -> Bools:
    return rng.random(len(nature.violates)) < np.where(nature.violates, chance["violating"], chance["benign"])


def _delays(rng: np.random.Generator, hours: float, size: int) -> Ints:
    return (1 + rng.exponential(hours, size) * HOUR).astype(np.int64)
