"""The pages of the audits: what they say is in the finding's JSON, word for word and number for number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from desk.desks import STAFF, TestDesk, test_desk
from desk.pages.browsers import Browser, Page
from evenhand.catalogue import find_measure
from evenhand.desk.live_findings import QUESTIONS
from evenhand.desk.people import Role
from evenhand.finding import Finding
from evenhand.findings_file import from_json
from evenhand.formatting import format_interval, format_number
from evenhand.reports import Report
from evenhand.reports.html import page_text
from evenhand.store import schema
from evenhand.store.events import ContentRef
from evenhand.store.live_evidence import LiveEvidence
from evenhand.store.reasons import reason_text, reason_texts
from evenhand.store.snapshots import read_snapshot
from evenhand.visible_text import html_name
from store.live_desk import POLICY, write_history

AUDITOR, LEAD = STAFF[Role.AUDITOR], STAFF[Role.LEAD]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDesk]:
    made = test_desk(tmp_path_factory.mktemp("live"), **POLICY)
    write_history(made.desk)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def auditor(desk: TestDesk) -> Browser:
    return Browser(desk, AUDITOR)


@pytest.fixture(scope="module")
def number(desk: TestDesk) -> int:
    return read_snapshot(desk.store).number


def finding_of(desk: TestDesk, question: str, number: int) -> Finding:
    """From the bytes that the API answers with."""
    answer = desk.client().get(f"/api/v1/audits/{question}?snapshot={number}", headers=desk.as_token(AUDITOR))
    (finding,) = from_json(answer.text, source="the API")
    return finding


def words_of(text: str) -> str:
    return Page(f"<p>{page_text(text)}</p>").text


def rows_of(html: str) -> list[tuple[str, ...]]:
    """The cells of every row of numbers on a page, as a reader sees them."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', html, re.DOTALL)
    return [tuple(Page(cell).text for cell in re.split(r"</th>|</td>", row)[:-1]) for row in rows]


def check_page(desk: TestDesk, auditor: Browser, question: str, number: int) -> None:
    finding, page = finding_of(desk, question, number), auditor.get(f"/audits/{question}?snapshot={number}")
    for text in [part for v in finding.verdicts for part in (v.statement, v.certainty, v.action)] + [*finding.caveats]:
        assert words_of(text) in page.text, text
    assert page.text.count(words_of(finding.question)) >= 1
    expected = []
    for m in finding:
        about = Page(html_name(", ".join(m.slice.values()))).text
        title, n = Page(html_name(find_measure(m.measure).title)).text, f"{m.estimate.n:,}"
        if m.estimate.value is None:
            expected.append((title, about, words_of(m.estimate.note or ""), n, "items"))
        else:
            value, within = format_number(m.measure, m.estimate.value), format_interval(m.measure, m.estimate)
            expected.append((title, about, value, within, n, "items"))
    assert sorted(rows_of(page.html)) == sorted(expected)
    check_figures(desk, auditor, page, finding, number)


def check_figures(desk: TestDesk, auditor: Browser, page: Page, finding: Finding, number: int) -> None:
    """The drawings are those of the report."""
    figures, shown = Report((finding,)).figures, [values for tag, values in page.tags if tag == "img"]
    assert len(shown) == len(figures)
    assert [figure.title in str(values["alt"]) for figure, values in zip(figures, shown, strict=True)]
    answer = auditor.client.get(str(shown[0]["src"]))
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text == figures[0].svg


@pytest.mark.parametrize("question", ["bias", "accuracy"])
def test_a_page_says_what_the_finding_says(desk: TestDesk, auditor: Browser, number: int, question: str) -> None:
    check_page(desk, auditor, question, number)


@pytest.mark.verify
@pytest.mark.parametrize("question", ["collaboration", "calibration", "perspective"])
def test_the_other_pages_too(desk: TestDesk, auditor: Browser, number: int, question: str) -> None:
    check_page(desk, auditor, question, number)


@pytest.mark.verify
def test_the_first_page_has_the_first_sentences(desk: TestDesk, auditor: Browser, number: int) -> None:
    page = auditor.get(f"/audits?snapshot={number}")
    for question in QUESTIONS:
        assert words_of(finding_of(desk, question, number).verdicts[0].statement) in page.text
    everything = auditor.client.get(f"/audits/files/findings.json?snapshot={number}").text
    assert everything == desk.client().get(f"/api/v1/audits?snapshot={number}", headers=desk.as_token(AUDITOR)).text


def test_files_are_those_of_the_report(desk: TestDesk, auditor: Browser, number: int) -> None:
    finding = finding_of(desk, "accuracy", number)
    answers = {
        name: auditor.client.get(f"/audits/accuracy/files/{name}?snapshot={number}")
        for name in ("findings.json", "estimates.csv", "report.html")
    }
    report = Report((finding,))
    expected = {"findings.json": report.json(), "estimates.csv": report.csv(), "report.html": report.html()}
    assert {name: answer.text for name, answer in answers.items()} == expected
    assert all("attachment" in answer.headers["content-disposition"] for answer in answers.values())
    assert auditor.client.get("/audits/accuracy/files/other.txt").status_code == 404
    assert auditor.client.get("/audits/accuracy/figures/999").status_code == 404


