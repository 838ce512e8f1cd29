"""Reports as they are read: a page taken apart, and what a terminal shows."""

from __future__ import annotations

import io
from html.parser import HTMLParser

from rich.console import Console

import evenhand as eh
from evenhand.reports.terminal import print_findings

NASTY = "<script>alert(1)</script>\"'&--></svg>"


class Tags(HTMLParser):
    """Collects tags and attributes, and checks that they nest."""

    VOID = frozenset({"meta", "br", "wbr", "link", "img", "rect", "path", "line", "circle"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag) -> None:
        if tag not in self.VOID:
            assert self.open, tag
            assert self.open.pop() == tag


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    return tags


def printed(report: eh.Report, width: int = 100) -> str:
    out = io.StringIO()
    print_findings(report.findings, Console(file=out, width=width))
    return out.getvalue()
