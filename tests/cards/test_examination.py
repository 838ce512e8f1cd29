"""The examination of a slow model: a sample of the synthetic sentences, as large as the intervals take."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evenhand.cards import examination
from evenhand.cards.examination import HALF_WIDTH, PILOT_SENTENCES, audit_templates, sampled_sentences, sentences_wanted
from evenhand.classifiers.protocol import Scores, Targets
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.synthetic.templates import templates
from evenhand.synthetic.terms import IDENTITIES

EVERY = len(templates()) // len(IDENTITIES)
BINARY = Targets("binary", ("bad",))


def pilot(*widths: float) -> Finding:
    measured = [
        Measured(measure, {"group": f"g{number}"}, Estimate(0.8, 0.8 - width / 2, 0.8 + width / 2, 0.95, "delong", 24))
        for number, width in enumerate(widths)
        for measure in ("bpsn_auc", "subgroup_auc")
    ]
    return Finding("bias", "?", tuple(measured), (), {})


@pytest.mark.parametrize(
    ("widths", "expected"),
    [
        ((0.1,), PILOT_SENTENCES),
        ((0.02, 0.04), PILOT_SENTENCES),
        ((0.2, 0.1), 4 * PILOT_SENTENCES),
        ((0.3,), 9 * PILOT_SENTENCES),
        ((5.0,), EVERY),
        ((), PILOT_SENTENCES),
    ],
)
def test_as_many_sentences_as_the_widest_interval_takes(widths: tuple[float, ...], expected: int) -> None:
    assert HALF_WIDTH == 0.05
    assert sentences_wanted(pilot(*widths)) == pytest.approx(expected, abs=2)


def drawn(text: str) -> float:
    """A number between 0 and 1 that is the same for a text each time."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2.0**48


def made_model(kind: str, seen: list[str]) -> Any:
    """Violating sentences have higher scores, and not all of them."""
    violating = dict(zip(*(templates()[column].to_list() for column in ("text", "label")), strict=True))

    def score(texts: Sequence[str]) -> Scores:
        seen.extend(texts)
        values = [0.25 * violating[text] + 0.75 * drawn(text) for text in texts]
        return Scores(BINARY, np.array(values)[:, None], None)

    return SimpleNamespace(kind=kind, batch=2_048, score=score, targets=BINARY)


def test_a_slow_model_is_examined_by_a_sample() -> None:
    seen: list[str] = []
    told: list[tuple[str, int, int]] = []
    finding = audit_templates(made_model("encoder", seen), lambda *step: told.append(step))
    rows = PILOT_SENTENCES * len(IDENTITIES)
    assert told[0] == (f"evaluating: scores of {rows:,} synthetic sentences", 0, rows)
    groups = finding.values("group")
    assert len(groups) == len(IDENTITIES)
    widest = max(
        (e.high - e.low) / 2 for name in ("bpsn_auc", "bnsp_auc") for g in groups for e in [finding.get(name, group=g)]
    )
    assert widest < 1.15 * HALF_WIDTH  # the width of a pilot is an estimate too
    assert len(seen) < 0.4 * len(templates())
    each = int(finding.get("count").value) // len(groups)
    assert sampled_sentences(finding).startswith(f"A sample: {each:,} of {EVERY:,} sentences about each group")
    assert "±0.05 for BPSN AUC and BNSP AUC" in sampled_sentences(finding)


@pytest.mark.verify
def test_a_linear_model_is_examined_by_all() -> None:
    seen: list[str] = []
    finding = audit_templates(made_model(examination.FAST_KINDS[0], seen))
    assert len(seen) == len(templates())
    assert sampled_sentences(finding) == ""
