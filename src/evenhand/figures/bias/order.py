"""Which group comes first wherever groups are shown."""

from __future__ import annotations

from evenhand.finding import Finding


def worst_first(finding: Finding) -> list[str]:
    """Groups by the lowest of their three AUCs in any model, over everything; small groups come last."""
    worst: dict[str, float] = {}
    small: set[str] = set()
    for measured in finding:
        group = measured.slice.get("group")
        if group is None:
            continue
        worst.setdefault(group, 2.0)
        whole = set(measured.slice) <= {"group", "model"}
        if whole and measured.measure == "count" and "small" in measured.estimate.flags:
            small.add(group)
        if (
            whole
            and measured.measure in ("subgroup_auc", "bpsn_auc", "bnsp_auc")
            and measured.estimate.value is not None
        ):
            worst[group] = min(worst[group], measured.estimate.value)
    return sorted(worst, key=lambda group: (group in small, worst[group]))
