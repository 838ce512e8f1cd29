"""Studies on the pages: a lead plans, draws, watches and stops; those who label see one text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desk.desks import STAFF, TestDesk
from desk.pages.browsers import HOSTILE, Browser, Page, masked, plain_desk
from evenhand.desk.pages.study import study_page
from evenhand.desk.pages.words import words
from evenhand.desk.people import Role
from evenhand.formatting import format_share
from evenhand.store import NewItem, NewScore
from store.study_desks import label_all, open_study, with_items

SAY = words()
LEAD, ANNOTATOR, MODERATOR, AUDITOR = (
    STAFF[role] for role in (Role.LEAD, Role.ANNOTATOR, Role.MODERATOR, Role.AUDITOR)
)
FORM = {
    "title": "Spring", "codebook": "Only insults.\nNot irony.", "annotators": ANNOTATOR, "per_item": "1",
    "measure": "prevalence", "design": "random", "n": "30", "by": "", "within": "20", "adjudicators": "",
    "prevalence": "",
}  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> TestDesk:
    made = plain_desk(tmp_path)
    with_items(made.desk)
    return made


def press(browser: Browser, button: str, /, status: int = 200, **fields: str) -> Page:
    """A button below the text that is shown."""
    page = browser.get("/studies/1/label")
    return browser.send("/studies/1/label", status, **{**page.form("label"), "do": button, **fields})


def test_a_lead_plans_draws_and_stops_and_an_annotator_labels(desk: TestDesk) -> None:
    lead, annotator = Browser(desk, LEAD), Browser(desk, ANNOTATOR)
    token = {"csrf": lead.get("/studies").form("plan")["csrf"]}
    page = lead.send("/studies", **token, **FORM)
    assert SAY("done.study_opened") in page.text
    assert SAY("study.not_begun") in page.text
    page = lead.send("/studies/1", **token, do="draw", number="1")
    assert SAY("done.study_draw") in page.text
    assert "0 of 30" in page.text
    assert SAY("studies.waiting", n=30) in annotator.get("/studies").text
    shown = annotator.get("/studies/1/label")
    assert "Only insults.\nNot irony." in shown.html
    assert SAY("label.progress", done="0", total="30") in shown.text
    page = press(annotator, "remove", note="rude")
    assert SAY("done.label_remove") in page.text
    page = annotator.send("/studies/1/label", csrf=page.form("label")["csrf"], do="undo")
    assert SAY("done.label_undo") in page.text
    for number in range(30):
        press(annotator, "remove" if number < 6 else "leave")
    page = annotator.get("/studies/1/label")
    assert SAY("label.empty") in page.text
    page = lead.get("/studies/1")
    assert SAY("study.may_stop") in page.text
    view = study_page(desk.store, "1")
    estimate = view.batches[0].estimate
    assert estimate is not None
    assert estimate.value == pytest.approx(0.2)
    for number in (estimate.value, estimate.low, estimate.high):
        assert format_share(number) in page.text
    page = lead.send("/studies/1", **token, do="stop", batches="1", reason="")
    assert SAY("done.study_stop") in page.text
    assert SAY("label.stopped") in annotator.get("/studies/1/label").text
    assert lead.client.get("/api/v1/studies/1/labels").text.count("yes") == 6


def test_what_went_wrong_is_said_and_what_was_typed_is_kept(desk: TestDesk) -> None:
    lead = Browser(desk, LEAD)
    token = {"csrf": lead.get("/studies").form("plan")["csrf"]}
    for change in (
        {"title": " "}, {"annotators": "nobody"}, {"per_item": "x"}, {"per_item": "2"}, {"n": "9999999"},
        {"n": "", "within": "0"}, {"n": "", "within": "1e999"}, {"prevalence": "nan"}, {"design": HOSTILE}, {"by": "x"},
        {"title": "x" * 300},
    ):  # fmt: skip
        page = lead.send("/studies", 422, **token, **{**FORM, **change})
        assert "said problem" in page.html
        assert "Only insults." in page.html
        assert "<script>alert" not in page.html
    lead.send("/studies", **token, **FORM)
    assert "said problem" in lead.send("/studies/1", 409, **token, do="draw", number="2").html
    assert "said problem" in lead.send("/studies/1", 422, **token, do="stop", batches="0", reason=" ").html
    assert "said problem" in lead.send("/studies/1", 422, **token, do="people", annotators="nobody").html
    lead.send("/studies/1", 422, **token, do="burn")
    lead.send("/studies/7", 404, **token, do="draw", number="1")
    for address in ("/studies/7", "/studies/x", "/studies/%00", "/studies/1/label", "/studies/99999999999/label"):
        lead.get(address, 404)


def test_an_answer_that_arrives_twice_is_saved_once_and_another_one_is_refused(desk: TestDesk) -> None:
    open_study(desk.desk, annotators=(ANNOTATOR,))
    browser = Browser(desk, ANNOTATOR)
    fields = browser.get("/studies/1/label").form("label")
    for _ in range(2):
        assert SAY("done.label_remove") in browser.send("/studies/1/label", **fields, do="remove").text
    assert SAY("label.progress", done="1", total="60") in browser.get("/studies/1/label").text
    page = browser.send("/studies/1/label", 409, **{**fields, "note": f"my {HOSTILE}"}, do="leave")
    assert SAY("conflict.label") in page.text
    assert "my <script>" in page.text
    assert "<script>alert" not in page.html
    for strange in ({"task": "0" * 32}, {"task": "\0" * 90}, {"version": "9" * 99}, {"version": "x"}, {"do": "burn"}):
        fields = {**browser.get("/studies/1/label").form("label"), "do": "remove", **strange}
        browser.send("/studies/1/label", 409, **fields)
    assert SAY("label.progress", done="1", total="60") in browser.get("/studies/1/label").text


def test_what_is_written_by_others_is_text(tmp_path: Path) -> None:
    desk = plain_desk(tmp_path)
    with_items(desk.desk, 30)
    desk.desk.do("receive", "io", items=[NewItem(f"e{n}", f"{n} {HOSTILE}") for n in range(30)])
    with desk.store.write("lee") as ledger:
        from evenhand.store.studies import StudyDesign, StudySetup, open_study

        setup = StudySetup(HOSTILE[:90], (ANNOTATOR,), codebook=HOSTILE)
        open_study(ledger, setup, StudyDesign(design="random", n="all"))
    desk.desk.do("draw_batch", "lee", study="1", number=1)
    for person, address in ((ANNOTATOR, "/studies/1/label"), (LEAD, "/studies/1"), (LEAD, "/studies")):
        page = Browser(desk, person).get(address)
        assert "&lt;script&gt;alert(1)" in page.html
        assert "<script>alert" not in page.html
        assert "\u202e" not in page.html
        assert sum(tag == "h1" for tag, _ in page.tags) == 1
        labelled = {values["for"] for tag, values in page.tags if tag == "label" and "for" in values}
        fields = [values for tag, values in page.tags if tag in ("input", "select", "textarea", "progress")]
        assert all(v["id"] in labelled for v in fields if v.get("type") not in ("hidden", "radio"))
        identities = [values["id"] for _, values in page.tags if "id" in values]
        assert len(identities) == len(set(identities)) or address == "/studies/1"


def test_an_auditor_looks_and_changes_nothing_and_others_see_their_own(desk: TestDesk) -> None:
    open_study(desk.desk, annotators=(ANNOTATOR,))
    auditor = Browser(desk, AUDITOR)
    page = auditor.get("/studies/1")
    assert not [form for form in page.forms if form["attributes"].get("action", "").startswith("/studies")]
    auditor.send("/studies/1", 403, **page.form("who"), do="stop", batches="1", reason="x")
    auditor.get("/studies/1/label", 403)
    other = Browser(desk, MODERATOR)
    assert SAY("studies.none_own") in other.get("/studies").text
    other.get("/studies/1/label", 404)
    other.get("/studies/1", 403)
    Browser(desk, ANNOTATOR).get("/studies/1", 403)


# non-interference

Prepare = Callable[[TestDesk], None]
PEOPLE = {"annotators": (ANNOTATOR, "una"), "adjudicators": ("wes",), "per_item": 2, "n": "all"}


def census(
    desk: TestDesk,
    score: Callable[[int], float] = lambda n: n / 100,
    gold: bool = False,
    text: str = "text",
    **more: Any,
) -> None:
    """Every item of a desk in one batch, so that scores cannot decide which are drawn."""
    for person in ("una", "wes"):
        desk.desk.do("invite", person=person, role="annotator")
    items = [NewItem(f"e{n}", f"{text} {n}", scores=[NewScore("m", "1", score(n))]) for n in range(8)]
    desk.desk.do("receive", "io", items=items)
    if gold:
        desk.desk.do("receive", "io", items=[replace(items[0], external_id="g", gold="violating", scores=[])])
    open_study(desk.desk, **{**PEOPLE, **more})


def answered(said: str, most: int = 100) -> Prepare:
    def prepare(desk: TestDesk) -> None:
        census(desk)
        label_all(desk.desk, "1", "una", lambda *_: said, most)

    return prepare


def decided(verdict: str) -> Prepare:
    def prepare(desk: TestDesk) -> None:
        census(desk)
        for _ in range(3):
            task = desk.desk.do("claim", "ana", queue="review")
            if task["task"] is not None:
                desk.desk.do("decide", "ana", task=task["task"], version=task["version"], verdict=verdict)

    return prepare


VARIANTS: dict[str, Prepare] = {
    "other scores": lambda desk: census(desk, lambda n: 1 - n / 100),
    "the same scores": lambda desk: census(desk, lambda _: 0.5),
    "strata": lambda desk: census(desk, design="stratified", settings={"count": 2}),
    "pools": lambda desk: census(desk, decided=False, design="score-driven"),
    "gold": lambda desk: census(desk, gold=True),
    "others said yes": answered("yes"),
    "others said no": answered("no"),
    "others are half done": answered("cannot tell", most=4),
    "removed in the queue": decided("violating"),
    "left in the queue": decided("benign"),
}


def labelling(folder: Path, prepare: Prepare) -> list[str]:
    """What an annotator is served from the first item to the last, and after taking one back."""
    desk = plain_desk(folder)
    prepare(desk)
    desk.desk.clock.at = 1_900_000_000_000_000
    desk.store.clock = lambda: desk.desk.clock.at
    browser = Browser(desk, ANNOTATOR)
    pages = [browser.get("/studies"), browser.get("/")]
    for number in range(8):
        desk.desk.clock.pass_seconds(20)
        shown = browser.get("/studies/1/label")
        fields = {**shown.form("label"), "do": "leave"}
        pages += [shown, browser.send("/studies/1/label", **fields)]
        if number == 3:
            pages.append(browser.send("/studies/1/label", csrf=fields["csrf"], do="undo"))
            pages.append(browser.send("/studies/1/label", **{**pages[-1].form("label"), "do": "remove"}))
    desk.store.close()
    return [masked(page.html) for page in pages]


@pytest.fixture(scope="module")
def plain_pages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return labelling(tmp_path_factory.mktemp("plain"), census)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_must_not_influence_a_label_changes_no_byte(variant: str, plain_pages: list[str], tmp_path: Path) -> None:
    pages = labelling(tmp_path, VARIANTS[variant])
    assert pages == plain_pages
    assert len({re.search(r"text \d", page).group() for page in pages if re.search(r"text \d", page)}) == 8  # type: ignore[union-attr]


def test_the_comparison_can_fail(plain_pages: list[str], tmp_path: Path) -> None:
    assert labelling(tmp_path, lambda desk: census(desk, text="other text")) != plain_pages


def test_the_page_for_labelling_is_small(desk: TestDesk) -> None:
    open_study(desk.desk, annotators=(ANNOTATOR,))
    assert len(Browser(desk, ANNOTATOR).client.get("/studies/1/label").content) < 10_000
