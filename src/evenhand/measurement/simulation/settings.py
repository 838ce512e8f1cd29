"""What can be chosen about a simulation, and settings of the default design to try beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from evenhand import arrays
from evenhand.audits.settings import Settings
from evenhand.choices import check_limits
from evenhand.errors import InputError, nearest
from evenhand.sampling import ScoreDrivenSettings


class SimulatedDesign(StrEnum):
    """Who or what says how labels are spread, as slices name it."""

    RANDOM = "random"
    EQUAL = "equal"  # strata, as many labels in each
    OPTIMAL = "optimal"  # strata, by an oracle that knows all labels
    PILOT = "pilot"  # strata, as some first labels say
    DEFAULT = "default"
    LIMIT = "limit"  # of any design by the score


class ScoreCut(StrEnum):
    """How the score is cut into strata."""

    EQUAL_WIDTH = "equal_width"
    QUANTILE = "quantile"
    ORACLE = "oracle"  # by somebody who knows all labels


class SimulatedInterval(StrEnum):
    """The intervals whose coverage is simulated."""

    OURS = "ours"
    WILSON = "wilson"
    LOGIT = "logit"
    LOG = "log"
    NORMAL = "normal"


AS_IF_SHUFFLED = "shuffled"  # an uninformative classifier: its scores, shuffled over the items
PAPER_STRATA, PAPER_PILOT = 8, 50  # of the paper's Table 1: always simulated
QUICK: dict[str, Any] = {
    "simulations": 200,
    "strata": (4, 8, 16),
    "pilots": (50,),
    "pilot_totals": (128, 512),
    "variants": (),
}


@dataclass(frozen=True, kw_only=True)
class SimulationSettings(Settings):
    """Targets ("within"), the designs to try, and how many samples to draw of each.

    `pilots` are labels in each stratum, `pilot_totals` labels over all of them; `variants` are settings of the default
    design such as "first=50,strata=20".
    """

    within: tuple[float, ...] = (0.2,)
    strata: tuple[int, ...] = (2, 4, 8, 16, 32)
    pilots: tuple[int, ...] = (20, 50, 100)
    pilot_totals: tuple[int, ...] = (128, 256, 512, 1024)
    variants: tuple[str, ...] = ("first=50", "floor=0.1-0.02", "strata=20")
    simulations: int = 2000
    per_hour: float = 600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.within:
            raise InputError("give a target precision, such as `within` 0.2")
        for share in self.within:
            arrays.share(share, "within")
        for name, least in (("strata", 2), ("pilots", 2), ("pilot_totals", 4)):
            for number in getattr(self, name):
                arrays.whole(number, name.replace("_", " "), least=least)
        arrays.whole(self.simulations, "the number of simulations", least=100)
        arrays.positive(self.per_hour, "the labels an hour")
        for text in self.variants:
            design_variant(text)

    @property
    def counts(self) -> list[int]:
        """Numbers of strata, that of the paper among them."""
        return sorted({*self.strata, PAPER_STRATA})

    @property
    def pilot_sizes(self) -> list[int]:
        """Pilot labels in each stratum, those of the paper among them."""
        return sorted({*self.pilots, PAPER_PILOT})

    @property
    def trial(self) -> int:
        """Samples with which the size of the others is found."""
        return max(100, self.simulations // 5)


def design_variant(text: str) -> ScoreDrivenSettings:
    """The default design with some settings changed: "first=50,floor=0.3-0.1"."""
    design = ScoreDrivenSettings()
    known: dict[str, Callable[[str], Any]] = {
        "first": int,
        "growth": float,
        "floor": _floor,
        "halving": float,
        "strata": int,
        "each": int,
    }
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in known:
            raise InputError(f"the default design has no setting '{name}'; {nearest(name, known)}")
        try:
            changed = {name: known[name](value)}
            check_limits(changed)
            design = replace(design, **changed)
        except ValueError:
            raise InputError(f"invalid setting: '{part.strip()}' (write first=50 or floor=0.3-0.1)") from None
    if design.first < 4 or design.strata < 1 or design.each < 2 or design.growth < 1.0 or design.halving <= 0.0:
        least = "first must be at least 4, each at least 2, strata and growth at least 1, and halving above 0"
        raise InputError(f"invalid setting: '{text}' ({least})")
    return design


def _floor(text: str) -> tuple[float, float]:
    start, _, least = text.partition("-")
    shares = float(start), float(least or start)
    if not 0.0 < shares[1] <= shares[0] <= 1.0:
        raise InputError(f"invalid floor: '{text}' (must be a first and a last share, such as 0.3-0.1)")
    return shares
