"""Settings of a staffing plan: what to reach, prices, the workload, error rates of reviewers, and guaranteed limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from evenhand import arrays
from evenhand.audits.collaboration.settings import USUAL_STRATEGIES
from evenhand.audits.settings import Settings
from evenhand.catalogue.collaboration import OC_ACCURACY, REVIEWERS
from evenhand.errors import InputError
from evenhand.measures.collaboration import Reviewer
from evenhand.routing.review_policy import PolicyMode
from evenhand.staffing.capacity import Costs, Workload

LABELLED = ("random", "policy")  # a random sample, or what a policy sent to people


@dataclass(frozen=True, slots=True)
class StaffingTarget:
    """What a capacity is to reach: a value of a measure or, where none is named, the least cost.

    >>> eh.staffing.StaffingTarget.parse("oc_accuracy=95%").value
    0.95
    """

    measure: str | None = None
    value: float = 0.0

    @classmethod
    def parse(cls, text: str) -> StaffingTarget:
        """As it is written: a measure, an equals sign, and a share or a percentage."""
        measure, _, value = text.partition("=")
        number, hundredths = value.strip().removesuffix("%"), value.strip().endswith("%")
        try:
            return cls(measure.strip(), float(number) / (100.0 if hundredths else 1.0))
        except ValueError:
            raise InputError(
                f"invalid `targets`: '{text}' (must be MEASURE=VALUE, such as {OC_ACCURACY}=0.95)"
            ) from None

    @property
    def aim(self) -> str:
        """As a sentence begins."""
        return "At the lowest cost" if self.measure is None else f"For {self.measure} of {self.value:g}"

    def __str__(self) -> str:
        return "least cost" if self.measure is None else f"{self.measure} {self.value:g}"


LEAST_COST = StaffingTarget()


@dataclass(frozen=True, kw_only=True)
class StaffingSettings(Settings):
    """Targets are written as `StaffingTarget` reads them. Prices are three, or none.

    >>> eh.staffing.StaffingSettings(targets=("oc_accuracy=0.95",), replicates=100).goals[0].measure
    'oc_accuracy'
    """

    strategies: tuple[str, ...] = USUAL_STRATEGIES
    targets: tuple[str, ...] = ()
    false_removal: float | None = None
    missed_violation: float | None = None
    review: float | None = None
    items_per_day: float = 10_000.0
    seconds_per_review: float = 30.0
    hours_per_day: float = 6.0
    benign_error: float = 0.0
    violating_error: float = 0.0
    wrong_removals: float | None = None
    missed_violations: float | None = None
    delta: float = 0.1
    reviewers: float | None = None
    labelled: str | None = None
    mode: str | None = None
    measured_share: float = 0.05
    policy: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value, choices in (("labelled", self.labelled, LABELLED), ("mode", self.mode, tuple(PolicyMode))):
            if value is not None and value not in choices:
                raise InputError(f"invalid `{name}`: '{value}' (choose from: {', '.join(choices)})")
        if self.reviewers is not None and self.reviewers != 0.0:
            arrays.positive(self.reviewers, "`reviewers`")
        arrays.share(self.measured_share, "`measured_share`", closed=True)

    def as_dict(self) -> dict[str, Any]:
        """For the provenance; what belongs to a policy only where one is planned."""
        own = (str(REVIEWERS), "labelled", "mode", "measured_share", "policy")
        written = super().as_dict()
        return written if self.has_policy else {name: written[name] for name in written if name not in own}

    @property
    def costs(self) -> Costs | None:
        """All three, or none."""
        prices = (self.false_removal, self.missed_violation, self.review)
        if all(price is None for price in prices):
            return None
        if None in prices:
            raise InputError("give all three costs: `false_removal`, `missed_violation` and `review`")
        return Costs(*cast("tuple[float, float, float]", prices))

    @property
    def day(self) -> Workload:
        """What there is to do, and how fast it is done."""
        return Workload(self.items_per_day, self.seconds_per_review, self.hours_per_day)

    @property
    def redraws(self) -> dict[str, Any]:
        """The reviewers and the settings of the bootstrap, for every number of a plan."""
        reviewer = Reviewer(self.benign_error, self.violating_error)
        return {"reviewer": reviewer, "level": self.level, "replicates": self.replicates, "seed": self.seed}

    @property
    def goals(self) -> list[StaffingTarget]:
        """What is to be reached."""
        return [StaffingTarget.parse(text) for text in self.targets]

    @property
    def has_policy(self) -> bool:
        """Whether a policy for the day is wanted, beside single answers."""
        return self.policy or self.reviewers is not None

    @property
    def has_guarantee(self) -> bool:
        """Whether thresholds with a guarantee are wanted."""
        return self.wrong_removals is not None or self.missed_violations is not None
