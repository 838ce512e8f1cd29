"""Table 3 with the paper's two models: their published scores on Jigsaw's later template set.

Jigsaw also publishes its own metrics of that file; ours must agree with them in every digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.catalogue import Measure
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, SUBGROUP_AUC
from evenhand.catalogue.shared import RANK_AGREEMENT
from evenhand.comparison.rankings import agreement
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.bias import draw_rate_curves
from evenhand.finding import Finding, Measured, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.bias.runs import MEASURE_TITLES, MEASURES
from evenhand.reproduce.corpora.template_sets import JIGSAW_METRICS
from evenhand.reproduce.result import (
    EXACT,
    Claim,
    Omission,
    PaperResult,
    ReproducedTable,
    cells_beside,
    claims_about,
    exact_estimate,
    intervals_of,
    judge_claim,
    not_testable,
    row_estimates,
)
from evenhand.reproduce.workspace import Workspace, published_tables, published_values

BEFORE, AFTER = "toxicity_1", "toxicity_6"
MODELS = {BEFORE: "TOXICITY@1", AFTER: "TOXICITY@6"}
MISRANKED_TERMS = ("homosexual", "gay", "lesbian")
SHIFTED_TERMS = ("bisexual", "trans", "queer", "black")  # the paper: high BPSN AUC, high Negative AEG all the same
DATA = "Jigsaw's later template set with its own scores of the same two models (30,240 sentences)"


def reproduce_template_scores(place: Workspace) -> PaperResult:
    """The paper's models on the template set whose scores are published."""
    if not place.corpora.has("perspective_madlibs"):
        what = "Table 3 (template set, TOXICITY@1 and TOXICITY@6)"
        return PaperResult(omissions=(Omission(what, "needs Jigsaw's scored template set"),))
    loaded = place.corpora.load("perspective_madlibs")
    printed = published_tables("bias")["table_3_template_lowest_20"]
    terms = [term for term in printed if loaded.frame["text"].str.contains(rf"(?i)\b{term}\b").any()]
    finding = audit(loaded.frame, **loaded.roles, terms=terms).findings[0]
    tables = tuple(_table(finding, printed, terms, model) for model in MODELS)
    known = [term for term in terms if _defined(finding, term)]
    claims = claims_about(DATA, _claims(finding, printed, known))
    return PaperResult(tables, claims, _figures(finding)) + reproduce_jigsaw_metrics(place)


def _figures(finding: Finding) -> tuple[Figure, ...]:
    if "gay" not in finding.values(SliceKey.GROUP):
        return ()
    title = "Figure 2, on real scores: 'gay' against everyone else"
    return (replace(draw_rate_curves(finding, "gay"), name="figure_2", title=title),)


def _defined(finding: Finding, term: str) -> bool:
    """Whether every measure has a value for the term, in both models."""
    estimates = [finding.get(measure, model=model, group=term) for measure in MEASURES for model in MODELS]
    return all(e.defined for e in estimates)


def _table(finding: Finding, printed: Mapping[str, Any], terms: Sequence[str], model: str) -> ReproducedTable:
    rows = []
    for term in terms:
        ours = row_estimates(finding, MEASURES, {SliceKey.MODEL: model, SliceKey.GROUP: term})
        rows.append((term, cells_beside(ours, published_values(printed[term][model], MEASURES))))
    return ReproducedTable(
        f"table_3_{model}",
        f"Table 3: template sentences, {MODELS[model]}",
        "term",
        MEASURE_TITLES,
        tuple(rows),
        on=DATA,
        digits=2,
        notes=(
            "The models are the paper's; the sentences are not. The paper's set of 77k is mostly names and adjectives "
            "(“… is a kind gay”); the set with published scores combines two identities in a sentence, so a group's "
            "background holds other identities and AEGs are smaller.",
            "The AUCs of TOXICITY@6 are not legible in the copy of the paper that the numbers were taken from."
            if model == AFTER
            else "The paper prints two digits.",
        ),
    )


def _claims(finding: Finding, printed: Mapping[str, Any], terms: Sequence[str]) -> list[Claim]:
    if not set(MISRANKED_TERMS) <= set(terms):
        return []
    values = TermValues(finding, terms)
    return [
        _misranked(values),
        _reduced(values),
        _high(values),
        _shifted(values),
        _steps(values),
        _ranked(values, printed),
    ]


@dataclass(frozen=True)
class TermValues:
    """The values of a finding for terms that have them all."""

    finding: Finding
    terms: Sequence[str]

    def __call__(self, measure: Measure, model: str, term: str) -> float:
        value = self.estimate(measure, model, term).value
        assert value is not None
        return value

    def estimate(self, measure: Measure, model: str, term: str) -> Estimate:
        """With its interval."""
        return self.finding.get(measure, model=model, group=term)

    def intervals(self, measure: Measure, model: str, terms: Sequence[str]) -> str:
        """Of one measure of one model, by term."""
        named = {term: self.estimate(measure, model, term) for term in terms}
        return f"{MODELS[model]} {measure.title}: {intervals_of(named, '.2f')}"


def _misranked(value: TermValues) -> Claim:
    own = {term: value(BPSN_AUC, BEFORE, term) for term in value.terms}
    lowest = sorted(own, key=lambda term: own[term])[: len(MISRANKED_TERMS)]
    return judge_claim(
        "TOXICITY@1 mis-ranks benign sentences with homosexual, gay and lesbian: their BPSN AUC is the lowest",
        set(lowest) == set(MISRANKED_TERMS),
        f"lowest BPSN AUC: {', '.join(f'{term} {own[term]:.2f}' for term in lowest)}",
        interval=value.intervals(BPSN_AUC, BEFORE, lowest),
    )


