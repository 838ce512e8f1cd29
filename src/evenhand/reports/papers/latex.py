r"""A table in LaTeX with booktabs: \usepackage{booktabs} is all that it needs, besides UTF-8 for names."""

from __future__ import annotations

from evenhand.errors import CONTROL
from evenhand.reports.papers.sheet import Cell, Sheet

LETTERS = {
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
OPTIONS = ("[", "*")  # at the start of a row they would be taken for an option of the line break before


def escaped(text: str) -> str:
    """Nothing of it is taken for a command."""
    return "".join(LETTERS.get(letter, letter) for letter in CONTROL.sub(" ", text))


def latex(sheet: Sheet) -> str:
    """A floating table with caption, label and notes."""
    heads = " & ".join(["", *(escaped(head) for head in sheet.heads)])
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(sheet.title)}}}",
        rf"\label{{tab:{_label(sheet.name)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(sheet.heads)}}}",
        r"\toprule",
        rf"{heads} \\",
        r"\midrule",
        *(_row(title, cells) for title, cells in sheet.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *_notes(sheet),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(title: str, cells: list[Cell]) -> str:
    guard = "{}" if title.startswith(OPTIONS) else ""
    return " & ".join([guard + escaped(title), *(_cell(cell) for cell in cells)]) + r" \\"


def _cell(cell: Cell) -> str:
    marks = rf"\textsuperscript{{{','.join(map(escaped, cell.marks))}}}" if cell.marks else ""
    return " ".join(part for part in (escaped(cell.value) + marks, escaped(cell.within)) if part)


def _notes(sheet: Sheet) -> list[str]:
    if not sheet.notes:
        return []
    said = [
        rf"\textsuperscript{{{escaped(mark)}}} {escaped(meaning)}." if mark else escaped(meaning)
        for mark, meaning in sheet.notes
    ]
    return [r"\par\smallskip\footnotesize", *said]


def _label(name: str) -> str:
    """Letters, digits and hyphens alone."""
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter == "-") else "-" for letter in name)
