"""The formats of tables for papers: Markdown, aligned so that it reads well as it is, and LaTeX with booktabs.

Names of columns and classes are escaped, so that nothing of them is taken for markup.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from evenhand.errors import InputError, nearest
from evenhand.finding import Finding
from evenhand.reports.paper_tables import PaperTable, TableCell, paper_tables
from evenhand.visible_text import visible

LATEX_LETTERS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"$-$",
    "–": r"--",
    "…": r"\dots{}",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
}
LATEX_OPTIONS = ("[", "*")  # at the start of a row they would be taken for an option of the line break before


def escape_latex(text: str) -> str:
    """Nothing of it is taken for a command."""
    return "".join(LATEX_LETTERS.get(letter, letter) for letter in visible(text))


def latex_table(sheet: PaperTable) -> str:
    """A floating table with caption, label and notes."""
    heads = " & ".join(["", *(escape_latex(head) for head in sheet.heads)])
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(sheet.title)}}}",
        rf"\label{{tab:{_latex_label(sheet.name)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(sheet.heads)}}}",
        r"\toprule",
        rf"{heads} \\",
        r"\midrule",
        *(_latex_row(title, cells) for title, cells in sheet.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *_latex_notes(sheet),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(title: str, cells: list[TableCell]) -> str:
    guard = "{}" if title.startswith(LATEX_OPTIONS) else ""
    return " & ".join([guard + escape_latex(title), *(_latex_cell(cell) for cell in cells)]) + r" \\"


def _latex_cell(cell: TableCell) -> str:
    marks = rf"\textsuperscript{{{','.join(map(escape_latex, cell.marks))}}}" if cell.marks else ""
    return " ".join(part for part in (escape_latex(cell.value) + marks, escape_latex(cell.within)) if part)


def _latex_notes(sheet: PaperTable) -> list[str]:
    if not sheet.notes:
        return []
    lines = [
        rf"\textsuperscript{{{escape_latex(mark)}}} {escape_latex(meaning)}." if mark else escape_latex(meaning)
        for mark, meaning in sheet.notes
    ]
    return [r"\par\smallskip\footnotesize", *lines]


def _latex_label(name: str) -> str:
    """Letters, digits and hyphens alone."""
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter == "-") else "-" for letter in name)


MARKDOWN_SPECIAL = "\\`*_{}[]#|~$"
MARKDOWN_BLOCK = re.compile(r"^\s*(?:\d+(?=[.)]\s)|(?=[-+](?:\s|$))|(?=(?:-+|=+)\s*$))")  # begins a list, or is a rule
MARKDOWN_ADDRESS = re.compile(r"(?:https?|ftp)(?=://)|www(?=\.)", re.IGNORECASE)


def escape_markdown(text: str) -> str:
    """Nothing of it is taken for markup or made a link, whatever a column or class is called."""
    clean = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = "".join(f"\\{letter}" if letter in MARKDOWN_SPECIAL else letter for letter in clean)
    return MARKDOWN_ADDRESS.sub(r"\g<0>\\", MARKDOWN_BLOCK.sub(r"\g<0>\\", plain))


def markdown_table(sheet: PaperTable) -> str:
    """Title, table, notes."""
    rows = [[escape_markdown(title), *(_markdown_cell(cell) for cell in cells)] for title, cells in sheet.rows]
    lines = [f"**{escape_markdown(sheet.title)}**", "", *markdown_rows(["", *map(escape_markdown, sheet.heads)], rows)]
    if sheet.notes:
        lines += ["", "  \n".join(_markdown_note(mark, meaning) for mark, meaning in sheet.notes)]
    return "\n".join(lines) + "\n"


def markdown_rows(heads: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table: the first column to the left, numbers to the right."""
    widths = [max(3, *(_display_width(row[k]) for row in (heads, *rows))) for k in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return [_markdown_line(row, widths) for row in (heads, rule, *rows)]


def _markdown_line(row: list[str], widths: list[int]) -> str:
    padded = [
        text + " " * (width - _display_width(text)) if not k else " " * (width - _display_width(text)) + text
        for k, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _display_width(text: str) -> int:
    """Columns of a terminal: wide letters take two, marks on letters none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(unicodedata.combining(letter)) for letter in text)


def _markdown_cell(cell: TableCell) -> str:
    marks = "".join(f"<sup>{mark}</sup>" for mark in cell.marks)
    return " ".join(part for part in (escape_markdown(cell.value) + marks, escape_markdown(cell.within)) if part)


def _markdown_note(mark: str, meaning: str) -> str:
    return f"<sup>{mark}</sup> {escape_markdown(meaning)}" if mark else escape_markdown(meaning)


class PaperFormat(NamedTuple):
    """How a table is set, and how its file ends."""

    suffix: str
    set: Callable[[PaperTable], str]


TABLE_FORMATS = {"markdown": PaperFormat(".md", markdown_table), "latex": PaperFormat(".tex", latex_table)}


def check_table_formats(names: Sequence[str]) -> None:
    """Fail before the work rather than after it."""
    for name in names:
        if name not in TABLE_FORMATS:
            raise InputError(f"there is no table format '{name}'; {nearest(name, TABLE_FORMATS)}")


def render_tables(findings: Sequence[Finding], names: Sequence[str]) -> dict[str, str]:
    """Every table in each of the formats, by the name of its file."""
    check_table_formats(names)
    chosen = [TABLE_FORMATS[name] for name in names]
    return {f"{sheet.name}{one.suffix}": one.set(sheet) for sheet in paper_tables(findings) for one in chosen}
