"""How to cite Evenhand: a file that can be read, of this version."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml

import evenhand

ROOT = Path(__file__).parents[2]


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert str(citation["version"]) == evenhand.__version__
    assert citation["license"] == project["license"]
    assert {"message", "title", "authors", "type"} <= citation.keys()
