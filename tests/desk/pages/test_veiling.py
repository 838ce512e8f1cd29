"""Words that may hurt are covered for those who choose so, and for nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import HOSTILE, Browser, plain_desk
from evenhand.desk.pages.preferences import CHOICES, LONGEST_COOKIE, Preferences
from evenhand.desk.pages.veiling import LONGEST_WORDS, own_words, packaged_words, veiled_text
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role
from evenhand.store import NewItem

SAY = words()
COVER = '<span class="covered"><span>{}</span></span>'


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TestDesk]:
    made = plain_desk(tmp_path)
    items = [NewItem(f"e{n}", "You idiot,\nthe classic troll!", thread="t", author="a") for n in range(3)]
    made.desk.do("receive", "io", items=items)
    yield made
    made.store.close()


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("You IDIOT!", ["IDIOT"]),
        ("idiots, idiotic and an idiot", ["idiots", "idiotic", "idiot"]),
        ("Was für ein Arschloch", ["Arschloch"]),
        ("quelle merde", ["merde"]),
        ("a classic grape in a cocoon at Scunthorpe", []),
        ("", []),
    ],
)
def test_whole_words_are_covered_whatever_their_case(text: str, covered: list[str]) -> None:
    html = str(veiled_text(text))
    assert html.count("covered") == len(covered)
    for word in covered:
        assert COVER.format(word) in html


def test_nothing_becomes_markup_and_lines_stay_lines() -> None:
    html = str(veiled_text(f"idiot\n{HOSTILE}", ("script", "alert")))
    assert html.startswith(f"{COVER.format('idiot')}\n&lt;{COVER.format('script')}&gt;{COVER.format('alert')}(1)")
    assert "<script" not in html
    assert "\u202e" not in html


def test_words_of_ones_own_are_covered_too() -> None:
    own = own_words(" Troll* ,, *, bad  Thing,troll*")
    assert own == ("troll*", "bad thing")
    assert str(veiled_text("trolling, bad thing; things", own)).count("covered") == 2
    assert own_words(",".join(f"w{n}" for n in range(100)))[-1] == "w39"


def test_the_packaged_words_are_written_as_they_are_looked_for() -> None:
    assert all(word == word.strip().lower() and word.rstrip("*") for word in packaged_words())
    assert not packaged_words() & {"black*", "jew*", "gay*", "muslim*", "women*"}  # whom texts are about is not covered


def test_the_choice_fits_into_a_cookie() -> None:
    most = Preferences.from_values({"text": "veil", "words": "ж" * LONGEST_WORDS, "key_remove": "1"})
    cookie = most.to_cookie()
    assert len(cookie) < LONGEST_COOKIE
    assert Preferences.from_cookie(cookie) == most
    assert all(Preferences.from_values({"text": text}).text == text for text in CHOICES["text"])


def test_who_chooses_so_sees_covers_and_nobody_else_does(desk: TestDesk) -> None:
    browser, other = (Browser(desk, STAFF[role]) for role in (Role.MODERATOR, Role.LEAD))
    plain = browser.get("/queue").html
    assert "covered" not in plain
    token = browser.get("/me").form("who")
    page = browser.send("/me", **token, text="veil", words="troll*")
    assert 'value="troll*"' in page.html
    review = browser.get("/queue")
    for word in ("idiot", "troll"):
        assert COVER.format(word) in review.html
    assert SAY("review.reveal_veil") in review.text
    link = next(str(values["href"]) for _, values in review.tags if values.get("class") == "context")
    for part in ("", "&part=1"):
        assert ("idiot" in browser.get(f"{link}{part}").text) == (COVER.format("idiot") in browser.get(link).html)
    assert 'id="reveal"' in browser.get(link).html  # also where no script shows the context beside the item
    assert "covered" not in other.get("/queue").html
