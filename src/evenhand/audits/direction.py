"""Scores that run the wrong way: the sign of a label or a score that means the opposite of what was declared."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.finding import Finding


def backwards(finding: Finding) -> Iterator[str]:
    """One sentence for each model that surely scores violating items lower than benign ones."""
    for m in finding:
        if m.measure == "auroc" and set(m.slice) <= {"model"} and m.estimate.defined and _below_half(m.estimate.high):
            who = m.slice.get("model", "the model")
            yield (
                f"AUROC of {who} is {m.estimate.value:.3f}, below one half: violating items are scored lower than "
                "benign ones. Is the label, or the score, the wrong way round (--positive, --label)?"
            )


def _below_half(high: float | None) -> bool:
    return high is not None and high < 0.5
