"""The page on files of strangers names inputs and tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


REVIEWED = (  # what reviews of the program have found, by a word of each row that answers it
    *("types that its skops file", "query in a declaration", "condition could hide", "encoder with code"),
    *("forged manifest in the output folder", "output could be an input", "forged list", "replaced a file of somebody"),
    *("any environment variable", "configuration of a service", "Direction marks", "hundred thousand columns"),
    *("became gigabytes", "named devices, pipes", "one or two people", "password in a database URL"),
    *("predictable names", "mixed their files", "Escape codes", "names in a model card", "full disk"),
    *("last batch", "killed run", "replicates", "pipe in place of a file", "Full-width", "exit code 1"),
    *("pinned without hashes",),
)


@pytest.mark.parametrize("words", REVIEWED)
def test_what_a_review_found_has_its_row(words: str) -> None:
    named = [fault for fault, _, _ in _rows() if words.casefold() in fault.casefold()]
    assert len(named) == 1, named
