"""A result as files: a page that opens offline, Markdown, JSON, and the figures as SVG and PNG.

Cells are formatted once, for the page and for Markdown alike. The files of a folder are written all or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.output_folder import FolderContents, staged_folder
from evenhand.progress import Progress, silent
from evenhand.reports.html import page_text
from evenhand.reproduce.result import PaperResult, ReproducedCell, ReproducedTable
from evenhand.visible_text import visible

SCIENTIFIC_FROM_DIGITS = 4  # digits
COUNTS_FROM = 100  # whole numbers from here on are counts


def format_number(value: float, digits: int, *, signed: bool = False) -> str:
    """To so many digits after the point; whole numbers with commas, and nothing without a sign.

    Where four digits and more are shown, small values count: what would round to nothing keeps two figures.
    """
    if abs(value) >= COUNTS_FROM and value == int(value):
        digits = 0
    if round(value, digits) == 0.0:
        small = value and digits >= SCIENTIFIC_FROM_DIGITS and not signed
        return f"{value:.1e}".replace("-", "−") if small else f"{0.0:.{digits}f}"
    text = f"{value:+,.{digits}f}" if signed else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def our_value_text(cell: ReproducedCell, digits: int) -> str:
    """Our value; a dash where there is none."""
    if cell.ours is None:
        return "–"
    return "undefined" if cell.ours.value is None else format_number(cell.ours.value, digits)


def interval_text(estimate: Estimate | None, digits: int) -> str:
    """Its interval, or the p-value of its test; empty for plain facts."""
    if estimate is None or estimate.value is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return "" if estimate.p_value is None else f"p = {estimate.p_value:.3f}"
    if isclose(estimate.low, estimate.high, rel_tol=1e-12, abs_tol=1e-15):
        return ""
    return f"{format_number(estimate.low, digits)} to {format_number(estimate.high, digits)}"


def published_value_text(cell: ReproducedCell, digits: int) -> str:
    """What the paper prints; empty where it prints nothing."""
    return "" if cell.published is None else format_number(cell.published, digits)


def difference_text(cell: ReproducedCell, table: ReproducedTable) -> str:
    """Ours less the paper's."""
    return "" if cell.difference is None else format_number(cell.difference, table.digits, signed=True)


def markdown_cell(cell: ReproducedCell, table: ReproducedTable) -> str:
    """A whole cell in one line."""
    parts = [our_value_text(cell, table.digits)] if cell.ours is not None or cell.published is None else []
    if between := interval_text(cell.ours, table.digits):
        parts.append(f"({between})")
    if printed := published_value_text(cell, table.digits):
        off = difference_text(cell, table)
        parts.append(f"{'· ' if parts else ''}paper {printed}" + (f" ({off})" if off else ""))
    return " ".join(parts)


VERDICT_MARKS = {"held": "held", "not held": "**not held**", "undecided": "undecided"}


