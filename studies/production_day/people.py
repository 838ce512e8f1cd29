"""Who works on the day: the platform, ten reviewers in shifts with breaks, and annotators of a study."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from studies.production_day.clock import DayClock
from studies.production_day.content import ArrivingItem, ContentTruth
from studies.production_day.running_desk import DeskCaller

EARLY = ((6.0, 8.0), (8.25, 10.25), (10.75, 12.5), (12.75, 14.0))  # hours of work; between them are breaks
LATE = ((14.0, 16.0), (16.25, 18.25), (18.75, 20.5), (20.75, 22.0))
AT_NIGHT = ((0.25, 3.0), (3.5, 6.0), (22.0, 24.0))
SHIFTS = {
    **dict.fromkeys(("ana", "ben", "chloe", "lena"), EARLY),
    **dict.fromkeys(("dev", "emil", "fay", "lars"), LATE),
    **dict.fromkeys(("gus", "hana"), AT_NIGHT),
}
LEADS = ("lena", "lars", "chloe", "fay", "hana")  # who review like all others
NEXT_MORNING = ("gus", "hana", "lena", "lars")  # who review what was drawn and still waits at midnight
LATEST = 34.0
ANNOTATORS = ("noor", "omar", "pia")
PLATFORM = "forum"
PEOPLE = {
    **{person: "lead" if person in LEADS else "moderator" for person in SHIFTS},
    **dict.fromkeys(ANNOTATORS, "annotator"),
    PLATFORM: "service",
}
QUEUES = ("review", "escalated")
WALKS_AWAY, SKIPS, ESCALATES, UNDOES = 0.01, 0.02, 0.02, 0.02  # of tasks
TRUSTED, APPEALS = 0.05, 0.05  # of notices, of removals
TICK = 3.0  # minutes between two looks of the platform at what to send
MOST = 200  # items of one request


@dataclass
class DayLog:
    """What was acknowledged: whatever the desk said it has done, it must have done."""

    received: dict[str, str] = field(default_factory=dict)  # the desk's id, by the platform's
    notices: Counter[str] = field(default_factory=Counter)
    judged: list[tuple[str, str, str]] = field(default_factory=list)  # task, person, verdict
    undone: list[str] = field(default_factory=list)
    appealed: list[str] = field(default_factory=list)
    labelled: list[str] = field(default_factory=list)
    claims: list[float] = field(default_factory=list)  # seconds until the next item was there
    actions: dict[str, str | None] = field(default_factory=dict)  # what the platform was told last
    refused: Counter[str] = field(default_factory=Counter)


@dataclass
class Platform:
    """Sends items and notices, reads decisions, and passes appeals on."""

    caller: DeskCaller
    clock: DayClock
    items: list[ArrivingItem]
    log: DayLog
    chance: random.Random
    read: int = 0
    waiting: list[ArrivingItem] = field(default_factory=list)  # for their notices

    def work(self) -> None:
        """Until midnight."""
        sent = 0
        while sent < len(self.items) or self.clock.hour < 24.0:
            due = [item for item in self.items[sent : sent + MOST] if item.hour <= self.clock.hour]
            self.send(due)
            sent += len(due)
            self._report(due)
            self.read_decisions()
            if len(due) < MOST:
                self.clock.pass_minutes(TICK)

    def send(self, items: list[ArrivingItem]) -> None:
        """Items, in one request."""
        if items:
            answer = self.caller.ask("POST", "/items", {"items": [item.body for item in items]})
            assert answer.ok, answer.document
            self.log.received |= {one["id"]: one["item"] for one in answer.document["items"]}

    def _report(self, items: list[ArrivingItem]) -> None:
        for item in items:
            for number in range(min(item.reports, 3)):
                who = {"reporter": f"reader-{number}", "trusted": self.chance.random() < TRUSTED}
                answer = self.caller.ask("POST", "/notices", {"id": item.name, "reason": "insulting", **who})
                assert answer.ok, answer.document
                self.log.notices[item.name] += 1

    def read_decisions(self) -> None:
        """What is new, page by page; some of those whose comment was removed appeal."""
        while True:
            page = self.caller.ask("GET", f"/decisions?after={self.read}&limit=1000").document
            for one in page["decisions"]:
                self.log.actions[one["id"]] = one["action"]
                if one["action"] == "remove" and self.chance.random() < APPEALS:
                    self._appeal(one["id"])
            if page["next"] == self.read:
                return
            self.read = page["next"]

    def _appeal(self, name: str) -> None:
        answer = self.caller.ask("POST", "/appeals", {"id": name, "reason": "It was a joke."})
        if answer.ok:
            self.log.appealed.append(name)
        else:
            self.log.refused["appeal"] += 1  # somebody changed the decision meanwhile


@dataclass
class Reviewer:
    """Claims, reads, decides; at times skips, passes on, changes their mind, or walks away without a word."""

    person: str
    caller: DeskCaller
    clock: DayClock
    truth: ContentTruth
    log: DayLog
    chance: random.Random
    minutes: float  # that a review takes

    def work(self) -> None:
        """The hours of the shift."""
        for begin, end in SHIFTS[self.person]:
            self.clock.wait_until(begin)
            while self.clock.hour < end:
                self._review()

    def work_until(self, done: Callable[[], bool]) -> None:
        """The next morning."""
        while not done() and self.clock.hour < LATEST:
            self._review()

    def _review(self) -> None:
        """The next item; leads look first at what was passed on."""
        for queue in reversed(QUEUES) if self.person in LEADS else QUEUES:
            answer = self.caller.ask("POST", f"/queues/{queue}/claim", {})
            if answer.ok and answer.document["task"] is not None:
                if not answer.repeated:
                    self.log.claims.append(answer.seconds)
                self._judge(answer.document)
                return
        self.clock.pass_minutes(5.0)

    def _judge(self, task: dict[str, Any]) -> None:
        self.clock.pass_minutes(self.chance.uniform(0.5, 1.5) * self.minutes)
        what, path = self.chance.random(), f"/tasks/{task['task']}"
        if what < WALKS_AWAY:
            return
        if what < WALKS_AWAY + SKIPS:
            self._counted("skip", self.caller.ask("POST", f"{path}/skip", {"version": task["version"]}))
        elif what < WALKS_AWAY + SKIPS + ESCALATES:
            body = {"version": task["version"], "reason": "a hard case"}
            self._counted("escalate", self.caller.ask("POST", f"{path}/escalate", body))
        else:
            self._decide(task, path, self.truth.verdict(task["external_id"]))

    def _decide(self, task: dict[str, Any], path: str, verdict: str) -> None:
        """Half of those who change their mind have no time left to judge it again."""
        answer = self.caller.ask("POST", f"{path}/decide", {"version": task["version"], "verdict": verdict})
        if not self._counted("decide", answer):
            return
        self.log.judged.append((task["task"], self.person, verdict))
        if self.chance.random() < UNDOES:
            answer = self.caller.ask("POST", f"{path}/undo", {"version": answer.document["version"]})
            if self._counted("undo", answer):
                self.log.undone.append(task["task"])
                self._decide({**task, "version": answer.document["version"]}, path, verdict)
        self.truth.judged.add(task["external_id"])

    def _counted(self, what: str, answer: Any) -> bool:
        """Whether it was done; a conflict says why not: the lease was over, or the item is another one by now."""
        if not answer.ok:
            assert answer.status == 409, answer.document
            self.log.refused[what] += 1
        return bool(answer.ok)


@dataclass
class Annotator:
    """Labels what a study asks for, and sees what is true."""

    caller: DeskCaller
    clock: DayClock
    truth: dict[str, ArrivingItem]  # by the text
    log: DayLog

    def work(self, study: str) -> None:
        """Until nothing is left."""
        while (shown := self.caller.ask("GET", f"/studies/{study}/next").document)["task"] is not None:
            answer = "yes" if self.truth[shown["text"]].violates else "no"
            body = {"task": shown["task"], "version": shown["version"], "answer": answer}
            assert self.caller.ask("POST", f"/studies/{study}/labels", body).ok
            self.log.labelled.append(shown["task"])
            self.clock.pass_minutes(1.0)
