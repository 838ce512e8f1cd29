"""What users wrote as it is shown: nothing invisible comes out, and every script stays readable."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.visible_text import INVISIBLE, html_name, html_text, spreadsheet_text, visible, visible_json

HOSTILE = (
    *("\x00", "\x1b", "\x7f", "\x9b", "\r", "\n", "\t", "\x85"),
    *("\u061c", "\u200e", "\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))),
    *("\u2028", "\u2029", "\u200b", "\u2060", "\ufeff", "\xad", "\u034f", "\u3164", "\u200c", "\u200d"),
    *("\ud800", "\udcff", "\ufdd0", "\ufffe", "\uffff", "\U0010ffff", "\U000e0041", "\U000e0100", "\ufe0f", "\u0338"),
)
READABLE = (
    *("سلام", "می‌خواهم", "שָׁלוֹם", "नमस्ते", "क्‍ष", "ශ්‍රී", "བོད་ཡིག", "ภาษาไทย", "한국어", "日本語", "e\u0301", "Größe"),
    *("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "👨🏽‍🚀", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "葛󠄀", "− ± → ≥ …", "a\\b", "٪١٢"),
)


@pytest.mark.parametrize("letter", HOSTILE, ids=ascii)
def test_what_cannot_be_seen_is_written_as_an_escape(letter: str) -> None:
    escape = letter.encode("unicode_escape").decode()
    assert visible(f"a {letter}b") == f"a {escape}b"
    assert visible(letter) == escape


@pytest.mark.parametrize("text", READABLE, ids=ascii)
def test_every_script_stays_readable(text: str) -> None:
    assert visible(text) == text
    assert json.loads(visible_json(text)) == text
    assert text in visible_json(f"of {text}").replace("\\\\", "\\")


def test_joiners_and_selectors_stay_only_where_they_do_something() -> None:
    assert visible("ab\u200dc") == "ab\\u200dc"
    assert visible("می\u200c\u200cخ") == "می\u200c\\u200cخ"
    assert visible("👩\u200dx") == "👩\\u200dx"
    assert visible("❤\ufe0f\ufe0f") == "❤\ufe0f\\ufe0f"
    assert visible("🏴\U000e0067\U000e0062x") == "🏴\\U000e0067\\U000e0062x"


def test_marks_do_not_pile_up_or_sit_on_what_is_ours() -> None:
    assert visible("z" + 12 * "\u0301") == "z" + 8 * "\u0301" + 4 * "\\u0301"
    assert visible("'\u0338x'") == "'\\u0338x'"
    assert visible("\u20dd1") == "\\u20dd1"


ANY_TEXT = st.text(st.one_of(st.sampled_from([*HOSTILE, *"".join(READABLE), "\\", "u", "2", " "]), st.characters()))


@given(ANY_TEXT)
@settings(max_examples=300, deadline=None)
def test_whatever_the_text(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in shown)
    assert not any(unicodedata.bidirectional(letter) in BIDI for letter in shown)
    kept = {letter for letter in shown if INVISIBLE.match(letter)}
    assert all(letter in "\u200c\u200d\ufe0f" or unicodedata.category(letter) in ("Mn", "Cf") for letter in kept)
    shown.encode()
    assert json.loads(visible_json({text: [text]})) == json.loads(json.dumps({text: [text]}))


BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def test_a_page_keeps_right_to_left_words_from_the_numbers_beside_them() -> None:
    assert html_text("שלום עולם: 12 %, אבג 30 %") == "<bdi>שלום עולם</bdi>: 12 %, <bdi>אבג</bdi> 30 %"
    assert html_text("<b> & \u202e") == "&lt;b&gt; &amp; \\u202e"
    assert html_name("<שלום 12>") == "<bdi>&lt;שלום 12&gt;</bdi>"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠", " =", "\u3000＝"])
def test_a_spreadsheet_runs_nothing(start: str) -> None:
    assert spreadsheet_text(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("start", ["\t=1", "\r=1", "\n=1", "\ufeff=1"])
def test_nor_what_stands_behind_something_invisible(start: str) -> None:
    assert spreadsheet_text(start).startswith("\\")
