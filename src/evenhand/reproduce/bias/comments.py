"""Tables 5 to 7: real comments, short ones apart, and what mitigation does to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evenhand.catalogue import Measure
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG
from evenhand.catalogue.shared import COUNT, POSITIVE_SHARE
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.bias import draw_distributions
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.reports import audit
from evenhand.reproduce.bias import template_sentences
from evenhand.reproduce.bias.runs import (
    BAG_OF_WORDS,
    DEFAULT_MODEL,
    MEASURE_TITLES,
    MEASURES,
    PAPER_MODELS,
    TABLE_5_NAMES,
    ScoredComments,
    comment_models,
)
from evenhand.reproduce.bias.runs import score_comments as scored_comments
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    ReproducedCell,
    ReproducedTable,
    cells_beside,
    claims_about,
    find_estimate,
    judge_claim,
    not_testable,
    range_of_intervals,
    row_estimates,
    value_of,
)
from evenhand.reproduce.workspace import Workspace, published_tables, published_values

SHORT: Slice = {SliceKey.LENGTH: "short"}


@dataclass(frozen=True)
class GroupValues:
    """The values of a measure over the groups."""

    finding: Finding
    groups: Sequence[str]

    def estimates(self, measure: Measure, model: str, *, short: bool = False) -> list[Estimate]:
        """Of every group that has a value."""
        slice_ = {**self.finding.slice_of(model), **(SHORT if short else {})}
        by_group = [find_estimate(self.finding, measure, {**slice_, SliceKey.GROUP: group}) for group in self.groups]
        return [e for e in by_group if e is not None and e.value is not None]

    def values(self, measure: Measure, model: str, *, short: bool) -> list[float]:
        """Of every group that has one."""
        return [value_of(e) for e in self.estimates(measure, model, short=short)]

    def mean(self, measure: Measure, model: str, *, short: bool = False) -> float:
        """Over the groups."""
        values = self.values(measure, model, short=short)
        return sum(values) / len(values)

    def intervals(self, measure: Measure, models: Sequence[str], *, short: bool = False) -> str:
        """The range of the groups' intervals, by model."""
        which = "short, " if short else ""
        ranges = {m: range_of_intervals("groups", self.estimates(measure, m, short=short), ".2f") for m in models}
        return "; ".join(f"{m}, {which}{measure.title}, {text}" for m, text in ranges.items())


def judge_comment_claims(finding: Finding, scored: ScoredComments, groups: Sequence[str]) -> Iterator[Claim]:
    """All of them; those about mitigation need both models."""
    values = GroupValues(finding, groups)
    if not groups:
        return
    yield _skew_claim(values, scored.models)
    if len(scored.models) > 1:
        yield from _mitigation_claims(values)


def _skew_claim(values: GroupValues, models: Sequence[str]) -> Claim:
    means = {m: {measure: values.mean(measure, m) for measure in (NEGATIVE_AEG, BPSN_AUC, BNSP_AUC)} for m in models}
    return judge_claim(
        "Bias skews towards toxicity: benign comments that mention groups are scored higher (mean Negative AEG above "
        "0), and BPSN AUC is lower than BNSP AUC",
        all(one[NEGATIVE_AEG] > 0 and one[BPSN_AUC] < one[BNSP_AUC] for one in means.values()),
        "; ".join(
            f"{m}: mean Negative AEG {one[NEGATIVE_AEG]:+.2f}, BPSN {one[BPSN_AUC]:.3f}, BNSP {one[BNSP_AUC]:.3f}"
            for m, one in means.items()
        ),
        interval=values.intervals(NEGATIVE_AEG, models),
    )


def _mitigation_claims(values: GroupValues) -> Iterator[Claim]:
    """The plain model beside the balanced one, short comments beside all."""
    kinds = {"short": True, "all": False}
    plain = {kind: values.mean(BPSN_AUC, BAG_OF_WORDS, short=short) for kind, short in kinds.items()}
    steps = {kind: values.mean(BPSN_AUC, DEFAULT_MODEL, short=short) - plain[kind] for kind, short in kinds.items()}
    by_group = {kind: values.values(BPSN_AUC, BAG_OF_WORDS, short=short) for kind, short in kinds.items()}
    spans = {kind: max(aucs) - min(aucs) for kind, aucs in by_group.items()}
    yield judge_claim(
        "Without mitigation there is more bias in short comments: lower BPSN AUC, more variation between groups",
        plain["short"] < plain["all"] and spans["short"] > spans["all"],
        f"{BAG_OF_WORDS}: mean BPSN AUC short {plain['short']:.3f}, all {plain['all']:.3f}; range over groups "
        f"{spans['short']:.2f} and {spans['all']:.2f}",
        interval="; ".join(values.intervals(BPSN_AUC, [BAG_OF_WORDS], short=short) for short in (True, False)),
    )
    yield judge_claim(
        "Mitigation helps, and more so in short comments",
        steps["short"] > max(0.0, steps["all"]),
        f"BPSN AUC from {BAG_OF_WORDS} to {DEFAULT_MODEL}: short {steps['short']:+.3f}, all {steps['all']:+.3f}",
        interval=not_testable("both models score the same comments, and no paired interval of a change is computed"),
    )


