"""Keys of one's own, and a reminder to pause after most of an hour without a break (15 s)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser.windows import open_window, served
from desk.desks import STAFF
from desk.pages.browsers import plain_desk
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role

pytestmark = pytest.mark.verify
SAY = words()
MODERATOR = STAFF[Role.MODERATOR]
BETWEEN_VERDICTS = 240_000  # milliseconds: no break, which takes five minutes


def test_a_key_of_ones_own_takes_the_place_of_the_usual_one(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(0.5, 0.5, 0.5)
    with served(desk) as running:
        for page in open_window(chromium, running):
            running.enter(page, MODERATOR)
            page.goto(f"{running.url}/me")
            page.locator("#key-remove").fill("1")
            page.keyboard.press("Enter")
            page.locator("#status", has_text=SAY("done.settings")).wait_for()
            page.goto(f"{running.url}/queue")
            shown, following = page.locator("#current .text").inner_text(), page.locator("#next .text").text_content()
            assert page.locator("#current [data-action=remove] kbd").inner_text() == "1"
            page.keyboard.press("r")
            assert page.locator("#current .text").inner_text() == shown
            page.keyboard.press("1")
            assert page.locator("#current .text").inner_text() == following
            page.locator("#status", has_text=SAY("done.remove")).wait_for()


def test_a_pause_is_suggested_after_fifty_minutes_and_not_before(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(*[0.5] * 20)
    with served(desk) as running:
        for page in open_window(chromium, running):
            page.clock.install()
            running.enter(page, MODERATOR)
            page.goto(f"{running.url}/queue")
            for number in range(14):
                page.locator("#next form").wait_for(state="attached")
                page.keyboard.press("l")
                reminder = page.locator("#pause").inner_text()
                assert bool(reminder) == (number * BETWEEN_VERDICTS >= 50 * 60_000), (number, reminder)
                page.locator("#status", has_text=SAY("done.leave")).wait_for()
                page.clock.fast_forward(BETWEEN_VERDICTS)
            assert reminder == SAY("live.pause", minutes=52)
            page.clock.fast_forward(2 * BETWEEN_VERDICTS)  # a break
            page.keyboard.press("l")
            assert page.locator("#pause").inner_text() == ""
