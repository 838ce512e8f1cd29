r"""What users wrote, as a person gets to see it: nothing in it is invisible, and nothing changes what stands beside it.

Names of columns, groups, classes, models and files, values and texts are kept as they are in findings and in every
machine format. On the way to a person (a page, a terminal, a chart, a table for a paper) they pass `visible`:

- control characters, line and paragraph separators, bidirectional controls, zero-width and other invisible characters,
  noncharacters and lone surrogates are written as escapes: U+202E as \u202e;
- the joiners U+200C and U+200D stay after a letter of a script that needs them, and U+200D between two emoji;
- a variation selector stays after what it varies, and so do the tags in the flags of England, Scotland and Wales;
- combining marks stay on a letter, a digit or a symbol, up to eight of them: more would cover the lines around.

Everything else stays, so that Arabic, Hebrew, Hindi and emoji can be read. Visible text is left alone: it does no harm
to pass twice. HTML is made of it by `html_text` and `html_name`, which also keep right-to-left words from reordering
the numbers beside them. In JSON the same characters are escapes that are read back as the original (`visible_json`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator

from markupsafe import escape

PLAIN = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff]*")  # without any of the others
INVISIBLE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # controls
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # of direction
    "\u2028\u2029"  # separators
    "\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"  # zero width
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufff0-\ufffb"  # blank
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # of shorthand and of music
    "\ud800-\udfff"  # surrogates
    "\ufdd0-\ufdef"  # noncharacters, as the last two of every plane below
    + "".join(f"{chr(end - 1)}{chr(end)}" for end in range(0xFFFF, 0x110000, 0x10000))
    + "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0000-\U000e0fff"  # tags and variation selectors
    "]"
)
VARIATION_SELECTORS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
JOINER, NON_JOINER = "\u200d", "\u200c"
SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
FLAG = re.compile(  # a black flag with the tags of gbeng, gbsct or gbwls
    "\U0001f3f4\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
JOINED_SCRIPTS = (  # as the names of their letters begin
    "ADLAM ARABIC BALINESE BENGALI BRAHMI CHAKMA DEVANAGARI GRANTHA GUJARATI GURMUKHI HANIFI JAVANESE KAITHI KANNADA "
    "KHMER KHOJKI KHUDAWADI LIMBU MALAYALAM MANDAIC MANICHAEAN MEETEI MODI MONGOLIAN MYANMAR NEWA NKO ORIYA PHAGS-PA "
    "SHARADA SIDDHAM SINHALA SUNDANESE SYRIAC TAI TAKRI TAMIL TELUGU TIBETAN TIRHUTA"
)
FORMULA_START = re.compile(r"\s*[=+\-@＝＋－＠\t\r\n]")
MOST_MARKS = 8  # on one letter; a stack of Tibetan has as many

_LETTER = "[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_WORD = f"{_LETTER}(?:{_LETTER}|[{JOINER}{NON_JOINER}])*"
RIGHT_TO_LEFT = re.compile(f"({_WORD}(?:[ \xa0'’\"._&/-]?{_WORD})*)")  # the words of one name: lists have commas


def visible(text: str) -> str:
    """The text as it may be shown, with escapes in place of what could not be seen."""
    return _with_escapes(text, lambda letter: letter.encode("unicode_escape").decode("ascii"))


def visible_json(content: object, *, indent: int | None = None) -> str:
    """JSON of the same content in which nothing is invisible."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent)
    return "\n".join(_with_escapes(line, lambda letter: json.dumps(letter)[1:-1]) for line in text.split("\n"))


def html_text(text: str) -> str:
    """A sentence in HTML: visible, nothing of it markup, right-to-left words apart from what stands beside them."""
    parts = enumerate(RIGHT_TO_LEFT.split(visible(text)))  # every second one is right to left
    return "".join(f"<bdi>{escape(part)}</bdi>" if number % 2 else str(escape(part)) for number, part in parts)


def html_name(name: str) -> str:
    """A name in HTML that stands alone: whatever its direction, it changes nothing around it."""
    return f"<bdi>{escape(visible(name))}</bdi>"


def spreadsheet_text(text: str) -> str:
    """A cell of a table for people."""
    return without_formula(visible(text))


def without_formula(text: str) -> str:
    """The same with an apostrophe in front, where a spreadsheet would run it."""
    return f"'{text}" if FORMULA_START.match(text) else text


def _with_escapes(text: str, written: Callable[[str], str]) -> str:
    if PLAIN.fullmatch(text):
        return text
    return "".join(letter if stays else written(letter) for letter, stays in _letters(text))


def _letters(text: str) -> Iterator[tuple[str, bool]]:
    """Every character, and whether it stays; `before` is the one that stays right before it, if any."""
    flags = {place for flag in FLAG.finditer(text) for place in range(*flag.span())}
    before, marks = "", 0
    for place, letter in enumerate(text):
        if INVISIBLE.match(letter):
            stays = place in flags or _is_needed(letter, before, text[place + 1 : place + 2])
        elif _is_mark(letter):
            marks = marks + 1 if before and _is_mark(before) else 1
            stays = marks <= MOST_MARKS and _takes_marks(before)
        else:
            stays = True
        yield letter, stays
        before = letter if stays else ""


def _is_needed(letter: str, before: str, after: str) -> bool:
    """Whether an invisible character belongs to what stands before it."""
    if not before:
        return False
    if VARIATION_SELECTORS.match(letter):
        return unicodedata.category(before)[0] in "LNPS" and not INVISIBLE.match(before)
    if letter == JOINER and _is_emoji(before):
        return bool(after) and unicodedata.category(after) == "So"
    joins = letter in (JOINER, NON_JOINER) and unicodedata.category(before)[0] in "LM"
    return joins and unicodedata.name(before, "").partition(" ")[0] in JOINED_SCRIPTS.split()


def _is_emoji(letter: str) -> bool:
    return letter in SKIN_TONES or letter == "\ufe0f" or unicodedata.category(letter) == "So"


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "M"


def _takes_marks(before: str) -> bool:
    return bool(before) and (unicodedata.category(before)[0] in "LMNS" or before in (JOINER, NON_JOINER))
