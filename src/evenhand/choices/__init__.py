"""What a person may say about data and audits: one row each, said once.

Options of commands, arguments in Python, the declaration that `evenhand init` writes and the reference are made from
these rows. They are light, so that `evenhand --help` is; what a value must be is checked by whoever takes it, the
`Declaration` and the settings of each audit, and a test holds names and defaults against those.
"""

from evenhand.choices.choice import (
    NUMBER,
    TEXT,
    WHOLE,
    Choice,
    File,
    Flag,
    Kind,
    Names,
    Number,
    Numbers,
    Row,
    Text,
    Texts,
    Whole,
    given,
    listed,
    rows,
)
from evenhand.choices.roles import Roles, Tables
from evenhand.choices.settings import Options, Settings

__all__ = [
    "NUMBER",
    "TEXT",
    "WHOLE",
    "Choice",
    "File",
    "Flag",
    "Kind",
    "Names",
    "Number",
    "Numbers",
    "Options",
    "Roles",
    "Row",
    "Settings",
    "Tables",
    "Text",
    "Texts",
    "Whole",
    "given",
    "listed",
    "rows",
]
