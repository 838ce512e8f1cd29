"""Hostile TOML for `evenhand audit`, lists of terms, and tables of spellings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hostile.corpus.places import BIDI, ESCAPE
from hostile.corpus.registry import hostile, put
from hostile.corpus.rows import as_csv, rows
from hostile.corpus.statements import CONDITIONS, QUERIES, QUERIES_THAT_READ, condition, query, write_database
from hostile.site import SECRET_NAME, Site

COLUMNS = {"score": ["p"], "label": "y", "groups": ["a", "b"]}


def toml(value: Any) -> str:
    """A value as TOML has it: as JSON, but for control characters, which JSON escapes as TOML does."""
    return json.dumps(value).replace("\\ud800", "\\uFFFD")


def declaration(
    site: Site,
    *,
    data: str = "data.csv",
    columns: Mapping[str, Any] = COLUMNS,
    settings: Mapping[str, Any] | None = None,
    **parts: Any,
) -> str:
    """A declaration with the data beside it."""
    site.write("data.csv", as_csv(rows()))
    head = [f"{name} = {toml(value)}" for name, value in {"data": data, **parts}.items()]
    body = ["[columns]", *(f"{name} = {toml(value)}" for name, value in {**COLUMNS, **columns}.items())]
    tail = ["[settings]", *(f"{name} = {value}" for name, value in (settings or {}).items())]
    return site.write("in.toml", "\n".join([*head, *body, *tail]) + "\n").name


def _with_condition(name: str) -> Callable[[Site], str]:
    return lambda site: declaration(site, columns={"where": condition(name, site)})


def _with_query(name: str) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        write_database(site.work / "data.db")
        return declaration(site, data=f"sqlite:///{site.work}/data.db", query=query(name, site))

    return build


for _name in CONDITIONS:
    put(f"declared_{_name}", ("declaration",), _with_condition(_name))
for _name in QUERIES:
    put(f"declared_{_name}", ("declaration",), _with_query(_name), refused=_name not in QUERIES_THAT_READ)

ADDRESSES = {
    "declared_web_address": "URL/data.csv",
    "declared_database_elsewhere": "postgresql://user:pass@127.0.0.1:PORT/items",
    "declared_database_by_driver": "mysql+pymysql://127.0.0.1:PORT/items",
    "declared_database_with_a_variable": f"postgresql://${{{SECRET_NAME}}}@127.0.0.1:PORT/items",
    "declared_variable": f"${{{SECRET_NAME}}}",
    "declared_variable_in_a_name": f"${{{SECRET_NAME}}}.csv",
    "declared_new_database": "sqlite:///WORK/new.db",
    "declared_new_database_by_uri": "sqlite:///file:WORK/new.db?mode=rwc&uri=true",
    "declared_database_in_memory": "sqlite://",
    "declared_precious_database": "sqlite:///PRECIOUS/precious.txt",
    "declared_analytic_database": "duckdb:///WORK/new.duckdb",
    "declared_store": "s3://evenhand-test.invalid/data.parquet",
    "declared_hub": "hf://datasets/evenhand-test/data.parquet",
    "declared_file_address": "file:///etc/passwd",
    "declared_device": "/dev/zero",
    "declared_system_file": "/etc/passwd",
    "declared_name_with_characters": f"{ESCAPE}{BIDI}.csv",
    "declared_pattern": "/**/*.csv",  # the whole machine
    "declared_pattern_of_nothing": "none-*.csv",
}


def _with_data(address: str) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        places = {"URL": site.url, "PORT": str(site.port), "WORK": str(site.work), "PRECIOUS": str(site.precious)}
        data = address
        for word, meant in places.items():
            data = data.replace(word, meant)
        asked = {"query": "SELECT 0.5 AS p, 1 AS y, 1 AS a, 0 AS b"} if "://" in data else {}
        return declaration(site, data=data, **asked)

    return build


for _name, _address in ADDRESSES.items():
    # A query of constants touches no file: what needs only columns, as `init` does, may take it.
    refused = not _address.startswith("sqlite:")
    put(_name, ("declaration",), _with_data(_address), refused=refused, reads="PRECIOUS" in _address)

SETTINGS = {
    "declared_replicates": ("replicates", 10**12, {"interval": '"bootstrap"'}),
    "declared_examples": ("examples", 10**12, {}),
    "declared_bins": ("bins", 10**12, {}),
    "declared_capacities": ("capacities", f"[{', '.join(['0.5'] * 100_000)}]", {}),
    "declared_strategies": (
        "strategies",
        f"[{', '.join(f'{chr(34)}hybrid:0.{n}{chr(34)}' for n in range(20_000))}]",
        {},
    ),
    "declared_level": ("level", "nan", {}),
    "declared_threshold": ("threshold", "inf", {}),
    "declared_seed": ("seed", -(10**30), {}),
    "declared_clusters": ("clusters", 10**9, {}),
}
AUDITS = ["bias", "collaboration", "calibration"]


def _with_setting(name: str) -> Callable[[Site], str]:
    setting, value, more = SETTINGS[name]
    return lambda site: declaration(site, audits=AUDITS, columns={"text": "text"}, settings={setting: value, **more})


for _name in SETTINGS:
    put(_name, ("declaration",), _with_setting(_name))


@hostile("declaration")
def declared_permutations(site: Site) -> str:
    columns = {"item": "item", "annotator": "who", "label": "label", "annotator_groups": ["gender"], "groups": []}
    made = declaration(
        site, audits=["perspective"], columns=columns, settings={"permutations": 10**12, "replicates": 10**12}
    )
    site.write("data.csv", as_csv([{**row, "p": 0.1 + 0.01 * int(row["item"][1:])} for row in rows()]))
    return made


@hostile("declaration", "spellings", "service", refused=True)
def toml_nested_deep(site: Site) -> str:
    return site.write("in.toml", "data = " + "[" * 100_000 + "]" * 100_000 + "\n").name


@hostile("declaration", "spellings", "service", refused=True)
def toml_with_a_long_name(site: Site) -> str:
    return site.write("in.toml", ".".join(["a"] * 50_000) + " = 1\n").name


@hostile("declaration", "spellings", "service", refused=True)
def toml_with_a_number_without_end(site: Site) -> str:
    return site.write("in.toml", f'data = "data.csv"\nseed = {"9" * 100_000}\n').name


@hostile("declaration", "spellings", "service", refused=True)
def toml_with_characters(site: Site) -> str:
    return site.write("in.toml", '"\\u202e\\u001b[2J" = 1\n["\\u001b]0;owned\\u0007"]\nx = 1\n').name


@hostile("declaration")  # a plan reads one table
def declared_tables_elsewhere(site: Site) -> str:
    columns = {"item": "item", "annotator": "who", "label": "label", "annotator_groups": ["gender"], "groups": []}
    return declaration(site, items=f"{site.url}/items.csv", annotators="/dev/zero", columns=columns)


@hostile("declaration", refused=True)
def declared_pipe(site: Site) -> str:
    import os

    os.mkfifo(site.work / "pipe.csv")
    return declaration(site, data="pipe.csv")


@hostile("declaration", refused=True)
def declared_terms_in_a_device(site: Site) -> str:
    return declaration(site, columns={"terms": "/dev/zero", "text": "text", "groups": []})


@hostile("declaration", reads=True)
def declared_terms_in_another_file(site: Site) -> str:
    return declaration(site, columns={"terms": f"{site.precious}/precious.txt", "text": "text", "groups": []})


@hostile("declaration")  # a plan ranks nothing
def declared_ranking_in_a_device(site: Site) -> str:
    columns = {"decision": "removed", "slices": ["lang"]}
    return declaration(site, audits=["accuracy"], columns=columns, settings={"rank_with": '"/dev/zero"'})


@hostile("declaration", refused=True)
def declared_trust(site: Site) -> str:
    return declaration(site, trusted=["os.system"], model="model.skops")


@hostile("terms")
def terms_without_end(site: Site) -> str:
    return site.write("in.txt", "".join(f"g{n}: word{n}\n" for n in range(200_000))).name


@hostile("terms")
def terms_of_one_group_without_end(site: Site) -> str:
    return site.write("in.txt", "g: " + ", ".join(f"word{n}" for n in range(500_000)) + "\n").name


@hostile("terms")
def terms_that_are_patterns(site: Site) -> str:
    return site.write("in.txt", "(a+)+$\n[[[[\n(?P<x>\nx{99999}\n\\\nh: .*, |||\n").name


@hostile("terms")
def terms_with_characters(site: Site) -> str:
    return site.write("in.txt", f"{ESCAPE}{BIDI}: garden\n=cmd|x: idiot\n<script>: number\n").name


@hostile("spellings")
def spellings_with_characters(site: Site) -> str:
    return site.write("in.toml", '[gender]\n"\\u202e\\u001b[2J<script>" = ["women"]\nother = "*"\n').name


@hostile("spellings")
def spellings_without_end(site: Site) -> str:
    names = "\n".join(f'n{n} = ["s{n}"]' for n in range(50_000))
    return site.write("in.toml", f'[gender]\nrest = "*"\n{names}\n').name
