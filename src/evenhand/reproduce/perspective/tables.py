"""Tables 1 and 2, the facts of the corpora, agreement within and between groups, and the numbers of Figure 2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evenhand.estimate import Estimate
from evenhand.reproduce.perspective.judged import GROUPS, TITLES, Judged
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Cell, Row, Table, of_finding

OTHERS = (
    "None of our models is one of the paper's, so rows stand below one another and not beside: what can be compared is "
    "how large differences between groups are, and which way they point."
)


def tables(one: Judged) -> Iterator[Table]:
    """All of one corpus."""
    yield _models(one, 1, "F1, and by how much a group's differs", "table_1_f1", ("f1", "f1_gap"), 3)
    yield _models(
        one,
        2,
        "mean conformity delta, and the uncertainty divergence of each group",
        "table_2_uncertainty_divergence",
        ("conformity_delta", "uncertainty_divergence"),
        4,
    )
    yield _agreement(one)
    yield _clusters(one)


def facts(found: Sequence[Judged]) -> Table:
    """Texts, labels, and how many labels differ from the majority."""
    rows: list[Row] = []
    for one in found:
        counts, printed = one.finding.provenance["counts"], published("perspective")["corpora"][one.name]
        share = of_finding(one.finding, ("differing_share",), one.slice(one.models[0]))[0]
        exact = [Estimate.exact(counts[key], level=0.95, n=counts["labels"]) for key in ("items", "labels")]
        rows.append(
            (
                one.title,
                (
                    Cell(exact[0], printed["texts"]),
                    Cell(exact[1], printed["annotations"]),
                    Cell(share, printed["differing_share"]),
                ),
            )
        )
    return Table(
        "corpora",
        "The corpora",
        "corpus",
        ("texts", "labels", "share that differs from the majority"),
        tuple(rows),
        on="; ".join(f"{one.title}{': ' + one.note if one.note else ''}" for one in found),
        digits=3,
        notes=(
            "CREHate: labels 0 and 1, cannot-tell left out, one label for each annotator and text. SBIC: a half counts "
            "as offensive, one label for each annotator and post. Texts with a tied majority are left out of it.",
            "The paper does not say how it counts: its shares (4.9 % and 9.7 %) are not those of the files under these "
            "rules. Such a share depends on ties and on how many people label a text.",
        ),
    )


def _models(one: Judged, number: int, what: str, key: str, measures: tuple[str, str], digits: int) -> Table:
    printed = published("perspective")[key]
    whole, of_group = measures
    rows: list[Row] = []
    for model in one.models:
        ours = of_finding(one.finding, (whole,), one.slice(model))
        for name in GROUPS:
            slice_ = {**one.slice(model), "annotators": one.groups.get(name, "")}
            ours += of_finding(one.finding, (of_group,), slice_)
        rows.append((model, tuple(Cell(e) for e in ours)))
    for model, found in printed.items():
        values = found[one.name]
        rows.append((f"paper: {model}", tuple(Cell(None, values[name]) for name in ("total", *GROUPS))))
    return Table(
        f"table_{number}_{one.name}",
        f"Table {number}: {what} ({one.title})",
        "model",
        ("total", *(TITLES[name] for name in GROUPS)),
        tuple(rows),
        on=_on(one),
        digits=digits,
        notes=(OTHERS, *_slip(one, number)),
    )


def _slip(one: Judged, number: int) -> tuple[str, ...]:
    if number != 2 or one.name != "crehate":
        return ()
    return ("The paper's row of Twitter-Roberta-Base on CREHate repeats its row of Refugees on SBIC: a slip.",)


def _on(one: Judged) -> str:
    counts = one.finding.provenance["counts"]
    size = f"{counts['labels']:,} labels of {counts['items']:,} texts by {counts['annotators']:,} annotators"
    less = f"; {one.left_out} who do not say their gender or ethnicity take no part" if one.left_out else ""
    return f"{one.title}{', ' + one.note if one.note else ''}: {size}{less}"


def _agreement(one: Judged) -> Table:
    """Figures 5 and 6."""
    rows: list[Row] = []
    for first, ours in one.groups.items():
        cells = [Cell(kappa(one, ours, other)) for other in one.groups.values()]
        rows.append((TITLES[first], tuple(cells)))
    return Table(
        f"kappa_{one.name}",
        f"Figures 5 and 6: agreement within and between groups, Cohen's kappa ({one.title})",
        "group",
        tuple(TITLES[name] for name in one.groups),
        tuple(rows),
        on=_on(one),
        digits=2,
        notes=("The paper prints these as colours only.",),
    )


def kappa(one: Judged, first: str, second: str) -> Estimate | None:
    """Of two groups in either order, or within one."""
    if first == second:
        return of_finding(one.finding, ("cohen_kappa",), {"annotators": first})[0]
    pairs = [{"annotators": a, "with": b} for a, b in ((first, second), (second, first))]
    found = [of_finding(one.finding, ("cohen_kappa",), slice_)[0] for slice_ in pairs]
    return next((e for e in found if e is not None), None)


def _clusters(one: Judged) -> Table:
    """Figure 2: what the clusters say, beside what shuffling would give."""
    rows: list[Row] = []
    for model in one.models:
        slice_ = one.slice(model)
        found = of_finding(one.finding, ("demographic_divergence",), slice_)
        chance = of_finding(one.finding, ("demographic_divergence",), {**slice_, "as_if": "shuffled"})
        rows.append((model, (Cell(found[0]), Cell(chance[0]))))
    return Table(
        f"figure_2_{one.name}",
        f"Figure 2: demographic divergence of the clusters ({one.title})",
        "model",
        ("found", "if groups were shuffled"),
        tuple(rows),
        on=_on(one),
        digits=4,
        notes=("The paper shows a ranking without numbers. With few annotators the divergence is above 0 by chance.",),
    )
