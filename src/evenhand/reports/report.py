"""A report: the findings of one run, every way to look at them, and the folder that they are saved to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import polars as pl

from evenhand import findings_file
from evenhand.audits.registry import answer_questions, without_unused_scores
from evenhand.audits.request import AuditRequest
from evenhand.choices import MigrationArguments, Options
from evenhand.choices.python_help import lists_options
from evenhand.comparison.runs import compare_runs as comparison
from evenhand.evidence import TableSource, declared_layout, open_evidence
from evenhand.figures import Figure, draw_figures
from evenhand.finding import Finding
from evenhand.migration import MigrationRequest, migrate
from evenhand.output_folder import FolderContents, staged_folder
from evenhand.pandas_frames import to_pandas
from evenhand.progress import Progress, silent
from evenhand.reports import html, paper_formats
from evenhand.reports.audit_table import SECTIONS
from evenhand.reports.cover import ReportCover

if TYPE_CHECKING:
    import pandas as pd

REPORT_CONTENTS = FolderContents(
    (
        "report.html",
        "findings.json",
        "estimates.csv",
        "thresholds.*",
        "policy*.json",
        "frontier*.csv",
        "reviewers*.csv",
        "figures/*",
        "tables/*",
    )
)


@dataclass(frozen=True, repr=False)
class Report:
    """Findings of one run. In a notebook it shows itself; `save` writes it to a folder.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> report = eh.audit(table, score="p", label="toxic", groups="women", audits="bias")
    >>> report
    <Report of the frame (bias: 26 estimates)>
    >>> report.to_polars().columns[:5]
    ['audit', 'measure', 'title', 'slice', 'value']
    """

    findings: tuple[Finding, ...]
    source: str = field(default="", compare=False)
    not_run: Mapping[str, str] = field(default_factory=dict, compare=False)  # audits that could be: what they need
    cover: ReportCover = field(default=ReportCover(), compare=False)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """All charts."""
        return tuple(figure for finding in self.findings for figure in draw_figures(finding))

    @property
    def estimates(self) -> pl.DataFrame:
        """All estimates, one a row, with the columns of estimates.csv."""
        return findings_file.to_frame(self.findings)

    def to_polars(self) -> pl.DataFrame:
        """All estimates as a Polars frame: measure, title, value, low, high, flags, a column for each key of slices."""
        return findings_file.titled_frame(self.findings)

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame; pyarrow is not needed."""
        return to_pandas(self.to_polars())

    def json(self) -> str:
        """One JSON object, as the command line prints it."""
        return findings_file.to_json(self.findings)

    def csv(self) -> str:
        """The flat records as CSV."""
        return findings_file.to_csv(self.findings)

    def html(self) -> str:
        """One self-contained page: no script, no network."""
        return html.render_page(self.findings, self.figures, self.json(), self.cover)

    def tables(self, *formats: str) -> dict[str, str]:
        """Every table for a paper, by the name of its file: as "markdown", "latex" or both."""
        return paper_formats.render_tables(self.findings, formats or tuple(paper_formats.TABLE_FORMATS))

    def save(
        self,
        folder: str | Path,
        *,
        tables: Sequence[str] = (),
        png: bool = False,
        progress: Progress | None = None,
    ) -> Path:
        """Write report.html, findings.json, estimates.csv and the figures as SVG. All or nothing.

        `tables` are formats, "markdown" or "latex": one file for each table of the report. With `png`, the figures are
        also written as PNG. What an earlier report left
        in the folder goes, as far as files.json lists it and nobody has changed it since; where a file of somebody
        else is in the way, nothing is written.
        """
        folder = Path(folder)
        paper_formats.check_table_formats(tables)
        with staged_folder(folder, REPORT_CONTENTS) as staging:
            (staging / "findings.json").write_text(self.json(), encoding="utf-8")
            (staging / "estimates.csv").write_text(self.csv(), encoding="utf-8")
            for name, text in _section_files(self.findings):
                (staging / name).write_text(text, encoding="utf-8")
            for name, text in paper_formats.render_tables(self.findings, tables).items() if tables else ():
                (staging / "tables").mkdir(exist_ok=True)
                (staging / "tables" / name).write_text(text, encoding="utf-8")
            (staging / "figures").mkdir()
            if progress:
                progress("drawing", 0, len(self.figures))
            for number, (name, figure) in enumerate(_file_names(self.figures).items(), start=1):
                (staging / "figures" / f"{name}.svg").write_text(figure.svg, encoding="utf-8")
                if png:
                    (staging / "figures" / f"{name}.png").write_bytes(figure.png)
                if progress:
                    progress("drawing", number, len(self.figures))
            (staging / "report.html").write_text(self.html(), encoding="utf-8")
        return folder

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        parts = ", ".join(finding.size_in_words for finding in self.findings)
        return f"<Report of {self.source or 'findings'} ({parts})>"

    @cached_property
    def _fragment(self) -> str:
        return html.render_fragment(self.findings, self.figures)

    def _repr_html_(self) -> str:
        return self._fragment


