"""The items of the synthetic community before they have words: where, when and by whom, and what they are.

Context comes first (threads in communities, authors, two periods), then content: which groups an item mentions,
whether and how it violates, and whether that is plain to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Ints
from evenhand.synthetic.community.parameters import (
    FRESH,
    GROUPS,
    HEAT,
    KINDS,
    LANGUAGES,
    LATER_PREVALENCE_FACTOR,
    PERIODS,
    PLACES,
    ROUGH,
    VEILED,
    WITH_MENTION,
    WITHOUT,
)

HOUR = 3_600_000_000  # in microseconds, the unit of every time here
PER_THREAD, PER_AUTHOR = 8, 6  # items, on average


@dataclass(frozen=True, slots=True)
class ItemContext:
    """One value an item, in the order of time. `language`, `place` and `period` number the rows of the tables.

    `heat` multiplies the chance of a violation in a thread: items of one thread are alike. `fresh` items are about
    what only the second period has words for.
    """

    language: Ints
    place: Ints
    period: Ints
    thread: Ints
    author: Ints
    created: Ints
    heat: Floats
    fresh: Bools

    @property
    def size(self) -> int:
        return len(self.created)


def draw_context(items: int, rng: np.random.Generator) -> ItemContext:
    """Draw threads, then items into threads, then sort by time."""
    threads = max(1, items // PER_THREAD)
    period = rng.integers(0, len(PERIODS), threads)
    begin, end = _period_bounds()
    opened = begin[period] + (0.97 * rng.random(threads) * (end - begin)[period]).astype(np.int64)
    thread = draw_weighted(rng, rng.lognormal(0.0, 1.0, threads), items)
    created = opened[thread] + (rng.exponential(30.0, items) * HOUR).astype(np.int64)
    created = np.minimum(created, end[period][thread] - 1)
    order = np.argsort(created, kind="stable")
    thread, created = thread[order], created[order]
    return ItemContext(
        language=draw_weighted(rng, list(LANGUAGES.values()), threads)[thread],
        place=draw_weighted(rng, [place.share for place in PLACES.values()], threads)[thread],
        period=period[thread],
        thread=thread,
        author=draw_weighted(rng, rng.lognormal(0.0, 1.0, author_count(items)), items),
        created=created,
        heat=rng.gamma(HEAT, 1.0 / HEAT, threads)[thread],
        fresh=((rng.random(threads) < FRESH) & (period > 0))[thread],
    )


def author_count(items: int) -> int:
    """How many people write so many items."""
    return max(2, items // PER_AUTHOR)


def draw_weighted(rng: np.random.Generator, weights: npt.ArrayLike, size: int) -> Ints:
    """So many draws of a number below the count of weights, in proportion to them."""
    edges = np.cumsum(np.asarray(weights, dtype=np.float64))
    return np.asarray(np.searchsorted(edges[:-1], rng.random(size) * edges[-1], side="right"), dtype=np.int64)


def _period_bounds() -> tuple[Ints, Ints]:
    times = [[int(day.replace(tzinfo=UTC).timestamp()) * 1_000_000 for day in period] for period in PERIODS.values()]
    begin, end = np.asarray(times, dtype=np.int64).T
    return begin, end


@dataclass(frozen=True, slots=True)
class ItemContent:
    """One value an item. `kind` numbers the kinds, 0 is benign.

    `veiled` items violate without a rude word, `rough` ones have a rude word and do not violate; both are `contested`:
    people disagree about them.
    """

    groups: dict[str, Bools]
    violates: Bools
    kind: Ints
    veiled: Bools
    rough: Bools

    @property
    def mentions(self) -> Bools:
        """Whether any group is mentioned."""
        return in_any_group(self.groups)

    @property
    def contested(self) -> Bools:
        return self.veiled | self.rough

    @property
    def look(self) -> Ints:
        """How an item looks to people: 0 overt, 1 veiled, 2 rough, 3 plain."""
        return np.where(self.violates, self.veiled.astype(np.int64), np.where(self.rough, 2, 3))


def in_any_group(groups: dict[str, Bools]) -> Bools:
    """The items that are in one group or more."""
    return np.asarray(np.logical_or.reduce(list(groups.values())))


LOOKS = ("overt", "veiled", "rough", "plain")


def draw_content(setting: ItemContext, rng: np.random.Generator) -> ItemContent:
    """Groups first, each on its own; then violations, likelier where groups with a lift are mentioned."""
    groups = {
        name: rng.random(setting.size) < planted.share * np.where(setting.period > 0, planted.later, 1.0)
        for name, planted in GROUPS.items()
    }
    chance = np.asarray([place.prevalence for place in PLACES.values()])[setting.place] * setting.heat
    chance *= np.where(setting.period > 0, LATER_PREVALENCE_FACTOR, 1.0)
    for name, inside in groups.items():
        chance *= np.where(inside, GROUPS[name].lift, 1.0)
    violates = rng.random(setting.size) < chance
    mentions = in_any_group(groups)
    kind = np.where(mentions, draw_weighted(rng, WITH_MENTION, setting.size), draw_weighted(rng, WITHOUT, setting.size))
    return ItemContent(
        groups=groups,
        violates=violates,
        kind=np.where(violates, kind, KINDS.index("benign")),
        veiled=violates & (rng.random(setting.size) < VEILED),
        rough=~violates & (rng.random(setting.size) < ROUGH),
    )
