"""The pages of labelling studies: a list with what there is to label, and a form by which a lead opens one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import sqlalchemy as sa

from evenhand.desk.pages.words import PhraseError
from evenhand.desk.people import Person
from evenhand.desk.study_bodies import DesignName
from evenhand.desk.study_overview import list_studies
from evenhand.store import Store, perform, schema
from evenhand.store.labelling import LabelProgress, label_progress, own_studies
from evenhand.store.roles import LABELLERS
from evenhand.store.studies import StudyDesign, StudySetup
from evenhand.store.study_population import GROUPINGS

Fields = Mapping[str, str]


@dataclass(frozen=True)
class OwnStudy:
    """A study that a person labels in, and how far they are."""

    id: str
    title: str
    is_open: bool
    progress: LabelProgress


@dataclass(frozen=True)
class StudiesPage:
    """What a person labels; for leads all studies, and who may label in a new one."""

    own: tuple[OwnStudy, ...]
    every: tuple[Any, ...]
    labellers: tuple[str, ...]
    designs: tuple[str, ...] = get_args(DesignName)
    groupings: tuple[str, ...] = GROUPINGS


def own_label_work(connection: sa.Connection, person: Person) -> tuple[OwnStudy, ...]:
    """The studies that a person labels in."""
    return tuple(
        OwnStudy(row.id, row.title, row.state == "open", label_progress(connection, row.id, person.id))
        for row in own_studies(connection, person.id)
    )


def studies_page(store: Store, person: Person) -> StudiesPage:
    """The studies as a person may see them."""
    people = schema.people
    named = sa.select(people.c.id).where(people.c.active, people.c.role.in_(LABELLERS)).order_by(people.c.id)
    with store.database.reading() as connection:
        own = own_label_work(connection, person)
        every = tuple(list_studies(connection)) if person.may("see_studies") else ()
        return StudiesPage(own, every, tuple(connection.scalars(named)) if person.may("open_study") else ())


def open_study(store: Store, person: Person, fields: Fields) -> str:
    """Open a study by the form; its number."""
    setup = StudySetup(
        fields.get("title", ""), named(fields, "annotators"), named(fields, "adjudicators"),
        fields.get("codebook", "").replace("\r\n", "\n"), number(fields, "per_item", 1),
    )  # fmt: skip
    by = fields.get("by", "")
    design = StudyDesign(
        design=fields.get("design", "score-driven"), by=(by,) if by else (), decided=fields.get("measure") == "recall",
        n=fields.get("n", "").strip() or None, target=_target(fields), prevalence=_share(fields, "prevalence"),
        seed=secrets.randbelow(2**32), purpose={"codebook": fields.get("title", "")[:200]},
    )  # fmt: skip
    return str(perform(store, "open_study", actor=person.id, setup=setup, design=design)["study"])


def _target(fields: Fields) -> dict[str, float | None]:
    within = _share(fields, "within")
    return {} if within is None or fields.get("n", "").strip() else {"within": within}


def named(fields: Fields, name: str) -> tuple[str, ...]:
    """People, comma-separated."""
    return tuple(part.strip() for part in fields.get(name, "").split(",") if part.strip())


def number(fields: Fields, name: str, usual: int) -> int:
    """A whole number of a form; the usual one where the field is empty."""
    text = fields.get(name, "").strip()
    if not text:
        return usual
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise PhraseError("error.whole")
    return int(text)


def _share(fields: Fields, name: str) -> float | None:
    """A percentage of a form, as a share."""
    text = fields.get(name, "").strip().removesuffix("%").strip()
    if not text:
        return None
    try:
        share = float(text) / 100.0
    except ValueError:
        share = -1.0
    if not 0.0 < share < 1.0:
        raise PhraseError("error.percentage")
    return share
