"""JSON and TOML of others: what is too deep, too long or too much ends in one line, before it takes the memory."""

from __future__ import annotations

import json
import re
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.program import refused
from evenhand import limits
from evenhand.documents import parse_json, parse_toml
from evenhand.errors import InputError
from evenhand.files import read_toml


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("text", [nested(102), nested(5_000), '{"a":' * 200 + "1" + "}" * 200, '[{"a":' * 100_000])
def test_deep_json_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="more than 100 levels"):
        parse_json(text)


@pytest.mark.parametrize("text", [nested(100), '{"a": [1, {"b": null}]}', '"[[[["', "3"])
def test_other_json_is_read(text: str) -> None:
    assert parse_json(text) == json.loads(text)


def test_much_in_little_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JSON_LISTS", 1_000)
    monkeypatch.setattr(limits, "JSON_VALUES", 5_000)
    with pytest.raises(InputError, match="1,001 lists and objects, and at most 1,000"):
        parse_json("[" + ",".join(["[]"] * 1_000) + "]")
    with pytest.raises(InputError, match="5,001 values"):
        parse_json("[" + ",".join(["0"] * 5_002) + "]")


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 50_000 + " = 1",
        "[" + "a . " * 50_000 + "a]",
        "x = 1\n" + "'a'." * 20_000 + '"b" = 1',
        'x = {p = """a"b"""", ' + "a." * 20_000 + "a = 1}",
        "x = {p = '''a'b'''', " + "a." * 20_000 + "a = 1}",
        "x = 1 # \" '\n" + "a." * 20_000 + "a = 1",
        "a = " + nested(400),
        "a = " + nested(100_000),
    ],
    ids=["key", "head", "quoted", "behind quotes", "behind apostrophes", "behind a comment", "lists", "deep lists"],
)
def test_deep_toml_is_refused(text: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError, match="more than 100 levels"):
        parse_toml(text)
    assert time.process_time() - start < 8.0


def test_long_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text("# " + "a" * limits.TOML_BYTES)
    with pytest.raises(InputError, match=r"long\.toml: the file has 1,048,578 bytes, and at most 1,048,576"):
        read_toml(path)


@given(st.text(alphabet="\"'.a \\#\n=[]{},", max_size=60))
def test_keys_are_taken_apart_as_toml_does(text: str) -> None:
    """Whatever stands before it, a long key in the last line is seen, if it is one."""
    deep = "k" + ".k" * 150
    try:
        tomllib.loads(f"{text}\n{deep} = 1")
    except ValueError:
        return
    with pytest.raises(InputError):
        parse_toml(f"{text}\n{deep} = 1")


@pytest.mark.parametrize("text", ["a = [" + "0.5, " * 5_000 + "]", 'a = "' + "www." * 500 + '"', "# " + "a." * 500])
def test_dots_that_are_no_keys_are_none(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


def test_unclosed_quotes_take_no_time() -> None:
    start = time.process_time()
    with pytest.raises((ValueError, InputError)):
        parse_toml("a = " + '"\\' * 300_000 + "." * 200)
    assert time.process_time() - start < 20.0


def test_a_file_of_text_has_a_size(program, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("plan.json").open("wb") as sparse:
        sparse.truncate(limits.TEXT_BYTES + 1)
    refused(program("sample", "estimate", "plan.json", "labels.csv"), "plan.json", "134,217,728")


@pytest.mark.parametrize("text", [nested(800), '{"findings": [{"estimates": ' + nested(600) + "}]}"])
@pytest.mark.parametrize(
    "words",
    [
        ("agreement", "deep.json", "deep.json"),
        ("sample", "estimate", "deep.json", "labels.csv"),
        ("calibrate", "apply", "deep.json", "items.csv", "--score", "p", "--out", "out.csv"),
        ("card", "deep.json"),
    ],
    ids=lambda words: words[0],
)
def test_deep_files_end_in_one_line(program, words: tuple[str, ...], text: str) -> None:
    Path("deep.json").write_text(text)
    done = program(*words)
    refused(done, "deep.json", "100 levels")
    assert not re.search("recursion", done.err)
