"""A lead tries a policy in a real browser: moving a slider shows at once what it would have done."""

from __future__ import annotations

from typing import Any

import pytest

from browser.windows import RunningDesk
from evenhand.desk.pages.words import words

pytestmark = pytest.mark.verify
SAY = words()


def test_a_slider_shows_its_effect_and_activates_what_it_shows(page: Any, running: RunningDesk) -> None:
    running.enter(page, "lena")
    page.goto(f"{running.url}/policy")
    before = page.locator("#effect table").inner_text()
    slider = page.get_by_role("slider", name=SAY("trial.upper"))
    slider.focus()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    field = page.locator("#try-upper")
    assert float(field.input_value()) == pytest.approx(0.8)
    page.locator("#effect .draft [name=upper][value='0.8']").wait_for(state="attached")
    assert page.locator("#effect table").inner_text() != before
    assert "upper=0.8" in page.url
    page.locator("#reason").fill("fewer items wait")
    page.get_by_role("button", name=SAY("policy.button")).first.click()
    page.get_by_text(SAY("policy.reason", reason="fewer items wait")).wait_for()
    assert SAY("policy.upper", at="0.8") in page.locator("main").inner_text()


def test_without_javascript_the_fields_do_the_same(plain_page: Any, running: RunningDesk) -> None:
    page = plain_page
    running.enter(page, "lena")
    page.goto(f"{running.url}/policy")
    assert page.get_by_role("slider").count() == 0
    page.locator("#try-upper").fill("0.7")
    page.get_by_role("button", name=SAY("trial.button")).click()
    assert page.locator("#effect .draft [name=upper]").get_attribute("value") == "0.7"
