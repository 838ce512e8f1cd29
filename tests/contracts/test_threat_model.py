"""The page on files of strangers names inputs and tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

from hostile import cases
from hostile.corpus.registry import CORPUS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text()


def _rows() -> list[list[str]]:
    table = PAGE.split("| vulnerability | fix | inputs and tests |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_every_input_and_test_that_it_names_is_there() -> None:
    assert cases.CORPUS is CORPUS
    for fault, held, proof in _rows():
        assert fault
        assert held
        named = re.findall(r"`([^`]+)`", proof)
        assert named, fault
        for name in named:
            assert name in CORPUS or _is_a_test(name), f"{name} is neither a hostile input nor a test"


def _is_a_test(name: str) -> bool:
    path, _, function = name.partition("::")
    return (ROOT / path).is_file() and f"\ndef {function}(" in (ROOT / path).read_text()


def test_it_speaks_of_every_kind_of_fault() -> None:
    assert len(_rows()) >= 25
