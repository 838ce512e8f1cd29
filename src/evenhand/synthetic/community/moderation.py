"""What the platform did: reports, decisions by the model and by moderators, appeals; as columns and as events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.synthetic.community.nature import Nature
from evenhand.synthetic.community.planted import (
    APPEAL,
    AUTOMATIC,
    MODERATOR,
    PLACES,
    QUEUED,
    REINSTATE,
    REPORTS,
)
from evenhand.synthetic.community.setting import HOUR, Bools, Floats, Setting, Whole, authors

REPORTED = (1.4, 0.7, 0.15, 0.03)  # reports to be expected for what looks overt, veiled, rough, plain
MODERATORS = 24
EVENTS = ("posted", "reported", "removed", "kept", "appealed", "upheld", "reinstated")


@dataclass(frozen=True, slots=True)
class Moderation:
    """One value an item: how many reported it, who looked at it and what came of it."""

    reports: Whole
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


def moderation(setting: Setting, nature: Nature, score: Floats, rng: np.random.Generator) -> Moderation:
    """The model removes what it is sure of at once; moderators look at what it half suspects or people report."""
    automatic = score >= AUTOMATIC
    rate = np.asarray(REPORTED)[nature.look] * np.asarray([p.reporting for p in PLACES.values()])[setting.place]
    reports = np.where(automatic, 0, rng.poisson(rate))
    reviewed = ~automatic & ((score >= QUEUED) | (reports >= REPORTS))
    removed = automatic | (reviewed & _happens(MODERATOR, nature, rng))
    appealed = removed & _happens(APPEAL, nature, rng)
    return Moderation(reports, automatic, reviewed, removed, appealed, appealed & _happens(REINSTATE, nature, rng))


def history(setting: Setting, done: Moderation, ids: pl.Series, rng: np.random.Generator) -> pl.DataFrame:
    """Every event in the order of time: `item`, `event`, `by`, `at`. Later events never change earlier ones."""
    size = setting.size
    reported = np.repeat(np.arange(size), done.reports)
    report_at = setting.created[reported] + _later(rng, 5.0, len(reported))
    last = setting.created.copy()
    np.maximum.at(last, reported, report_at)
    decided = np.where(done.automatic, setting.created + 2_000_000, last + _later(rng, 12.0, size))
    appealed = decided + _later(rng, 48.0, size)
    resolved = appealed + _later(rng, 72.0, size)
    moderator, second = (rng.integers(0, MODERATORS, size) for _ in range(2))
    upheld = done.appealed & ~done.reinstated
    everyone, writers = np.arange(size), _writers(setting)
    parts = [
        ("posted", everyone, writers.gather(setting.author), setting.created),
        ("reported", reported, writers.gather(rng.integers(0, len(writers), len(reported))), report_at),
    ]
    for event, which, who, at in (
        ("removed", done.automatic, np.full(size, MODERATORS), decided),
        ("removed", done.removed & done.reviewed, moderator, decided),
        ("kept", done.reviewed & ~done.removed, moderator, decided),
        ("upheld", upheld, second, resolved),
        ("reinstated", done.reinstated, second, resolved),
    ):
        rows = np.flatnonzero(which)
        parts.append((event, rows, _deciders().gather(who[rows]), at[rows]))
    rows = np.flatnonzero(done.appealed)
    parts.append(("appealed", rows, writers.gather(setting.author[rows]), appealed[rows]))
    return _events(parts, ids)


def _events(parts: list[tuple[str, Whole, pl.Series, Whole]], ids: pl.Series) -> pl.DataFrame:
    kind = pl.Enum(EVENTS)
    frames = [
        pl.DataFrame({"row": rows, "by": by, "at": at}).with_columns(pl.lit(event, dtype=kind).alias("event"))
        for event, rows, by, at in parts
    ]
    ordered = pl.concat(frames).sort("at", "row", "event", maintain_order=True)
    return ordered.select(
        ids.gather(ordered["row"]).alias("item"),
        pl.col("event").cast(pl.String),
        "by",
        pl.col("at").cast(pl.Datetime("us")),
    )


def _writers(setting: Setting) -> pl.Series:
    return pl.select(pl.format("u{}", pl.int_range(authors(setting.size)).cast(pl.String).str.zfill(7))).to_series()


def _deciders() -> pl.Series:
    """The moderators, and the model behind them."""
    return pl.Series([*(f"m{number:02d}" for number in range(1, MODERATORS + 1)), "model_a"])


def _happens(chance: Mapping[str, float], nature: Nature, rng: np.random.Generator) -> Bools:
    return rng.random(len(nature.violates)) < np.where(nature.violates, chance["violating"], chance["benign"])


def _later(rng: np.random.Generator, hours: float, size: int) -> Whole:
    return (1 + rng.exponential(hours, size) * HOUR).astype(np.int64)
