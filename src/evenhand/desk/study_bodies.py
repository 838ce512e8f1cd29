"""What the API of studies takes."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat

from evenhand.desk.bodies import NO_NUL, DeskBody, LongWord, Note, Reason, Seconds, Time, Version, Word, micros
from evenhand.store.studies import LONGEST_CODEBOOK, LONGEST_TITLE, StudyDesign, StudySetup
from evenhand.store.study_asking import MOST_PER_ITEM
from evenhand.store.study_population import PopulationFilter

LARGEST_SEED = 2**32 - 1
DesignName = Literal["score-driven", "random", "stratified", "sequential"]  # all but whole clusters
Share = Annotated[FiniteFloat, Field(gt=0, lt=1)]
People = Annotated[list[Word], Field(max_length=1000)]
SEVERAL = f"Labels of each item, by as many people; a split vote goes to an adjudicator. At most {MOST_PER_ITEM}."
SETTINGS = ("strata", "count", "allocation", "pilot")
TARGETS = ("within", "cv", "width", "below")


class SetupBody(DeskBody):
    """What a study is called, what annotators read beside every item, and who labels."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE, pattern=NO_NUL)]
    annotators: Annotated[People, Field(min_length=1)]
    adjudicators: People = Field(default_factory=list)
    codebook: Annotated[str, Field(max_length=LONGEST_CODEBOOK, pattern=NO_NUL)] = ""
    per_item: Annotated[int, Field(ge=1, le=MOST_PER_ITEM, description=SEVERAL)] = 1

    def setup(self) -> StudySetup:
        """As the store takes it."""
        people = tuple(self.annotators), tuple(self.adjudicators)
        return StudySetup(self.title, *people, self.codebook, self.per_item)


class PopulationBody(DeskBody):
    """Which items of the store a study is about; all of them by default."""

    language: Word | None = None
    community: Word | None = None
    received_from: Time | None = None
    received_to: Time | None = None

    def chosen(self) -> PopulationFilter:
        """As the store takes it."""
        return PopulationFilter(self.language, self.community, micros(self.received_from), micros(self.received_to))


class StudyBody(SetupBody):
    """A study over the items of the store, with the options of `evenhand sample plan`."""

    population: PopulationBody = PopulationBody()
    design: DesignName = "score-driven"
    by: Annotated[list[Literal["language", "community", "item_type"]], Field(max_length=3, default_factory=list)]
    decided: Annotated[bool, Field(description="Removed and visible items are two pools: recall and precision.")] = (
        False
    )
    n: Annotated[int | Literal["all"] | None, Field(description="Labels, or all; or give a target precision.")] = None
    within: Share | None = None
    cv: Annotated[FiniteFloat, Field(gt=0, lt=100)] | None = None
    width: Share | None = None
    below: Share | None = None
    prevalence: Share | None = None
    level: Share = 0.95
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED, description="Drawn at random by default.")] | None = None
    strata: Literal["quantile", "equal-width", "none"] | None = None
    count: Annotated[int, Field(ge=1, le=1000)] | None = None
    allocation: Literal["optimal", "proportional", "equal", "pilot"] | None = None
    pilot: Annotated[int, Field(ge=1, le=10**6)] | None = None
    ground_truth: Word | None = None
    period: Word | None = None

    def study_design(self) -> StudyDesign:
        """As the store takes it."""
        names = {"ground_truth": self.ground_truth, "codebook": self.title, "period": self.period}
        purpose = {name: value for name, value in names.items() if value is not None}
        return StudyDesign(
            population=self.population.chosen(), design=self.design, settings=self._stated(SETTINGS),
            by=tuple(self.by), decided=self.decided, n=None if self.n is None else str(self.n),
            target=self._stated(TARGETS), prevalence=self.prevalence, level=self.level, purpose=purpose,
            seed=secrets.randbelow(LARGEST_SEED + 1) if self.seed is None else self.seed,
        )  # fmt: skip

    def _stated(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class ImportedStudyBody(SetupBody):
    """A sealed plan, and the file of items that it was made on: an export of this store."""

    plan: Annotated[str, Field(min_length=2, pattern=NO_NUL, description="What `evenhand sample plan` wrote.")]
    items: Annotated[str, Field(min_length=4, description="The file (Parquet, CSV or JSONL), in base64.")]


class BatchBody(DeskBody):
    """Which batch to draw: the one after the last."""

    number: Annotated[int, Field(ge=1, le=2**31 - 1, description="409 if it is not the next one.")]


class StaffBody(DeskBody):
    """Who labels and who adjudicates from now on."""

    annotators: Annotated[People, Field(min_length=1)]
    adjudicators: People = Field(default_factory=list)


class StopBody(DeskBody):
    """Batches drawn when you looked, and why, where the target is not reached."""

    batches: Annotated[int, Field(ge=0, le=2**31 - 1, description="409 if another was drawn.")]
    reason: Reason | None = None


class LabelBody(DeskBody):
    """An answer to the item that was shown."""

    task: LongWord
    version: Version
    answer: Literal["yes", "no", "cannot tell"]
    note: Note | None = None
    lead_time: Seconds | None = None
