"""What a model card shows: how well a model does on items it has not seen, and how it scores groups of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from evenhand.audits import Settings
from evenhand.audits.bias import BiasSettings, audit_bias
from evenhand.audits.quality import audit_quality
from evenhand.classifiers.protocol import Classifier, Labelled, Scores, in_batches
from evenhand.errors import InputError
from evenhand.evidence import Declaration, open_evidence
from evenhand.evidence.reading import whole_words
from evenhand.finding import Finding
from evenhand.progress import Progress, silent
from evenhand.synthetic.templates import templates
from evenhand.synthetic.terms import IDENTITIES

ENOUGH = 10  # items of each class that mention a term, from which the term is looked at


@dataclass(frozen=True)
class Examination:
    """Findings by what they are about, and what could not be looked at, with the reason.

    `quality` has one finding per class. `mentions` is the bias audit of unseen items that mention a group, `templates`
    that of made-up sentences which differ only in the group they mention.
    """

    quality: Mapping[str, Finding]
    mentions: Finding | None
    templates: Finding | None
    missing: tuple[str, ...]


def examine(model: Classifier, unseen: Labelled, progress: Progress = silent) -> Examination:
    """Look at a model from all sides that its classes allow."""
    progress("examining: unseen rows", 0, 0)
    found = in_batches(model, unseen.texts)
    quality: dict[str, Finding] = {}
    missing: list[str] = []
    for number, name in enumerate(model.targets.classes):
        frame = pl.DataFrame({"p": found.probabilities[:, number], "label": unseen.truth[:, number]})
        try:
            evidence = open_evidence(frame, Declaration(score=("p",), label="label"))
            quality[name] = audit_quality(evidence, Settings())
            progress("examining: how well it does", number + 1, len(model.targets.classes))
        except InputError as error:
            missing.append(f"How well it finds '{name}' was not measured: among the unseen rows {error.problem}.")
    if model.targets.kind != "binary":
        missing.append("How it scores groups was not measured: that needs one class that is violating.")
        return Examination(quality, None, None, tuple(missing))
    mentions = _mentions(unseen, found, progress)
    if mentions is None:
        missing.append(f"No group is mentioned in {ENOUGH} unseen rows of each class, so none could be compared there.")
    return Examination(quality, mentions, on_templates(model, progress), tuple(missing))


def on_templates(model: Classifier, progress: Progress = silent) -> Finding:
    """The bias audit of sentences that differ only in who is spoken of."""
    table = templates()
    scored = table.with_columns(p=in_batches(model, table["text"].to_list()).probabilities[:, 0])
    declared = Declaration(score=("p",), label="label", group_by="term")
    return audit_bias(open_evidence(scored, declared), BiasSettings(), _within("made-up sentences", progress))


def _within(part: str, progress: Progress) -> Progress:
    """The progress of an audit as one part of the examination."""
    return lambda _, done, of: progress(f"examining: {part}", done, of)


def _mentions(unseen: Labelled, found: Scores, progress: Progress) -> Finding | None:
    frame = pl.DataFrame({"text": unseen.texts, "label": unseen.truth[:, 0], "p": found.probabilities[:, 0]})
    terms = {identity.term: identity.words for identity in IDENTITIES}
    lower = pl.col("text").str.to_lowercase()
    held = frame.group_by("label").agg(lower.str.contains(whole_words(w)).sum().alias(t) for t, w in terms.items())
    enough = {term: words for term, words in terms.items() if held[term].min() >= ENOUGH}  # type: ignore[operator]
    if not enough or len(held) < 2:
        return None
    declared = Declaration(score=("p",), label="label", text="text", terms=enough)
    return audit_bias(open_evidence(frame, declared), BiasSettings(), _within("groups mentioned", progress))
