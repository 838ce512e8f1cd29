"""A local language model as a classifier by prompt: how probable is each answer after the prompt?

No text is generated. The probability of an answer is that of all its tokens; a label may have several answers, whose
probabilities are added; and the labels are normalised to sum to one. The probability of all other answers is thereby
left out, which is one reason why these probabilities must not be read as frequencies.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.labels import ModelLabels
from evenhand.classifiers.adapters.language_model import LanguageModel, PromptTemplate
from evenhand.classifiers.adapters.pretrained import PretrainedDirectory, best_device, token_limit
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.protocol import Scores, Targets
from evenhand.errors import InputError

BATCH = 16
BATCHES_AT_ONCE = 16


@dataclass(frozen=True, repr=False)
class PromptClassifier(TextEstimator):
    """Asks every question about every text; the mean over the questions is the answer, their spread the doubt."""

    questions: tuple[PromptTemplate, ...]
    answers: Mapping[str, tuple[str, ...]]
    continuations: LanguageModel
    labels: ModelLabels
    name: str
    version: str

    @property
    def targets(self) -> Targets:
        """What the labels stand for."""
        return self.labels.targets

    @property
    def batch(self) -> int:
        """How many texts are best scored at a time."""
        return self.continuations.at_once * BATCHES_AT_ONCE

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order."""
        if not len(texts):
            return Scores(self.targets, np.empty((0, len(self.targets.classes))))
        try:
            members = [self.labels.classes(self._asked(question, texts)) for question in self.questions]
        except InputError as error:
            raise error.within(self.name) from None
        return Scores.of_members(self.targets, np.stack(members))

    def _asked(self, question: PromptTemplate, texts: Sequence[str]) -> AnyFloats:
        """Per text the probability of each label: of all its answers, among the answers there are."""
        words = [word for several in self.answers.values() for word in several]
        logs = self.continuations.log_probabilities([question.tokens(text, words) for text in texts])
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        ends = np.cumsum([0, *(len(several) for several in self.answers.values())])
        by_label = np.add.reduceat(chances, ends[:-1], axis=1)
        return np.asarray(by_label / by_label.sum(axis=1, keepdims=True))


def open_prompt(
    path: str | Path,
    *,
    prompt: str | Sequence[str],
    labels: Mapping[str, str | Sequence[str]],
    positive: str | Sequence[str] | None = None,
    chat: bool = False,
    batch: int = BATCH,
    max_length: int | None = None,
    device: str | None = None,
    download: bool = False,
    name: str | None = None,
) -> PromptClassifier:
    """The causal language model in a directory, asked by one prompt or by several that mean the same.

    `labels` gives each label its answers, spelt as they would continue the prompt, a leading space included. `chat`
    puts the prompt into the turns of a chat model. Of two labels `positive` says which counts as violating.
    """
    directory = PretrainedDirectory.at(path, download=download)
    directory.config("ForCausalLM", "LMHeadModel")
    answers = {label: (words,) if isinstance(words, str) else tuple(words) for label, words in labels.items()}
    prompts = (prompt,) if isinstance(prompt, str) else tuple(prompt)
    try:
        _check_answers(answers, prompts)
        named = ModelLabels.from_names(list(answers), exclusive=True, positive=positive)
        tokenizer = directory.tokenizer()
        if chat and not getattr(tokenizer, "chat_template", None):
            raise InputError(
                "the tokenizer has no chat template: leave out chat, or take the chat version of the model"
            )
        model = directory.model("AutoModelForCausalLM", dtype="auto", device=best_device(device))
        length = token_limit(tokenizer, model, max_length)
        questions = tuple(PromptTemplate(tokenizer, template, chat, length) for template in prompts)
    except InputError as error:
        raise error.within(str(path)) from None
    options = {"prompt": prompts, "labels": answers, "positive": positive, "chat": chat, "longest": length}
    sparse = "logits_to_keep" in inspect.signature(model.forward).parameters
    continuations = LanguageModel(model, batch, sparse)
    return PromptClassifier(
        questions, answers, continuations, named, name or Path(path).name, directory.version(options)
    )


def _check_answers(answers: Mapping[str, tuple[str, ...]], prompts: tuple[str, ...]) -> None:
    if len(answers) < 2 or not all(answers.values()):
        raise InputError("a prompt needs at least two labels, each with an answer")
    words = [word for several in answers.values() for word in several]
    if len(set(words)) != len(words) or not all(word.strip() for word in words):
        raise InputError("every answer must be a word, and belong to one label only")
    if not prompts:
        raise InputError("there is no prompt")
