"""What a command prints or writes never has a character that a terminal, a page or a spreadsheet would obey."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.program import ran, refused
from evenhand.cli.output import progress_bar
from evenhand.visible_text import INVISIBLE

EVIL = "\x1b[31m\u202e12\u2028\u200b"
SHOWN = "\\x1b[31m\\u202e12\\u2028\\u200b"


def clean(text: str) -> None:
    assert not [letter for letter in INVISIBLE.findall(text) if letter != "\n"]


def audited(program, name: str) -> dict[str, object]:
    """The findings.json of a bias audit with a group of this name."""
    rng = np.random.default_rng(1)
    label, inside = rng.random(200) < 0.4, rng.random(200) < 0.5
    group = [name if yes else "others" for yes in inside]
    pl.DataFrame({"p": rng.random(200), "y": label, "g": group}).write_parquet("items.parquet")
    out = ran(program, "audit", "items.parquet", "--score", "p", "--label", "y", "--group-by", "g", "-o", "report")
    clean(out)
    return json.loads(Path("report/findings.json").read_text())


@pytest.mark.verify
@pytest.mark.parametrize("name", [EVIL, "\ufffe\uffff", "＝1+1"], ids=ascii)
def test_an_audit_by_hostile_values(program, name: str) -> None:
    """A line separator ended in an internal error, a noncharacter ended the process."""
    found = audited(program, name)
    assert name in {record["slice"].get("group") for record in found["findings"][0]["estimates"]}
    for file in Path("report").rglob("*"):
        if file.suffix in (".html", ".json", ".csv", ".svg"):
            clean(file.read_text(encoding="utf-8"))
    lines = Path("report/estimates.csv").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if line.startswith("＝") or ",＝" in line]


@pytest.mark.verify
def test_agreement_and_card_of_hostile_findings(program) -> None:
    audited(program, EVIL)
    out = ran(program, "agreement", "report/findings.json", "report/findings.json")
    clean(out)
    assert SHOWN in out.replace("\n", "")
    clean(ran(program, "card", "report/findings.json", "--name", f"m{EVIL}[x](http://y.z)"))
    card = Path("model_card.md").read_text(encoding="utf-8")
    clean(card)
    assert "](http:" not in card


@pytest.mark.verify
def test_a_slice_key_in_a_card_is_text(program) -> None:
    key = "[lang](http://y.z) <img src=x> | `code`"
    rng = np.random.default_rng(1)
    columns = {"p": rng.random(200), "y": rng.random(200) < 0.4, "a": rng.random(200) < 0.5, key: ["de", "en"] * 100}
    pl.DataFrame(columns).write_parquet("items.parquet")
    roles = ("--score", "p", "--label", "y", "--groups", "a", "--slice", key)
    ran(program, "audit", "items.parquet", *roles, "-o", "report")
    ran(program, "card", "report/findings.json")
    card = Path("model_card.md").read_text(encoding="utf-8")
    factors = card[card.index("## Factors") : card.index("## Metrics")]
    assert "\\[lang\\](http\\://y.z) &lt;img src=x&gt; \\| \\`code\\`: de, en." in factors


def test_models_of_a_folder(program) -> None:
    folder = Path(f"m{EVIL}")
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps({"kind": EVIL}))
    Path(f"{EVIL}.toml").write_text(f"kind = {json.dumps(EVIL)}\n")
    out = ran(program, "models")
    clean(out)
    assert "\\x1b[31m" in out
    listed = ran(program, "models", "--json")
    clean(listed)
    assert str(folder) in {entry["model"] for entry in json.loads(listed)}


def test_tokens_of_a_file_that_somebody_wrote(program) -> None:
    record = {"name": EVIL, "scopes": ["score"], "hash": "ab", "created": EVIL}
    Path("tokens.json").write_text(json.dumps({"format": 1, "key": 32 * "ab", "tokens": [record]}))
    Path("tokens.json").chmod(0o600)
    out = ran(program, "serve", "tokens", "list", "--file", "tokens.json")
    clean(out)
    assert SHOWN in out


def test_errors(program) -> None:
    done = program("audit", f"no{EVIL}.csv", "--score", "p", "--label", "y", "--groups", "a")
    refused(done, "no\\x1b[31m\\u202e12")
    clean(done.err)


def test_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as progress:
        progress(f"measuring {EVIL}", 1, 2)
    drawn = capsys.readouterr().err
    assert "measuring" in drawn
    assert "\u202e" not in drawn
    assert "\x1b[31m\\u" not in drawn
