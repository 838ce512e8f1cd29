"""A hostile input in every place of every command: one each, those that are quick to make and to judge."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

from hostile.cases import Case, case
from hostile.command_lines import LINES
from hostile.sandbox import Sandbox

CHOSEN: dict[str, tuple[str, ...]] = {
    "table": (
        *(
            "pipe.csv",
            "control_characters_in_a_number",
            "endless_device.csv",
            "name_with_direction.csv for table",
            "nul_bytes.csv",
        ),
        *(
            "json_lines_nested_deep",
            "parquet_with_a_huge_footer",
            "link_to_itself.csv",
            "formula_cells",
            "arrow_cut_off",
        ),
        *("workbook_with_outside_entities", "a_pickle_by_name", "socket_for_file.csv", "huge_numbers"),
    ),
    "sheet": ("tasks_with_characters",),
    "database": ("database_with_a_journal", "pipe.db", "database_that_is_none"),
    "query": ("query_with_a_deleting_part", "query_that_attaches", "query_that_copies", "query_that_sets_the_journal"),
    "condition": ("condition_with_a_hidden_query", "condition_that_reaches_out", "condition_nested_deep"),
    "declaration": ("declared_database_elsewhere",),
    "terms": ("pipe.txt", "terms_with_characters"),
    "spellings": ("spellings_with_characters",),
    "findings": (
        "findings: characters_in_every_word",
        "pipe.json",
        "findings: huge_numbers_everywhere",
        "json_nested_deep",
    ),
    "plan": ("plan: items in a place: precious", "plan: absurd grid"),
    "calibrator": ("calibrator_with_other_columns",),
    "policy": ("policy: characters_in_every_word",),
    "model": ("manifest_that_names_absolute", "endpoint_that_asks_for_a_secret", "pickle_by_another_name"),
    "tokens": ("tokens: characters_in_every_word", "pipe.json", "tokens_of_other_shapes"),
    "store record": ("pipe.json", "json_nested_deep", "store_records_of_other_shapes"),
    "service": ("service_with_a_model_in_a_pipe",),
    "encoder": ("pipe for a folder",),
    "model list": ("list_of_pipes_and_devices",),
    "corpora": ("data in pipe", "data in endless_device", "data_elsewhere"),
    "output file": ("file_with_names_in_passing", "pieces_with_links", "file_elsewhere"),
    "output folder": ("folder_that_is_a_pipe", "folder_with_a_forged_list"),
}


REFUSED = {"tokens": "pipe.json", "calibrator": "pipe.json"}  # a service runs for ever unless it refuses


def _chosen() -> list[Case]:
    turns = {kind: cycle(names) for kind, names in CHOSEN.items()}
    quick = {line: "folder_that_is_a_pipe" for line in LINES if line.long and line.kind == "output folder"}
    chosen = [(line, quick.get(line) or next(turns[line.kind])) for line in LINES]
    return [case(line.name, REFUSED.get(line.kind, name) if line.refusing else name) for line, name in chosen]


def _marked(one: Case) -> Any:
    """PyTorch takes seconds to import."""
    return pytest.param(one, id=one.name, marks=pytest.mark.verify if one.line.imports else ())


@pytest.mark.parametrize("one", [_marked(one) for one in _chosen()])
def test_no_harm_is_done(one: Case, sandbox: Sandbox) -> None:
    seen, wrong = one.run(sandbox)
    assert wrong == [], seen.err
