"""What the paper claims of real comments: which way bias points, and what mitigation does to short ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.finding import Finding
from evenhand.reproduce.bias.scored import BALANCED, PLAIN, Scored
from evenhand.reproduce.result import Claim, claim, of_finding


@dataclass(frozen=True)
class Values:
    """The values of a measure over the groups."""

    finding: Finding
    scored: Scored
    groups: Sequence[str]

    def of(self, measure: str, model: str, *, short: bool) -> list[float]:
        """Where there are any."""
        slice_ = self.scored.slice(model) | ({"length": "short"} if short else {})
        found = [of_finding(self.finding, (measure,), {**slice_, "group": group})[0] for group in self.groups]
        return [e.value for e in found if e is not None and e.value is not None]

    def mean(self, measure: str, model: str, *, short: bool = False) -> float:
        """Over the groups."""
        found = self.of(measure, model, short=short)
        return sum(found) / len(found)


def claims(finding: Finding, scored: Scored, groups: Sequence[str]) -> Iterator[Claim]:
    """All of them; those about mitigation need both models."""
    values = Values(finding, scored, groups)
    if not groups:
        return
    yield _skew(values, scored.models)
    if len(scored.models) > 1:
        yield from _mitigation(values)


def _skew(values: Values, models: Sequence[str]) -> Claim:
    means = {
        m: {name: values.mean(name, m) for name in ("negative_aeg", "bpsn_auc", "bnsp_auc")} for m in models
    }  # over the groups
    return claim(
        "Bias skews towards toxicity: benign comments of groups are scored higher (mean Negative AEG above 0), and "
        "BPSN AUC is lower than BNSP AUC",
        all(one["negative_aeg"] > 0 and one["bpsn_auc"] < one["bnsp_auc"] for one in means.values()),
        "; ".join(
            f"{m}: mean Negative AEG {one['negative_aeg']:+.2f}, BPSN {one['bpsn_auc']:.3f}, BNSP {one['bnsp_auc']:.3f}"
            for m, one in means.items()
        ),
    )


def _mitigation(values: Values) -> Iterator[Claim]:
    """The plain model beside the balanced one, short comments beside all."""
    kinds = {"short": True, "all": False}
    plain = {kind: values.mean("bpsn_auc", PLAIN, short=short) for kind, short in kinds.items()}
    steps = {kind: values.mean("bpsn_auc", BALANCED, short=short) - plain[kind] for kind, short in kinds.items()}
    spread = {kind: values.of("bpsn_auc", PLAIN, short=short) for kind, short in kinds.items()}
    spans = {kind: max(found) - min(found) for kind, found in spread.items()}
    yield claim(
        "Without mitigation there is more bias in short comments: lower BPSN AUC, more variation between groups",
        plain["short"] < plain["all"] and spans["short"] > spans["all"],
        f"{PLAIN}: mean BPSN AUC short {plain['short']:.3f}, all {plain['all']:.3f}; range over groups "
        f"{spans['short']:.2f} and {spans['all']:.2f}",
    )
    yield claim(
        "Mitigation helps, and more so in short comments",
        steps["short"] > max(0.0, steps["all"]),
        f"BPSN AUC from {PLAIN} to {BALANCED}: short {steps['short']:+.3f}, all {steps['all']:+.3f}",
    )
