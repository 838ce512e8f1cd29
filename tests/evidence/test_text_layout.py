"""Tables as spreadsheets of several countries write them: read without a word, and each guess said."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import Declaration, declared_layout, open_evidence, open_source, transcoding
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.formats import write_table
from evenhand.evidence.rules import AMOUNT, score_role
from evenhand.evidence.scales import SCALES
from evenhand.evidence.text_layout import HEAD_BYTES, TextLayout, guess_layout

COUNTRIES = {  # what spreadsheets write: between columns, for decimals, for true and false, dates
    "german": (";", ",", "WAHR", "FALSCH", "31.12.2024"),
    "french": (";", ",", "VRAI", "FAUX", "31/12/2024"),
    "english": (",", ".", "TRUE", "FALSE", "12/31/2024"),
}
ENCODINGS = ("cp1252", "utf-8", "utf-8-sig", "utf-16")


def export(country: str, *, rows: int = 60) -> str:
    """A sheet saved as CSV."""
    sign, decimal, yes, no, date = COUNTRIES[country]
    lines = [sign.join(("Id", "Text", "Score", "Share", "Label", "Women", "Date"))]
    for row in range(rows):
        score = f"{row / rows:.3f}".replace(".", decimal)
        share = f"{100 * row / rows:.1f}".replace(".", decimal) + "%"
        text = f'"Größe à {row}{sign} une ""naïveté"""'
        label, women = (yes if row % 3 else no), (yes if row % 2 else no)
        lines.append(sign.join((str(row + 1), text, score, share, label, women, date)))
    return "\r\n".join(lines) + "\r\n"


@pytest.mark.parametrize(("country", "encoding"), list(product(COUNTRIES, ENCODINGS)))
def test_what_spreadsheets_save_becomes_the_same_evidence(tmp_path: Path, country: str, encoding: str) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(export(country).encode(encoding))
    roles = {"label": "label", "groups": "women", "text": "text", "id": "id"}
    evidence = open_evidence(path, Declaration.of({**roles, "score": "score"}))
    assert evidence.scores["score"].tolist() == pytest.approx([round(row / 60, 3) for row in range(60)])
    assert evidence.label.tolist() == [row % 3 > 0 for row in range(60)]
    assert evidence.members["women"].rows.tolist() == list(range(1, 60, 2))
    assert evidence.texts([1]) == [f'Größe à 1{COUNTRIES[country][0]} une "naïveté"']
    for scale, factor in (("probability", 0.01), ("percent", 1.0)):
        shares = open_evidence(path, Declaration.of({"score": "Share", "label": "Label", "scale": scale}))
        assert shares.scores["Share"][30] == pytest.approx(50.0 * factor)


def test_unicode_text_of_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "export.txt"
    path.write_bytes(export("german").replace(";", "\t").encode("utf-16"))
    assert open_source(path).columns().names()[:3] == ["Id", "Text", "Score"]


def test_a_guess_is_said_once_and_what_is_usual_is_not(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "export.csv"
    path.write_text(export("english"))
    open_source(path)
    assert caplog.messages == []
    path.write_bytes(export("german").encode("cp1252"))
    open_source(path)
    assert caplog.messages == [
        f"Reading {path} with ';' between columns, decimal comma and encoding cp1252; change with `separator`, "
        "`decimal`, `encoding`"
    ]
    caplog.clear()
    with declared_layout(separator=";", decimal="comma", encoding="windows-1252"):
        assert open_source(path).layout == TextLayout(";", ",", "cp1252")
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("text", "usual", "layout"),
    [
        ("a,b\n1,2\n", ",", TextLayout()),
        ("", ",", TextLayout()),
        ("a\n1\n", ",", TextLayout()),
        ("a;b\n1;2\n", ",", TextLayout(";")),
        ("a;b, or c;d\n1;2;3\n4;5;6\n", ",", TextLayout(";")),
        ("a,b; or c,d\n1,2;5,3\n4,5,6\n", ",", TextLayout(",")),
        ("a\tb\n1\t2\n", ",", TextLayout("\t")),
        ("a|b\n1|2\n", ",", TextLayout("|")),
        ("a;b\n0,5;x\n1,2;y\n", ",", TextLayout(";", ",")),
        ("a;b\n0,5;1.5\n1,2;2.5\n", ",", TextLayout(";")),
        ('a,b\n"0,5",x\n', ",", TextLayout(",", ",")),
        ('a,b\n"1,500",x\n', ",", TextLayout()),
        ("a;b\n1,5E-3;x\n", ",", TextLayout(";", ",")),
        ("a;b\n31.12.2024;0,5\n", ",", TextLayout(";", ",")),
        ("a,b\n1,2\n", "\t", TextLayout(",")),
    ],
)
def test_the_layout_of_a_beginning(text: str, usual: str, layout: TextLayout) -> None:
    assert guess_layout(text.encode(), usual) == layout


def test_a_letter_that_the_beginning_cuts_is_no_other_encoding() -> None:
    head = ("a,b\n" + "x" * (HEAD_BYTES - 5) + "ä").encode()[:HEAD_BYTES]
    assert guess_layout(head).encoding == "utf-8"


