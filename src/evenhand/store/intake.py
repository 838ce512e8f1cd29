"""Items come in: received once per external id, drawn for measurement, scored, routed, noticed.

The measurement draw comes first and depends on nothing but what is known at arrival: a keyed hash of the id of the item
against a probability that is recorded. Score, route and notices come later and cannot change it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import cases, schema
from evenhand.store import events as ev
from evenhand.store.cases import MEASUREMENT, REVIEW, VERDICTS, Case
from evenhand.store.ledger import EventLedger, batches, new_id
from evenhand.store.reasons import keep_reason

LONGEST_ID, LONGEST_TEXT = 512, 1_000_000  # characters


@dataclass(frozen=True)
class NewScore:
    """What a model says of a text.

    >>> eh.store.NewScore("default", "1.0", 0.4).score
    0.4
    """

    model: str
    model_version: str
    score: float
    uncertainty: float | None = None
    shadow: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.score <= 1.0:
            raise InputError(f"invalid score: {self.score} (must be 0 to 1)")


@dataclass(frozen=True)
class NewItem:
    """Content to moderate, by the id that the platform has for it; `gold` is the verdict of a test item.

    >>> eh.store.NewItem("comment-17", "you are wrong").external_id
    'comment-17'
    """

    external_id: str
    text: str
    item_type: str = "comment"
    language: str | None = None
    community: str | None = None
    thread: str | None = None
    author: str | None = None
    created_at: int | None = None
    attributes: Mapping[str, float] = field(default_factory=dict)
    scores: Sequence[NewScore] = field(default=(), repr=False)  # what was sent is the same item, however it scores
    gold: str | None = None

    def __post_init__(self) -> None:
        if not 0 < len(self.external_id) <= LONGEST_ID or "\0" in self.external_id:
            raise InputError(f"an external id must have 1 to {LONGEST_ID} characters, none of them NUL")
        if len(self.text) > LONGEST_TEXT or "\0" in self.text:
            raise InputError(f"a text must have at most {LONGEST_TEXT:,} characters, none of them NUL")
        if self.gold is not None and self.gold not in VERDICTS:
            raise InputError(f"invalid verdict: '{self.gold}' (choose from: {', '.join(VERDICTS)})")


def receive(ledger: EventLedger, items: Sequence[NewItem]) -> list[dict[str, Any]]:
    """Take items in: new ones are drawn, scored and routed; known ones with another text are edited."""
    known = _known(ledger, [item.external_id for item in items])
    ledger.look_up_keys("author", (item.author for item in items))
    answers = []
    for item in items:
        case = known.get(item.external_id)
        outcome = "known"
        if case is None:
            case, outcome = _begin(ledger, item), "new"
            known[item.external_id] = case
            if item.gold is None:
                _draw(ledger, case)
        elif _is_edit(ledger, case, item):
            text = ledger.keep("text", item.text, case.item.id)
            assert text is not None
            ledger.record(case, ev.Edited(text=text))
            outcome = "edited"
        if outcome != "known" and case.item.gold is None:
            score(ledger, case, item.scores, edited=outcome == "edited")
        answer = {"item": case.item.id, "external_id": item.external_id, "outcome": outcome}
        answers.append({**answer, "route": case.item.route})
    return answers


def _known(ledger: EventLedger, external_ids: list[str]) -> dict[str, Case]:
    table, found = schema.items, list[str]()
    for batch in batches(sorted(set(external_ids)), 500):
        found += ledger.connection.scalars(sa.select(table.c.id).where(table.c.external_id.in_(batch)))
    return {case.item.external_id: case for case in ledger.cases(found)}


def _begin(ledger: EventLedger, item: NewItem) -> Case:
    name = new_id(ledger.at)
    first = ev.Received(
        external_id=item.external_id, item_type=item.item_type, language=item.language, community=item.community,
        thread=item.thread, created_at=item.created_at, attributes=dict(item.attributes), gold=item.gold,
        text=ledger.keep("text", item.text, name), author=ledger.keep("author", item.author),
    )  # fmt: skip
    case = Case.begin(name, ledger.at, first)
    ledger.begin(case)
    ledger.record(case, first)
    return case


def _is_edit(ledger: EventLedger, case: Case, item: NewItem) -> bool:
    table = schema.contents
    row = ledger.connection.execute(sa.select(table).where(table.c.id == case.item.text)).first()
    return row is not None and row.value is not None and row.value != item.text


def _draw(ledger: EventLedger, case: Case) -> None:
    policy = ledger.policy
    keys, item = ledger.store.keys, case.item
    probability = policy.draw_probability(item)
    drawn = keys.uniform("draw", item.id) < probability
    order, panel = keys.uniform("order", item.id), keys.uniform("panel", item.id) < policy.panel
    ledger.record(case, ev.MeasurementDrawn(probability=probability, drawn=drawn, order=order, panel=drawn and panel))
    if drawn:
        open_task(ledger, case, MEASUREMENT, policy.queue_of(item), (-order, -order))


def score(ledger: EventLedger, case: Case, scores: Sequence[NewScore], *, edited: bool = False) -> None:
    """Record scores of the current text, and route it by them."""
    for one in scores:
        ledger.record(case, ev.Scored(**vars(one)))
    if edited or not scores or not all(one.shadow for one in scores):
        route(ledger, case, edited=edited)


def route(ledger: EventLedger, case: Case, *, edited: bool = False) -> None:
    """What the policy that holds does to the item: removed or left unseen, or a place in a queue.

    What people decided is not reviewed again, unless the text is another one and the policy would do something else
    about it. A review that a notice asks for stays, whatever the score is.
    """
    policy = ledger.policy
    item = case.item
    if item.score is None:
        decision, reason = "review", "no score"
    else:
        decision, reason = policy.thresholds.decide(item.score), "score"
    ledger.record(case, ev.Routed(policy=ledger.policy_version, route=decision, reason=reason))
    waiting, unseen = case.open_task(REVIEW), decision != "review"
    if waiting is not None and unseen and waiting.state == cases.WAITING and not _is_asked_for(item):
        ledger.record(case, ev.TaskWithdrawn(task=waiting.id, reason="routed"))
    elif waiting is not None:
        rank(ledger, case)
    elif (edited and item.action != decision) or (item.basis in (None, cases.POLICY) and not unseen):
        open_task(ledger, case, REVIEW, policy.queue_of(item), policy.keys_of(item, json.loads(item.attributes)))


def _is_asked_for(item: cases.ItemState) -> bool:
    """Whether somebody other than the policy wants it reviewed: who reported it, or whoever decided about its text."""
    return item.notices > 0 or (item.basis not in (None, cases.POLICY) and item.action != item.route)


def rank(ledger: EventLedger, case: Case) -> None:
    """Give the waiting review its place again."""
    policy = ledger.policy
    task = case.open_task(REVIEW)
    if task is None:
        return
    first, second = policy.keys_of(case.item, json.loads(case.item.attributes))
    if (first, second) != (task.first_key, task.second_key):
        ledger.record(case, ev.TaskRanked(task=task.id, first_key=first, second_key=second))


def notice(
    ledger: EventLedger,
    item: str,
    reason: str,
    *,
    reporter: str | None = None,
    clause: str | None = None,
    note: str | None = None,
    trusted: bool = False,
) -> dict[str, Any]:
    """A report by a user or a trusted flagger. It asks for a review where no person has decided yet."""
    case = ledger.case(item)
    content, who = ledger.keep("note", note, item), ledger.keep("reporter", reporter)
    told = ev.Noticed(
        reason=keep_reason(ledger, reason, item), clause=clause, trusted=trusted, note=content,
        reporter=who, repeated=who is not None and _has_reported(ledger, case, who.id),
    )  # fmt: skip
    ledger.record(case, told)
    policy = ledger.policy
    undecided = case.item.basis in (None, cases.POLICY)
    if case.open_task(REVIEW) is not None:
        rank(ledger, case)
    elif case.item.gold is None and (undecided or trusted) and not case.open_task(cases.RESOLVE, cases.APPEAL):
        keys = policy.keys_of(case.item, json.loads(case.item.attributes))
        open_task(ledger, case, REVIEW, policy.queue_of(case.item), keys)
    return {"item": item, "notices": case.item.notices}


def _has_reported(ledger: EventLedger, case: Case, reporter: str) -> bool:
    table = schema.notices
    before = sa.exists().where(table.c.item == case.item.id, table.c.reporter == reporter)
    stored = bool(ledger.connection.scalar(sa.select(before)))
    return stored or any(row["reporter"] == reporter for row in case.notices)


def open_task(ledger: EventLedger, case: Case, purpose: str, queue: str, keys: tuple[float, float] = (0.0, 0.0)) -> str:
    """Ask for a judgement; the id of the task."""
    name = new_id(ledger.at)
    opened = ev.TaskOpened(task=name, purpose=purpose, queue=queue, first_key=keys[0], second_key=keys[1])
    ledger.record(case, opened)
    return name
