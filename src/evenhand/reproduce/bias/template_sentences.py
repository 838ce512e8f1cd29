"""Template sentences scored by available models: the paper's own set (Table 3), and HateCheck beyond the paper.

Also compares the two kinds of data: do templates and real comments find the same groups?
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.catalogue.bias import NEGATIVE_AEG, SUBGROUP_AUC
from evenhand.catalogue.shared import RANK_AGREEMENT
from evenhand.classifiers.models import open_model
from evenhand.comparison.rankings import agreement
from evenhand.estimate import Estimate
from evenhand.finding import Finding, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.bias.runs import (
    AREAS,
    DEFAULT_MODEL,
    IDENTITY_TERMS,
    IDENTITY_WORDS,
    MEASURE_TITLES,
    MEASURES,
    PAPER_MODELS,
    ModelsByName,
    ScoredComments,
    add_scores,
    contains_any_word,
)
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    ReproducedTable,
    cells_beside,
    claims_about,
    intervals_of,
    judge_claim,
    range_of_intervals,
    row_estimates,
)
from evenhand.reproduce.workspace import Workspace, published_tables, published_values

LOWEST_TERMS = 20


def reproduce_own_sentences(
    place: Workspace, models: ModelsByName, real: Finding, scored: ScoredComments
) -> PaperResult:
    """Table 3 on the paper's sentences; then templates against comments."""
    if not place.corpora.has("madlibs_77k"):
        return PaperResult(
            omissions=(Omission("Table 3 on the paper's own sentences", "needs the template set of 77k"),)
        )
    loaded = place.corpora.load("madlibs_77k")
    frame = add_scores(loaded.frame, models)
    terms = [term for term in IDENTITY_TERMS if contains_any_word(frame, (term,))]
    finding = audit(frame, score=scored.models, **loaded.roles, terms=terms).findings[0]
    words = {name: own for name, own in IDENTITY_WORDS.items() if contains_any_word(frame, own)}
    by_words = audit(frame, score=scored.models, **loaded.roles, terms=words).findings[0]
    tables = tuple(_lowest_terms_table(finding, terms, model, len(frame)) for model in scored.models)
    claims = (_agreement_claim(by_words, real, scored), _harder_claim(finding, real, scored))
    return PaperResult(tables, claims_about(f"{scored.on}; the paper's {len(frame):,} template sentences", claims))


def _lowest_terms_table(finding: Finding, terms: Sequence[str], model: str, rows: int) -> ReproducedTable:
    named = finding.slice_of(model)
    printed = published_tables("bias")["table_3_template_lowest_20"]

    def lowest(term: str) -> float:
        areas = row_estimates(finding, AREAS, {**named, SliceKey.GROUP: term})
        return min(e.value for e in areas if e is not None and e.value is not None)

    shown = []
    for term in sorted(terms, key=lowest)[:LOWEST_TERMS]:
        ours = row_estimates(finding, MEASURES, {**named, SliceKey.GROUP: term})
        theirs = published_values(printed.get(term, {}).get(PAPER_MODELS[model], {}), MEASURES)
        shown.append((term, cells_beside(ours, theirs)))
    return ReproducedTable(
        f"table_3_own_sentences_{PAPER_MODELS[model]}",
        f"Table 3 on the paper's own sentences: {model}",
        "term",
        MEASURE_TITLES,
        tuple(shown),
        on=f"the paper's template set, {rows:,} sentences, scored by an available model",
        digits=2,
        notes=(
            f"The {len(shown)} lowest of {len(terms)} terms by their lowest AUC. The paper's are of another model.",
        ),
    )


def _agreement_claim(templates: Finding, real: Finding, scored: ScoredComments) -> Claim:
    agreements = agreement(templates, real)
    correlations = {m: agreements.get(RANK_AGREEMENT, of=NEGATIVE_AEG, **agreements.slice_of(m)) for m in scored.models}
    known = [e for e in correlations.values() if e.low is not None and e.high is not None]
    against = any(e.high < 0 for e in known if e.high is not None)
    return judge_claim(
        "Groups that fare worst on templates are those that fare worst on real comments (rank correlation of Negative "
        "AEG above 0 for some model)",
        any(e.low > 0 for e in known if e.low is not None) or (False if against else None),
        "; ".join(f"{model}: {e}" for model, e in correlations.items()),
        interval=intervals_of(correlations),
    )


def _harder_claim(templates: Finding, real: Finding, scored: ScoredComments) -> Claim:
    by_model, lower, by_group = [], [], {"templates": list[Estimate](), "comments": list[Estimate]()}
    for model in scored.models:
        means = []
        for where, finding in zip(by_group, (templates, real), strict=True):
            groups, named = finding.values(SliceKey.GROUP), finding.slice_of(model)
            estimates = [finding.get(SUBGROUP_AUC, group=group, **named) for group in groups]
            aucs = [e.value for e in estimates if e.value is not None]
            means.append(sum(aucs) / len(aucs))
            by_group[where] += estimates
        by_model.append(f"{model}: {means[0]:.3f} on templates, {means[1]:.3f} on comments")
        lower.append(means[1] < means[0])
    text = "Real comments show lower values than template sentences (mean Subgroup AUC)"
    ranges = "; ".join(f"{where}, {range_of_intervals('groups', group)}" for where, group in by_group.items())
    return judge_claim(text, all(lower), "; ".join(by_model), interval=ranges)


def reproduce_hatecheck(place: Workspace) -> PaperResult:
    """The five measures of the default model by whom a case is about."""
    if not place.corpora.has("hatecheck"):
        return PaperResult()
    loaded = place.corpora.load("hatecheck")
    frame = add_scores(loaded.frame.filter(pl.col("target").is_not_null()), {DEFAULT_MODEL: open_model("default")})
    finding = audit(frame, score=DEFAULT_MODEL, **loaded.roles).findings[0]
    rows = [
        (group, row_estimates(finding, MEASURES, {SliceKey.GROUP: group})) for group in finding.values(SliceKey.GROUP)
    ]
    table = ReproducedTable(
        "hatecheck",
        "Beyond the paper: HateCheck",
        "group",
        MEASURE_TITLES,
        tuple((group, cells_beside(ours, [None] * len(MEASURES))) for group, ours in rows),
        on=f"HateCheck, {len(frame):,} cases that are about a group, scored by the default model",
        digits=2,
        notes=("The default model knows no hate that says no bad word, so Subgroup AUC is low for every group.",),
    )
    return PaperResult((table,))
