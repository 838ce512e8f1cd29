"""The table of the service's settings, from the rows that options and variables are made of.

`python -m docs.generated.service` writes it into docs/settings.md; a test holds the page against it.
"""

from __future__ import annotations

import re
from pathlib import Path

from docs.generated.words import cell, table

from evenhand.choices import ChoiceRow
from evenhand.service.configuration_file import flag, setting_rows, variable

PAGE = Path(__file__).parents[1] / "settings.md"
TABLE = re.compile(r"(?<=<!-- settings -->\n\n).*?(?=<!-- end of settings -->)", re.DOTALL)


def settings_table() -> str:
    """One line for each setting."""
    rows = [
        (
            f"`{flag(row)}`",
            f"`{variable(name)}`",
            _example(row),
            cell(row.choice.help),
        )
        for name, row in setting_rows().items()
    ]
    return table(("option", "variable", "in a file, for example", "meaning and default"), rows)


def _example(row: ChoiceRow) -> str:
    """Its line in a file; some settings are never taken from one."""
    return f"`{row.name} = {row.choice.toml.partition('  #')[0]}`" if row.choice.toml else "not allowed"


def filled(page: str) -> str:
    """The page with the table as it is now."""
    return TABLE.sub(lambda _: f"{settings_table()}\n", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
    print(PAGE)
