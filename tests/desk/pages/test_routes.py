"""Every page for every role: who may, what the headers say, that nothing written by users becomes markup."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.desks import PASSWORD, STAFF, TestDesk
from desk.pages.browsers import HOSTILE, Browser, Page, plain_desk
from evenhand.desk import invitations
from evenhand.desk.pages.routes import PAGES, STATIC
from evenhand.desk.pages.words import FOLDER, languages, words
from evenhand.desk.people import Role
from evenhand.store import DeskPolicy, NewItem, seal
from evenhand.store.chain import last_sealed

SAY = words()
ALLOWED = {
    "/": set(Role), "/me": set(Role), "/queue": {Role.LEAD, Role.MODERATOR, Role.ANNOTATOR},
    "/policy": {Role.LEAD, Role.ADMINISTRATOR, Role.AUDITOR}, "/people": {Role.LEAD, Role.ADMINISTRATOR, Role.AUDITOR},
    "/studies": set(Role) - {Role.SERVICE},
    "/log": {Role.ADMINISTRATOR, Role.AUDITOR},
    "/audits": {Role.LEAD, Role.ADMINISTRATOR, Role.AUDITOR},
    "/settings": {Role.LEAD, Role.ADMINISTRATOR, Role.AUDITOR},
}  # fmt: skip
WRITING = {"/policy": "activate", "/policy/new": "activate", "/people": "invite"}
ADMINISTRATOR, AUDITOR, LEAD = STAFF[Role.ADMINISTRATOR], STAFF[Role.AUDITOR], STAFF[Role.LEAD]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDesk]:
    made = plain_desk(tmp_path_factory.mktemp("desk"), queues={HOSTILE: {"community": ("elsewhere",)}})
    item = NewItem("e<b>1", f"first line\n{HOSTILE}", language="en", community=HOSTILE, thread="t", author="a")
    made.desk.do("receive", "io", items=[item])
    made.desk.do("notice", "io", item=made.desk.do("receive", "io", items=[item])["items"][0]["item"], reason=HOSTILE)
    made.desk.do("invite", person=HOSTILE.replace("\u202e", ""), role="moderator", queues=(HOSTILE,))
    yield made
    made.store.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[TestDesk]:
    made = plain_desk(tmp_path)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def browsers(desk: TestDesk) -> dict[Role, Browser]:
    return {role: Browser(desk, person) for role, person in STAFF.items()}


@pytest.mark.parametrize("role", list(Role))
def test_a_role_has_its_pages_and_no_others(browsers: dict[Role, Browser], role: Role) -> None:
    browser = browsers[role]
    shown = {str(values["href"]) for tag, values in browser.get("/").tags if tag == "a"}
    for address, roles in ALLOWED.items():
        page = browser.get(address, 200 if role in roles else 403)
        assert (address in shown) == (role in roles)
        _check_markup(page)


def _check_markup(page: Page) -> None:
    """No tag and no attribute that a template has not, one heading, one place for messages, labels for all fields."""
    assert not [values for tag, values in page.tags if tag in ("img", "iframe", "style", "b")]
    assert not [name for _, values in page.tags for name in values if name.startswith("on") or name == "style"]
    assert all(str(values.get("src", "")).startswith("/static/") for tag, values in page.tags if tag == "script")
    assert sum(tag == "h1" for tag, _ in page.tags) == 1
    assert [values.get("aria-live") for _, values in page.tags if values.get("id") == "status"] == ["polite"]
    labelled = {values["for"] for tag, values in page.tags if tag == "label" and "for" in values}
    fields = [values for tag, values in page.tags if tag in ("input", "select", "textarea")]
    named = [values for values in fields if values.get("type") not in ("hidden", "radio")]
    assert all(values["id"] in labelled for values in named)
    identities = [values["id"] for _, values in page.tags if "id" in values]
    assert len(identities) == len(set(identities))
    assert "8641969" not in page.text


def test_what_users_wrote_is_shown_and_escaped(browsers: dict[Role, Browser]) -> None:
    review = browsers[Role.MODERATOR].get("/queue?queue=review")
    assert "alert(1)" in review.text
    assert "\\u202e" in review.html
    for role, address in ((Role.MODERATOR, "/queue"), (Role.AUDITOR, "/log"), (Role.AUDITOR, "/people")):
        page = browsers[role].get(address)
        assert "<script>alert" not in page.html
        assert "&lt;script&gt;alert(1)" in page.html
        assert "\u202e" not in page.html
        _check_markup(page)


def test_headers_allow_nothing_from_elsewhere(desk: TestDesk, browsers: dict[Role, Browser]) -> None:
    for address in (*ALLOWED, "/sign-in", "/invitation/none"):
        answer = browsers[Role.LEAD].client.get(address)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-frame-options"] == "DENY"
        assert not re.findall(r' (?:src|href|action)="(?!/|#)', answer.text)
    for entry in STATIC.iterdir():
        answer = desk.client().get(f"/static/{entry.name}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert desk.client().get("/static/../routes.py").status_code == 404
    assert desk.client().get("/static/..%2froutes.py").status_code == 404


def test_the_review_page_is_small(browsers: dict[Role, Browser]) -> None:
    page = len(browsers[Role.MODERATOR].client.get("/queue").content)
    files = sum(len((STATIC / name).read_bytes()) for name in ("desk.css", "desk.js", "htmx.min.js", "icon.svg"))
    assert page + files <= 150_000


def test_a_page_leads_to_the_sign_in_and_back(desk: TestDesk) -> None:
    client = desk.client()
    answer = client.get("/queue?queue=review")
    page = Page(answer.text)
    assert answer.url.path == "/sign-in"
    fields = page.forms[0]["fields"]
    wrong = client.post("/sign-in", data={**fields, "name": LEAD, "password": "wrong"})
    assert wrong.status_code == 401
    assert "the name or the password is wrong" in wrong.text
    back = client.post("/sign-in", data={**fields, "name": LEAD, "password": PASSWORD})
    assert (back.status_code, back.url.path) == (200, "/queue")
    page = Page(back.text)
    assert client.post("/sign-out", data=page.form("who"), follow_redirects=False).headers["location"] == "/sign-in"
    assert client.get("/queue", follow_redirects=False).status_code == 303
    assert client.get("/queue?part=1", follow_redirects=False).status_code == 401


def test_what_is_missing_is_a_page_for_browsers_and_a_problem_for_programs(
    desk: TestDesk, browsers: dict[Role, Browser]
) -> None:
    for address in ("/nothing", "/policy/new"):  # the second takes forms only
        answer = browsers[Role.LEAD].client.get(address, headers={"accept": "text/html,*/*"})
        page = Page(answer.text)
        assert (answer.status_code, SAY("error.missing") in page.text) == (404 if address == "/nothing" else 405, True)
        assert any(values.get("href") == "/audits" for _, values in page.tags)
        assert "unsafe" not in answer.headers["content-security-policy"]
        _check_markup(page)
    assert desk.client().get("/nothing").json()["status"] == 404
    assert desk.client().get("/api/v1/nothing").json()["status"] == 404


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example", "/\\evil", "javascript:1", "x"])
def test_the_sign_in_leads_to_no_other_host(desk: TestDesk, address: str) -> None:
    fields = {"name": LEAD, "password": PASSWORD, "next": address}
    answer = desk.client().post("/sign-in", data=fields, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_forms_of_other_pages_are_refused(desk: TestDesk, browsers: dict[Role, Browser]) -> None:
    for method, address, _ in PAGES:
        if method == "POST" and not address.startswith(("/sign-in", "/invitation")):
            answer = browsers[Role.LEAD].client.post(address, data={"csrf": "0" * 64}, follow_redirects=False)
            assert answer.status_code == 403, address
            assert desk.client().post(address, data={}, follow_redirects=False).status_code in (303, 401), address
    headers = {"Origin": "https://evil.example"}
    assert desk.client().post("/sign-in", data={"name": LEAD, "password": PASSWORD}, headers=headers).status_code == 403


def test_only_those_who_may_see_forms_that_change_something(browsers: dict[Role, Browser]) -> None:
    for role in (Role.LEAD, Role.AUDITOR, Role.ADMINISTRATOR):
        has_form = 'action="/people"' in browsers[role].get("/people").html
        assert has_form == (role == Role.ADMINISTRATOR)
    auditor = browsers[Role.AUDITOR]
    fields = auditor.get("/me").form("who")
    for address in ("/people", "/policy", "/queue", "/queue/undo"):
        auditor.send(address, 403, **fields)


def test_an_administrator_invites_and_ends_access(fresh: TestDesk) -> None:
    browser = Browser(fresh, ADMINISTRATOR)
    token = browser.get("/people").form("who")
    page = browser.send("/people", **token, do="invite", name="new person", role="moderator", queues="review, other")
    link = next(str(values["value"]) for _, values in page.tags if values.get("id") == "link")
    assert "new person" in page.text
    visitor = fresh.client()
    path = link[link.index(invitations.LINK_PATH) :]
    assert "new person" in visitor.get(path).text
    short = visitor.post(path, data={"name": "new person", "password": "short"})
    assert (short.status_code, "12 to 1,000 characters" in short.text) == (422, True)
    entered = visitor.post(path, data={"name": "new person", "password": PASSWORD})
    assert (entered.status_code, entered.url.path) == (200, "/")
    assert visitor.get(path).status_code == 404
    assert "already" in browser.send("/people", 422, **token, do="invite", name="new person", role="lead").text
    browser.send("/people", **token, do="end", name="new person")
    assert visitor.get("/", follow_redirects=False).status_code == 303
    browser.send("/people", 422, **token, do="end", name=ADMINISTRATOR)
    browser.send("/people", 422, **token, do="invite", name="x", role="king")
    assert "new person" in browser.send("/people", **token, do="restore", name="new person").text


def test_a_lead_puts_an_earlier_policy_in_force_again(fresh: TestDesk) -> None:
    fresh.desk.do("activate", "lee", policy=DeskPolicy.from_thresholds(upper=None, lower=0.3, gold=0.05))
    browser = Browser(fresh, LEAD)
    page = browser.get("/policy")
    for sentence in ("Nothing is removed without review.", "below 0.3 are left", "5 % of the reviews are test items"):
        assert sentence in page.text
    fields = {
        **next(f["fields"] for f in page.forms if "version" in f["fields"]),
        "reason": "as it was",
    }
    assert "A reason is needed" in browser.send("/policy", 422, **{**fields, "reason": " "}).text.replace(
        "a reason", "A reason"
    )
    after = browser.send("/policy", **fields)
    assert SAY("done.activated", version=4) in after.text
    assert SAY("policy.reason", reason="as it was") in after.text
    assert "0.9 or more are removed" in after.text
    browser.send("/policy", 409, **fields)  # the page is out of date


def test_the_log_filters_and_pages(desk: TestDesk, browsers: dict[Role, Browser]) -> None:
    auditor = browsers[Role.AUDITOR]
    page = auditor.get("/log?kind=noticed&actor=io")
    assert SAY("event.noticed") in page.text
    assert page.html.count("<tr>") == 2
    assert auditor.get("/log?actor=nobody").text.count(SAY("log.none")) == 1
    desk.desk.receive(*[0.5] * 30, prefix="many")
    first = auditor.get("/log")
    older = next(str(values["href"]) for tag, values in first.tags if "before=" in str(values.get("href")))
    numbers = [re.findall(r"<td>([\d,]+)</td>", page.html) for page in (first, auditor.get(older))]
    assert not set(numbers[0]) & set(numbers[1])
    assert "first line" not in auditor.get("/log?item=e%3Cb%3E1").text


def test_the_log_shows_the_events_of_some_days(desk: TestDesk, browsers: dict[Role, Browser]) -> None:
    auditor, day = browsers[Role.AUDITOR], datetime.fromtimestamp(desk.store.clock() / 1e6, UTC).date()
    page = auditor.get(f"/log?kind=noticed&since={day}&until={day}")
    assert page.html.count("<tr>") == 2
    for dates in (f"since={day + timedelta(1)}", f"until={day - timedelta(1)}"):
        assert SAY("log.none") in auditor.get(f"/log?kind=noticed&{dates}").text
    assert auditor.get("/log?kind=noticed&since=31.1.2026&until=x").html.count("<tr>") == 2


def test_all_events_can_be_downloaded(desk: TestDesk, browsers: dict[Role, Browser]) -> None:
    seal(desk.store)
    answer = browsers[Role.AUDITOR].client.get("/log/events.jsonl")
    assert "attachment" in answer.headers["content-disposition"]
    events = [json.loads(line) for line in answer.text.splitlines()]
    last = desk.client().get("/api/v1/events?after=0&limit=1000", headers=desk.as_token(AUDITOR)).json()["events"]
    assert events[: len(last)] == last
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    with desk.store.database.reading() as connection:
        assert len(events) == last_sealed(connection)[0]
    assert browsers[Role.LEAD].client.get("/log/events.jsonl").status_code == 403
    assert "first line" not in answer.text


def test_choices_are_kept_in_the_browser(fresh: TestDesk) -> None:
    browser = Browser(fresh, STAFF[Role.MODERATOR])
    fresh.desk.receive(0.5)
    token = browser.get("/me").form("who")
    page = browser.send("/me", **token, text="blur", tone="sepia", theme="dark", size="huge", key_remove="1")
    assert SAY("done.settings") in page.text
    review = browser.get("/queue")
    assert 'class="text blur sepia"' in review.html
    assert 'data-theme="dark" data-size="normal"' in review.html
    assert 'data-key-remove="1"' in review.html
    assert SAY("review.reveal_blur") in review.text
    browser.send("/me", **token, key_remove="l")  # the key of another action
    assert 'data-key-remove="r"' in browser.get("/queue").html
    browser.client.cookies.set("evenhand_view", "text=<script>&tone=x&key_remove=%22")
    assert 'class="text plain colour"' in browser.get("/queue").html


def test_every_word_is_in_the_catalogue_and_a_translation_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = "".join(path.read_text() for path in (Path(str(FOLDER)).parent / "templates").iterdir())
    used = set(re.findall(r'say\("([a-z_]+\.[a-z_]+)"', templates))
    known = {key.removesuffix(".one").removesuffix(".other") for key in SAY.phrases}
    assert not [key for key in used - known if not any(name.startswith(key) for name in SAY.phrases)]
    assert languages() == ["en"]
    translated = tmp_path / "xx.toml"
    shutil.copy(str(FOLDER / "en.toml"), tmp_path)
    translated.write_text('[today]\ntitle = "Oggi"\n')
    monkeypatch.setattr("evenhand.desk.pages.words.FOLDER", tmp_path)
    assert (words("xx")("today.title"), words("xx")("nav.log")) == ("Oggi", "Log")
    assert SAY("today.days", n=1) == "1 day"
    assert SAY("today.days", n=2000) == "2,000 days"
