"""Answers checked against a plan: one label per item, and everything that is missing, conflicting or unknown."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.errors import InputError
from evenhand.measurement.answers import Answer
from evenhand.measurement.plan import DrawnPart, SamplingPlan

IDS_IN_MESSAGE = 5  # ids that a message names
SCIENTIFIC = re.compile(r"[-+]?\d([.,]\d+)?[eE][+]?\d+")
VOTING_RULES = ("majority", "mean")


@dataclass(frozen=True)
class ItemLabels:
    """The label of each item: from 0 to 1, or None for "cannot tell". `tied` are those with a split vote."""

    values: Mapping[str, float | None]
    tied: tuple[str, ...] = ()

    @property
    def unclear(self) -> tuple[str, ...]:
        """Items labelled "cannot tell", including split votes."""
        return tuple(id_ for id_, value in self.values.items() if value is None)

    def as_if(self, value: float) -> ItemLabels:
        """The same with one label for all that is unclear."""
        return ItemLabels({id_: value if label is None else label for id_, label in self.values.items()})

    def digest(self, ids: Iterable[str]) -> tuple[int, str]:
        """How many of these items have an answer, and a hash of all of them."""
        labelled = sorted((id_, self.values[id_]) for id_ in ids if id_ in self.values)
        text = "\n".join(f"{id_}\t{value}" for id_, value in labelled)
        return len(labelled), hashlib.sha256(text.encode()).hexdigest()


def label_items(answers: Sequence[Answer], *, several: str | None, annotators: bool) -> ItemLabels:
    """One label an item. Without annotators, two different answers to one item are a conflict."""
    if several is not None and several not in VOTING_RULES:
        raise InputError(f"invalid `several`: '{several}' (choose from: {', '.join(VOTING_RULES)})")
    by_item: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_item[answer.id].append(answer)
    check_conflicts(by_item, annotators=annotators)
    if not annotators:
        return ItemLabels({id_: own[0].value for id_, own in by_item.items()})
    labels, tied = {}, []
    for id_, own in by_item.items():
        clear = [answer.value for answer in _each_once(own) if answer.value is not None]
        share = sum(clear) / len(clear) if clear else None
        if share is not None and several != "mean":
            if share == 0.5:
                tied.append(id_)
            share = None if share == 0.5 else float(share > 0.5)
        labels[id_] = share
    return ItemLabels(labels, tuple(tied))


def check_conflicts(by_item: Mapping[str, Sequence[Answer]], *, annotators: bool) -> None:
    """The same annotator, or everybody where they are not told apart, must say one thing of an item."""
    bad = []
    for id_, own in by_item.items():
        by_annotator: dict[str, float | None] = {}
        if any(by_annotator.setdefault(one.annotator, one.value) != one.value for one in own):
            bad.append(id_)
    if bad:
        hint = (
            "the same annotator gave both"
            if annotators
            else "if several people labelled them, name the column of annotators with `annotator`"
        )
        raise InputError(f"{count_phrase(bad, 'item')} with conflicting answers ({first_ids(bad)}): {hint}")


def check_known(answers: Sequence[Answer], plan: SamplingPlan, gold: Iterable[str]) -> None:
    """Every answer must be about an item that was drawn, or about a gold item."""
    known = {id_ for drawn in plan.rounds for id_ in drawn.ids} | set(gold)
    strange = [answer for answer in answers if answer.id not in known]
    if strange:
        ids = list(dict.fromkeys(answer.id for answer in strange))
        problem = (
            f"{count_phrase(ids, 'item')} not drawn by this plan ({first_ids(ids)}){_spreadsheet_hint(ids, known)}"
        )
        raise InputError(problem, source=strange[0].source, column="id", row=strange[0].row)


def missing_labels(plan: SamplingPlan, labels: ItemLabels) -> list[list[str]]:
    """Of each batch, the items that have no answer."""
    return [[id_ for id_ in drawn.ids if id_ not in labels.values] for drawn in plan.rounds]


def first_ids(ids: Sequence[str]) -> str:
    """The first few."""
    return ", ".join(ids[:IDS_IN_MESSAGE]) + (", …" if len(ids) > IDS_IN_MESSAGE else "")


def count_phrase(things: Sequence[object], what: str) -> str:
    """So many things."""
    return f"{len(things):,} {what}{'' if len(things) == 1 else 's'}"


def _spreadsheet_hint(ids: Sequence[str], known: Collection[str]) -> str:
    """A hint where ids look like what spreadsheets make of them."""
    bare = {id_.lstrip("0") for id_ in known}
    if any(SCIENTIFIC.fullmatch(id_) for id_ in ids):
        damage = "rounded them"
    elif any(id_.lstrip("0") in bare for id_ in ids):
        damage = "removed leading zeros"
    else:
        return ""
    return f": a spreadsheet seems to have {damage}; import the column id as text, or draw the sheet as .xlsx"


def _each_once(answers: Sequence[Answer]) -> list[Answer]:
    return list({answer.annotator: answer for answer in answers}.values())


def rounds_with_labels(plan: SamplingPlan, labels: ItemLabels) -> int:
    """How many batches have labels: all, or all but the last, which then waits for them."""
    lacking = missing_labels(plan, labels)
    last = len(plan.rounds) - 1
    fresh = set(plan.rounds[last].ids) - {id_ for drawn in plan.rounds[:last] for id_ in drawn.ids}
    waits = last > 0 and fresh and fresh <= set(lacking[last])
    return last if waits else last + 1


def check_complete(plan: SamplingPlan, labels: ItemLabels, rounds: int, *, unfinished: bool) -> None:
    """Every drawn item must have an answer; with `unfinished` strata with too few are joined to their neighbours."""
    lacking = missing_labels(plan, labels)[:rounds]
    for number, ids in enumerate(lacking, start=1):
        if ids and len(ids) == len(plan.rounds[number - 1].ids):
            hint = ": give the sheets of all batches" if len(plan.rounds) > 1 else ""
            raise InputError(f"none of the {count_phrase(ids, 'item')} of batch {number} has a label{hint}")
        if ids and not unfinished:
            problem = f"{count_phrase(ids, 'item')} of batch {number} without a label ({first_ids(ids)})"
            rest = "it" if len(ids) == 1 else "them"
            raise InputError(f"{problem}: label {rest}, or estimate without {rest} with `unfinished`")


def cut_to_labels(plan: SamplingPlan, labels: ItemLabels, rounds: int) -> SamplingPlan:
    """The plan with its draws cut where labels end: whole clusters, or draws in a row; strata stay as they are."""
    cut = [replace(d, parts=tuple(_cut_part(p, labels) for p in d.parts)) for d in plan.rounds[:rounds]]
    return replace(plan, rounds=(*cut, *plan.rounds[rounds:]))


def _cut_part(part: DrawnPart, labels: ItemLabels) -> DrawnPart:
    keep = part.drawn.usable(np.array([id_ in labels.values for id_ in part.ids], dtype=np.bool_))
    if keep.all():
        return part
    if not keep.any():
        raise InputError("too few labels for an estimate: ask annotators to label a batch from top to bottom")
    return DrawnPart(part.pool, tuple(np.array(part.ids)[keep].tolist()), part.drawn.only(keep))
