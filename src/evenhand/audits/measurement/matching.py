"""Answers held against a plan: one label an item, and a list of everything that is not as it should be."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.audits.measurement.labels import Answer
from evenhand.errors import InputError
from evenhand.sampling.plan import Plan

NAMED = 5  # ids that a message names
SCIENTIFIC = re.compile(r"[-+]?\d([.,]\d+)?[eE][+]?\d+")
SEVERAL = ("majority", "mean")


@dataclass(frozen=True)
class Labels:
    """The label of each item: from 0 to 1, or None where nobody could tell. `tied` are those of a split vote."""

    values: Mapping[str, float | None]
    tied: tuple[str, ...] = ()

    @property
    def unclear(self) -> tuple[str, ...]:
        """Items of which nobody could tell, split votes among them."""
        return tuple(id_ for id_, value in self.values.items() if value is None)

    def as_if(self, value: float) -> Labels:
        """The same with one label for all that is unclear."""
        return Labels({id_: value if found is None else found for id_, found in self.values.items()})

    def digest(self, ids: Iterable[str]) -> tuple[int, str]:
        """How many of these items have an answer, and a hash of all of them."""
        told = sorted((id_, self.values[id_]) for id_ in ids if id_ in self.values)
        text = "\n".join(f"{id_}\t{value}" for id_, value in told)
        return len(told), hashlib.sha256(text.encode()).hexdigest()


def label_items(answers: Sequence[Answer], *, several: str | None, annotators: bool) -> Labels:
    """One label an item. Without annotators, two different answers to one item are a conflict."""
    if several is not None and several not in SEVERAL:
        raise InputError(f"--several is {' or '.join(SEVERAL)}, not '{several}'")
    by_item: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_item[answer.id].append(answer)
    check_conflicts(by_item, annotators=annotators)
    if not annotators:
        return Labels({id_: given[0].value for id_, given in by_item.items()})
    labels, tied = {}, []
    for id_, given in by_item.items():
        told = [answer.value for answer in _each_once(given) if answer.value is not None]
        share = sum(told) / len(told) if told else None
        if share is not None and several != "mean":
            if share == 0.5:
                tied.append(id_)
            share = None if share == 0.5 else float(share > 0.5)
        labels[id_] = share
    return Labels(labels, tuple(tied))


def check_conflicts(by_item: Mapping[str, Sequence[Answer]], *, annotators: bool) -> None:
    """The same annotator, or everybody where they are not told apart, must say one thing of an item."""
    bad = []
    for id_, given in by_item.items():
        said: dict[str, float | None] = {}
        if any(said.setdefault(one.annotator, one.value) != one.value for one in given):
            bad.append(id_)
    if bad:
        hint = (
            "the same annotator said both"
            if annotators
            else "if they are of several people, name their column with --annotator"
        )
        raise InputError(f"{counted(bad, 'item')} with different answers ({named(bad)}): {hint}")


def check_known(answers: Sequence[Answer], plan: Plan, gold: Iterable[str]) -> None:
    """Every answer must be about an item that was drawn, or about a gold item."""
    known = {id_ for drawn in plan.rounds for id_ in drawn.ids} | set(gold)
    strange = [answer for answer in answers if answer.id not in known]
    if strange:
        ids = list(dict.fromkeys(answer.id for answer in strange))
        problem = f"{counted(ids, 'item')} not drawn by this plan ({named(ids)}){_spoilt(ids, known)}"
        raise InputError(problem, source=strange[0].source, column="id", row=strange[0].row)


def missing(plan: Plan, labels: Labels) -> list[list[str]]:
    """Of each batch, the items that have no answer."""
    return [[id_ for id_ in drawn.ids if id_ not in labels.values] for drawn in plan.rounds]


def named(ids: Sequence[str]) -> str:
    """The first few."""
    return ", ".join(ids[:NAMED]) + (", …" if len(ids) > NAMED else "")


def counted(things: Sequence[object], what: str) -> str:
    """So many things."""
    return f"{len(things):,} {what}{'' if len(things) == 1 else 's'}"


def _spoilt(ids: Sequence[str], known: Collection[str]) -> str:
    """A hint where ids look like what spreadsheets make of them."""
    bare = {id_.lstrip("0") for id_ in known}
    if any(SCIENTIFIC.fullmatch(id_) for id_ in ids):
        lost = "their digits"
    elif any(id_.lstrip("0") in bare for id_ in ids):
        lost = "their leading zeros"
    else:
        return ""
    return f": a spreadsheet seems to have taken {lost}; read the column id as text, or draw the sheet as .xlsx"


def _each_once(given: Sequence[Answer]) -> list[Answer]:
    return list({answer.annotator: answer for answer in given}.values())
