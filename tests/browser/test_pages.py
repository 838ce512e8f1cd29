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
    "ana": ("/", "/queue", "/studies", "/me"),
    "noor": ("/", "/studies", "/studies/1/label", "/queue"),
    "lena": ("/", "/queue?queue=escalated", "/studies", "/studies/1", "/policy", "/people"),
    "lena ": ("/audits", "/audits/accuracy", "/audits/items?of=accuracy"),
    "aud": ("/", "/log?kind=invited", "/settings", "/queue"),
    "administrator": ("/people", "/settings", "/log"),
}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LOOKS = {
    "light": (1280, "light"), "dark": (1280, "dark"), "tablet": (768, "light"), "phone": (390, "light"),
}  # fmt: skip
WITHOUT_RULES = "tablet"  # between two widths that are checked
PICTURES = os.environ.get("EVENHAND_PICTURES")  # a folder, to keep what was seen
DOCUMENTED = {  # for the documentation, what fits on a screen
    "ana /queue light": "desk-review.png", "ana /queue phone": "desk-phone.png", "lena / light": "desk-today.png",
    "noor /studies/1/label light": "desk-label.png", "lena /policy light": "desk-policy.png",
}  # fmt: skip


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


def test_the_sign_in_too(page: Any, running: RunningDesk, axe: str) -> None:
    page.goto(f"{running.url}/sign-in")
    _check(page, axe, "sign-in")


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