def markdown_document(result: PaperResult, about: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """Everything but the data; `pictures` are the files of the figures by their titles."""
    return "\n".join(_markdown_lines(result, about, pictures)) + "\n"


def _markdown_lines(result: PaperResult, about: Mapping[str, Any], pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"# {about['title']}, reproduced"
    yield ""
    yield f"{about['citation']}."
    yield ""
    yield f"Made with `{about['command']}` in {about['seconds']:.0f} s; {_versions(about)}; {about['made']}."
    yield ""
    for note in result.notes:
        yield f"{note}\n"
    yield from _claims_section(result)
    for table in result.tables:
        yield from _table_section(table)
    yield from _figures_section(result, pictures)
    yield from _list_section("Slips of the paper", result.slips)
    yield from _list_section("Not reproduced", [f"{o.what}: {o.why}" for o in result.omissions])
    yield from _list_section("Data", [_source_line(source) for source in result.sources])


def _claims_section(result: PaperResult) -> Iterator[str]:
    yield "## What the paper claims\n"
    yield "| claim | here | data used | numbers | interval (95 %) |"
    yield "|---|---|---|---|---|"
    for claim in result.claims:
        cells = (claim.text, VERDICT_MARKS[claim.verdict], claim.data, claim.why, claim.interval)
        yield f"| {' | '.join(_escape(cell) for cell in cells)} |"
    yield ""


def _table_section(table: ReproducedTable) -> Iterator[str]:
    yield f"## {table.title}\n"
    yield f"Ours: {table.on}.\n"
    yield f"| {table.head} | " + " | ".join(_escape(column) for column in table.columns) + " |"
    yield "|---|" + "---|" * len(table.columns)
    for name, cells in table.rows:
        yield f"| {_escape(name)} | " + " | ".join(_escape(markdown_cell(cell, table)) for cell in cells) + " |"
    yield ""
    for note in table.notes:
        yield f"- {note}"
    if table.notes:
        yield ""


def _figures_section(result: PaperResult, pictures: Mapping[str, str]) -> Iterator[str]:
    if result.figures:
        yield "## Figures\n"
    for figure in result.figures:
        yield f"**{figure.title}.** {figure.caption}\n"
        yield f"![{figure.title}]({pictures[figure.title]})\n"


def _list_section(title: str, lines: Sequence[object]) -> Iterator[str]:
    if lines:
        yield f"## {title}\n"
        yield from (f"- {line}" for line in lines)
        yield ""


def _source_line(source: Mapping[str, Any]) -> str:
    files = ", ".join(f"{file['source']} (sha256 {file['sha256'][:12]}…)" for file in source["files"])
    return f"{source['title']} ({source['layout']}, {source['rows']:,} rows, {source['licence']}): {files}"


def _versions(about: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in about["versions"].items())


def _escape(text: str) -> str:
    return visible(text.replace("\n", " ")).replace("|", "\\|")


def reproduction_contents(paper: str) -> FolderContents:
    """What is written into the folder of a reproduction."""
    return FolderContents(("report.html", "results.md", "results.json", f"figures/{paper}_*"))


def save_result(result: PaperResult, about: Mapping[str, Any], folder: Path, *, progress: Progress = silent) -> None:
    """Write everything; the figures of an earlier run go, and what somebody else put there stays."""
    pictures = {figure.title: f"figures/{figure.file}.svg" for figure in result.figures}
    with staged_folder(folder, reproduction_contents(about["paper"])) as staging:
        (staging / "figures").mkdir()
        for number, figure in enumerate(result.figures):
            progress("drawing", number, len(result.figures))
            (staging / pictures[figure.title]).write_text(figure.svg, encoding="utf-8")
            (staging / pictures[figure.title]).with_suffix(".png").write_bytes(figure.png)
        (staging / "results.md").write_text(markdown_document(result, about, pictures), encoding="utf-8")
        (staging / "results.json").write_text(result_json(result, about), encoding="utf-8")
        (staging / "report.html").write_text(html_page(result, about), encoding="utf-8")


def result_json(result: PaperResult, about: Mapping[str, Any]) -> str:
    """One object: what was made with what, then every number beside the paper's, one per line."""
    data = {**about, **result.as_dict()}
    lines = ",\n  ".join(_json_record(record) for record in data.pop("records"))
    rest = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    return f'{rest[:-2]},\n "records": [\n  {lines}\n ]\n}}\n'


def _json_record(record: Mapping[str, Any]) -> str:
    """To ten figures: more is noise."""
    short = {key: float(f"{value:.10g}") if isinstance(value, float) else value for key, value in record.items()}
    return json.dumps(short, ensure_ascii=False, allow_nan=False)


CELL_TEXTS = {  # what a page says in a cell
    "ours": our_value_text,
    "interval": interval_text,
    "theirs": published_value_text,
    "difference": difference_text,
}


def html_page(result: PaperResult, about: Mapping[str, Any]) -> str:
    """One self-contained page, in the look of every other report."""
    drawings = [{"title": f.title, "caption": f.caption, "svg": _inline_svg(f)} for f in result.figures]
    rendered: str = _page_template().render(result=result, about=about, drawings=drawings, **CELL_TEXTS)
    return rendered


def _inline_svg(figure: Figure) -> Markup:
    return Markup(figure.svg[figure.svg.index("<svg") :])


@cache
def _page_template() -> Template:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("evenhand.reproduce"), PackageLoader("evenhand.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=page_text,
    )
    return environment.get_template("reproduced.html")
