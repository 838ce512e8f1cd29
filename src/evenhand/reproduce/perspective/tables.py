"""Tables 1 and 2, the size of the corpora, agreement within and between groups, and the numbers of Figure 2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.audits.perspective.divergences import SHUFFLED
from evenhand.catalogue import Measure
from evenhand.catalogue.perspective import (
    COHEN_KAPPA,
    CONFORMITY_DELTA,
    DEMOGRAPHIC_DIVERGENCE,
    DIFFERING_SHARE,
    F1_GAP,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.catalogue.shared import F1
from evenhand.estimate import Estimate
from evenhand.finding import Slice, SliceKey
from evenhand.reproduce.perspective.runs import GROUPS, TITLES, AuditedCorpus
from evenhand.reproduce.result import ReproducedCell, ReproducedRow, ReproducedTable, exact_estimate, find_estimate
from evenhand.reproduce.workspace import PUBLISHED_KEYS, published_tables

OTHER_MODELS_NOTE = (
    "None of our models is one of the paper's, so rows stand below one another and not beside: what can be compared is "
    "how large differences between groups are, and which way they point."
)


def corpus_tables(one: AuditedCorpus) -> Iterator[ReproducedTable]:
    """All of one corpus."""
    yield _model_table(one, 1, "F1, and by how much a group's differs", F1, (F1, F1_GAP), 3)
    yield _model_table(
        one,
        2,
        "mean conformity delta, and the uncertainty divergence of each group",
        UNCERTAINTY_DIVERGENCE,
        (CONFORMITY_DELTA, UNCERTAINTY_DIVERGENCE),
        4,
    )
    yield _agreement_table(one)
    yield _cluster_table(one)


def corpus_facts(corpora: Sequence[AuditedCorpus]) -> ReproducedTable:
    """Texts, labels, and how many labels differ from the majority."""
    rows: list[ReproducedRow] = []
    for one in corpora:
        counts, printed = one.finding.provenance["counts"], published_tables("perspective")["corpora"][one.name]
        share = one.get(DIFFERING_SHARE, one.models[0])
        exact = [exact_estimate(counts[key], n=counts["labels"]) for key in ("items", "labels")]
        rows.append(
            (
                one.title,
                (
                    ReproducedCell(exact[0], printed["texts"]),
                    ReproducedCell(exact[1], printed["annotations"]),
                    ReproducedCell(share, printed[PUBLISHED_KEYS[DIFFERING_SHARE]]),
                ),
            )
        )
    return ReproducedTable(
        "corpora",
        "The corpora",
        "corpus",
        ("texts", "labels", "share that differs from the majority"),
        tuple(rows),
        on="; ".join(f"{one.title}{': ' + one.note if one.note else ''}" for one in corpora),
        digits=3,
        notes=(
            "CREHate: labels 0 and 1, cannot-tell left out, one label for each annotator and text. SBIC: a half counts "
            "as offensive, one label for each annotator and post. Texts with a tied majority are left out of it.",
            "The paper does not say how it counts: its shares (4.9 % and 9.7 %) are not those of the files under these "
            "rules. Such a share depends on ties and on how many people label a text.",
        ),
    )


def _model_table(
    one: AuditedCorpus, number: int, what: str, theirs: Measure, measures: tuple[Measure, Measure], digits: int
) -> ReproducedTable:
    printed = published_tables("perspective")[PUBLISHED_KEYS[theirs]]
    whole, of_group = measures
    rows: list[ReproducedRow] = []
    for model in one.models:
        ours = [one.get(whole, model), *(one.get(of_group, model, annotators=one.groups.get(n, "")) for n in GROUPS)]
        rows.append((model, tuple(ReproducedCell(e) for e in ours)))
    for model, by_corpus in printed.items():
        values = by_corpus[one.name]
        rows.append((f"paper: {model}", tuple(ReproducedCell(None, values[name]) for name in ("total", *GROUPS))))
    return ReproducedTable(
        f"table_{number}_{one.name}",
        f"Table {number}: {what} ({one.title})",
        "model",
        ("total", *(TITLES[name] for name in GROUPS)),
        tuple(rows),
        on=_data_description(one),
        digits=digits,
        notes=(OTHER_MODELS_NOTE, *_slip_notes(one, number)),
    )


def _slip_notes(one: AuditedCorpus, number: int) -> tuple[str, ...]:
    if number != 2 or one.name != "crehate":
        return ()
    return ("The paper's row of Twitter-Roberta-Base on CREHate repeats its row of Refugees on SBIC: a slip.",)


def _data_description(one: AuditedCorpus) -> str:
    counts = one.finding.provenance["counts"]
    size = f"{counts['labels']:,} labels of {counts['items']:,} texts by {counts['annotators']:,} annotators"
    less = f"; {one.left_out} who do not say their gender or ethnicity take no part" if one.left_out else ""
    return f"{one.title}{', ' + one.note if one.note else ''}: {size}{less}"


def _agreement_table(one: AuditedCorpus) -> ReproducedTable:
    """Figures 5 and 6."""
    rows: list[ReproducedRow] = []
    for first, ours in one.groups.items():
        cells = [ReproducedCell(group_kappa(one, ours, other)) for other in one.groups.values()]
        rows.append((TITLES[first], tuple(cells)))
    return ReproducedTable(
        f"kappa_{one.name}",
        f"Figures 5 and 6: agreement within and between groups, Cohen's kappa ({one.title})",
        "group",
        tuple(TITLES[name] for name in one.groups),
        tuple(rows),
        on=_data_description(one),
        digits=2,
        notes=("The paper prints these as colours only.",),
    )


def group_kappa(one: AuditedCorpus, first: str, second: str) -> Estimate | None:
    """Of two groups in either order, or within one."""
    if first == second:
        return find_estimate(one.finding, COHEN_KAPPA, {SliceKey.ANNOTATORS: first})
    orders = ((first, second), (second, first))
    pairs: list[Slice] = [{SliceKey.ANNOTATORS: a, SliceKey.WITH: b} for a, b in orders]
    kappas = [find_estimate(one.finding, COHEN_KAPPA, slice_) for slice_ in pairs]
    return next((e for e in kappas if e is not None), None)


def _cluster_table(one: AuditedCorpus) -> ReproducedTable:
    """Figure 2: what the clusters say, beside what shuffling would give."""
    rows: list[ReproducedRow] = []
    for model in one.models:
        divergences = [one.get(DEMOGRAPHIC_DIVERGENCE, model, **as_if) for as_if in ({}, SHUFFLED)]
        rows.append((model, tuple(ReproducedCell(e) for e in divergences)))
    return ReproducedTable(
        f"figure_2_{one.name}",
        f"Figure 2: demographic divergence of the clusters ({one.title})",
        "model",
        ("found", "if groups were shuffled"),
        tuple(rows),
        on=_data_description(one),
        digits=4,
        notes=("The paper shows a ranking without numbers. With few annotators the divergence is above 0 by chance.",),
    )
