"""The table of papers, one row each, and the reproduction of one of them with the data in a folder.

The command and the docs follow from the table. A reproduction records what it was made with: data, seed, versions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evenhand.audits.settings import versions
from evenhand.errors import InputError, nearest
from evenhand.progress import Progress, silent
from evenhand.reproduce import accuracy, bias, calibration, collaboration, perspective
from evenhand.reproduce.corpora import CORPORA
from evenhand.reproduce.rendering import result_json, save_result
from evenhand.reproduce.result import PaperResult
from evenhand.reproduce.workspace import Workspace, citation


def find_paper(name: str) -> Paper:
    """The paper of this name."""
    if name not in PAPERS:
        raise InputError(f"there is no paper '{name}'; {nearest(name, PAPERS)}")
    return PAPERS[name]


def fetch_data(paper: str, folder: Path, *, progress: Progress = silent) -> list[str]:
    """What can be had of a paper's data, into a folder; and in a line each, what to know of it and what was not had."""
    from evenhand.reproduce.corpora import fetching  # slow to load

    row = find_paper(paper)
    if not row.needs:
        raise InputError(f"'{row.name}' takes {row.takes}; these cannot be fetched: give `data`", role="data")
    fetched, failed = fetching.fetch_all([CORPORA[name] for name in row.needs], folder, progress=progress)
    unchecked = [one.url for one in fetched if one.checked is fetching.ChecksumSource.FIRST_FETCH]
    return [
        *(f"no checksum is published, so this one was written down: {url}" for url in unchecked),
        *(f"not fetched: {line}" for line in failed),
    ]


def describe_papers() -> Iterator[str]:
    """The papers, what of them is made, and what data that takes."""
    for paper in PAPERS.values():
        yield f"{paper.name}: {paper.title}"
        yield f"  {paper.citation}"
        yield f"  makes {'; '.join(paper.shows)}"
        sources = (*(CORPORA[name].where() for name in paper.needs), paper.takes)
        yield from (f"  uses {source}" for source in sources if source)
        yield ""


@dataclass(frozen=True)
class Reproduction:
    """A result with what it was made of; `save` writes it to a folder."""

    result: PaperResult
    about: dict[str, Any]

    def json(self) -> str:
        """As the command line prints it."""
        return result_json(self.result, self.about)

    def save(self, folder: str | Path, *, progress: Progress = silent) -> Path:
        """The page, Markdown, JSON and figures."""
        save_result(self.result, self.about, Path(folder), progress=progress)
        return Path(folder)


def reproduce(
    paper: str, data: str | Path, *, seed: int = 0, light: bool = False, progress: Progress = silent
) -> Reproduction:
    """Reproduce a paper with the data in a folder, as far as it goes."""
    chosen_paper, started = find_paper(paper), time.perf_counter()
    place = Workspace(Path(data), seed=seed, light=light, progress=progress)
    if chosen_paper.any_of:
        place.corpora.require(*chosen_paper.any_of)
    result = chosen_paper.run(place)
    result = replace(result, sources=(*result.sources, *place.corpora.sources))
    chosen = (f" --seed {seed}" if seed else "") + (" --light" if light else "")
    about = {
        "paper": chosen_paper.name,
        "title": chosen_paper.title,
        "citation": chosen_paper.citation,
        "command": f"evenhand reproduce {chosen_paper.name} --data DATA{chosen}",
        "seconds": round(time.perf_counter() - started, 1),
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": versions(),
    }
    return Reproduction(result, about)


@dataclass(frozen=True)
class Paper:
    """A row of the table of papers."""

    name: str
    title: str
    citation: str
    shows: tuple[str, ...]  # its tables and figures that can be made
    needs: tuple[str, ...]  # corpora it can use
    run: Callable[[Workspace], PaperResult]
    any_of: tuple[str, ...] = ()  # without one of these there is nothing to do
    takes: str = ""  # what it takes that is no corpus


PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper(
            name="bias",
            title="Nuanced Metrics for Measuring Unintended Bias",
            citation=citation("bias"),
            shows=("Tables 2, 3, 5, 6 and 7", "Figure 2"),
            needs=("civil_comments", "perspective_madlibs", "madlibs_77k", "wikipedia_talk", "hatecheck"),
            any_of=("perspective_madlibs", "civil_comments", "wikipedia_talk"),
            run=bias.reproduce,
        ),
        Paper(
            name="collaboration",
            title="Measuring and Improving Model-Moderator Collaboration using Uncertainty Estimation",
            citation=citation("collaboration"),
            shows=("Tables 1 to 3", "Figures 2 to 14"),
            needs=(),
            takes="runs of models: test.parquet and deployment.parquet, a column p:METHOD:LOSS:SEED for each",
            run=collaboration.reproduce,
        ),
        Paper(
            name="calibration",
            title="Class-wise Calibration: A Case Study on COVID-19 Hate Speech",
            citation=citation("calibration"),
            shows=("Tables 1 to 4", "Figures 1 and 2"),
            needs=("east_asian_prejudice", "reddit_cad", "covid_hate"),
            any_of=("east_asian_prejudice", "reddit_cad", "covid_hate"),
            run=calibration.reproduce,
        ),
        Paper(
            name="accuracy",
            title="Operationalizing content moderation “accuracy” in the Digital Services Act",
            citation=citation("accuracy"),
            shows=("Tables 1, 3 and 4", "Figures 1 and 2"),
            needs=("civil_comments", "wikipedia_talk", "wikipedia_context"),
            any_of=("civil_comments", "wikipedia_talk"),
            run=accuracy.reproduce,
        ),
        Paper(
            name="perspective",
            title="Are you sure? Measuring models bias in content moderation through uncertainty",
            citation=citation("perspective"),
            shows=("Tables 1 and 2", "Figures 1 to 6"),
            needs=("crehate", "sbic", "wikipedia_talk", "reddit_cad", "md_agreement"),
            any_of=("crehate", "sbic"),
            run=perspective.reproduce,
        ),
    )
}
