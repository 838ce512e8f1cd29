"""All that can be reproduced of the paper, and its claims judged on the available corpora.

Its corpora are available, its models are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.catalogue import Measure
from evenhand.catalogue.perspective import DEMOGRAPHIC_DIVERGENCE, F1_DELTA_CORRELATION, F1_GAP, UNCERTAINTY_DIVERGENCE
from evenhand.catalogue.shared import F1
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.perspective import draw_ranking
from evenhand.figures.perspective_annotators import draw_annotators, draw_clusters, draw_inertia
from evenhand.reproduce.perspective.runs import CORPUS_NAMES, TITLES, AuditedCorpus, audit_corpus, corpus_models
from evenhand.reproduce.perspective.tables import corpus_facts, corpus_tables, group_kappa
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    claims_about,
    find_estimate,
    interval_of,
    judge_claim,
    not_testable,
    range_of_intervals,
)
from evenhand.reproduce.workspace import PUBLISHED_KEYS, Workspace, published_tables

WOMEN = ("white_women", "nonwhite_women")


def judge_claims(corpora: Sequence[AuditedCorpus]) -> Iterator[Claim]:
    """All of them."""
    together = " and ".join(one.title for one in corpora)
    yield from claims_about(together, [_women_claim(corpora)])
    for judge in (_least_divergent_claim, _uncorrelated_claim, _agreement_claim, _cluster_claim, _bins_claim):
        for one in corpora:
            yield from claims_about(one.title, [judge(one)])
    yield from claims_about(together, _between_corpora_claims(corpora))


def _group_values(one: AuditedCorpus, measure: Measure, model: str) -> dict[str, float]:
    """Of each group, where it has one."""
    by_group = {name: one.get(measure, model, annotators=ours) for name, ours in one.groups.items()}
    return {name: e.value for name, e in by_group.items() if e is not None and e.value is not None}


def _highest(values: Mapping[str, float]) -> str:
    return max(values, key=lambda name: values[name])


def _women_claim(audited: Sequence[AuditedCorpus]) -> Claim:
    ours = [_highest(_group_values(one, F1_GAP, model)) for one in audited for model in one.models]
    printed = published_tables("perspective")[PUBLISHED_KEYS[F1]]
    theirs = [_highest(_without_total(corpora[one.name])) for corpora in printed.values() for one in audited]
    both = [sum(name in WOMEN for name in names) for names in (ours, theirs)]
    return judge_claim(
        "Models predict the labels of women better than those of men (the group with the highest F1, in more than half "
        "of the cases)",
        both[0] > len(ours) / 2,
        f"a group of women has the highest F1 in {both[0]} of {len(ours)} cases here; by the same rule in {both[1]} of "
        f"{len(theirs)} in the paper's table",
        interval=not_testable("the cases share annotators and items, so their number has no interval"),
    )


def _without_total(values: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if name != "total"}


def _least_divergent_claim(one: AuditedCorpus) -> Claim:
    claimed = {"sbic": "white_men", "crehate": "nonwhite_men"}[one.name]
    divergences = [_group_values(one, UNCERTAINTY_DIVERGENCE, model) for model in one.models]
    lowest = Counter(
        _highest({name: -value for name, value in by_group.items()}) for by_group in divergences if by_group
    )
    tested = [one.get(UNCERTAINTY_DIVERGENCE, m, annotators=ours) for m in one.models for ours in one.groups.values()]
    known = [e for e in tested if e is not None and e.p_value is not None]
    below = sum((e.p_value or 0.0) < 0.05 for e in known)
    beyond = sum(e.stands_out for e in known)
    return judge_claim(
        f"Uncertainty divergence is lowest for {TITLES[claimed]} ({one.title})",
        lowest[claimed] > len(one.models) / 2,
        f"lowest for {', '.join(f'{TITLES[n]} in {c}' for n, c in lowest.most_common())} of {len(one.models)} models; "
        f"against shuffling groups over annotators {below} of {len(known)} have p < .05, {beyond} after allowing for "
        "all that was tested",
        interval=not_testable("which of four divergences is lowest has no interval; each has a permutation test"),
    )


def _uncorrelated_claim(one: AuditedCorpus) -> Claim:
    correlation = find_estimate(one.finding, F1_DELTA_CORRELATION, {})
    text = f"F1 and mean conformity delta of models are not correlated ({one.title})"
    printed = published_tables("perspective")["t_test_p"][one.name]
    paper_test = f"the paper's T-test (p = {printed}) compares means and is no test of correlation"
    if correlation is None or correlation.low is None or correlation.high is None:
        why = f"too few models for a correlation; {paper_test}"
        return judge_claim(text, None, why, interval=not_testable("too few models"))
    apart = correlation.low > 0 or correlation.high < 0
    why = f"Spearman's {correlation} over {correlation.n} models; {paper_test}"
    return judge_claim(text, False if apart else None, why, interval=interval_of(correlation))


def _agreement_claim(one: AuditedCorpus) -> Claim:
    names = list(one.groups.values())
    within = [group_kappa(one, a, a) for a in names]
    between = [group_kappa(one, a, b) for a, b in combinations(names, 2)]
    known = [[e.value for e in part if e is not None and e.value is not None] for part in (within, between)]
    means = [sum(values) / len(values) for values in known if values]
    return judge_claim(
        f"People of one group agree with one another more than with others ({one.title})",
        len(means) == 2 and means[0] > means[1],
        f"mean kappa within {means[0]:.3f}, between {means[1]:.3f}" if len(means) == 2 else "too few groups",
        interval=f"within, {range_of_intervals('groups', within)}; between, {range_of_intervals('pairs', between)}",
    )


def _cluster_divergences(one: AuditedCorpus) -> list[Estimate]:
    divergences = [one.get(DEMOGRAPHIC_DIVERGENCE, model) for model in one.models]
    return [e for e in divergences if e is not None and e.value is not None]


def _cluster_claim(one: AuditedCorpus) -> Claim:
    divergences = _cluster_divergences(one)
    beyond = sum((e.p_value or 1.0) < 0.05 for e in divergences)
    listed = ", ".join(f"{e.value:.4f} (p = {e.p_value:.2f})" for e in divergences)
    return judge_claim(
        f"Clusters of annotators by a model's uncertainty differ in who is in them, beyond chance, for most models "
        f"({one.title})",
        beyond > len(divergences) / 2,
        f"p < .05 for {beyond} of {len(divergences)} models: {listed}",
        interval=not_testable("a divergence is above 0 by chance alone: it has a permutation test instead"),
    )


def _bins_claim(one: AuditedCorpus) -> Claim:
    gains = []
    for exhibit in one.finding.exhibits:
        if exhibit.kind == PerspectiveExhibit.INERTIA:
            spread = dict(zip(exhibit.numbers("bins"), exhibit.numbers("inertia"), strict=True))
            gains.append((spread[40.0] - spread[10.0], spread[100.0] - spread[40.0]))
    slower = sum(later / 60.0 < sooner / 30.0 for sooner, later in gains)
    return judge_claim(
        f"Beyond 40 bins a fingerprint gains little: inertia grows more slowly for each further bin ({one.title})",
        slower > len(gains) / 2,
        f"slower from 40 to 100 bins than from 10 to 40 for {slower} of {len(gains)} models",
        interval=not_testable("inertia describes these annotators, and the models share them"),
    )


def _between_corpora_claims(audited: Sequence[AuditedCorpus]) -> Iterator[Claim]:
    known: dict[str, Any] = {one.name: _cluster_divergences(one) for one in audited}
    if set(known) == {"crehate", "sbic"} and len(known["crehate"]) == len(known["sbic"]):
        higher = sum(s.value > c.value for s, c in zip(known["sbic"], known["crehate"], strict=True))
        text = "Demographic divergence is higher on SBIC than on CREHate"
        yield judge_claim(
            text,
            higher > len(known["sbic"]) / 2,
            f"higher for {higher} of {len(known['sbic'])} models",
            interval=not_testable(
                "a divergence depends on how many annotators there are, and the corpora differ in that"
            ),
        )


SLIPS = (
    "Table 2 repeats a row: Twitter-Roberta-Base on CREHate is Refugees on SBIC.",
    "A “negative demographic divergence” (of Olmo) cannot be: a Jensen–Shannon divergence is 0 or more.",
    "The T-test between F1 and conformity delta compares two means of different things; it is no test of correlation.",
    "Conformal prediction is said to stay valid when the data shifts; it does not by itself.",
    "Divergences are above 0 by chance alone, and the paper holds none of them against chance.",
)


def reproduce(place: Workspace) -> PaperResult:
    """Every corpus that is there, with every model that can be made."""
    models = corpus_models(place)
    audited = [audit_corpus(place, name, models) for name in CORPUS_NAMES if place.corpora.has(name)]
    return PaperResult(
        (corpus_facts(audited), *(table for one in audited for table in corpus_tables(one))),
        tuple(judge_claims(audited)),
        tuple(figure for one in audited for figure in _figures(one)),
        SLIPS,
        tuple(_omissions(audited)),
    )


def _figures(one: AuditedCorpus) -> Iterator[Figure]:
    """Of the first model, where a figure is of one."""
    first = one.finding.models[0][0] or None
    drawn = {
        "figure_1": ("Figure 1: annotators in clusters, default model", draw_clusters(one.finding, first)),
        "figure_2": ("Figure 2: models by both divergences", draw_ranking(one.finding)),
        "figure_3": (
            "Figures 3 and 4: who the annotators are, and how much they labelled",
            draw_annotators(one.finding),
        ),
        "bins": ("Inertia against the number of bins, default model", draw_inertia(one.finding, first)),
    }
    for name, (title, figure) in drawn.items():
        if figure:
            yield replace(figure, name=f"{name}_{one.name}", title=f"{title} ({one.title})", about={})


def _omissions(audited: list[AuditedCorpus]) -> Iterator[Omission]:
    yield Omission(
        "The paper's eleven models", "they are not available; models trained on other corpora are used instead"
    )
    yield Omission("What the paper says of language models against smaller ones", "none is available")
    yield Omission("Appendix B, the reading of 22 plots of clusters", "by eye, and of the paper's models")
    missing = [name for name in CORPUS_NAMES if name not in {one.name for one in audited}]
    yield from (Omission(f"Tables 1 and 2 on {name}", "it is not in the folder") for name in missing)
    yield from (Omission(f"The whole of {one.title}", one.note) for one in audited if one.note)