WRONG = (
    ({"decimal": "."}, r"column 'Score', row 2: .*not '0,017'; if this is a decimal number, set `decimal` to ','"),
    ({"encoding": "utf-8"}, r"column 'Text', row 1: not UTF-8 text \(byte 0xf6\): set `encoding`, such as cp1252"),
    ({"separator": ","}, r"there is no column 'Score': split at ',', the file has one column; set `separator`"),
    ({"encoding": "ascii"}, r"not ASCII text \(byte 0xf6\): set `encoding`, such as utf-8"),
)


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=["decimal", "utf-8", "separator", "ascii"])
def test_a_wrong_layout_names_what_mends_it(tmp_path: Path, wrong: dict[str, str], message: str) -> None:
    path = tmp_path / "export.csv"
    text = export("german").replace("0,000", "0")
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(InputError, match=message), declared_layout(**wrong):
        open_evidence(path, Declaration(score=("Score",), label="Label"))


def test_points_among_decimal_commas_name_what_mends_it() -> None:
    table = SourceTable("t", pl.DataFrame({"p": ["0,5", "0.5"]}), decimal=",")
    with pytest.raises(InputError, match=r"row 2: .*not '0\.5'; if this is a decimal number, set `decimal` to '\.'"):
        table.numbers("p", AMOUNT)


def test_bytes_far_behind_the_beginning_are_found_with_their_row(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    rows = HEAD_BYTES // 10 + 10
    path.write_bytes(b"text,score\n" + b"aaaaaaa,1\n" * rows + "ärger,0\n".encode("cp1252"))
    with pytest.raises(InputError, match=rf"column 'text', row {rows + 1}: not UTF-8 text .*0xe4.*`encoding`"):
        open_source(path).collect(lambda lazy: lazy)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"separator": "ab"}, r"invalid `separator`: 'ab'"),
        ({"separator": '"'}, r"invalid `separator`"),
        ({"decimal": ";"}, r"invalid `decimal`: ';' \(choose from: \. ,\)"),
        ({"encoding": "klingon"}, r"unknown `encoding`: 'klingon'"),
        ({"encoding": "base64"}, r"unknown `encoding`"),
        ({"encoding": "punycode"}, r"unknown `encoding`"),
    ],
    ids=["two-signs", "quote", "decimal", "unknown", "bytes", "names"],
)
def test_a_layout_that_cannot_be_is_refused(declared: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message), declared_layout(**declared):
        pass


@pytest.mark.parametrize("nameless", [True, False])
def test_the_copy_in_utf8_is_gone_with_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    if not nameless:
        monkeypatch.setattr(transcoding, "OPEN_FILES", tmp_path / "nowhere")
    path = tmp_path / "export.csv.gz"
    path.write_bytes(gzip.compress(export("french").encode("utf-16")))
    source = open_source(path)
    assert len(list(copies.iterdir())) == (0 if nameless else 1)
    assert len(source.collect(lambda lazy: lazy)) == len(source.as_written(["Id"])) == 60
    assert source.fingerprint()["source"] == "export.csv.gz"
    del source
    assert not list(copies.iterdir())


def test_a_table_is_written_with_the_layout_of_its_source(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    write_table(pl.LazyFrame({"a": ["ä"], "p": [0.5]}), out, TextLayout(";", ",", "cp1252"))
    assert out.read_bytes() == b"\xef\xbb\xbf" + "a;p\nä;0,5\n".encode()
    write_table(pl.LazyFrame({"a": ["ä"], "p": [0.5]}), out)
    assert out.read_bytes() == "a,p\nä,0.5\n".encode()


@pytest.mark.parametrize("name", ["Id", "ID", " id "])
def test_a_name_in_another_case_is_found_and_said(name: str, caplog: pytest.LogCaptureFixture) -> None:
    frame = pl.DataFrame({name: [1, 2], "p": [0.1, 0.9]})
    source = open_source(frame).naming(["id", "p"])
    assert source.collect(lambda lazy: lazy.select("id"))["id"].to_list() == [1, 2]
    assert caplog.messages == [f"the frame: using the column '{name}' for 'id'"]


def test_of_two_such_names_none_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(InputError, match="there is no column 'id'"):
        open_source(pl.DataFrame({"Id": [1], "ID": [2]})).naming(["id"])


def test_a_condition_may_name_the_column_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("Score,Label\n0.1,0\n0.2,1\n0.9,1\n0.8,0\n")
    declared = Declaration(score=("score",), label="label", where="Score > 0.15")
    assert open_evidence(path, declared).size == 3


def test_per_cent_is_a_share_and_a_number_of_per_cent() -> None:
    table = SourceTable("t", pl.DataFrame({"p": ["12,5 %", "3%", None]}), decimal=",")
    assert table.read_numbers("p", AMOUNT).to_list() == pytest.approx([0.125, 0.03, None])
    assert table.read_numbers("p", score_role(SCALES["percent"])).to_list() == pytest.approx([12.5, 3.0, None])
