"""The work behind `evenhand reproduce`, apart from its options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evenhand.errors import InputError
from evenhand.progress import Progress
from evenhand.reproduce import PAPERS, Reproduced, reproduce
from evenhand.reproduce.corpora import CORPORA


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
        from evenhand.reproduce.corpora.fetching import fetch_all
        from evenhand.reproduce.papers import find

        fetch_all([CORPORA[name] for name in find(paper).needs], download, progress=progress)
    folder = data or download
    assert folder is not None
    return reproduce(paper, folder, seed=seed, light=light, progress=progress)