def lines(page: Page) -> list[tuple[str, ...]]:
    return [row for row in rows_of(page.html) if len(row) == 8]


def test_filters_are_those_of_the_rows(desk: TestDesk, auditor: Browser, number: int) -> None:
    evidence = LiveEvidence(read_snapshot(desk.store, number))
    bias = {row["item"]: row for row in evidence.tables()[0].source.frame.collect().to_dicts()}
    wanted = {
        name for name, row in bias.items()
        if row["language"] == "de" and row["verdict"] == "violating" and 0.4 <= row["score"] <= 0.9
    }  # fmt: skip
    address = f"/audits/items?of=bias&snapshot={number}&language=de&label=violating&low=0.4&high=0.9"
    page = auditor.get(address)
    assert f"{len(wanted)} items" in page.text
    names = {row[0] for row in lines(page)}
    for place in range(2, -(-len(wanted) // 25) + 1):
        names |= {row[0] for row in lines(auditor.get(f"{address}&page={place}"))}
    assert names == wanted
    assert lines(auditor.get(f"{address}&page=999"))
    everything = auditor.get(f"/audits/items?of=accuracy&snapshot={number}&low=nan&label=odd&page=x")
    assert f"{len(evidence.tables()[2].source.frame.collect())} items" in everything.text


def test_behind_a_number_are_its_items(desk: TestDesk, auditor: Browser, number: int) -> None:
    frame = LiveEvidence(read_snapshot(desk.store, number)).tables()[0].source.frame.collect()
    page = auditor.get(f"/audits/bias?snapshot={number}")
    (address,) = {str(v["href"]) for tag, v in page.tags if tag == "a" and "language=de" in str(v.get("href"))}
    assert f"{int((frame['language'] == 'de').sum())} items" in auditor.get(address).text


def reads(desk: TestDesk) -> list[str | None]:
    with desk.store.database.reading() as connection:
        query = sa.select(schema.events.c.payload).where(schema.events.c.kind == "read")
        payloads = connection.scalars(query.order_by(schema.events.c.id))
        reasons = [ContentRef(*json.loads(payload)["reason"]) for payload in payloads]
        texts = reason_texts(connection, reasons)
        return [reason_text(reason, texts) for reason in reasons]


def test_texts_are_blurred_and_reading_them_is_recorded(desk: TestDesk, auditor: Browser, number: int) -> None:
    before = len(reads(desk))
    page = auditor.get(f"/audits/items?of=bias&snapshot={number}&label=violating")
    assert "text of" not in page.text
    assert len(reads(desk)) == before
    form = next(form for form in page.forms if form["attributes"].get("method") == "post" and "of" in form["fields"])
    shown = auditor.send("/audits/items", 200, **form["fields"])
    texts = [values for tag, values in shown.tags if tag == "div" and "text" in str(values.get("class")).split()]
    assert shown.text.count("text of w") == len(texts) == len(lines(shown)) > 0
    assert all("blur" in str(values["class"]).split() for values in texts)
    assert reads(desk)[before:] == ["items behind the audit bias"] * len(texts)
    auditor.send("/audits/items", 403, **{**form["fields"], "csrf": "wrong"})


def test_whoever_reviews_does_not_see_what_waits(desk: TestDesk, auditor: Browser, number: int) -> None:
    address = f"/audits/items?of=accuracy&snapshot={number}"
    seen, withheld = auditor.get(address).text, Browser(desk, LEAD).get(address).text
    assert "not listed for those who review" not in seen
    with desk.store.database.reading() as connection:
        query = sa.select(schema.tasks.c.item).where(schema.tasks.c.state.in_(("waiting", "claimed")))
        waiting = set(connection.scalars(query))
    evidence = LiveEvidence(read_snapshot(desk.store, number))
    closed = {row.id for row, is_open in zip(evidence.items, evidence.inclusion.open, strict=True) if not is_open}
    number_waiting = len(closed & waiting)
    assert (f"{number_waiting:,} more may still come up" in withheld) == (number_waiting > 1)


def test_a_snapshot_that_is_not_there(auditor: Browser) -> None:
    auditor.get("/audits?snapshot=99999999", 404)
    auditor.get("/audits/bias?snapshot=x", 422)
    auditor.get("/audits/beauty", 404)


def test_markup_is_as_strict_as_elsewhere(auditor: Browser, number: int) -> None:
    for address in (f"/audits/accuracy?snapshot={number}", f"/audits/items?of=bias&snapshot={number}"):
        page = auditor.get(address)
        assert not [name for _, values in page.tags for name in values if name.startswith("on") or name == "style"]
        assert sum(tag == "h1" for tag, _ in page.tags) == 1
        identities = [values["id"] for _, values in page.tags if "id" in values]
        assert len(identities) == len(set(identities))
        labelled = {values["for"] for tag, values in page.tags if tag == "label" and "for" in values}
        fields = [v for tag, v in page.tags if tag in ("input", "select") and v.get("type") != "hidden"]
        assert all(values["id"] in labelled for values in fields)
