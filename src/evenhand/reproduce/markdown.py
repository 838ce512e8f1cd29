"""A result as Markdown, for a repository or a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.reproduce.result import Result, Table
from evenhand.reproduce.words import markdown

MARKS = {"held": "held", "not held": "**not held**", "undecided": "undecided"}


def document(result: Result, about: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """Everything but the data; `pictures` are the files of the figures by their titles."""
    return "\n".join(_lines(result, about, pictures)) + "\n"


def _lines(result: Result, about: Mapping[str, Any], pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"# {about['title']}, reproduced"
    yield ""
    yield f"{about['citation']}."
    yield ""
    yield f"Made with `{about['command']}` in {about['seconds']:.0f} s; {_versions(about)}; {about['made']}."
    yield ""
    for note in result.notes:
        yield f"{note}\n"
    yield from _claims(result)
    for table in result.tables:
        yield from _table(table)
    yield from _pictures(result, pictures)
    yield from _listed("Slips of the paper", result.slips)
    yield from _listed("Not reproduced", [f"{o.what}: {o.why}" for o in result.omissions])
    yield from _listed("Data", [_source(source) for source in result.sources])


def _claims(result: Result) -> Iterator[str]:
    yield "## What the paper claims\n"
    yield "| claim | here | numbers |"
    yield "|---|---|---|"
    for claim in result.claims:
        yield f"| {_plain(claim.text)} | {MARKS[claim.verdict]} | {_plain(claim.why)} |"
    yield ""


def _table(table: Table) -> Iterator[str]:
    yield f"## {table.title}\n"
    yield f"Ours: {table.on}.\n"
    yield f"| {table.head} | " + " | ".join(_plain(column) for column in table.columns) + " |"
    yield "|---|" + "---|" * len(table.columns)
    for name, cells in table.rows:
        yield f"| {_plain(name)} | " + " | ".join(_plain(markdown(cell, table)) for cell in cells) + " |"
    yield ""
    for note in table.notes:
        yield f"- {note}"
    if table.notes:
        yield ""


def _pictures(result: Result, pictures: Mapping[str, str]) -> Iterator[str]:
    if result.figures:
        yield "## Figures\n"
    for figure in result.figures:
        yield f"**{figure.title}.** {figure.caption}\n"
        yield f"![{figure.title}]({pictures[figure.title]})\n"


def _listed(title: str, lines: Any) -> Iterator[str]:
    if lines:
        yield f"## {title}\n"
        yield from (f"- {line}" for line in lines)
        yield ""


def _source(source: Mapping[str, Any]) -> str:
    files = ", ".join(f"{file['source']} (sha256 {file['sha256'][:12]}…)" for file in source["files"])
    return f"{source['title']} ({source['layout']}, {source['rows']:,} rows, {source['licence']}): {files}"


def _versions(about: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in about["versions"].items())


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
