"""What the tests of the pages share: a browser without scripts, and what a page has in it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from desk.desks import TestDesk, test_desk

SECRET = re.compile(r"\b[0-9a-f]{32,64}\b")  # tokens of forms, and tickets
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{1234567*7}}\u202e&amp;"


def plain_desk(folder: Path, **policy: Any) -> TestDesk:
    """A desk where nothing is drawn or reviewed twice, unless the policy says so."""
    return test_desk(folder, **{"measured": 1e-9, "reserved": 0.3, "second": 0.0, **policy})


class Page(HTMLParser):
    """Forms with their fields, links, tags and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html, self.tags, self.words = html, list[tuple[str, dict[str, str | None]]](), list[str]()
        self.forms = list[dict[str, Any]]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append((tag, values))
        if tag == "form":
            self.forms.append({"attributes": values, "fields": {}})
        if tag == "input" and self.forms and values.get("name"):
            self.forms[-1]["fields"][values["name"]] = values.get("value") or ""

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def form(self, name: str) -> dict[str, str]:
        """The fields of the first form of a class."""
        fields = next(form["fields"] for form in self.forms if form["attributes"].get("class") == name)
        return dict(fields)


class Browser:
    """Somebody at the desk, whose browser runs no scripts."""

    def __init__(self, desk: TestDesk, person: str) -> None:
        self.client: TestClient = desk.signed_in(person)
        del self.client.headers["X-CSRF-Token"]

    def get(self, address: str, status: int = 200) -> Page:
        answer = self.client.get(address)
        assert answer.status_code == status, (answer.status_code, answer.text)
        return Page(answer.text)

    def send(self, address: str, status: int = 200, /, **fields: str) -> Page:
        answer = self.client.post(address, data=fields)
        assert answer.status_code == status, (answer.status_code, answer.text)
        return Page(answer.text)

    def review(self, action: str, /, status: int = 200, **fields: str) -> Page:
        """Press a button below the item that is shown."""
        return self.send("/queue", status, **{**self.get("/queue").form("review"), "do": action, **fields})


def masked(html: str) -> str:
    """Without tokens and tickets, which differ in every session."""
    return SECRET.sub("…", html)
