"""A question put to a language model about one text: what stands before the text, what after, and the tokens of it.

Long texts are shortened inside the text itself: the instruction before it and the cue for the answer after it are
never cut. A text cannot speak in the name of the system: control tokens that it spells out are broken up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.classifiers.adapters.directory import readable
from evenhand.errors import InputError

PLACE = "{text}"


@dataclass(frozen=True)
class Question:
    """A prompt as the tokens a language model reads, and the words that would answer it."""

    tokenizer: Any = field(repr=False)
    template: str
    chat: bool
    longest: int

    def __post_init__(self) -> None:
        if self.template.count(PLACE) != 1:
            raise InputError(f"a prompt must contain {PLACE} once, where the text goes: {self.template[:60]!r}")
        if self.template.strip() == PLACE:
            raise InputError("a prompt must say what is asked about the text")

    def tokens(self, text: str, words: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """The tokens of the prompt and of each word that may continue it, within what the model can read."""
        safe = readable(text)
        if self._control:
            safe = self._control.sub(lambda found: f"{found[0][0]} {found[0][1:]}", safe)
        asked = self._asked(safe, words)
        return asked if self._fits(asked) else self._shortened(safe, words)

    def _shortened(self, text: str, words: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """The longest beginning of the text with which everything fits, found by doubling and then halving."""
        if not self._fits(self._asked("", words)):
            raise InputError(f"the prompt alone is longer than the {self.longest} tokens that the model can read")
        low, high = 0, self.longest
        while high < len(text) and self._fits(self._asked(text[:high], words)):
            low, high = high, 2 * high
        high = min(high, len(text))
        while high - low > 1:
            middle = (low + high) // 2
            fits = self._fits(self._asked(text[:middle], words))
            low, high = (middle, high) if fits else (low, middle)
        return self._asked(text[:low], words)

    def _fits(self, asked: tuple[list[int], list[list[int]]]) -> bool:
        prompt, answers = asked
        return len(prompt) + max(len(answer) for answer in answers) <= self.longest

    def _asked(self, text: str, words: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """A space at the end of the prompt belongs to the word after it: tokenizers write the two as one token."""
        whole = self._written(text)
        prompt = whole.rstrip(" ")
        gap = whole[len(prompt) :]
        start = self._encode(prompt)
        return self._opening + start, [self._continuation(prompt, start, gap + word) for word in words]

    def _written(self, text: str) -> str:
        content = self.template.replace(PLACE, text)
        if not self.chat:
            return content
        turn = [{"role": "user", "content": content}]
        return str(self.tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    def _continuation(self, prompt: str, start: list[int], word: str) -> list[int]:
        """The tokens that a word adds to the prompt; where the two would melt together, those of the word alone."""
        joint = self._encode(prompt + word)
        added = joint[len(start) :] if joint[: len(start)] == start else self._encode(word)
        if not added:
            raise InputError(f"the answer {word!r} has no tokens in this model")
        return added

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    @cached_property
    def _opening(self) -> list[int]:
        """The token that begins every text, where the model has one; a chat template writes its own."""
        begin = self.tokenizer.bos_token_id
        return [] if self.chat else [token for token in self.tokenizer("")["input_ids"] if token == begin]

    @cached_property
    def _control(self) -> re.Pattern[str] | None:
        """The control tokens of the model as they are spelt, the longest first."""
        added = {str(token) for token in self.tokenizer.added_tokens_decoder.values() if token.special or _marks(token)}
        spelt = sorted((t for t in added | set(self.tokenizer.all_special_tokens) if len(t.strip()) > 1), key=len)
        return re.compile("|".join(map(re.escape, reversed(spelt)))) if spelt else None


def _marks(token: Any) -> bool:
    """Looks like markup rather than like a word somebody taught the tokenizer."""
    return str(token).startswith(("<", "[")) and str(token).endswith((">", "]"))
