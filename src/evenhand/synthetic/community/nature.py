"""What each item is: which groups it mentions, whether and how it violates, and whether that is plain to see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.synthetic.community.planted import (
    GROUPS,
    KINDS,
    PLACES,
    ROUGH,
    VEILED,
    WITH_MENTION,
    WITHOUT,
    WORSE,
)
from evenhand.synthetic.community.setting import Bools, Setting, Whole, weighted


@dataclass(frozen=True, slots=True)
class Nature:
    """One value an item. `kind` numbers the kinds, 0 is benign.

    `veiled` items violate without a rude word, `rough` ones have a rude word and do not violate; both are `contested`:
    people disagree about them.
    """

    groups: dict[str, Bools]
    violates: Bools
    kind: Whole
    veiled: Bools
    rough: Bools

    @property
    def mentions(self) -> Bools:
        """Whether any group is mentioned."""
        return any_of(self.groups)

    @property
    def contested(self) -> Bools:
        return self.veiled | self.rough

    @property
    def look(self) -> Whole:
        """How an item looks to people: 0 overt, 1 veiled, 2 rough, 3 plain."""
        return np.where(self.violates, self.veiled.astype(np.int64), np.where(self.rough, 2, 3))


def any_of(groups: dict[str, Bools]) -> Bools:
    """The items that are in one group or more."""
    return np.asarray(np.logical_or.reduce(list(groups.values())))


LOOKS = ("overt", "veiled", "rough", "plain")


def nature(setting: Setting, rng: np.random.Generator) -> Nature:
    """Groups first, each on its own; then violations, likelier where groups with a lift are mentioned."""
    groups = {
        name: rng.random(setting.size) < planted.share * np.where(setting.period > 0, planted.later, 1.0)
        for name, planted in GROUPS.items()
    }
    chance = np.asarray([place.prevalence for place in PLACES.values()])[setting.place] * setting.heat
    chance *= np.where(setting.period > 0, WORSE, 1.0)
    for name, inside in groups.items():
        chance *= np.where(inside, GROUPS[name].lift, 1.0)
    violates = rng.random(setting.size) < chance
    mentions = any_of(groups)
    kind = np.where(mentions, weighted(rng, WITH_MENTION, setting.size), weighted(rng, WITHOUT, setting.size))
    return Nature(
        groups=groups,
        violates=violates,
        kind=np.where(violates, kind, KINDS.index("benign")),
        veiled=violates & (rng.random(setting.size) < VEILED),
        rough=~violates & (rng.random(setting.size) < ROUGH),
    )
