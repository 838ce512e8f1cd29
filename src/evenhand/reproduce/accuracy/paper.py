"""All that can be reproduced of the paper, and what it claims of its designs, judged by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from evenhand.catalogue.accuracy import (
    BIAS_IN_ERRORS,
    INTERVAL_COVERAGE,
    LABELS_NEEDED,
    PREVALENCE,
    RELATIVE_BIAS,
)
from evenhand.estimate import Estimate
from evenhand.figures import Figure
from evenhand.figures.simulation import draw_by_pilot, draw_by_strata, population_title, populations
from evenhand.finding import Slice, SliceKey
from evenhand.measurement.simulation.published_designs import PAPER, RANDOM, stratified_slice
from evenhand.measurement.simulation.settings import ScoreCut, SimulatedDesign, SimulatedInterval
from evenhand.reproduce.accuracy.runs import DEFAULT_MODEL, UNIGRAM, SimulatedCorpus, simulate_comments, simulate_rare
from evenhand.reproduce.accuracy.tables import ORACLE, recompute_sizes, simulation_tables
from evenhand.reproduce.result import (
    Claim,
    Omission,
    PaperResult,
    claims_about,
    intervals_of,
    judge_claim,
    not_testable,
    value_of,
)
from evenhand.reproduce.workspace import Workspace

CHANCE_ERRORS = 3.5  # Monte-Carlo errors, up to which a bias may be chance
NEGLIGIBLE = 0.01  # of the prevalence: a bias that does not matter


def judge_claims(one: SimulatedCorpus, rare: SimulatedCorpus | None) -> Iterator[Claim]:
    """All of them; those on rare violations where there is a set of them."""
    yield from claims_about(one.on, (_saving_claim(one), _classifier_claim(one), *_strata_claims(one)))
    yield from claims_about("; ".join(corpus.on for corpus in (one, rare) if corpus), [_unbiased_claim(one, rare)])
    if rare is not None:
        yield from claims_about(rare.on, _rare_claims(rare))


def _strata_counts(one: SimulatedCorpus) -> list[str]:
    return sorted(one.finding.values(SliceKey.STRATA), key=int)


def _saving_claim(one: SimulatedCorpus) -> Claim:
    savings = {}
    for model in one.models:
        random = one.value(LABELS_NEEDED, model, RANDOM)
        savings[model] = [1.0 - one.value(LABELS_NEEDED, model, design) / random for design in (PAPER, ORACLE)]
    return judge_claim(
        "Strata by a classifier's score with a pilot need fewer labels than random sampling, even by a bag of words",
        all(practical > 0 for practical, _ in savings.values()),
        "; ".join(f"{m}: the practical design saves {p:.0%}, the oracle {o:.0%}" for m, (p, o) in savings.items())
        + " (the paper: 53 % and 64 % with a bag of words, 63 % and 77 % with RoBERTa)",
        interval=_label_intervals({model: one.get(LABELS_NEEDED, model, PAPER) for model in one.models}),
    )


def _classifier_claim(one: SimulatedCorpus) -> Claim:
    text = "A better classifier needs fewer labels"
    if set(one.models) != {UNIGRAM, DEFAULT_MODEL}:
        return judge_claim(text, None, "needs two classifiers", interval=not_testable("only one classifier was run"))
    labels = {m: one.value(LABELS_NEEDED, m, ORACLE) for m in one.models}
    return judge_claim(
        f"{text} (oracle strata, optimal allocation)",
        labels[DEFAULT_MODEL] < labels[UNIGRAM],
        ", ".join(f"{m} {n:,.0f}" for m, n in labels.items()),
        interval=_label_intervals({m: one.get(LABELS_NEEDED, m, ORACLE) for m in one.models}),
    )


def _label_intervals(estimates: Mapping[str, Estimate | None]) -> str:
    """The Monte-Carlo intervals of numbers of labels."""
    return f"labels: {intervals_of(estimates, ',.0f')}"


def _strata_claims(one: SimulatedCorpus) -> Iterator[Claim]:
    """Within 20 %, as in the paper's Figure 1; pilots where they do not already hold all labels that are needed."""
    model, counts, tight = one.models[0], _strata_counts(one), _tightest_precision(one)

    def needed(
        design: SimulatedDesign, by: ScoreCut, count: str, *, within: float = 0.2, pilot: int | None = None
    ) -> float:
        return value_of(estimate(design, by, count, within=within, pilot=pilot))

    def estimate(
        design: SimulatedDesign, by: ScoreCut, count: str, *, within: float = 0.2, pilot: int | None = None
    ) -> Estimate | None:
        return one.get(LABELS_NEEDED, model, stratified_slice(design, by, count, pilot=pilot), within=within)

    optimal = [needed(SimulatedDesign.OPTIMAL, ScoreCut.QUANTILE, count) for count in counts]
    yield judge_claim(
        "With optimal allocation, more strata need fewer labels",
        all(later <= sooner for sooner, later in pairwise(optimal)),
        f"quantile strata, {model}: " + ", ".join(f"{c}: {n:,.0f}" for c, n in zip(counts, optimal, strict=True)),
        interval=_label_intervals({c: estimate(SimulatedDesign.OPTIMAL, ScoreCut.QUANTILE, c) for c in counts}),
    )
    designs = {
        "pilot": estimate(SimulatedDesign.PILOT, ScoreCut.QUANTILE, "8", pilot=50, within=tight),
        "equal": estimate(SimulatedDesign.EQUAL, ScoreCut.QUANTILE, "8", within=tight),
        "equal width": estimate(SimulatedDesign.PILOT, ScoreCut.EQUAL_WIDTH, "8", pilot=50, within=tight),
    }
    pilot, equal, wide = (value_of(one_design) for one_design in designs.values())
    text = f"A pilot beats equal allocation (8 quantile strata, within {tight:.0%})"
    between = _label_intervals({name: designs[name] for name in ("pilot", "equal")})
    yield judge_claim(text, pilot < equal, f"{pilot:,.0f} against {equal:,.0f}", interval=between)
    text = f"Quantile strata beat strata of equal width (8 strata, pilot of 50 in each, within {tight:.0%})"
    between = _label_intervals({"quantile": designs["pilot"], "equal width": designs["equal width"]})
    yield judge_claim(text, pilot < wide, f"{pilot:,.0f} against {wide:,.0f}", interval=between)
    pilots = {c: estimate(SimulatedDesign.PILOT, ScoreCut.QUANTILE, c, pilot=50) for c in ("8", counts[-1])}
    few, many = value_of(pilots["8"]), value_of(pilots[counts[-1]])
    text = f"With too many strata the pilot is wasted ({counts[-1]} strata against 8, 50 labels in each)"
    yield judge_claim(text, many > few, f"{many:,.0f} against {few:,.0f}", interval=_label_intervals(pilots))
    oracle = needed(SimulatedDesign.OPTIMAL, ScoreCut.ORACLE, "8")
    yield judge_claim(
        f"With {counts[-1]} strata and optimal allocation, quantiles come near (10 %) the oracle's strata",
        optimal[-1] < 1.1 * oracle,
        f"{optimal[-1]:,.0f} against {oracle:,.0f} for 8 oracle strata",
        interval=_label_intervals(
            {
                "quantile": estimate(SimulatedDesign.OPTIMAL, ScoreCut.QUANTILE, counts[-1]),
                "oracle": estimate(SimulatedDesign.OPTIMAL, ScoreCut.ORACLE, "8"),
            }
        ),
    )