def _section_files(findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """Files that only some findings have, such as thresholds to set."""
    for finding in findings:
        section = SECTIONS.get(finding.audit)
        if section and section.files:
            yield from section.files(finding).items()


def _file_names(figures: Sequence[Figure]) -> dict[str, Figure]:
    """A name for each that no other has, on file systems that ignore case too."""
    named: dict[str, Figure] = {}
    taken: set[str] = set()
    for figure in figures:
        name, number = figure.file, 1
        while name.casefold() in taken:
            number += 1
            name = f"{figure.file}-{number}"
        taken.add(name.casefold())
        named[name] = figure
    return named


@lists_options(Options)
def audit(
    data: TableSource,
    *,
    audits: str | Sequence[str] | None = None,
    query: str | None = None,
    compare: str | Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Report:
    """Audit a file, a database query, a data frame (pandas, Polars, Arrow, DuckDB, Spark) or a dict of arrays.

    Name the columns and any settings; both are listed below. `audits` are bias, collaboration, calibration, accuracy
    or perspective: without it, all whose columns are named, and `not_run` of the report says what the others need. A
    TOML file brings its own options, and those given here replace them. `query` is for a database. `compare` is the
    findings.json of an earlier run: the report then also says what has changed. `title`, `period`, `author` and `date`
    stand at the head of the report; `brief` makes it two pages long.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> report = eh.audit(table, score="p", label="toxic", groups="women", audits="bias")
    >>> report.findings[0].get("count", group="women").value
    20.0
    """
    earlier = None if compare is None else findings_file.read_findings(compare)
    request = AuditRequest.of(data, audits=audits, query=query, options=options)
    cover = ReportCover.of(request.cover)
    declaration = without_unused_scores(request.audits, request.declaration)
    with declared_layout(**request.layout):
        cuts = _thresholds(request.settings)
        evidence = open_evidence(request.data, declaration, query=request.query, cuts=cuts, **request.tables)
        answers = answer_questions(evidence, request.settings, audits=request.audits, progress=progress)
    findings = answers.findings
    if earlier is not None:
        findings = [*findings, comparison(findings, earlier, called=str(compare))]
    return Report(tuple(findings), evidence.name, answers.not_run, cover)


def _thresholds(settings: Mapping[str, object]) -> list[float]:
    """Scores between which a decision lies."""
    threshold = settings.get("threshold")
    return [float(threshold)] if isinstance(threshold, (int, float)) else []


def migrate_perspective(
    data: TableSource,
    *,
    query: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[MigrationArguments],
) -> Report:
    """Find the thresholds of a new model that stand for those of Perspective, and what changes for whom.

    `old_score` and `new_score` are columns; with `model` in place of the second the texts are scored first.
    `thresholds` are those of the old scores. Roles of columns (text, label, groups, …) are as for an audit.

    >>> rng = np.random.default_rng(0)
    >>> old = rng.random(300)
    >>> log = {"perspective": old, "ours": np.clip(old + 0.05 * rng.random(300), 0, 1)}
    >>> report = eh.migrate_perspective(log, old_score="perspective", new_score="ours", thresholds=[0.7])
    >>> report.findings[0].audit
    'migration'
    """
    request, progress = MigrationRequest.from_options(options), progress or silent
    log = request.open(data, query=query, progress=progress)
    return Report((migrate(log, request.settings, progress),), log.name)
