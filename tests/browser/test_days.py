"""The days of an annotator, a lead, an administrator and an auditor in a real browser; that of a moderator is apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.windows import RunningDesk, open_window
from desk.desks import PASSWORD
from evenhand.desk.pages.words import words

pytestmark = pytest.mark.verify
SAY = words()
MOST_TABS = 40


@pytest.fixture
def other_page(chromium: Any, running: RunningDesk) -> Iterator[Any]:
    """The window of somebody else."""
    yield from open_window(chromium, running)


def tab_to(page: Any, name: str) -> None:
    """Press Tab until the focus is on what has this name."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()").startswith(name):
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def text_of(page: Any) -> str:
    return str(page.locator("main").inner_text())


def wait_said(page: Any, key: str, **values: Any) -> None:
    page.locator("#status", has_text=SAY(key, **values)).wait_for()


def test_an_annotator_labels_by_keyboard_alone(page: Any, running: RunningDesk) -> None:
    running.enter(page, "noor")
    tab_to(page, SAY("nav.studies"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/studies")
    tab_to(page, "Prevalence of violations")
    page.keyboard.press("Enter")
    page.wait_for_url("**/label")
    shown = page.locator("#label .text")
    begun = int(page.locator("#progress").get_attribute("value"))
    texts = []
    for number, (key, said) in enumerate((("r", "label_remove"), ("l", "label_leave"), ("n", "label_unclear")), 1):
        texts.append(shown.inner_text())
        page.keyboard.press(key)
        wait_said(page, f"done.{said}")
        assert int(page.locator("#progress").get_attribute("value")) == begun + number
    page.keyboard.press("u")
    wait_said(page, "done.label_undo")
    assert shown.inner_text() == texts[-1]
    page.keyboard.press("m")
    page.keyboard.type("r l n are letters here")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    wait_said(page, "done.label_leave")
    content = page.content()
    assert "score" not in content.replace(SAY("label.blind"), "").lower()
    assert SAY("studies.codebook") in text_of(page)


def test_a_connection_that_is_cut_while_labelling(page: Any, running: RunningDesk) -> None:
    running.enter(page, "noor")
    page.goto(f"{running.url}/studies/1/label")
    before = page.locator("#label .text").inner_text()
    page.context.set_offline(True)
    page.keyboard.press("l")
    wait_said(page, "live.offline")
    assert page.locator("#label .text").inner_text() == before
    page.context.set_offline(False)
    wait_said(page, "done.label_leave")


def test_a_lead_reads_looks_behind_a_number_and_leads_a_study(page: Any, running: RunningDesk) -> None:
    running.enter(page, "lena")
    assert page.locator(".answers .alarm").count() >= 1
    assert page.locator(".charts svg").count() == 3
    page.locator(".answers a[href='/policy']").click()
    page.wait_for_url("**/policy")
    assert SAY("trial.proposal") in text_of(page)
    page.get_by_role("link", name=SAY("nav.audits"), exact=True).click()
    page.locator("h2 a[href^='/audits/bias']").click()
    page.locator("a[href*='/audits/items']").first.click()
    page.wait_for_url("**/audits/items**")
    assert page.locator(".text").count() == 0
    page.get_by_role("button", name=SAY("audits.read")).click()
    blurred = page.locator(".text.blur")
    blurred.first.wait_for()
    assert page.evaluate("element => getComputedStyle(element).filter", blurred.first.element_handle()) != "none"
    page.locator("input.reveal").first.check()
    page.wait_for_function("text => getComputedStyle(text).filter === 'none'", arg=blurred.first.element_handle())
    page.goto(f"{running.url}/studies/1")
    assert page.locator("figure svg").count() == 1
    page.locator("#reason").fill("  ")
    page.get_by_role("button", name=SAY("study.stop_button"), exact=True).click()
    assert "/studies/1" in page.url
    assert SAY("study.labelling", number=3) in text_of(page)


def test_an_administrator_invites_connects_and_ends_access(page: Any, other_page: Any, running: RunningDesk) -> None:
    running.enter_first(page)
    page.get_by_role("link", name=SAY("nav.people"), exact=True).click()
    page.locator("#name").fill("mia")
    page.get_by_role("button", name=SAY("people.button")).click()
    link = page.locator("#link").input_value()
    other_page.goto(link)
    other_page.locator("#password").fill(PASSWORD)
    other_page.keyboard.press("Enter")
    other_page.wait_for_url(f"{running.url}/")
    assert SAY("mine.queues") in text_of(other_page)
    page.locator("tr", has_text="mia").get_by_role("button", name=SAY("people.end")).click()
    other_page.goto(f"{running.url}/queue")
    assert "/sign-in" in other_page.url
    page.get_by_role("link", name=SAY("nav.settings"), exact=True).click()
    page.get_by_role("button", name=SAY("settings.issue")).click()
    wait_said(page, "done.token", name="platform")
    assert page.locator("#secret").input_value().startswith("evh_")
    page.get_by_role("button", name=SAY("settings.revoke")).click()
    wait_said(page, "done.token_revoked", name="platform")
    page.locator("#url").fill("http://127.0.0.1:1/hook")
    page.get_by_role("button", name=SAY("settings.add")).click()
    page.locator("#status .problem").wait_for()
    page.goto(f"{running.url}/log?kind=token")
    assert page.locator("#entries tbody tr").count() == 2


def test_an_auditor_looks_at_everything_and_changes_nothing(page: Any, running: RunningDesk, tmp_path: Path) -> None:
    running.enter(page, "aud")
    for name in ("today", "studies", "audits", "policy", "people", "log", "settings"):
        page.get_by_role("link", name=SAY(f"nav.{name}"), exact=True).click()
        page.locator("h1").wait_for()
        buttons = page.locator("main form[method=post] button:visible")
        assert buttons.count() == 0, (name, buttons.all_inner_texts())
    page.goto(f"{running.url}/log")
    page.locator("#kind").select_option("decided")
    page.get_by_role("button", name=SAY("log.apply")).click()
    page.wait_for_url("**kind=decided**")
    kinds = page.locator("#entries tbody tr td:nth-child(3)").all_inner_texts()
    assert set(kinds) == {SAY("event.decided")}
    page.locator("#entries tbody a").first.click()
    page.wait_for_url("**item=**")
    assert SAY("event.received") in text_of(page)
    with page.expect_download() as waited:
        page.get_by_role("link", name=SAY("log.export")).click()
    file = tmp_path / "events.jsonl"
    waited.value.save_as(file)
    numbers = [json.loads(line)["number"] for line in file.read_text().splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 10_000