def _tightest_precision(one: SimulatedCorpus) -> float:
    return min(float(within) for within in one.finding.values(SliceKey.WITHIN))


def _unbiased_claim(one: SimulatedCorpus, rare: SimulatedCorpus | None) -> Claim:
    """Biased beyond chance, surely as good as unbiased, or neither."""
    sentences, off, close, biases = [], [], [], dict[str, Estimate | None]()
    for corpus in (one, *([rare] if rare else [])):
        for model in corpus.models:
            within, slice_ = _tightest_precision(corpus), {**_rarest_population(corpus, model), **PAPER}
            bias = corpus.get(RELATIVE_BIAS, model, slice_, within=within)
            errors = corpus.value(BIAS_IN_ERRORS, model, slice_, within=within)
            normal = {**slice_, SliceKey.INTERVAL: SimulatedInterval.NORMAL}
            covered = corpus.value(INTERVAL_COVERAGE, model, normal, within=within)
            if bias is None or bias.value is None or bias.low is None or bias.high is None:
                continue
            sentences.append(
                f"{model}, within {within:.0%}: {bias.value:+.1%} ({bias.low:+.1%} to {bias.high:+.1%}), the normal "
                f"interval covers {covered:.1%}"
            )
            biases[model] = bias
            off.append(abs(errors) > CHANCE_ERRORS)
            close.append(max(abs(bias.low), abs(bias.high)) < NEGLIGIBLE)
    return judge_claim(
        f"The practical design (a pilot that is kept) is unbiased (beyond doubt to {NEGLIGIBLE:.0%} of the prevalence)",
        False if any(off) else True if all(close) else None,
        "; ".join(sentences) + ". The sizes depend on the pilot's labels, which are pooled with the rest",
        interval=f"bias: {intervals_of(biases, '+.1%')}",
    )


