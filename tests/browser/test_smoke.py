"""The review page in a real browser, in seconds; what takes longer runs with `make verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser import packages
from browser.windows import open_window, served
from desk.desks import STAFF
from desk.pages.browsers import plain_desk
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role


@pytest.mark.skipif(packages.chromium() is None, reason=packages.MISSING.format("a Chromium"))
def test_deciding_by_key_shows_the_next_item_at_once(chromium: Any, tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(0.5, 0.5, 0.5)
    with served(desk) as running:
        for page in open_window(chromium, running):
            running.enter(page, STAFF[Role.MODERATOR])
            page.goto(f"{running.url}/queue")
            following = page.locator("#next .text").text_content()
            page.keyboard.press("r")
            assert page.locator("#current .text").inner_text() == following
            page.locator("#status", has_text=words()("done.remove")).wait_for()
