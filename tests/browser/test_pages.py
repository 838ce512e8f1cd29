"""Every page as people see it: no violation of accessibility rules, no overflow, in light, dark and on a phone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from browser import packages
from browser.windows import RunningDesk
from evenhand.audits import AUDITS
from evenhand.desk.invitations import LINK_PATH
from evenhand.desk.pages import routes
from evenhand.desk.pages.words import words

pytestmark = pytest.mark.verify
SAY = words()
PAGES = {
    "ana": ("/", "/queue", "/studies", "/me"),
    "noor": ("/", "/studies", "/studies/1/label", "/queue"),
    "lena": ("/", "/queue?queue=escalated", "/studies", "/studies/1", "/policy", "/people"),
    "lena ": ("/audits", "/audits/accuracy", "/audits/items?of=accuracy", "/audits/perspective"),
    "aud": ("/", "/log?kind=invited", "/settings", "/queue", "/nothing", "/audits/calibration"),
    "aud ": ("/audits/bias", "/audits/collaboration"),
    "administrator": ("/people", "/settings", "/log"),
}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = {
    "light": (1280, "light"), "dark": (1280, "dark"), "tablet": (768, "light"), "phone": (390, "light"),
}  # fmt: skip
WITHOUT_A_LOOK = {  # files, figures, and what is no page
    "/static/{name}", "/audits/files/{name}", "/audits/{question}/files/{name}", "/audits/{question}/figures/{place}",
    "/log/events.jsonl",
}  # fmt: skip
APART = {"/sign-in", "/queue/context", f"{LINK_PATH}none"}  # addresses of the tests below
WITHOUT_RULES = "tablet"  # between two widths that are checked
PICTURES = os.environ.get("EVENHAND_PICTURES")  # a folder, to keep what was seen
DOCUMENTED = {"an item with covered words light": "desk.png", "lena / light": "desk-today.png"}  # what fits on a screen


@pytest.fixture(scope="session")
def axe() -> str:
    """The rules of axe-core."""
    file = packages.axe()
    if file is None:
        pytest.fail(packages.MISSING.format("axe-core"), pytrace=False)
    return file.read_text()


@pytest.mark.parametrize("person", PAGES)
def test_no_violation_and_no_overflow(page: Any, running: RunningDesk, axe: str, person: str) -> None:
    running.enter_first(page) if person == "administrator" else running.enter(page, person.strip())
    for address in PAGES[person]:
        for look, (width, scheme) in LOOKS.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{running.url}{address}")
            _check(page, None if look == WITHOUT_RULES else axe, f"{person} {address} {look}")


def _looks(page: Any, axe: str, name: str) -> None:
    """What is on the screen now, in every look."""
    for look, (width, scheme) in LOOKS.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        _check(page, None if look == WITHOUT_RULES else axe, f"{name} {look}")


def test_the_way_in_too(page: Any, running: RunningDesk, axe: str) -> None:
    for address in ("/sign-in", f"{LINK_PATH}none"):
        page.goto(f"{running.url}{address}")
        _looks(page, axe, address)


def test_covered_words_too(page: Any, running: RunningDesk, axe: str) -> None:
    running.enter(page, "ana")
    page.goto(f"{running.url}/me")
    page.locator("input[name=text][value=veil]").check()
    page.get_by_role("button", name=SAY("me.button")).click()
    page.locator("#status", has_text=SAY("done.settings")).wait_for()
    page.goto(f"{running.url}/queue")
    _looks(page, axe, "an item with covered words")


def test_what_opens_on_a_page_too(page: Any, running: RunningDesk, axe: str) -> None:
    """The context of an item, blurred texts, the form of a study, and what is said when something goes wrong."""
    running.enter(page, "lena")
    page.goto(f"{running.url}/queue?queue=review")
    page.keyboard.press("x")
    page.locator("#current .around h2").wait_for()
    _looks(page, axe, "an item with its context")
    page.goto(f"{running.url}{page.locator('#current a.context').get_attribute('href')}")
    _looks(page, axe, "/queue/context")
    page.goto(f"{running.url}/audits/items?of=accuracy")
    page.get_by_role("button", name=SAY("audits.read")).click()
    page.locator(".text.blur").first.wait_for()
    _looks(page, axe, "texts behind an audit")
    page.goto(f"{running.url}/studies")
    page.locator("summary").click()
    _looks(page, axe, "the form of a study")
    page.goto(f"{running.url}/policy?upper=2")
    page.locator("#status .problem").wait_for()
    _looks(page, axe, "a policy that cannot be")


def test_every_page_is_looked_at() -> None:
    looked_at = {address.partition("?")[0] for addresses in PAGES.values() for address in addresses} | APART
    known = {path for method, path, _ in routes.PAGES if method == "GET"} - WITHOUT_A_LOOK
    patterns = {path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in known}
    assert not [path for path, pattern in patterns.items() if not any(map(pattern.fullmatch, looked_at))]
    assert {f"/audits/{audit.name}" for audit in AUDITS} <= looked_at


def _photograph(page: Any, name: str) -> None:
    """Of what fits on a screen, and of the whole page where pictures are kept."""
    picture = page.screenshot(full_page=PICTURES is not None)
    assert len(picture) > 5_000, name  # something is drawn
    if PICTURES is None:
        return
    file = "".join(letter if letter.isalnum() else "-" for letter in name)
    (Path(PICTURES) / f"{file}.png").write_bytes(picture)
    if name in DOCUMENTED:
        page.screenshot(path=Path(PICTURES) / DOCUMENTED[name])


def _check(page: Any, axe: str | None, name: str) -> None:
    _photograph(page, name)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
    if axe is None:
        return
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    assert found["passes"]
    assert not [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found["violations"]], name
