"""What the paper claims of its designs, judged by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from evenhand.audits.simulation.bench import NEEDED
from evenhand.finding import Slice
from evenhand.reproduce.accuracy.simulated import DEFAULT_MODEL, UNIGRAM, Simulated
from evenhand.reproduce.accuracy.tables import ORACLE, PILOT, RANDOM
from evenhand.reproduce.result import Claim, claim

CHANCE = 3.5  # Monte-Carlo errors, up to which a bias may be chance
NOTHING = 0.01  # of the prevalence: a bias that does not matter


def claims(one: Simulated, rare: Simulated | None) -> Iterator[Claim]:
    """All of them; those on rare violations where there is a set of them."""
    yield _saves(one)
    yield _better(one)
    yield from _strata(one)
    yield _unbiased(one, rare)
    if rare is not None:
        yield from _rare(rare)


def _counts(one: Simulated) -> list[str]:
    return sorted(one.finding.values("strata"), key=int)


def _saves(one: Simulated) -> Claim:
    told = {}
    for model in one.models:
        random = one.value(NEEDED, model, RANDOM)
        told[model] = [1.0 - one.value(NEEDED, model, design) / random for design in (PILOT, ORACLE)]
    return claim(
        "Strata by a classifier's score with a pilot need fewer labels than random sampling, even by a bag of words",
        all(practical > 0 for practical, _ in told.values()),
        "; ".join(f"{m}: the practical design saves {p:.0%}, the oracle {o:.0%}" for m, (p, o) in told.items())
        + " (the paper: 53 % and 64 % with a bag of words, 63 % and 77 % with RoBERTa)",
    )


def _better(one: Simulated) -> Claim:
    text = "A better classifier needs fewer labels"
    if set(one.models) != {UNIGRAM, DEFAULT_MODEL}:
        return claim(text, None, "needs two classifiers")
    found = {m: one.value(NEEDED, m, ORACLE) for m in one.models}
    return claim(
        f"{text} (oracle strata, optimal allocation)",
        found[DEFAULT_MODEL] < found[UNIGRAM],
        ", ".join(f"{m} {n:,.0f}" for m, n in found.items()),
    )


def _strata(one: Simulated) -> Iterator[Claim]:
    """Within 20 %, as in the paper's Figure 1; pilots where they do not already hold all labels that are needed."""
    model, counts, tight = one.models[0], _counts(one), _tightest(one)

    def needed(design: str, by: str, count: str, *, within: float = 0.2, **pilot: str) -> float:
        slice_ = {"design": design, "strata_by": by, "strata": count, **pilot}
        return one.value(NEEDED, model, slice_, within=within)

    optimal = [needed("optimal", "quantile", count) for count in counts]
    yield claim(
        "With optimal allocation, more strata need fewer labels",
        all(later <= sooner for sooner, later in pairwise(optimal)),
        f"quantile strata, {model}: " + ", ".join(f"{c}: {n:,.0f}" for c, n in zip(counts, optimal, strict=True)),
    )
    pilot, wide = (needed("pilot", by, "8", pilot="50", within=tight) for by in ("quantile", "equal_width"))
    equal = needed("equal", "quantile", "8", within=tight)
    text = f"A pilot beats equal allocation (8 quantile strata, within {tight:.0%})"
    yield claim(text, pilot < equal, f"{pilot:,.0f} against {equal:,.0f}")
    text = f"Quantile strata beat strata of equal width (8 strata, pilot of 50 in each, within {tight:.0%})"
    yield claim(text, pilot < wide, f"{pilot:,.0f} against {wide:,.0f}")
    few, many = (needed("pilot", "quantile", count, pilot="50") for count in ("8", counts[-1]))
    text = f"With too many strata the pilot is wasted ({counts[-1]} strata against 8, 50 labels in each)"
    yield claim(text, many > few, f"{many:,.0f} against {few:,.0f}")
    oracle = needed("optimal", "oracle", "8")
    yield claim(
        f"With {counts[-1]} strata and optimal allocation, quantiles come near (10 %) the oracle's strata",
        optimal[-1] < 1.1 * oracle,
        f"{optimal[-1]:,.0f} against {oracle:,.0f} for 8 oracle strata",
    )


def _tightest(one: Simulated) -> float:
    return min(float(within) for within in one.finding.values("within"))


def _unbiased(one: Simulated, rare: Simulated | None) -> Claim:
    """Biased beyond chance, surely as good as unbiased, or neither."""
    told, off, close = [], [], []
    for found in (one, *([rare] if rare else [])):
        for model in found.models:
            within, slice_ = _tightest(found), {**_last(found, model), **PILOT}
            bias = found.get("relative_bias", model, slice_, within=within)
            errors = found.value("bias_in_errors", model, slice_, within=within)
            covered = found.value("interval_coverage", model, {**slice_, "interval": "normal"}, within=within)
            if bias is None or bias.value is None or bias.low is None or bias.high is None:
                continue
            told.append(
                f"{model}, within {within:.0%}: {bias.value:+.1%} ({bias.low:+.1%} to {bias.high:+.1%}), the normal "
                f"interval covers {covered:.1%}"
            )
            off.append(abs(errors) > CHANCE)
            close.append(max(abs(bias.low), abs(bias.high)) < NOTHING)
    return claim(
        f"The practical design (a pilot that is kept) is unbiased (beyond doubt to {NOTHING:.0%} of the prevalence)",
        False if any(off) else True if all(close) else None,
        "; ".join(told) + ". The sizes hang on the pilot's labels, which are pooled with the rest",
    )


def _last(found: Simulated, model: str) -> Slice:
    """The rarest population of a model."""
    slices = [m.slice for m in found.finding if m.measure == "prevalence"]
    return [slice_ for slice_ in slices if slice_.get("model", model) == model][-1]


def _rare(rare: Simulated) -> Iterator[Claim]:
    """On the rarest population."""
    last = _last(rare, rare.models[0])
    sizes = sorted(rare.finding.values("pilot_total"), key=int)

    def needed(strata: str, total: str) -> float:
        design = {"design": "pilot", "strata_by": "quantile", "strata": strata, "pilot_total": total}
        return rare.value(NEEDED, rare.models[0], {**last, **design})

    share = next(m.estimate.value or 0.0 for m in rare.finding if m.measure == "prevalence" and m.slice == last)
    few, many = needed("8", sizes[0]), needed("8", sizes[-1])
    yield claim(
        "Where violations are rare, a larger pilot needs fewer labels in all (8 quantile strata)",
        many < few,
        f"prevalence {share:.1%}: {few:,.0f} with a pilot of {sizes[0]}, {many:,.0f} with {sizes[-1]}",
    )
    counts = [c for c in _counts(rare) if int(sizes[0]) >= 2 * int(c)]
    most, least = needed(counts[-1], sizes[0]), needed(counts[0], sizes[0])
    yield claim(
        "Where violations are rare and the pilot is small, more strata do not help",
        most >= needed("8", sizes[0]) or most >= least,
        f"pilot of {sizes[0]}: " + ", ".join(f"{c} strata {needed(c, sizes[0]):,.0f}" for c in counts),
    )
