"""What the API of studies gives. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field


class StudyPlanned(BaseModel):
    """A study that was opened: its number, labels planned, and items of its population."""

    study: str
    labels: int
    items: int


class StudySummary(BaseModel):
    """A study in a list."""

    study: str
    title: str
    state: Annotated[str, Field(description="open or stopped")]
    batches: int
    opened_at: str
    opened_by: str


class StudyList(BaseModel):
    """The newest first."""

    studies: list[StudySummary]


class StudyBatchView(BaseModel):
    """A batch: items, and those that have their label; once it is finished, the estimate with its labels."""

    number: int
    drawn_at: str
    items: int
    done: int
    estimate: dict[str, Any] | None


class LabellerView(BaseModel):
    """How far a person is."""

    person: str
    purpose: Annotated[str, Field(description="label or adjudicate")]
    done: int
    waiting: int


class StudyView(StudySummary):
    """A study as a lead sees it."""

    codebook: str
    per_item: int
    design: str
    measure: str
    plan: Annotated[str, Field(description="The seal of the plan.")]
    items: int
    labels_planned: int
    labels: int
    more_labels: Annotated[int | None, Field(description="Still expected; null where nobody can say.")]
    target_reached: bool | None
    target: dict[str, Any] | None
    split: Annotated[int, Field(description="Split votes that wait for an adjudicator.")]
    finished: int
    can_draw: bool
    can_stop: Annotated[bool, Field(description="Whether the rule allows to stop without a reason.")]
    batches_drawn: list[StudyBatchView]
    people: list[LabellerView]
    stopped_at: str | None
    stop_reason: str | None


class BatchAnswer(BaseModel):
    """What was drawn."""

    study: str
    batch: int
    items: int


class StaffAnswer(BaseModel):
    """Who labels and adjudicates now."""

    study: str
    annotators: list[str]
    adjudicators: list[str]


class StopAnswer(BaseModel):
    """What the study ends with."""

    study: str
    labels: int
    target_reached: bool | None


class LabelProgressView(BaseModel):
    """A study that you label in, and how far you are."""

    study: str
    title: str
    done: int
    waiting: int
    per_hour: float | None


class OwnStudies(BaseModel):
    """The studies that you label in."""

    studies: list[LabelProgressView]


class LabelTask(BaseModel):
    """The next item, with the codebook; all but the study, the codebook and the progress are null where none waits."""

    study: str
    title: str
    codebook: str
    task: str | None
    version: int | None
    text: str | None
    language: str | None
    done: int
    waiting: int
    per_hour: float | None


class LabelAnswer(BaseModel):
    """The label after the call; a further call must name this version."""

    study: str
    task: str
    version: int
