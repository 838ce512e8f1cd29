"""The work behind `evenhand reproduce`, apart from its options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from evenhand.errors import InputError
from evenhand.progress import Progress
from evenhand.reproduce import PAPERS, Reproduced, reproduce
from evenhand.reproduce.corpora import CORPORA
from evenhand.reproduce.paper import Paper
from evenhand.reproduce.papers import find


def _fetch(paper: Paper, folder: Path, progress: Progress) -> None:
    """What can be had; of the rest it is said, and the paper goes as far as the data does."""
    from evenhand.reproduce.corpora.fetching import fetch_all

    if not paper.needs:
        raise InputError(f"'{paper.name}' takes {paper.takes}; these cannot be fetched: give --data")
    found, failed = fetch_all([CORPORA[name] for name in paper.needs], folder, progress=progress)
    for one in found:
        if one.checked == "first fetch":
            print(f"no checksum is published, so this one was written down: {one.url}", file=sys.stderr)
    for line in failed:
        print(f"not fetched: {line}", file=sys.stderr)


def listing() -> Iterator[str]:
    """The papers, what of them is made, and what data that takes."""
    for paper in PAPERS.values():
        yield f"{paper.name}: {paper.title}"
        yield f"  {paper.citation}"
        yield f"  makes {'; '.join(paper.shows)}"
        yield from (
            f"  uses {what}" for what in (*(CORPORA[name].where() for name in paper.needs), paper.takes) if what
        )
        yield ""
    yield "evenhand reproduce PAPER --data FOLDER"


def run(
    paper: str, data: Path | None, download: Path | None, *, seed: int, light: bool, progress: Progress
) -> Reproduced:
    """With the data of a folder, or fetched into one."""
    if (data is None) == (download is None):
        raise InputError("say where the data is: --data FOLDER, or --download FOLDER to fetch it")
    if download is not None:
        _fetch(find(paper), download, progress)
    folder = data or download
    assert folder is not None
    return reproduce(paper, folder, seed=seed, light=light, progress=progress)
