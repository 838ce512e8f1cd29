"""A result as files: a page that opens offline, Markdown, JSON, and the figures as SVG and PNG. All or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evenhand.figures import Figure
from evenhand.files import writing
from evenhand.progress import Progress, silent
from evenhand.reproduce import markdown, words
from evenhand.reproduce.result import Result

FILES = ("report.html", "results.md", "results.json")


def save(result: Result, about: Mapping[str, Any], folder: Path, *, progress: Progress = silent) -> None:
    """Write everything; the figures of an earlier run go."""
    pictures = {figure.title: f"figures/{figure.file}.svg" for figure in result.figures}
    with writing(folder, replaces=[f"figures/{about['paper']}_*.{kind}" for kind in ("svg", "png")]) as staging:
        (staging / "figures").mkdir()
        for number, figure in enumerate(result.figures):
            progress("drawing", number, len(result.figures))
            (staging / pictures[figure.title]).write_text(figure.svg, encoding="utf-8")
            (staging / pictures[figure.title]).with_suffix(".png").write_bytes(figure.png())
        (staging / "results.md").write_text(markdown.document(result, about, pictures), encoding="utf-8")
        (staging / "results.json").write_text(as_json(result, about), encoding="utf-8")
        (staging / "report.html").write_text(page(result, about), encoding="utf-8")


def as_json(result: Result, about: Mapping[str, Any]) -> str:
    """One object: what was made with what, then every number beside the paper's, one a line."""
    data = {**about, **result.as_dict()}
    lines = ",\n  ".join(_line(record) for record in data.pop("records"))
    rest = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    return f'{rest[:-2]},\n "records": [\n  {lines}\n ]\n}}\n'


def _line(record: Mapping[str, Any]) -> str:
    """To ten figures: more is noise."""
    short = {key: float(f"{value:.10g}") if isinstance(value, float) else value for key, value in record.items()}
    return json.dumps(short, ensure_ascii=False, allow_nan=False)


def page(result: Result, about: Mapping[str, Any]) -> str:
    """One self-contained page, in the look of every other report."""
    drawings = [{"title": f.title, "caption": f.caption, "svg": _drawn(f)} for f in result.figures]
    rendered: str = _template().render(result=result, about=about, drawings=drawings, words=words)
    return rendered


def _drawn(figure: Figure) -> Markup:
    return Markup(figure.svg[figure.svg.index("<svg") :])


@cache
def _template() -> Any:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("evenhand.reproduce"), PackageLoader("evenhand.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("reproduced.html")
