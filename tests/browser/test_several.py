"""Two people at once, a lease that expires, and a moderator's day on PostgreSQL, each in a desk of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browser.windows import RunningDesk, open_window, served
from desk.desks import STAFF, TestDesk, staffed_desk
from desk.pages.browsers import plain_desk
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role
from store.conftest import postgres  # noqa: F401 (a fixture)
from store.desks import check, emptied

pytestmark = pytest.mark.verify
SAY = words()
MODERATOR, LEAD = STAFF[Role.MODERATOR], STAFF[Role.LEAD]


@contextmanager
def window(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    yield from open_window(chromium, running)


def shown(page: Any) -> str:
    return str(page.locator("#current .text").inner_text())


def wait_said(page: Any, key: str) -> None:
    page.locator("#status", has_text=SAY(key)).wait_for()


def work_through(page: Any, key: str) -> list[str]:
    """Judge until nothing waits, by one key."""
    texts = []
    while page.locator("#current form").count():
        texts.append(shown(page))
        page.keyboard.press(key)
        page.locator("#current form, #waiting:visible").first.wait_for()
        page.wait_for_function("!document.querySelector('#saving') || document.querySelector('#saving').hidden")
    return texts


def test_two_browsers_at_once_never_show_the_same_item(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(*[0.5] * 12)
    with served(desk) as running, window(chromium, running) as first, window(chromium, running) as second:
        for page, person in ((first, MODERATOR), (second, LEAD)):
            running.enter(page, person)
            page.goto(f"{running.url}/queue?queue=review")
        seen: dict[Any, list[str]] = {first: [], second: []}
        for _ in range(6):
            for page, key in ((first, "r"), (second, "l")):
                page.locator("#current form").wait_for()
                seen[page].append(shown(page))
                page.keyboard.press(key)
                wait_said(page, {"r": "done.remove", "l": "done.leave"}[key])
        assert not set(seen[first]) & set(seen[second])
        assert len({*seen[first], *seen[second]}) == 12
        first.locator("#waiting").wait_for()
        assert SAY("empty.title") in first.locator("#waiting").inner_text()


def test_a_lease_that_expires_is_said_and_the_note_is_still_there(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(0.5, 0.45, 0.4)
    with served(desk) as running, window(chromium, running) as page:
        running.enter(page, MODERATOR)
        page.goto(f"{running.url}/queue")
        page.keyboard.press("m")
        page.keyboard.type("quite a long thought")
        page.keyboard.press("Escape")
        desk.desk.clock.pass_seconds(601)
        page.keyboard.press("r")
        wait_said(page, "conflict.lease")
        assert SAY("live.kept_note", note="quite a long thought") in page.locator("#status").inner_text()
        page.locator("#current form").wait_for()
        page.keyboard.press("l")
        wait_said(page, "done.leave")


def test_what_is_covered_shows_by_key(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(0.5, 0.45, prefix="e")
    with served(desk) as running, window(chromium, running) as page:
        running.enter(page, MODERATOR)
        page.goto(f"{running.url}/me")
        page.locator("input[name=text][value=veil]").check()
        page.locator("#words").fill("text")
        page.get_by_role("button", name=SAY("me.button")).click()
        wait_said(page, "done.settings")
        page.goto(f"{running.url}/queue")
        word = page.locator("#current .covered span").first
        visibility = "element => getComputedStyle(element).visibility"
        assert word.evaluate(visibility) == "hidden"
        page.keyboard.press("t")
        assert word.evaluate(visibility) == "visible"
        page.keyboard.press("r")
        wait_said(page, "done.remove")
        assert page.locator("#current .covered span").first.evaluate(visibility) == "hidden"  # the next item, covered


def test_a_moderators_day_on_postgresql(chromium: Any, postgres: str, tmp_path: Path) -> None:  # noqa: F811
    desk: TestDesk = staffed_desk(emptied(postgres, tmp_path), tmp_path, measured=1e-9, reserved=0.0, undo_seconds=600)
    desk.desk.receive(*[0.5] * 8)
    with served(desk) as running, window(chromium, running) as page:
        running.enter(page, MODERATOR)
        page.goto(f"{running.url}/queue")
        for key, said in (("r", "remove"), ("l", "leave"), ("n", "unclear"), ("s", "skip"), ("e", "escalate")):
            following = page.locator("#next .text").text_content()
            page.keyboard.press(key)
            assert shown(page) == following
            wait_said(page, f"done.{said}")
        before = shown(page)
        page.keyboard.press("r")
        wait_said(page, "done.remove")
        page.keyboard.press("u")
        wait_said(page, "done.undo")
        assert shown(page) == before
        rest = work_through(page, "l")
        assert len(rest) == 3
        assert SAY("empty.title") in page.locator("#waiting").inner_text()
        page.goto(f"{running.url}/")
        assert SAY("mine.verdicts", n=6) in page.locator("main").inner_text()
        check(desk.store)
