"""Every page as people see it: no violation of accessibility rules, no overflow, in light, dark and on a phone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from browser import packages
from browser.windows import RunningDesk

pytestmark = pytest.mark.verify
PAGES = {
    "ana": ("/", "/queue", "/me"),
    "lena": ("/", "/queue?queue=escalated", "/policy", "/people"),
    "aud": ("/log?kind=invited",),
}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = {"light": (1280, "light"), "dark": (1280, "dark"), "tablet": (768, "light"), "phone": (390, "light")}
PICTURES = os.environ.get("EVENHAND_PICTURES")  # a folder, to keep what was seen


@pytest.fixture(scope="session")
def axe() -> str:
    """The rules of axe-core."""
    file = packages.axe()
    if file is None:
        pytest.fail(packages.MISSING.format("axe-core"), pytrace=False)
    return file.read_text()


@pytest.mark.parametrize("person", PAGES)
def test_no_violation_and_no_overflow(page: Any, running: RunningDesk, axe: str, person: str) -> None:
    running.enter(page, person)
    for address in PAGES[person]:
        for look, (width, scheme) in LOOKS.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{running.url}{address}")
            _check(page, None if look == "tablet" else axe, f"{person} {address} {look}")


def test_the_sign_in_too(page: Any, running: RunningDesk, axe: str) -> None:
    page.goto(f"{running.url}/sign-in")
    _check(page, axe, "sign-in")


def _check(page: Any, axe: str | None, name: str) -> None:
    if PICTURES:
        file = "".join(letter if letter.isalnum() else "-" for letter in name)
        page.screenshot(path=Path(PICTURES) / f"{file}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
    if axe is None:
        return
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    assert found["passes"]
    assert not [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found["violations"]], name
