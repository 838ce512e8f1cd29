"""Review without scripts: every action once, what is lost is said, and nobody is told what could influence them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import Browser, Page, plain_desk
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role
from evenhand.store import NewItem
from evenhand.store import events as ev
from store.desks import check

MODERATOR, LEAD, ANNOTATOR = STAFF[Role.MODERATOR], STAFF[Role.LEAD], STAFF[Role.ANNOTATOR]
SAY = words()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TestDesk]:
    made = plain_desk(tmp_path, undo_seconds=60)
    made.desk.receive(0.5, 0.45, 0.4, 0.35)
    yield made
    check(made.store)
    made.store.close()


def shown(page: Page) -> str:
    """The text of the item on the page."""
    return page.html.split('class="text plain colour"', 1)[1].split(">", 1)[1].split("<", 1)[0]


def said(page: Page) -> str:
    return page.html.split('id="status"', 1)[1].split("</div>", 1)[0]


def item_of(desk: TestDesk, text: str) -> str:
    return next(
        row for row in desk.desk.receive(0.5, 0.45, 0.4, 0.35) if desk.desk.row(row).external_id == f"e{text[5]}"
    )


@pytest.mark.parametrize(("button", "verdict"), [("remove", "violating"), ("leave", "benign"), ("unclear", "unclear")])
def test_a_verdict_is_recorded_with_clause_ground_and_note(desk: TestDesk, button: str, verdict: str) -> None:
    browser = Browser(desk, MODERATOR)
    text = shown(browser.get("/queue"))
    after = browser.review(button, clause="Self-harm", ground="terms", note=" seen ")
    assert SAY(f"done.{button}") in said(after)
    assert shown(after) != text
    item = item_of(desk, text)
    assert (desk.desk.row(item).verdict, desk.desk.row(item).decided_by) == (verdict, MODERATOR)
    decided = next(event for event in desk.desk.history(item) if isinstance(event, ev.Decided))
    assert (decided.clause, decided.ground) == ("Self-harm", "terms")
    judged = next(event for event in desk.desk.history(item) if isinstance(event, ev.Judged))
    assert judged.note is not None
    assert not judged.score_shown


def test_undo_opens_the_last_item_again_and_then_the_one_before(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    texts = []
    for _ in range(2):
        texts.append(shown(browser.get("/queue")))
        browser.review("remove")
    fields = browser.get("/queue").form("undo")
    for text in reversed(texts):
        page = browser.send("/queue/undo", **fields)
        assert shown(page) == text
        assert SAY("done.undo") in said(page)
        assert desk.desk.row(item_of(desk, text)).verdict is None
    assert SAY("conflict.nothing_to_undo") in said(browser.send("/queue/undo", 409, **fields))
    assert SAY("done.leave") in said(browser.review("leave"))  # after an undo the same item can be answered again


def test_too_late_to_undo_is_said_without_a_reason(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    browser.review("remove")
    desk.desk.clock.pass_seconds(61)
    assert SAY("conflict.undo") in said(browser.send("/queue/undo", 409, **browser.get("/queue").form("undo")))


def test_the_same_answer_twice_counts_once_and_another_one_is_refused(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    fields = {**browser.get("/queue").form("review"), "do": "remove"}
    for _ in range(2):  # the first answer was lost on the way
        assert SAY("done.remove") in said(browser.send("/queue", **fields))
    page = browser.send("/queue", 409, **{**fields, "do": "leave", "note": "from the other tab"})
    assert SAY("conflict.decided") in said(page)
    assert "from the other tab" in said(page)


def test_a_lost_lease_is_said_and_the_note_is_kept(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    fields = browser.get("/queue").form("review")
    desk.desk.clock.pass_seconds(601)
    page = browser.send("/queue", 409, **{**fields, "do": "remove", "note": "<b>mine</b>"})
    assert SAY("conflict.lease") in said(page)
    assert "&lt;b&gt;mine&lt;/b&gt;" in said(page)


def test_an_edited_text_must_be_looked_at_again(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    first = browser.get("/queue")
    name = f"e{shown(first)[5]}"
    desk.desk.do("receive", "io", items=[NewItem(name, "quite another text")])
    page = browser.send("/queue", 409, **{**first.form("review"), "do": "remove"})
    assert SAY("conflict.lease") in said(page)
    assert "quite another text" in page.text
    assert SAY("review.edited") in page.text


def test_renewing_keeps_what_is_on_the_screen(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    page = browser.get("/queue")
    for _ in range(3):
        desk.desk.clock.pass_seconds(500)
        browser.send("/queue/renew", 204, **page.form("undo"))
    assert shown(browser.get("/queue")) == shown(page)
    assert SAY("done.remove") in said(browser.send("/queue", **{**page.form("review"), "do": "remove"}))


def test_skip_escalate_and_a_second_opinion(desk: TestDesk) -> None:
    browser, lead = Browser(desk, MODERATOR), Browser(desk, LEAD)
    first = shown(browser.get("/queue"))
    assert shown(browser.review("skip")) != first
    second = shown(browser.get("/queue"))
    assert SAY("done.escalate") in said(browser.review("escalate", note="a threat?"))
    assert second == shown(lead.get("/queue?queue=escalated"))
    third = shown(browser.get("/queue"))
    page = browser.review("second")
    assert SAY("done.second") in said(page)
    assert shown(page) == third
    assert SAY("conflict.unknown") in said(browser.review("explode", 409))


def test_nothing_to_review_says_so(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    for _ in range(4):
        browser.review("leave")
    page = browser.get("/queue")
    assert SAY("empty.lead", queue="review") in page.text
    assert not any(form["attributes"].get("class") == "review" for form in page.forms)


def test_two_people_never_see_the_same_item(desk: TestDesk) -> None:
    pages = [Browser(desk, person).get("/queue") for person in (MODERATOR, LEAD)]
    seen = [{text for text in ("text 0", "text 1", "text 2", "text 3") if text in page.html} for page in pages]
    assert [len(texts) for texts in seen] == [2, 2]
    assert not seen[0] & seen[1]


def test_who_only_labels_is_given_no_review_and_cannot_ask_for_a_second_one(desk: TestDesk) -> None:
    first = Browser(desk, MODERATOR)
    text = shown(first.get("/queue"))
    assert 'value="second"' in first.get("/queue").html
    empty = Browser(desk, ANNOTATOR).get("/queue")
    assert not any(form["attributes"].get("class") == "review" for form in empty.forms)
    first.review("second")
    page = Browser(desk, ANNOTATOR).get("/queue")
    assert shown(page) == text
    assert 'value="second"' not in page.html


def test_the_parts_for_a_page_with_scripts_hold_what_comes_next(desk: TestDesk) -> None:
    browser = Browser(desk, MODERATOR)
    page = browser.get("/queue")
    current, following = (form["fields"] for form in page.forms if form["attributes"].get("class") == "review")
    fields = {**current, "do": "remove", "part": "1", "showing": following["ticket"]}
    answer = browser.send("/queue", **fields)
    parts = [values["data-part"] for _, values in answer.tags if "data-part" in values]
    assert parts == ["status", "next"]
    assert answer.form("review")["ticket"] not in (current["ticket"], following["ticket"])
    undone = browser.send("/queue/undo", **{**fields, "showing": following["ticket"]})
    assert [form["fields"]["ticket"] for form in undone.forms] == [current["ticket"], following["ticket"]]


def test_the_context_shows_texts_and_not_what_was_decided(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    desk.desk.receive(0.99, 0.98, prefix="old", thread="t", author="somebody")
    desk.desk.clock.pass_seconds(5)
    desk.desk.receive(0.5, prefix="new", thread="t", author="somebody")
    browser = Browser(desk, MODERATOR)
    link = next(values["href"] for tag, values in browser.get("/queue").tags if values.get("class") == "context")
    for part in ("", "&part=1"):
        page = browser.get(f"{link}{part}")
        assert page.text.count("text 0 0.99") == page.text.count("text 1 0.98") == 2
        assert "remove" not in page.text.lower()
    assert browser.get("/queue/context?ticket=nonsense", 409)
    desk.store.close()
