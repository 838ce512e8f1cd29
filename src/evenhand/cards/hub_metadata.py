"""The metadata of the Hugging Face Hub at the top of a card: `model-index`, with the numbers of the findings.

Every estimate is a metric with its value and, as arguments, its interval, level and number of items; what it was
measured on (a group, a language) is the configuration of the data set. The Hub shows the values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.catalogue import find_measure
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.visible_text import visible

TASK = "text-classification"
MOST_RESULTS = 200  # slices: the Hub shows few, and a card stays readable
NOT_RESULTS = (SliceKey.AGAINST, SliceKey.AS_IF, SliceKey.MATCHED)  # slices that are about no single model as it is
KEPT_DIGITS = 6


def hub_metadata(findings: Sequence[Finding], *, name: str) -> str:
    """The block between two lines of dashes, as YAML."""
    results = [*_results(findings)][:MOST_RESULTS]
    used = dict.fromkeys(metric["type"] for result in results for metric in result["metrics"])
    content = {
        "pipeline_tag": TASK,
        "tags": ["moderation", "evenhand"],
        "metrics": list(used),
        "model-index": [{"name": name, "results": results}],
    }
    return "\n".join(["---", *(f"{key}: {_yaml(value)}" for key, value in content.items()), "---", "", ""])


def _results(findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """One for each slice of each finding, with all its metrics; without those that have no value."""
    for finding in findings:
        source = str(finding.provenance.get("source") or "evaluation data")
        by_slice: dict[str, list[Measured]] = {}
        for measured in finding:
            if measured.estimate.defined and not set(NOT_RESULTS) & set(measured.slice):
                by_slice.setdefault(_slice_name(measured.slice), []).append(measured)
        for part, several in by_slice.items():
            dataset = {"type": source, "name": source, **({"config": part} if part else {})}
            yield {
                "task": {"type": TASK, "name": finding.question},
                "dataset": dataset,
                "metrics": [_metric(measured) for measured in several],
            }


def _metric(measured: Measured) -> dict[str, Any]:
    estimate = measured.estimate
    ends = {"low": _rounded(estimate.low), "high": _rounded(estimate.high), "level": estimate.level, "n": estimate.n}
    arguments = {key: value for key, value in ends.items() if value is not None}
    title = find_measure(measured.measure).title
    return {"type": str(measured.measure), "name": title, "value": _rounded(estimate.value), "args": arguments}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{KEPT_DIGITS}g}")


def _slice_name(slice_: Slice) -> str:
    return ", ".join(f"{key}={value}" for key, value in slice_.items())


def _yaml(value: Any) -> str:
    """In the form of JSON, which is YAML too; nothing that a user wrote is markup or invisible."""
    return json.dumps(_visible(value), ensure_ascii=False, allow_nan=False)


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _visible(inner) for key, inner in value.items()}
    return [_visible(inner) for inner in value] if isinstance(value, list) else value
