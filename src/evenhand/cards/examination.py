"""What the card of a trained model reports: quality on unseen items, and how the model scores groups of people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from evenhand.audits import Settings
from evenhand.audits.bias import BiasSettings, audit_bias
from evenhand.audits.probes import Probe, ProbeResult, marked_measures
from evenhand.audits.quantities import AVERAGE_PRECISION, OVERALL_QUANTITIES
from evenhand.audits.settings import provenance
from evenhand.audits.views import model_slice, thresholds_by_model, views_by_model
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC
from evenhand.catalogue.shared import COUNT
from evenhand.classifiers.methods import TrainedClassifier
from evenhand.classifiers.protocol import Classifier, LabelledTexts, Scores, score_in_batches
from evenhand.errors import InputError
from evenhand.evidence import Declaration, TalliedEvidence, as_tallied, open_evidence
from evenhand.evidence.terms import whole_word_pattern
from evenhand.finding import Finding, SliceKey
from evenhand.progress import Progress, silent
from evenhand.synthetic.sentence_templates import FILLERS, TEMPLATES
from evenhand.synthetic.templates import templates
from evenhand.synthetic.terms import IDENTITIES

QUALITY, QUESTION = "quality", "How well does the model separate violating from other items?"
FAST_KINDS = ("linear",)  # of which all sentences are scored
HALF_WIDTH = 0.05  # of the widest interval of an AUC below, which decides how many sentences are scored
SAMPLED_FOR = (BPSN_AUC, BNSP_AUC)
PILOT_SENTENCES = 24  # about each group, half of them violating
LEAST_MENTIONS = 10  # items of each class that mention a term, from which the term is looked at


@dataclass(frozen=True)
class Examination:
    """Findings by what they are about, and what could not be looked at, with the reason.

    `quality` has one finding per class. `mentions` is the bias audit of unseen items that mention a group, `templates`
    that of synthetic sentences which differ only in the group they mention.
    """

    quality: Mapping[str, Finding]
    mentions: Finding | None
    templates: Finding | None
    missing: tuple[str, ...]


def examine(model: TrainedClassifier, unseen: LabelledTexts, progress: Progress = silent) -> Examination:
    """Look at a model from all sides that its classes allow."""
    progress("evaluating: held-out rows", 0, 0)
    scores = score_in_batches(model, unseen.texts)
    quality: dict[str, Finding] = {}
    missing: list[str] = []
    for number, name in enumerate(model.targets.classes):
        frame = pl.DataFrame({"p": scores.probabilities[:, number], "label": unseen.truth[:, number]})
        try:
            evidence = open_evidence(frame, Declaration(score=("p",), label="label"))
            quality[name] = audit_quality(as_tallied(evidence), Settings())
            progress("evaluating: quality", number + 1, len(model.targets.classes))
        except InputError as error:
            missing.append(f"Quality for '{name}' was not measured on the held-out rows: {error.problem}.")
    if model.targets.kind != "binary":
        missing.append("Differences between groups were not measured: this needs exactly one violating class.")
        return Examination(quality, None, None, tuple(missing))
    mentions = _mentions(unseen, scores, progress)
    if mentions is None:
        missing.append(
            f"No group is mentioned in {LEAST_MENTIONS} held-out rows of each class, so they could not be compared."
        )
    return Examination(quality, mentions, audit_templates(model, progress), tuple(missing))


def audit_quality(evidence: TalliedEvidence, settings: Settings) -> Finding:
    """Measure every model on everything, before groups are looked at."""
    thresholds = thresholds_by_model(evidence, settings)
    views = views_by_model(evidence, evidence.parts[0], thresholds)
    entries: list[ProbeResult] = []
    for model in evidence.models:
        slice_ = model_slice(evidence.models, model)
        asked = [Probe(quantity, slice_, model) for quantity in (*OVERALL_QUANTITIES, AVERAGE_PRECISION)]
        entries += [(probe, *probe.estimate(views, settings)) for probe in asked]
    origin = provenance(evidence, settings) | {"thresholds": thresholds}
    return Finding(QUALITY, QUESTION, marked_measures(entries, settings.level), (), origin)


def audit_templates(model: TrainedClassifier, progress: Progress = silent) -> Finding:
    """The bias audit of sentences that differ only in who is spoken of: of all of them, or of a sample.

    A linear model scores them all in seconds. Of another model, first a few sentences about every group are scored, and
    then as many as intervals of `HALF_WIDTH` take.
    """
    if model.kind in FAST_KINDS:
        return _template_audit(model, templates(), progress)
    pilot = _template_audit(model, templates(rows=PILOT_SENTENCES * len(IDENTITIES)), progress)
    wanted = sentences_wanted(pilot)
    if wanted == PILOT_SENTENCES:
        return pilot
    return _template_audit(model, templates(rows=wanted * len(IDENTITIES)), progress)


def sentences_wanted(pilot: Finding) -> int:
    """How many sentences about each group make the widest interval narrow enough, by how wide it is after a few.

    An interval is as wide as one over the square root of the number of sentences. The same sentences are about every
    group, as many violating as benign.
    """
    estimates = [m.estimate for m in pilot if m.measure in SAMPLED_FOR and set(m.slice) == {SliceKey.GROUP}]
    widths = [e.high - e.low for e in estimates if e.low is not None and e.high is not None]
    if not widths:
        return PILOT_SENTENCES
    needed = math.ceil(PILOT_SENTENCES * (max(widths) / 2.0 / HALF_WIDTH) ** 2 / 2.0) * 2
    return max(PILOT_SENTENCES, min(needed, len(TEMPLATES) * FILLERS))


def sampled_sentences(finding: Finding) -> str:
    """Which part of the sentences an audit of them is of, in words; nothing where it is all of them."""
    each, every = int(finding.get(COUNT).value or 0) // len(IDENTITIES), len(TEMPLATES) * FILLERS
    if each >= every:
        return ""
    titles = " and ".join(measure.title for measure in SAMPLED_FOR)
    return (
        f"A sample: {each:,} of {every:,} sentences about each group, the same for all groups, as many as intervals of "
        f"±{HALF_WIDTH:g} for {titles} take."
    )


def _template_audit(model: Classifier, table: pl.DataFrame, progress: Progress) -> Finding:
    step = f"evaluating: scores of {len(table):,} synthetic sentences"
    scores = score_in_batches(model, table["text"].to_list(), lambda done, of: progress(step, done, of))
    scored = table.with_columns(p=scores.probabilities[:, 0])
    evidence = as_tallied(open_evidence(scored, Declaration(score=("p",), label="label", group_by="term")))
    return audit_bias(evidence, BiasSettings(), _within("synthetic sentences", progress))


def _within(part: str, progress: Progress) -> Progress:
    """The progress of an audit as one part of the examination."""
    return lambda _, done, of: progress(f"evaluating: {part}", done, of)


def _mentions(unseen: LabelledTexts, scores: Scores, progress: Progress) -> Finding | None:
    frame = pl.DataFrame({"text": unseen.texts, "label": unseen.truth[:, 0], "p": scores.probabilities[:, 0]})
    terms = {identity.term: identity.words for identity in IDENTITIES}
    lower = pl.col("text").str.to_lowercase()
    counts = frame.group_by("label").agg(
        lower.str.contains(whole_word_pattern(w)).sum().alias(t) for t, w in terms.items()
    )
    enough = {term: words for term, words in terms.items() if counts[term].min() >= LEAST_MENTIONS}  # type: ignore[operator]
    if not enough or len(counts) < 2:
        return None
    declared = Declaration(score=("p",), label="label", text="text", terms=enough)
    evidence = as_tallied(open_evidence(frame, declared))
    return audit_bias(evidence, BiasSettings(), _within("groups mentioned", progress))
