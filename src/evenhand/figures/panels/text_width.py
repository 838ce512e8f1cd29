"""How wide a text is when it is drawn, so that margins fit: the widths of Arial, which its substitutes share."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

# of the characters from space to ~, in thousandths of the size of the font
REGULAR = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
BOLD = (
    *(278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611),
    *(975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556),
    *(333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611),
    *(611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584),
)
ELSEWHERE, WIDE = 650, 1000  # letters of other scripts; those of East Asia and pictures


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Pixels, for a font size in pixels; for other scripts than Latin, an estimate that is rather too wide.

    >>> round(text_width("benign", 12), 1)
    36.0
    """
    return size * sum(_character_width(character, BOLD if bold else REGULAR) for character in text) / 1000.0


def _character_width(character: str, widths: tuple[int, ...]) -> int:
    if " " <= character <= "~":
        return widths[ord(character) - 32]
    if combining(character):
        return 0
    return WIDE if east_asian_width(character) in "WF" else ELSEWHERE


def shortened(text: str, size: float, most: float) -> str:
    """The text, or as much of its beginning as there is room for."""
    if text_width(text, size) <= most:
        return text
    while text and text_width(f"{text}…", size) > most:
        text = text[:-1]
    return f"{text}…"
