"""Estimates from labelled batches: strata that lack labels, and one batch by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling.batches import LabelledBatch, recalibrate_frame
from evenhand.sampling.drawing import StratifiedDraw
from evenhand.sampling.estimation import JoinedStrata, estimate_batches, estimate_by_difference, row_weights
from evenhand.sampling.score_driven import ScoreDrivenDesign, ScoreDrivenSettings, draw_batch
from sampling.made import FRAME, LABEL, batches


@pytest.mark.parametrize(("weights", "says"), [([0.5], "weights"), ([], "the weights of the batches must add up to 1")])
def test_weights_that_are_not_those_of_the_batches(weights: list[float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        row_weights([], weights)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: estimate_batches(FRAME, [], [1.0]), "column 'weights': there are 1 values for 0 items"),
        (
            lambda: estimate_batches(FRAME, batches(ScoreDrivenDesign(), 100), [0.9]),
            "the weights of the batches must add up to 1",
        ),
    ],
)
def test_weights_of_batches_are_named(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("labels", "sizes", "into"),
    [
        ([2, 2, 2], [9, 9, 9], [0, 1, 2]),
        ([2, 1, 2], [9, 9, 9], [0, 1, 1]),  # one label joins what comes after it
        ([2, 2, 1], [9, 9, 9], [0, 1, 1]),  # the last joins what is before it
        ([1, 1, 2], [9, 9, 9], [0, 0, 1]),
        ([0, 0, 2], [9, 9, 9], [0, 0, 0]),
        ([2, 2, 2, 0], [9, 9, 9, 9], [0, 1, 2, 2]),
        ([2, 1, 3], [9, 1, 9], [0, 1, 2]),  # all of it is labelled
        ([2, 1, 0], [9, 9, 9], [0, 0, 0]),
    ],
)
def test_strata_that_lack_labels_join_their_neighbours(labels: list, sizes: list, into: list) -> None:
    of = np.repeat(np.arange(len(labels)), labels)
    joined = JoinedStrata.from_draw(StratifiedDraw(of, of, np.array(sizes), np.array(labels)))
    assert joined.into.tolist() == into
    assert joined.sizes.tolist() == np.bincount(into, sizes).tolist()
    assert joined.drawn.tolist() == np.bincount(into, labels).tolist()
    assert joined.strata.tolist() == [into[s] for s in of]


def test_estimates_of_one_batch_by_hand() -> None:
    """The stratified mean; or what is expected of all items, and the stratified mean of what labels say beyond it."""
    batch = draw_batch(FRAME, [], 100, np.random.default_rng(3), ScoreDrivenSettings())
    past = [LabelledBatch(batch, LABEL[batch.draw.rows])]
    label, of, sizes = past[0].label, batch.draw.strata, batch.draw.sizes
    plain = sum(size * label[of == h].mean() for h, size in enumerate(sizes)) / 600
    beyond = sum(size * (label - batch.expected)[of == h].mean() for h, size in enumerate(sizes)) / 600
    assert estimate_batches(FRAME, past, [1.0]).figure().value == pytest.approx(plain, rel=1e-12)
    both = estimate_by_difference(FRAME, past, [1.0])
    assert both.figure().value == pytest.approx(float(sizes @ batch.means) / 600 + beyond, rel=1e-12)
    residual = label - batch.expected
    assert both.variances == pytest.approx([residual[of == h].var(ddof=1) for h in range(len(sizes))])
    chance = recalibrate_frame(FRAME, batch.places, label).chance(FRAME.logits)
    ends = np.append(batch.firsts[1:], len(FRAME.sizes))
    model = [
        np.average((chance * (1 - chance))[a:b], weights=FRAME.sizes[a:b])
        for a, b in zip(batch.firsts, ends, strict=True)
    ]
    assert estimate_batches(FRAME, past, [1.0]).expected == pytest.approx(model, rel=1e-9)
