"""The answers of OpenAI-compatible servers: the choices, the log-probabilities of the first token, a written number.

vLLM and OpenAI give the log-probabilities of a completion as {token: value}, chats and llama.cpp as a list of tokens
with their values; both are read. A token counts as an answer whatever spaces surround it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.classifiers.adapters.score_scales import to_probabilities
from evenhand.classifiers.adapters.server import UnreadableAnswer
from evenhand.documents import parse_json
from evenhand.errors import InputError

CODE_BLOCK = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL | re.IGNORECASE)


def answer_choices(answer: JsonValue, texts: int) -> list[Mapping[str, JsonValue]]:
    """One choice per text, in the order of the texts: `index` says which text a choice is about."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise UnreadableAnswer("the answer has no list 'choices': the server is not OpenAI-compatible at this url")
    if len(choices) != texts:
        raise UnreadableAnswer(f"the answer has {len(choices)} choices for {texts} texts")
    by_index = {choice.get("index", place): choice for place, choice in enumerate(choices)}
    if sorted(by_index, key=str) != sorted(range(texts), key=str):
        raise UnreadableAnswer("the choices of the answer are not numbered from 0")
    return [by_index[text] for text in range(texts)]


def first_token_logprobs(choice: Mapping[str, JsonValue]) -> list[tuple[str, float]]:
    """The most probable first tokens, each with its log-probability."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, Mapping):
        raise UnreadableAnswer("the answer has no log-probabilities: the server must support logprobs")
    content, top = logprobs.get("content"), logprobs.get("top_logprobs")
    if isinstance(content, list) and content and isinstance(content[0], Mapping):
        listed = content[0].get("top_logprobs")
        entries = listed if isinstance(listed, list) and listed else [content[0]]
        return [_token(entry.get("token"), entry.get("logprob")) for entry in entries if isinstance(entry, Mapping)]
    if isinstance(top, list) and top and isinstance(top[0], Mapping):
        return [_token(token, value) for token, value in top[0].items()]
    raise UnreadableAnswer("the answer has no log-probabilities of its first token")


def _token(token: JsonValue, value: JsonValue) -> tuple[str, float]:
    if not isinstance(token, str) or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnreadableAnswer("the answer has a token without a log-probability")
    return token, value


def answer_probabilities(tokens: Sequence[tuple[str, float]], answers: Mapping[str, Sequence[str]]) -> AnyFloats:
    """[1, labels]: the probability of each label's answers, divided by that of all answers together.

    An answer that is not among the tokens counts as 0; where none is, there is nothing to compare.
    """
    values = np.array([[value for _, value in tokens]], dtype=np.float64)
    chances = to_probabilities(values, "logprob", exclusive=False)[0]
    by_token: defaultdict[str, float] = defaultdict(float)
    for (token, _), chance in zip(tokens, chances, strict=True):
        by_token[token.strip()] += float(chance)
    by_label = np.array([sum(by_token[word.strip()] for word in words) for words in answers.values()])
    total = by_label.sum()
    if not total > 0.0:
        listed = ", ".join(f"'{word}'" for words in answers.values() for word in words)
        raise UnreadableAnswer(f"none of the answers {listed} is among the {len(tokens)} most probable first tokens")
    return np.asarray(by_label / total)[np.newaxis]


def answer_value(choice: Mapping[str, JsonValue]) -> JsonValue:
    """What the model wrote, read as JSON: a number alone is JSON too."""
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    if not isinstance(text, str) or not text.strip():
        raise UnreadableAnswer("the model wrote nothing")
    block = CODE_BLOCK.search(text)
    try:
        value: JsonValue = parse_json(block[1] if block else text.strip())
    except (ValueError, InputError):
        raise UnreadableAnswer("the model wrote neither a number nor JSON") from None
    return value
