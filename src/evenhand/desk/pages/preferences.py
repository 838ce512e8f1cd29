"""What a person chose for themselves: how texts are shown, colours, and keys. It is kept in a cookie of their browser.

Whatever the cookie holds, only known values get through: it comes from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from evenhand.desk.pages.veiling import own_words
from evenhand.desk.pages.words import ENGLISH, languages

COOKIE = "evenhand_view"
LONGEST_COOKIE = 3500  # characters: browsers keep no more than 4,096 bytes
CHOICES: dict[str, tuple[str, ...]] = {
    "text": ("plain", "veil", "blur"),
    "tone": ("colour", "grey", "sepia"),
    "theme": ("auto", "light", "dark"),
    "size": ("normal", "large"),
    "language": tuple(languages()),
}
KEYS = {
    "remove": "r", "leave": "l", "unclear": "n", "skip": "s", "escalate": "e", "second": "o", "undo": "u",
    "clause": "c", "note": "m", "context": "x", "reveal": "t",
}  # fmt: skip


@dataclass(frozen=True)
class Preferences:
    """The choices, with the usual ones where nothing was chosen."""

    text: str = "plain"
    tone: str = "colour"
    theme: str = "auto"
    size: str = "normal"
    language: str = ENGLISH
    words: tuple[str, ...] = ()  # that are covered besides those of the package
    keys: Mapping[str, str] = field(default_factory=lambda: dict(KEYS))

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> Preferences:
        """From a form or a cookie; two actions with one key keep the usual ones."""
        chosen = {name: values[name] for name, known in CHOICES.items() if values.get(name) in known}
        keys = {action: _key(values.get(f"key_{action}", ""), usual) for action, usual in KEYS.items()}
        own = own_words(values.get("words", ""))
        return cls(**chosen, words=own, keys=keys if len(set(keys.values())) == len(keys) else dict(KEYS))

    @classmethod
    def from_cookie(cls, cookie: str | None) -> Preferences:
        """From what `to_cookie` wrote."""
        return (
            cls.from_values(dict(parse_qsl(cookie or "", max_num_fields=50)))
            if len(cookie or "") < LONGEST_COOKIE
            else cls()
        )

    @property
    def covers(self) -> bool:
        """Whether something of a text is covered until it is asked for."""
        return self.text != "plain"

    def to_cookie(self) -> str:
        """Plain characters that any browser keeps."""
        plain = {name: getattr(self, name) for name in CHOICES}
        other = {f"key_{action}": key for action, key in self.keys.items() if key != KEYS[action]}
        own = {"words": ",".join(self.words)} if self.words else {}
        return urlencode({**plain, **own, **other})


def _key(text: str, usual: str) -> str:
    """One letter or digit; anything else is the usual key."""
    return text.lower() if len(text) == 1 and text.isascii() and text.isalnum() else usual
