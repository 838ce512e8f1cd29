"""Where, when and by whom things are said: threads in communities, authors, two periods."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

import numpy as np
import numpy.typing as npt

from evenhand.synthetic.community.planted import FRESH, HEAT, LANGUAGES, PERIODS, PLACES

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

HOUR = 3_600_000_000  # in microseconds, the unit of every time here
PER_THREAD, PER_AUTHOR = 8, 6  # items, on average


@dataclass(frozen=True, slots=True)
class Setting:
    """One value an item, in the order of time. `language`, `place` and `period` number the rows of the tables.

    `heat` multiplies the chance of a violation in a thread: items of one thread are alike. `fresh` items are about
    what only the second period has words for.
    """

    language: Whole
    place: Whole
    period: Whole
    thread: Whole
    author: Whole
    created: Whole
    heat: Floats
    fresh: Bools

    @property
    def size(self) -> int:
        return len(self.created)


def setting(items: int, rng: np.random.Generator) -> Setting:
    """Draw threads, then items into threads, then sort by time."""
    threads = max(1, items // PER_THREAD)
    period = rng.integers(0, len(PERIODS), threads)
    begin, end = _bounds()
    opened = begin[period] + (0.97 * rng.random(threads) * (end - begin)[period]).astype(np.int64)
    thread = weighted(rng, rng.lognormal(0.0, 1.0, threads), items)
    created = opened[thread] + (rng.exponential(30.0, items) * HOUR).astype(np.int64)
    created = np.minimum(created, end[period][thread] - 1)
    order = np.argsort(created, kind="stable")
    thread, created = thread[order], created[order]
    return Setting(
        language=weighted(rng, list(LANGUAGES.values()), threads)[thread],
        place=weighted(rng, [place.share for place in PLACES.values()], threads)[thread],
        period=period[thread],
        thread=thread,
        author=weighted(rng, rng.lognormal(0.0, 1.0, authors(items)), items),
        created=created,
        heat=rng.gamma(HEAT, 1.0 / HEAT, threads)[thread],
        fresh=((rng.random(threads) < FRESH) & (period > 0))[thread],
    )


def authors(items: int) -> int:
    """How many people write so many items."""
    return max(2, items // PER_AUTHOR)


def weighted(rng: np.random.Generator, weights: npt.ArrayLike, size: int) -> Whole:
    """So many draws of a number below the count of weights, in proportion to them."""
    edges = np.cumsum(np.asarray(weights, dtype=np.float64))
    return np.asarray(np.searchsorted(edges[:-1], rng.random(size) * edges[-1], side="right"), dtype=np.int64)


def _bounds() -> tuple[Whole, Whole]:
    times = [[int(day.replace(tzinfo=UTC).timestamp()) * 1_000_000 for day in period] for period in PERIODS.values()]
    begin, end = np.asarray(times, dtype=np.int64).T
    return begin, end
