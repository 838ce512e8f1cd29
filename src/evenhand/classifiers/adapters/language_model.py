"""A local language model and its prompts: the tokens of a prompt, and the probability of each possible answer to it.

Long texts are shortened inside the text itself: the instruction before it and the cue for the answer after it are
never cut. A text cannot impersonate the system: control tokens that it spells out are broken up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.pretrained import length_buckets, pad_tokens, replace_surrogates, require_library
from evenhand.errors import InputError

TEXT_PLACEHOLDER = "{text}"


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt as the tokens a language model reads, and the words that would answer it."""

    tokenizer: Any = field(repr=False)
    template: str
    chat: bool
    longest: int

    def __post_init__(self) -> None:
        if self.template.count(TEXT_PLACEHOLDER) != 1:
            raise InputError(
                f"a prompt must contain {TEXT_PLACEHOLDER} once, where the text goes: {self.template[:60]!r}"
            )
        if self.template.strip() == TEXT_PLACEHOLDER:
            raise InputError("a prompt must say what is asked about the text")

    def tokens(self, text: str, words: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """The tokens of the prompt and of each word that may continue it, within what the model can read."""
        safe = replace_surrogates(text)
        if self._control:
            safe = self._control.sub(lambda match: f"{match[0][0]} {match[0][1:]}", safe)
        tokens = self._asked(safe, words)
        return tokens if self._fits(tokens) else self._shortened(safe, words)

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

    def _fits(self, tokens: tuple[list[int], list[list[int]]]) -> bool:
        prompt, answers = tokens
        return len(prompt) + max(len(answer) for answer in answers) <= self.longest

    def _asked(self, text: str, words: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """A space at the end of the prompt belongs to the word after it: tokenizers write the two as one token."""
        whole = self._written(text)
        prompt = whole.rstrip(" ")
        gap = whole[len(prompt) :]
        start = self._encode(prompt)
        return self._opening + start, [self._continuation(prompt, start, gap + word) for word in words]

    def _written(self, text: str) -> str:
        content = self.template.replace(TEXT_PLACEHOLDER, text)
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
        added = {
            str(token)
            for token in self.tokenizer.added_tokens_decoder.values()
            if token.special or _looks_like_markup(token)
        }
        spelt = sorted((t for t in added | set(self.tokenizer.all_special_tokens) if len(t.strip()) > 1), key=len)
        return re.compile("|".join(map(re.escape, reversed(spelt)))) if spelt else None


def _looks_like_markup(token: object) -> bool:
    """Looks like markup rather than like a word somebody taught the tokenizer."""
    return str(token).startswith(("<", "[")) and str(token).endswith((">", "]"))


PromptTokens = tuple[list[int], list[list[int]]]  # the tokens of a prompt, and of each of its continuations


@dataclass(frozen=True)
class LanguageModel:
    """A causal language model that is asked for probabilities only.

    Rows are filled up at their end: in a causal model nothing that comes after a position can change it, whatever way
    the model counts positions. `sparse`: the model can be asked for the logits of some positions alone.
    """

    model: Any = field(repr=False)
    at_once: int
    sparse: bool

    def log_probabilities(self, prompts: Sequence[PromptTokens]) -> AnyFloats:
        """[prompts, continuations]: the sum of the log-probabilities of all tokens of each continuation."""
        log_probabilities = np.empty((len(prompts), len(prompts[0][1])))
        places = _continuation_places(prompts)
        inputs = list(places)
        for rows in length_buckets([len(row) for row in inputs], self.at_once):
            batch = [inputs[row] for row in rows]
            logs, column = self._logs(batch, [_first_position(prompts, places[row]) for row in batch])
            for number, row in enumerate(batch):
                for prompt, word in places[row]:
                    start = len(prompts[prompt][0]) - 1
                    tokens = prompts[prompt][1][word]
                    at = [column[start + step] for step in range(len(tokens))]
                    log_probabilities[prompt, word] = float(logs[number, at, tokens].sum())
        return log_probabilities

    def _logs(self, batch: Sequence[tuple[int, ...]], starts: Sequence[int]) -> tuple[Any, dict[int, int]]:
        """Log-probabilities of the next token, at those positions that some row needs: [rows, positions, tokens]."""
        torch = require_library("torch")
        ids, mask = pad_tokens(batch, 0)
        needed = sorted({at for start, row in zip(starts, batch, strict=True) for at in range(start, len(row))})
        keep = torch.tensor(needed, device=self.model.device)
        inputs = {"input_ids": ids.to(self.model.device), "attention_mask": mask.to(self.model.device)}
        with torch.inference_mode():
            if self.sparse:
                logits = self.model(**inputs, logits_to_keep=keep, use_cache=False).logits
            else:
                logits = self.model(**inputs, use_cache=False).logits[:, keep]
            logs = torch.log_softmax(logits.float(), dim=-1).cpu()
        return logs, {at: number for number, at in enumerate(needed)}


def _continuation_places(prompts: Sequence[PromptTokens]) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    """What the model must read, once each, and which continuations it answers.

    The last token of a continuation is never read, only predicted: answers of one token all need the prompt alone.
    """
    places: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for number, (prompt, words) in enumerate(prompts):
        for word, tokens in enumerate(words):
            places.setdefault((*prompt, *tokens[:-1]), []).append((number, word))
    return places


def _first_position(prompts: Sequence[PromptTokens], places: list[tuple[int, int]]) -> int:
    """The first position whose prediction is needed."""
    return min(len(prompts[prompt][0]) for prompt, _ in places) - 1
