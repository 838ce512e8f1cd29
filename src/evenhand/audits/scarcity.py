"""Which labels are few where a share rests on few: violating ones or the others. Either makes an interval cautious."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.finding import Finding, Slice
from evenhand.intervals.survey import SMALL

APART = {"stratum", "as_if", "estimator"}  # slices that look at the same labels once more
NAMED = 3  # parts that a sentence names
SENTENCES = {
    "violations": "Few violations were seen: {}.",
    "others": "Few items that do not violate were seen: {}.",
}


def few(finding: Finding) -> list[str]:
    """A sentence each for too few violating and too few other labels: how many, and where. The fewer side counts."""
    found: dict[str, list[str]] = {side: [] for side in SENTENCES}
    for slice_, violating, labels in _marked(finding):
        where = f" ({', '.join(slice_.values())})" if slice_ else ""
        number, side = min((violating, "violations"), (labels - violating, "others"), key=lambda pair: pair[0])
        found[side].append(f"{number:,.3g} of {labels:,.0f} labels{where}")
    return [SENTENCES[side].format(_listed(said)) for side, said in found.items() if said]


def _marked(finding: Finding) -> Iterator[tuple[Slice, float, float]]:
    """Slices whose share is marked, with the violating and all labels in them; of a slice with pools, the pools."""
    for m in finding:
        if m.measure != "violations" or APART & set(m.slice) or _has_pools(finding, m.slice):
            continue
        if finding.has("prevalence", **m.slice) and SMALL in finding.get("prevalence", **m.slice).flags:
            yield m.slice, m.estimate.value or 0.0, finding.get("count", **m.slice).value or 0.0


def _has_pools(finding: Finding, slice_: Slice) -> bool:
    pools = () if "pool" in slice_ else finding.values("pool")
    return any(finding.has("violations", **slice_, pool=pool) for pool in pools)


def _listed(said: list[str]) -> str:
    more = f" and {len(said) - NAMED} more parts" if len(said) > NAMED else ""
    return ", ".join(said[:NAMED]) + more