def _rarest_population(corpus: SimulatedCorpus, model: str) -> Slice:
    """The rarest population of a model."""
    slices = populations(corpus.finding)
    return [slice_ for slice_ in slices if slice_.get(SliceKey.MODEL, model) == model][-1]


def _rare_claims(rare: SimulatedCorpus) -> Iterator[Claim]:
    """On the rarest population."""
    last = _rarest_population(rare, rare.models[0])
    sizes = sorted(rare.finding.values(SliceKey.PILOT_TOTAL), key=int)

    def estimate(strata: str, total: str) -> Estimate | None:
        design = stratified_slice(SimulatedDesign.PILOT, ScoreCut.QUANTILE, strata, pilot_total=total)
        return rare.get(LABELS_NEEDED, rare.models[0], {**last, **design})

    def needed(strata: str, total: str) -> float:
        return value_of(estimate(strata, total))

    share = rare.finding.get(PREVALENCE, **last).value or 0.0
    few, many = needed("8", sizes[0]), needed("8", sizes[-1])
    yield judge_claim(
        "Where violations are rare, a larger pilot needs fewer labels in all (8 quantile strata)",
        many < few,
        f"prevalence {share:.1%}: {few:,.0f} with a pilot of {sizes[0]}, {many:,.0f} with {sizes[-1]}",
        interval=_label_intervals({f"pilot of {size}": estimate("8", size) for size in (sizes[0], sizes[-1])}),
    )
    counts = [c for c in _strata_counts(rare) if int(sizes[0]) >= 2 * int(c)]
    most, least = needed(counts[-1], sizes[0]), needed(counts[0], sizes[0])
    yield judge_claim(
        "Where violations are rare and the pilot is small, more strata do not help",
        most >= needed("8", sizes[0]) or most >= least,
        f"pilot of {sizes[0]}: " + ", ".join(f"{c} strata {needed(c, sizes[0]):,.0f}" for c in counts),
        interval=_label_intervals({f"{c} strata": estimate(c, sizes[0]) for c in counts}),
    )


SLIPS = (
    "Equation 8 squares the finite population correction; it enters once, and the unbiased form divides by n − 1.",
    "Tables 2 and 3 head their columns “CV ≤ 20 %” and print labels for “within 20 % with 95 %”, a CV of 10.2 %.",
    "The intervals of Tables 2 and 3 are narrower than Equation 8 gives for 400 pilot labels: not a target.",
    "Section 4.1 calls a comment toxic if half of the annotators say so; its prevalence of 5.9 % is that of more than "
    "half (half or more gives 8.0 %).",
    "Section 2.5 says that with more removals recall “(and overmoderation)” increases and precision “(and "
    "undermoderation)” decreases; undermoderation goes down with them.",
    "Pooling a pilot whose labels decide how many more are drawn is not unbiased, as Section 3 says of its design.",
)


def reproduce(place: Workspace) -> PaperResult:
    """Formulas, then simulations on comments."""
    result = recompute_sizes() + PaperResult(slips=SLIPS, omissions=tuple(_omissions(place)))
    one, rare = simulate_comments(place), simulate_rare(place)
    figures = [*_strata_figures(one), *(_pilot_figures(rare) if rare else ())]
    return result + PaperResult(tuple(simulation_tables(one)), tuple(judge_claims(one, rare)), tuple(figures))


def _strata_figures(one: SimulatedCorpus) -> Iterator[Figure]:
    for number, scene in enumerate(populations(one.finding)):
        if drawn := draw_by_strata(one.finding, scene):
            title = f"Figure 1: labels needed to be within 20 %, by strata ({population_title(one.finding, scene)})"
            yield replace(drawn, audit="accuracy", name=f"figure_1_{number + 1}", title=title, about={})


def _pilot_figures(rare: SimulatedCorpus) -> Iterator[Figure]:
    if drawn := draw_by_pilot(rare.finding):
        title = "Figure 2: labels needed to be within 20 % where violations are rare, by the size of the pilot"
        yield replace(drawn, audit="accuracy", name="figure_2", title=title, about={})


def _omissions(place: Workspace) -> Iterator[Omission]:
    if not place.corpora.has("civil_comments"):
        yield Omission("Table 1 and Figures 1 and 2 on the paper's comments", "CivilComments is not in the folder")
        yield Omission("Figure 2 at three label thresholds", "needs labels that are shares of annotators")
    yield Omission("RoBERTa and DistilBERT", "no encoder is trained here")
    yield Omission("Tables 2 and 3 from labels", "the paper's comments from Reddit and their labels were not published")
