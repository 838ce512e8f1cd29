"""Where violations can hide from the score: how many of them, how few labels are there, and what was found there.

The low end of the score is where a tenth of all violations is expected, by what the labels say of the score. Labels are
few there. How many violations it can contain at most follows from its own labels alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.blind_spots import RobustShare
from evenhand.measurement.labels import first_ids
from evenhand.measurement.plan import ALL, VISIBLE
from evenhand.measurement.sample import CampaignSample
from evenhand.sampling.batches import recalibrate_frame
from evenhand.sampling.frame import SamplingFrame

LOW_END = 0.1  # of the violations that are expected


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """The low end of the score in one pool: its labels, and the violations found and possible.

    `possible` is the part of all violations of the pool that can lie there at most.
    """

    pool: str
    score: float  # the highest in it
    items: int
    labels: int
    violating: float
    possible: float
    ids: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()

    def sentence(self) -> str:
        """The most that can hide, and what the labels there say."""
        where = "" if self.pool == ALL else f"{self.pool} "
        share = f"Up to {min(np.ceil(100.0 * self.possible), 100.0):.0f} of 100 {where}violations"
        low_end = f"where the score is {self.score:.2g} or lower ({self.items:,} items)"
        violating = f"{self.violating:,.3g} of them violating" if self.violating else "none of them violating"
        return f"{share} can lie {low_end}: only {self.labels:,} labels are there, {violating}."

    def advice(self) -> str:
        """What to do about it."""
        if not self.ids:
            return "To rule that out, label more items (`evenhand sample extend`), or draw at random (`design` random)."
        counted = ", ".join(f"{name} {number:,}" for name, number in self.groups)
        by = f" ({counted})" if counted else ""
        violations = f"Violations found there: {first_ids(self.ids)}{by}."
        return f"{violations} Look for what they have in common: the score misses it."

    def record(self) -> dict[str, object]:
        """As plain data."""
        names = ("pool", "score", "items", "labels", "violating", "possible")
        return {**{name: getattr(self, name) for name in names}, "ids": list(self.ids), "groups": dict(self.groups)}


def find_blind_spot(sample: CampaignSample, level: float, hidden: Collection[int] = ()) -> BlindSpot | None:
    """Of what is visible, or of everything; None where no score was drawn by, or no item of the low end is labelled.

    Groups that are `hidden` are not counted.
    """
    traits = sample.plan.design.traits
    pool = next(pool for pool in sample.plan.pools if pool.name in (ALL, VISIBLE))
    if not traits.score or traits.open_ended or pool.cells is None:
        return None
    parts, frame = sample.parts[pool.name], pool.frame
    places = np.concatenate([one.part.places[one.known] for one in parts])
    label = np.concatenate([one.label for one in parts])
    low = _low_cells(frame, places, label)
    inside, items, draws = low[frame.cell_of(places)], int(frame.sizes[low].sum()), sample.weights(pool).planned
    try:
        share = draws.share(label, inside, part=True, items=items)
    except Undefined:
        return None
    most, rest = (RobustShare.from_share(share).estimate(level).high or 0.0) * items, label * ~inside
    hits = np.flatnonzero(inside & (label > 0.0))
    ids = [id_ for one in parts for id_, known in zip(one.part.ids, one.known, strict=True) if known]
    return BlindSpot(
        pool=pool.name,
        score=float(expit(frame.logits[low].max())),
        items=items,
        labels=int(inside.sum()),
        violating=float(label[inside].sum()),
        possible=most / max(most + float(draws.weights @ rest), 1e-300),
        ids=tuple(ids[hit] for hit in hits),
        groups=_by_group(sample, frame.groups[frame.cell_of(places[hits])], hidden),
    )


def _low_cells(frame: SamplingFrame, places: Ints, label: Floats) -> Bools:
    """Cells of the lowest scores, in which a tenth of the violations is expected; the lowest cell at the least."""
    chance = recalibrate_frame(frame, places, label).chance(frame.logits)
    order = np.argsort(frame.logits, kind="stable")
    expected = np.cumsum((chance * frame.sizes)[order])
    low = np.zeros(len(order), dtype=np.bool_)
    low[order[: max(1, int(np.searchsorted(expected, LOW_END * expected[-1])))]] = True
    return low


def _by_group(sample: CampaignSample, groups: Ints, hidden: Collection[int]) -> tuple[tuple[str, int], ...]:
    """How many are in each group, most first."""
    names = sample.plan.groups
    counted = Counter(names[group] for group in groups.tolist() if names and group not in hidden)
    return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