FEWEST_SHORT = 100  # short comments of an identity that the paper shows
DRAWN_GROUP = "homosexual_gay_or_lesbian"


def reproduce_comments(place: Workspace) -> PaperResult:
    """What the audit says of real comments, and whether templates would have said the same."""
    if not (place.corpora.has("civil_comments") or place.corpora.has("wikipedia_talk")):
        return PaperResult(omissions=(Omission("Tables 5, 6 and 7 (real comments)", "need CivilComments"),))
    models = comment_models(place)
    scored = scored_comments(place, models)
    finding = audit(scored.frame, score=scored.models, **scored.roles, smallest_group=1).findings[0]
    groups = _large_groups(finding, scored)
    quarters = [_quarter_table(finding, scored, groups, m, short=s) for s in (True, False) for m in scored.models]
    result = PaperResult(
        (_sizes_table(finding, scored), *quarters),
        claims_about(scored.on, judge_comment_claims(finding, scored, groups)),
        _figures(finding, groups),
        omissions=_omissions(scored),
    )
    return result + template_sentences.reproduce_own_sentences(place, models, finding, scored)


def _large_groups(finding: Finding, scored: ScoredComments) -> list[str]:
    """The paper shows identities with more than 100 short comments; of the nearest data, all that it names."""
    fewest, slice_ = FEWEST_SHORT if scored.own else 0, {**finding.slice_of(scored.models[0]), **SHORT}
    groups = published_tables("bias")["table_6_all"]
    return [g for g in groups if value_of(find_estimate(finding, COUNT, {**slice_, SliceKey.GROUP: g})) > fewest]


def _sizes_table(finding: Finding, scored: ScoredComments) -> ReproducedTable:
    """Table 5."""
    printed, named = published_tables("bias")["table_5"], finding.slice_of(scored.models[0])
    rows = [("all comments", _size_cells(finding, named, printed["all comments"]))]
    for group in finding.values(SliceKey.GROUP):
        known = printed.get(TABLE_5_NAMES.get(group, group), {})
        rows.append((group, _size_cells(finding, {**named, SliceKey.GROUP: group}, known)))
    return ReproducedTable(
        "table_5",
        "Table 5: how many comments, and how many of them toxic",
        "group",
        ("comments", "percent toxic"),
        tuple(rows),
        on=scored.on,
        same=scored.own,
        digits=2,
        notes=(
            "Toxic: half of the annotators or more say so (8.0 %); other papers take more than half (5.9 %)."
            if scored.own
            else "Toxic: any of six labels by Jigsaw's annotators. Other comments and another rule: not comparable.",
        ),
    )


def _size_cells(
    finding: Finding, slice_: Mapping[str, str], printed: Mapping[str, float]
) -> tuple[ReproducedCell, ...]:
    count, share = row_estimates(finding, (COUNT, POSITIVE_SHARE), slice_)
    return (
        ReproducedCell(count, published_values(printed, (COUNT,))[0]),
        ReproducedCell(_as_percent(share), printed.get("percent_toxic")),
    )


def _as_percent(share: Estimate | None) -> Estimate | None:
    if share is None or share.value is None or share.low is None or share.high is None:
        return share
    return replace(share, value=100.0 * share.value, low=100.0 * share.low, high=100.0 * share.high)


def _quarter_table(
    finding: Finding, scored: ScoredComments, groups: Sequence[str], model: str, *, short: bool
) -> ReproducedTable:
    """Table 6, one quarter."""
    which = "short" if short else "all"
    printed = published_tables("bias")[f"table_6_{which}"]
    slice_ = {**finding.slice_of(model), **(SHORT if short else {})}
    rows = []
    for group in groups:
        ours = row_estimates(finding, MEASURES, {**slice_, SliceKey.GROUP: group})
        rows.append((group, cells_beside(ours, published_values(printed[group][PAPER_MODELS[model]], MEASURES))))
    before = "no mitigation: beside TOXICITY@1" if model == BAG_OF_WORDS else "mitigated: beside TOXICITY@6"
    return ReproducedTable(
        f"table_6_{which}_{PAPER_MODELS[model]}",
        f"Table 6: {which} comments, {model} ({before})",
        "group",
        MEASURE_TITLES,
        tuple(rows),
        on=scored.on,
        digits=2,
        notes=("Not the paper's model, whose scores on comments were not published: compare patterns, not digits.",),
    )


def _figures(finding: Finding, groups: Sequence[str]) -> tuple[Figure, ...]:
    if DRAWN_GROUP not in groups:
        return ()
    title = "Table 7: how comments of the group 'homosexual, gay or lesbian' are scored"
    return (replace(draw_distributions(finding, DRAWN_GROUP), name="table_7", title=title),)


def _omissions(scored: ScoredComments) -> tuple[Omission, ...]:
    models = Omission("Table 6 with TOXICITY@1 and TOXICITY@6", "their scores on comments were not published")
    if scored.own:
        return (models,)
    return (Omission("Tables 5, 6 and 7 on the paper's comments", "CivilComments is not in the folder"), models)