def _reduced(value: TermValues) -> Claim:
    before, after = ([value(BPSN_AUC, model, term) for term in MISRANKED_TERMS] for model in MODELS)
    gaps = [value(NEGATIVE_AEG, AFTER, term) for term in MISRANKED_TERMS]
    return judge_claim(
        "This is reduced in TOXICITY@6, but not gone",
        all(now > then for then, now in zip(before, after, strict=True)) and min(gaps) > 0,
        f"BPSN AUC {_span(before)} → {_span(after)}; Negative AEG still {_span(gaps)}",
        interval="; ".join(value.intervals(measure, AFTER, MISRANKED_TERMS) for measure in (BPSN_AUC, NEGATIVE_AEG)),
    )


def _high(value: TermValues) -> Claim:
    lowest = {
        measure: min((value(measure, model, term), model, term) for term in value.terms for model in MODELS)
        for measure in (SUBGROUP_AUC, BNSP_AUC)
    }
    subgroup, bnsp = (auc for auc, _, _ in lowest.values())
    return judge_claim(
        "Subgroup and BNSP AUC are high (above 0.9) for every group, in both models",
        min(subgroup, bnsp) > 0.9,
        f"lowest Subgroup AUC {subgroup:.3f}, lowest BNSP AUC {bnsp:.3f}",
        interval=intervals_of({m.title: value.estimate(m, model, term) for m, (_, model, term) in lowest.items()}),
    )


def _shifted(value: TermValues) -> Claim:
    shifted = [term for term in SHIFTED_TERMS if term in value.terms]
    up = [t for t in shifted if value(BPSN_AUC, BEFORE, t) > 0.9 and value(NEGATIVE_AEG, BEFORE, t) > 0.1]
    return judge_claim(
        "bisexual, trans, queer and black are shifted up (Negative AEG above 0.1) though BPSN AUC is above 0.9",
        len(up) == len(shifted),
        f"so here for {', '.join(up) or 'none'} of {', '.join(shifted)}",
        interval=value.intervals(NEGATIVE_AEG, BEFORE, shifted),
    )


def _steps(value: TermValues) -> Claim:
    auc, aeg = (
        sum(value(measure, AFTER, term) - value(measure, BEFORE, term) for term in MISRANKED_TERMS)
        / len(MISRANKED_TERMS)
        for measure in (BPSN_AUC, NEGATIVE_AEG)
    )
    return judge_claim(
        "From TOXICITY@1 to TOXICITY@6 BPSN AUC improves much, Negative AEG less than half as much",
        auc > 0.1 and abs(aeg) < auc / 2,
        f"mean change for {', '.join(MISRANKED_TERMS)}: BPSN AUC {auc:+.3f}, Negative AEG {aeg:+.3f}",
        interval=not_testable("both models score the same sentences, and no paired interval of a change is computed"),
    )


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def _ranked(value: TermValues, printed: Mapping[str, Any]) -> Claim:
    """Do the groups come in the paper's order, on other sentences?"""
    theirs = Finding("bias", "", tuple(_as_measured(printed, value.terms)), (), {"source": "the paper"})
    agreements = agreement(theirs, value.finding)
    one = {measure: agreements.get(RANK_AGREEMENT, model=BEFORE, of=measure) for measure in (BPSN_AUC, NEGATIVE_AEG)}
    known = [e for e in one.values() if e.low is not None and e.low > 0]
    correlations = "; ".join(f"{measure.title} {e}" for measure, e in one.items())
    return judge_claim(
        "Groups come in the paper's order also on these other sentences (TOXICITY@1, rank correlation)",
        len(known) == len(one),
        correlations,
        interval=intervals_of({measure.title: e for measure, e in one.items()}),
    )


def _as_measured(printed: Mapping[str, Any], terms: Sequence[str]) -> list[Measured]:
    return [
        Measured(measure, {SliceKey.MODEL: model, SliceKey.GROUP: term}, exact_estimate(value))
        for term in terms
        for model in MODELS
        for measure, value in zip(MEASURES, published_values(printed[term][model], MEASURES), strict=True)
        if value is not None
    ]


def reproduce_jigsaw_metrics(place: Workspace) -> PaperResult:
    """Jigsaw's own metrics on the same file: here every digit counts."""
    if not place.corpora.has("perspective_madlibs_published"):
        return PaperResult()
    theirs, loaded = (
        place.corpora.load("perspective_madlibs_published").frame,
        place.corpora.load("perspective_madlibs"),
    )
    finding = audit(loaded.frame, **loaded.roles, terms=theirs["subgroup"].to_list()).findings[0]
    rows, off = [], 0.0
    for model, title in MODELS.items():
        for row in theirs.iter_rows(named=True):
            ours = row_estimates(finding, MEASURES, {SliceKey.MODEL: model, SliceKey.GROUP: row["subgroup"]})
            cells = cells_beside(ours, [row[f"{title}_{JIGSAW_METRICS[name]}"] for name in MEASURES])
            off = max(off, *(abs(cell.difference or 0.0) for cell in cells))
            rows.append((f"{title}: {row['subgroup']}", cells))
    table = ReproducedTable(
        "jigsaw_unitary",
        "Jigsaw's published metrics of the same file",
        "model and term",
        MEASURE_TITLES,
        tuple(rows),
        on="the same sentences and scores, so every digit must agree",
        same=True,
        digits=6,
        notes=(f"The largest difference of {5 * len(rows)} numbers is {off:.1e}.",),
    )
    text = "Jigsaw's own published metrics are the same numbers, sign included"
    claim = judge_claim(text, off < 1e-9, f"largest difference of {5 * len(rows)}: {off:.1e}", interval=EXACT)
    return PaperResult((table,), claims_about(DATA, [claim]))
