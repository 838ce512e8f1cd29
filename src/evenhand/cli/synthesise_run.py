"""The files of made-up data, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from evenhand.files import writing
from evenhand.synthetic.community import Community
from evenhand.synthetic.community.guide import COLUMNS, guide


def write_community(made: Community, folder: Path) -> None:
    """The tables, the truth, and a page that says what each column is."""
    with writing(folder) as staging:
        for name in COLUMNS:
            getattr(made, name).write_parquet(staging / f"{name}.parquet")
        (staging / "truth.json").write_text(json.dumps(made.truth, indent=2) + "\n", encoding="utf-8")
        (staging / "README.md").write_text(guide(made.truth), encoding="utf-8")
