"""The text of a comment: what there is to read in it, its sentences, and where they stand in what was sent.

Clients count in UTF-16 code units, as JavaScript and Java do: a character outside the basic plane counts twice. Offsets
are always those of the text as it was sent, also where tags were taken out of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

MOST_SENTENCES = 200  # what comes after them belongs to the last
# Runs are possessive and begin at their first character, so that no text takes more than a pass.
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？]++|\n")
BLOCKS = "address|article|blockquote|br|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|ol|p|pre|section|t[dhr]|table|ul"
HTML_PART = re.compile(
    rf"""(?P<hidden><!--(?:[^-]|-(?!->))*+(?:-->)?|<(?P<raw>script|style)\b(?:[^<]|<(?!/(?P=raw)))*+)
    |(?P<block></?(?:{BLOCKS})\b[^<>]*+>)
    |(?P<tag></?[a-z][^<>]*+>|<[!?][^<>]*+>)
    |(?P<entity>&(?:\#[0-9]{{1,7}}|\#x[0-9a-f]{{1,6}}|[a-z][a-z0-9]{{1,31}});)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class TextSpan:
    """A part of a comment: what it reads, and where it stands in what was sent, in UTF-16 code units."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class CommentText:
    """A comment: as it was sent, as it reads, and for each character that is read the part of the sent one it is."""

    sent: str
    read: str
    parts: Sequence[tuple[int, int]]

    @classmethod
    def of_plain(cls, text: str) -> CommentText:
        """A text that is read as it is."""
        return cls(text, text, [(k, k + 1) for k in range(len(text))])

    @classmethod
    def of_html(cls, text: str) -> CommentText:
        """HTML without its tags; where a block begins or ends, a line ends."""
        read = list(_read_html(text))
        return cls(text, "".join(character for character, _, _ in read), [(begin, end) for _, begin, end in read])

    def whole(self) -> TextSpan:
        """All of it."""
        return TextSpan(self.read, 0, utf16_length(self.sent))

    def sentences(self) -> list[TextSpan]:
        """Its sentences, in their order and without the blanks between them."""
        places = list(accumulate((utf16_length(character) for character in self.sent), initial=0))
        ranges = list(_sentence_ranges(self.read))
        if len(ranges) > MOST_SENTENCES:
            ranges[MOST_SENTENCES - 1 :] = [(ranges[MOST_SENTENCES - 1][0], ranges[-1][1])]
        return [
            TextSpan(self.read[begin:end], places[self.parts[begin][0]], places[self.parts[end - 1][1]])
            for begin, end in ranges
        ]


def utf16_length(text: str) -> int:
    """Code units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def _sentence_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end, without blanks around them."""
    start = 0
    for end in [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        if filled := sentence.strip():
            begin = start + sentence.index(filled[0])
            yield begin, begin + len(filled)
        start = end


def _read_html(text: str) -> Iterator[tuple[str, int, int]]:
    """Every character that is read, with the part of the text that it comes from."""
    start = 0
    for match in HTML_PART.finditer(text):
        yield from ((text[place], place, place + 1) for place in range(start, match.start()))
        start = match.end()
        if match["block"]:
            yield "\n", match.start(), start
        elif match["entity"]:
            yield from ((character, match.start(), start) for character in html.unescape(match["entity"]))
    yield from ((text[place], place, place + 1) for place in range(start, len(text)))
