"""What can happen to a labelling study. The events of a study are a stream of their own, beside those of items.

A study is a sealed sampling plan with people. The plan, every batch with its draws, who was asked for which label and
in which order, and every answer are events, so that an estimate can be made again from the chain alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.store.events import ContentRef, StoreEvent

STREAM = "study-"  # before the number of a study: the name of its stream


@dataclass(frozen=True, kw_only=True)
class StudyOpened(StoreEvent, kind="study_opened"):
    """A study begins, by a plan that nobody changes any more."""

    study: str
    title: str
    plan: str  # the sealed file
    codebook: str = ""
    per_item: int = 1
    annotators: tuple[str, ...] = ()
    adjudicators: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PopulationKept(StoreEvent, kind="study_population"):
    """A piece of the population that the plan was made on: ids, scores, groups and pools, in the order of the plan."""

    part: int
    population: ContentRef


@dataclass(frozen=True, kw_only=True)
class StudyStaffed(StoreEvent, kind="study_staffed"):
    """Other people label, or adjudicate, from now on."""

    annotators: tuple[str, ...]
    adjudicators: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class BatchDrawn(StoreEvent, kind="study_batch"):
    """A batch by the plan's own seed; of each item its id in the plan, at the desk, and the text that is labelled."""

    number: int
    draws: Mapping[str, Any]
    items: tuple[tuple[str, str, str | None], ...]


@dataclass(frozen=True, kw_only=True)
class LabelsAsked(StoreEvent, kind="study_asked"):
    """A person is asked for labels: of each its task, the item, and its place in the random order of that person."""

    batch: int
    person: str
    purpose: str
    tasks: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, kw_only=True)
class LabelsWithdrawn(StoreEvent, kind="study_withdrawn"):
    """Labels that nobody needs any more, or that somebody else is asked for."""

    tasks: tuple[str, ...]
    reason: str


@dataclass(frozen=True, kw_only=True)
class Labelled(StoreEvent, kind="labelled"):
    """What a person answered: yes, no, or cannot tell."""

    task: str
    person: str
    answer: str
    note: ContentRef | None = None
    lead_time: float | None = None


@dataclass(frozen=True, kw_only=True)
class LabelUndone(StoreEvent, kind="label_undone"):
    """The person who answered takes it back."""

    task: str
    person: str


@dataclass(frozen=True, kw_only=True)
class StudyStopped(StoreEvent, kind="study_stopped"):
    """No more labels. `reached` is whether the target precision was, where the plan has one."""

    labels: int
    reached: bool | None = None
    reason: str | None = None
