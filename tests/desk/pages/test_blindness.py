"""Non-interference: desks that differ only in what must not influence a verdict serve the same bytes before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import Browser, masked, plain_desk
from evenhand.desk.people import Role
from evenhand.store import NewItem, NewScore

MODERATOR, LEAD = STAFF[Role.MODERATOR], STAFF[Role.LEAD]
Prepare = Callable[[TestDesk], None]


def receive(desk: TestDesk, score: float = 0.5, **more: Any) -> str:
    new = NewItem("e", "one text", "comment", "en", "sports", "thread", "author", **more)
    scored = [] if new.gold else [NewScore("m", "1", score)]
    return desk.desk.do("receive", "io", items=[NewItem(**{**vars(new), "scores": scored})])["items"][0]["item"]


def judged_by(person: str, action: str, **more: Any) -> Prepare:
    def prepare(desk: TestDesk) -> None:
        receive(desk)
        task = desk.desk.do("claim", person, queue="review")
        desk.desk.do(action, person, task=task["task"], version=task["version"], **more)

    return prepare


VARIANTS: dict[str, tuple[dict[str, Any], Prepare]] = {
    "score": ({}, lambda desk: receive(desk, 0.85) and None),
    "drawn": ({"measured": 1.0, "reserved": 1.0}, lambda desk: receive(desk) and None),
    "panel": ({"measured": 1.0, "reserved": 1.0, "panel": 1.0}, lambda desk: receive(desk) and None),
    "gold": ({"gold": 1.0}, lambda desk: receive(desk, gold="violating") and None),
    "other gold": ({"gold": 1.0}, lambda desk: receive(desk, gold="benign") and None),
    "earlier verdict": ({"second": 1.0}, judged_by("ana", "decide", verdict="violating")),
    "other earlier verdict": ({"second": 1.0}, judged_by("ana", "decide", verdict="benign")),
    "skipped before": ({}, judged_by("ana", "skip")),
    "released before": ({}, judged_by("ana", "release")),
    "not measured": ({"reserved": 0.0}, lambda desk: receive(desk) and None),
}


def before_deciding(folder: Path, person: str, policy: dict[str, Any], prepare: Prepare) -> list[str]:
    """What a person is served with an item on the screen, and then again."""
    desk = plain_desk(folder, **policy)
    desk.store.chance = lambda: 0.0
    prepare(desk)
    browser = Browser(desk, person)
    pages = [browser.get("/queue")]
    context = next(str(values["href"]) for _, values in pages[0].tags if values.get("class") == "context")
    own = () if person == LEAD else ("/",)  # a lead reads numbers of the whole desk there, by intention
    pages += [browser.get(address) for address in (context, *own, "/queue?part=1")]
    desk.store.close()
    assert "one text" in pages[0].html
    return [masked(page.html) for page in pages]


@pytest.fixture(scope="module", params=[MODERATOR, pytest.param(LEAD, marks=pytest.mark.verify)])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    """A person, and the pages of a desk that no other differs from."""
    folder = tmp_path_factory.mktemp("plain")
    return request.param, before_deciding(folder, request.param, {}, lambda desk: receive(desk) and None)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_must_not_influence_a_verdict_changes_no_byte(
    variant: str, served: tuple[str, list[str]], tmp_path: Path
) -> None:
    person, pages = served
    policy, prepare = VARIANTS[variant]
    assert before_deciding(tmp_path, person, policy, prepare) == pages


def test_what_a_reviewer_should_see_does_change_them(served: tuple[str, list[str]], tmp_path: Path) -> None:
    """The comparison above can fail."""
    person, pages = served

    def prepare(desk: TestDesk) -> None:
        desk.desk.do("notice", "io", item=receive(desk), reason="hate")

    assert before_deciding(tmp_path, person, {}, prepare)[0] != pages[0]
