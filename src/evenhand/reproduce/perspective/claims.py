"""What the paper claims, judged on the corpora at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.estimate import Estimate
from evenhand.reproduce.perspective.judged import TITLES, Judged
from evenhand.reproduce.perspective.tables import kappa
from evenhand.reproduce.published import published
from evenhand.reproduce.result import Claim, claim, of_finding

WOMEN = ("white_women", "nonwhite_women")


def claims(found: Sequence[Judged]) -> Iterator[Claim]:
    """All of them."""
    yield _women(found)
    yield from (_least_divergent(one) for one in found)
    yield from (_uncorrelated(one) for one in found)
    yield from (_closer_within(one) for one in found)
    yield from (_beyond_chance(one) for one in found)
    yield from (_enough_bins(one) for one in found)
    yield from _between_corpora(found)


def _values(one: Judged, measure: str, model: str) -> dict[str, float]:
    """Of each group, where it has one."""
    slices = {name: {**one.slice(model), "annotators": ours} for name, ours in one.groups.items()}
    found = {name: of_finding(one.finding, (measure,), slice_)[0] for name, slice_ in slices.items()}
    return {name: e.value for name, e in found.items() if e is not None and e.value is not None}


def _best(values: Mapping[str, float]) -> str:
    return max(values, key=lambda name: values[name])


def _women(found: Sequence[Judged]) -> Claim:
    ours = [_best(_values(one, "f1_gap", model)) for one in found for model in one.models]
    printed = published("perspective")["table_1_f1"]
    theirs = [_best(_groups(corpora[one.name])) for corpora in printed.values() for one in found]
    both = [sum(name in WOMEN for name in names) for names in (ours, theirs)]
    return claim(
        "Models predict the labels of women better than those of men (the group with the highest F1, in more than half "
        "of the cases)",
        both[0] > len(ours) / 2,
        f"a group of women has the highest F1 in {both[0]} of {len(ours)} cases here; by the same rule in {both[1]} of "
        f"{len(theirs)} in the paper's table",
    )


def _groups(values: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if name != "total"}


def _least_divergent(one: Judged) -> Claim:
    said = {"sbic": "white_men", "crehate": "nonwhite_men"}[one.name]
    divergences = [_values(one, "uncertainty_divergence", model) for model in one.models]
    lowest = Counter(_best({name: -value for name, value in found.items()}) for found in divergences if found)
    tested = [
        of_finding(one.finding, ("uncertainty_divergence",), {**one.slice(m), "annotators": ours})[0]
        for m in one.models
        for ours in one.groups.values()
    ]
    known = [e for e in tested if e is not None and e.p_value is not None]
    below = sum((e.p_value or 0.0) < 0.05 for e in known)
    beyond = sum("stands_out" in e.flags for e in known)
    return claim(
        f"Uncertainty divergence is lowest for {TITLES[said]} ({one.title})",
        lowest[said] > len(one.models) / 2,
        f"lowest for {', '.join(f'{TITLES[n]} in {c}' for n, c in lowest.most_common())} of {len(one.models)} models; "
        f"against shuffling groups over annotators {below} of {len(known)} have p < .05, {beyond} after allowing for "
        "all that was tested",
    )


def _uncorrelated(one: Judged) -> Claim:
    found = of_finding(one.finding, ("f1_delta_correlation", "f1_delta_t"), {})
    correlation = found[0]
    text = f"F1 and mean conformity delta of models are not correlated ({one.title})"
    printed = published("perspective")["t_test_p"][one.name]
    said = f"the paper's T-test (p = {printed}) compares means and is no test of correlation"
    if correlation is None or correlation.low is None or correlation.high is None:
        return claim(text, None, f"too few models for a correlation; {said}")
    apart = correlation.low > 0 or correlation.high < 0
    return claim(text, False if apart else None, f"Spearman's {correlation} over {correlation.n} models; {said}")


def _closer_within(one: Judged) -> Claim:
    names = list(one.groups.values())
    within = [_value(kappa(one, a, a)) for a in names]
    between = [_value(kappa(one, a, b)) for number, a in enumerate(names) for b in names[number + 1 :]]
    means = [sum(known) / len(known) for part in (within, between) if (known := [v for v in part if v is not None])]
    return claim(
        f"People of one group agree with one another more than with others ({one.title})",
        len(means) == 2 and means[0] > means[1],
        f"mean kappa within {means[0]:.3f}, between {means[1]:.3f}" if len(means) == 2 else "too few groups",
    )


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _clusters(one: Judged) -> list[Estimate]:
    found = [of_finding(one.finding, ("demographic_divergence",), one.slice(m))[0] for m in one.models]
    return [e for e in found if e is not None and e.value is not None]


def _beyond_chance(one: Judged) -> Claim:
    found = _clusters(one)
    beyond = sum((e.p_value or 1.0) < 0.05 for e in found)
    told = ", ".join(f"{e.value:.4f} (p = {e.p_value:.2f})" for e in found)
    return claim(
        f"Clusters of annotators by a model's uncertainty differ in who is in them, beyond chance, for most models "
        f"({one.title})",
        beyond > len(found) / 2,
        f"p < .05 for {beyond} of {len(found)} models: {told}",
    )


def _enough_bins(one: Judged) -> Claim:
    gains = []
    for exhibit in one.finding.exhibits:
        if exhibit.kind == "inertia":
            spread = dict(zip(exhibit.columns["bins"], exhibit.columns["inertia"], strict=True))
            gains.append((spread[40.0] - spread[10.0], spread[100.0] - spread[40.0]))
    slower = sum(later / 60.0 < sooner / 30.0 for sooner, later in gains)
    return claim(
        f"Beyond 40 bins a fingerprint gains little: inertia grows more slowly for each further bin ({one.title})",
        slower > len(gains) / 2,
        f"slower from 40 to 100 bins than from 10 to 40 for {slower} of {len(gains)} models",
    )


def _between_corpora(found: Sequence[Judged]) -> Iterator[Claim]:
    known: dict[str, Any] = {one.name: _clusters(one) for one in found}
    if set(known) == {"crehate", "sbic"} and len(known["crehate"]) == len(known["sbic"]):
        higher = sum(s.value > c.value for s, c in zip(known["sbic"], known["crehate"], strict=True))
        text = "Demographic divergence is higher on SBIC than on CREHate"
        yield claim(text, higher > len(known["sbic"]) / 2, f"higher for {higher} of {len(known['sbic'])} models")
