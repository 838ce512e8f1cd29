"""What arrives on the day, and what is true of it: comments of the synthetic community.

Arrivals follow the hours of a day, with two bursts. From `DRIFT` on half of the violating comments are written in a way
that the models have not seen. Somebody who reads an item for the first time misreads it with the probability `MISREAD`,
whoever it is; who judges an item that was judged before takes the time to see what is true. So the truth is known for
both targets of the measurement: the verdict of the reviewer, and the adjudicated one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from evenhand.synthetic.community import community

NIGHT, DAY, EVENING = 0.3, 1.0, 1.6  # arrivals, relative to each other
BURSTS = ((8.9, 0.15), (19.4, 0.2))  # an hour, and the share of a day's arrivals within minutes of it
BURST_HOURS = 0.25
DRIFT = 15.0
MISREAD = 0.05
DISGUISE = str.maketrans("aeiost", "430!57")


@dataclass(frozen=True)
class ArrivingItem:
    """As the platform sends it, when, what is true of it, how a first reader sees it, and how often it is reported."""

    hour: float
    body: dict[str, Any]
    violates: bool
    first_reading: bool
    reports: int

    @property
    def name(self) -> str:
        """The platform's id."""
        return str(self.body["id"])


@dataclass
class ContentTruth:
    """What is true of every item, by the platform's id; and which were judged already."""

    items: dict[str, ArrivingItem]
    judged: set[str] = field(default_factory=set)

    def verdict(self, name: str) -> str:
        """What somebody who looks at the item now will say."""
        item = self.items[name]
        return "violating" if (item.violates if name in self.judged else item.first_reading) else "benign"


def arriving_items(number: int, seed: int) -> list[ArrivingItem]:
    """In the order of their arrival."""
    rng = np.random.default_rng(seed)
    made = community(2 * number, seed=seed)
    rows = made.items.join(made.truths.select("id", "violates"), on="id").unique("text", maintain_order=True)
    rows = rows.sample(number, shuffle=True, seed=seed)
    columns = ("text", "language", "community", "thread", "author", "violates", "reports")
    hours = np.sort(_hours(number, rng))
    return [
        _item(place, hour, dict(zip(columns, row, strict=True)), rng)
        for place, (hour, row) in enumerate(zip(hours.tolist(), rows.select(columns).iter_rows(), strict=True))
    ]


def _item(place: int, hour: float, row: dict[str, Any], rng: np.random.Generator) -> ArrivingItem:
    disguised, misread = rng.random() < 0.5, rng.random() < MISREAD
    violates, reports = bool(row.pop("violates")), int(row.pop("reports"))
    if violates and disguised and hour >= DRIFT:
        row["text"] = row["text"].translate(DISGUISE)
    return ArrivingItem(hour, {"id": f"c{place}", **row}, violates, violates != misread, reports)


def _hours(number: int, rng: np.random.Generator) -> np.ndarray:
    """When items arrive."""
    weight = np.array([NIGHT if hour < 7 else EVENING if hour >= 17 else DAY for hour in range(24)])
    usual = rng.choice(24, number, p=weight / weight.sum()) + rng.random(number)
    chance, begin = rng.random(number), 0.0
    for hour, share in BURSTS:
        usual = np.where((chance >= begin) & (chance < begin + share), hour + BURST_HOURS * rng.random(number), usual)
        begin += share
    return np.minimum(usual, 23.9)


def training_rows(number: int, seed: int) -> pl.DataFrame:
    """Labelled comments of another time, which the second model learns from."""
    made = community(number, seed=seed)
    return made.items.join(made.truths.select("id", "violates"), on="id").select("text", label="violates")
