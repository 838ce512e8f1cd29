"""A moderator's day in a real browser: by keyboard alone, offline, in two windows, without JavaScript."""

from __future__ import annotations

from typing import Any

import pytest

from browser.windows import RunningDesk
from evenhand.desk.pages.words import words

pytestmark = pytest.mark.verify
SAY = words()


def shown(page: Any) -> str:
    return str(page.locator("#current .text").inner_text())


def wait_said(page: Any, key: str) -> None:
    page.locator("#status", has_text=SAY(key)).wait_for()


def test_a_day_by_keyboard_alone(page: Any, running: RunningDesk) -> None:
    running.enter(page, "ana")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == SAY("site.skip")
    page.locator(".queue-list a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue**")
    texts = []
    for key, said in (("r", "done.remove"), ("l", "done.leave"), ("n", "done.unclear"), ("s", "done.skip")):
        texts.append(shown(page))
        following = page.locator("#next .text").text_content()
        page.keyboard.press(key)
        assert shown(page) == following  # at once: it was there already
        wait_said(page, said)
    page.keyboard.press("o")
    wait_said(page, "done.second")
    page.keyboard.press("c")
    page.keyboard.type("Self-harm, r l s u")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.keyboard.type("a note")
    page.keyboard.press("Escape")
    fifth = shown(page)
    assert page.locator("#current [name=clause]").input_value() == "Self-harm, r l s u"
    page.keyboard.press("r")
    wait_said(page, "done.remove")
    page.keyboard.press("u")
    wait_said(page, "done.undo")
    assert shown(page) == fifth
    page.keyboard.press("x")
    page.locator("#current .around h2").wait_for()
    page.keyboard.press("e")
    wait_said(page, "done.escalate")
    assert len({*texts, fifth}) == 5


def test_fast_fingers_lose_nothing(page: Any, running: RunningDesk) -> None:
    running.enter(page, "ana")
    before = int("".join(filter(str.isdigit, page.locator(".big").inner_text().split("verdict")[0])))
    page.goto(f"{running.url}/queue")
    for number in range(6):
        page.locator("#current form").wait_for()
        page.keyboard.press("rl"[number % 2])
    page.locator("#status .said").wait_for()
    page.locator("#next form").wait_for(state="attached")
    page.goto(f"{running.url}/")
    assert SAY("mine.verdicts", n=before + 6) in page.content()


def test_a_cut_connection_is_said_and_the_answer_is_sent_later(page: Any, running: RunningDesk) -> None:
    running.enter(page, "ana")
    page.goto(f"{running.url}/queue")
    page.context.set_offline(True)
    page.keyboard.press("l")
    wait_said(page, "live.offline")
    page.context.set_offline(False)
    wait_said(page, "live.online")


def test_two_windows_of_one_person(page: Any, running: RunningDesk) -> None:
    running.enter(page, "ana")
    page.goto(f"{running.url}/queue")
    other = page.context.new_page()
    other.goto(f"{running.url}/queue")
    assert shown(page) == shown(other)
    page.keyboard.press("r")
    wait_said(page, "done.remove")
    other.bring_to_front()
    other.keyboard.press("m")
    other.keyboard.type("mine")
    other.keyboard.press("Escape")
    other.keyboard.press("l")
    wait_said(other, "conflict.decided")
    assert SAY("live.kept_note", note="mine") in other.locator("#status").inner_text()


def test_without_javascript(plain_page: Any, running: RunningDesk) -> None:
    page = plain_page
    running.enter(page, "ana")
    page.goto(f"{running.url}/queue")
    first = shown(page)
    page.locator("[name=clause]").first.focus()
    page.keyboard.press("Enter")  # decides nothing
    assert shown(page) == first
    page.get_by_role("button", name=SAY("review.remove")).click()
    assert SAY("done.remove") in page.locator("#status").inner_text()
    assert shown(page) != first
    page.get_by_role("button", name=SAY("review.undo")).click()
    assert SAY("done.undo") in page.locator("#status").inner_text()
    assert shown(page) == first
    page.get_by_role("link", name=SAY("review.context")).click()
    page.get_by_role("link", name=SAY("context.back")).click()
    assert shown(page) == first
