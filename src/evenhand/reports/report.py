"""A report: findings, and every way to look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import polars as pl

from evenhand.audits import run_audits
from evenhand.audits.comparison import compare as comparison
from evenhand.audits.request import Request
from evenhand.audits.table import looked_at
from evenhand.choices import Options
from evenhand.errors import InputError
from evenhand.evidence import open_evidence
from evenhand.figures import Figure, figures
from evenhand.files import writing
from evenhand.finding import Finding
from evenhand.progress import Progress
from evenhand.reports import html, papers, serialise
from evenhand.reports.written import earlier_files, list_files


@dataclass(frozen=True, repr=False)
class Report:
    """Findings of one run. In a notebook it shows itself; `save` writes it to a folder."""

    findings: tuple[Finding, ...]
    source: str = field(default="", compare=False)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """All charts."""
        return tuple(figure for finding in self.findings for figure in figures(finding))

    @property
    def estimates(self) -> pl.DataFrame:
        """All estimates as flat records."""
        return serialise.to_frame(self.findings)

    def json(self) -> str:
        """One JSON object, as the command line prints it."""
        return serialise.to_json(self.findings)

    def csv(self) -> str:
        """The flat records as CSV."""
        return serialise.to_csv(self.findings)

    def html(self) -> str:
        """One self-contained page: no script, no network."""
        return html.page(self.findings, self.figures, self.json())

    def tables(self, *formats: str) -> dict[str, str]:
        """Every table for a paper, by the name of its file: as "markdown", "latex" or both."""
        return papers.tables(self.findings, formats or tuple(papers.FORMATS))

    def save(self, folder: str | Path, *, tables: Sequence[str] = (), progress: Progress | None = None) -> Path:
        """Write report.html, findings.json, estimates.csv and the figures as SVG and PNG. All or nothing.

        `tables` are formats, "markdown" or "latex": one file for each table of the report. What an earlier report left
        in the folder goes, as far as files.json lists it and nobody has changed it since.
        """
        folder = Path(folder)
        papers.check_formats(tables)
        with writing(folder, replaces=earlier_files(folder)) as staging:
            (staging / "findings.json").write_text(self.json(), encoding="utf-8")
            (staging / "estimates.csv").write_text(self.csv(), encoding="utf-8")
            for name, text in papers.tables(self.findings, tables).items() if tables else ():
                (staging / "tables").mkdir(exist_ok=True)
                (staging / "tables" / name).write_text(text, encoding="utf-8")
            (staging / "figures").mkdir()
            if progress:
                progress("drawing", 0, len(self.figures))
            for number, (name, figure) in enumerate(_file_names(self.figures).items(), start=1):
                (staging / "figures" / f"{name}.svg").write_text(figure.svg, encoding="utf-8")
                (staging / "figures" / f"{name}.png").write_bytes(figure.png())
                if progress:
                    progress("drawing", number, len(self.figures))
            (staging / "report.html").write_text(self.html(), encoding="utf-8")
            list_files(staging)
        return folder

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        parts = ", ".join(f"{finding.audit}: {len(finding.estimates)} estimates" for finding in self.findings)
        return f"<Report of {self.source or 'findings'} ({parts})>"

    def _repr_html_(self) -> str:
        return html.fragment(self.findings, self.figures)


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


def audit(
    data: Any,
    *,
    audits: str | Sequence[str] | None = None,
    query: str | None = None,
    compare: str | Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Report:
    """Audit a file, a database query or a data frame.

    Options are the roles of columns (score, label, groups, …: see `Declaration`) and settings (level, threshold, …: see
    `Settings`), mixed. A path to a TOML file brings its own; options given here come on top. `compare` is the
    findings.json of an earlier run: the report then also says what has changed.
    """
    earlier = None if compare is None else serialise.read(compare)
    request = Request.of(data, audits=audits, query=query, options=options)
    declaration = looked_at(request.audits, request.declaration)
    evidence = open_evidence(request.data, declaration, query=request.query, **request.tables)
    found = run_audits(evidence, request.settings, audits=request.audits, progress=progress)
    if earlier is not None:
        found.append(comparison(found, earlier, called=str(compare)))
    return Report(tuple(found), evidence.name)


def load(path: str | Path, *, audit: str | None = None) -> Finding:
    """A finding from the findings.json of an earlier run; `audit` says which if there are several."""
    findings = serialise.read(path)
    found = [finding for finding in findings if audit in (None, finding.audit)]
    if len(found) != 1:
        names = ", ".join(finding.audit for finding in findings) or "none"
        wanted = f"no finding of the audit '{audit}'" if audit else f"{len(findings)} findings: say which with audit"
        raise InputError(f"holds {wanted} ({names})", source=str(path))
    return found[0]
