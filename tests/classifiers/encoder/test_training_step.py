"""Losses, batches, schedule, oversampling and class weights against what they are defined to be, in loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from classifiers.encoder.made import TARGETS, labelled, settings, tokenizer
from evenhand.classifiers.encoder.batches import NO_TEXT, WIDTHS, BatchOrder, DeviceTokens, Tokens
from evenhand.classifiers.encoder.family import text_weights, training_rows
from evenhand.classifiers.encoder.training import one_cycle
from evenhand.classifiers.encoder.training_step import make_loss, smote_companions
from evenhand.classifiers.protocol import LabelledTexts, TargetKind
from evenhand.errors import InputError


def by_hand(kind: TargetKind, logits: np.ndarray, truth: np.ndarray, focus: float) -> float:
    """Of one text, from the definition: −(1 − p)^focus log p, p the probability of what is true."""
    if kind == "multi-class":
        p = float(np.exp(logits)[truth > 0.5][0] / np.exp(logits).sum())
        return -((1.0 - p) ** focus) * math.log(p)
    lost = []
    for logit, is_true in zip(logits, truth, strict=True):
        p = 1.0 / (1.0 + math.exp(-logit))
        p = p if is_true else 1.0 - p
        lost.append(-((1.0 - p) ** focus) * math.log(p))
    return sum(lost) / len(lost)


@pytest.mark.parametrize("focus", [0.0, 1.0, 2.0, 0.5])
@pytest.mark.parametrize("kind", list(TARGETS))
def test_losses_are_as_defined(kind: TargetKind, focus: float) -> None:
    rng = np.random.default_rng(1)
    classes = len(TARGETS[kind].classes)
    logits = rng.normal(scale=3.0, size=(2, 30, classes))
    truth = (
        np.eye(classes)[rng.integers(0, classes, (2, 30))] if kind == "multi-class" else rng.random(logits.shape) < 0.5
    )
    found = make_loss(exclusive=kind == "multi-class", focus=focus)(
        torch.tensor(logits), torch.tensor(truth, dtype=torch.float32)
    )
    expected = [
        [by_hand(kind, a, b, focus) for a, b in zip(x, y, strict=True)] for x, y in zip(logits, truth, strict=True)
    ]
    assert np.allclose(found.numpy(), expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_focus_of_zero_is_cross_entropy(exclusive: bool) -> None:
    torch.manual_seed(0)
    logits, kinds = torch.randn(40, 3) * 4, torch.randint(0, 3, (40,))
    truth = torch.nn.functional.one_hot(kinds, 3).float()
    found = make_loss(exclusive=exclusive, focus=0.0)(logits, truth)
    other = torch.nn.functional
    expected = (
        other.cross_entropy(logits, kinds, reduction="none")
        if exclusive
        else other.binary_cross_entropy_with_logits(logits, truth, reduction="none").mean(-1)
    )
    assert torch.allclose(found, expected, atol=1e-6)


def test_a_loss_of_certain_errors_is_finite_and_has_a_slope() -> None:
    logits = torch.tensor([[200.0], [-200.0]], requires_grad=True)
    make_loss(exclusive=False, focus=2.0)(logits, torch.tensor([[0.0], [1.0]])).sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad.abs() > 0.9).all()


def some_tokens(rows: int, seed: int = 0) -> Tokens:
    lengths = np.random.default_rng(seed).integers(3, 70, rows)
    return Tokens(np.arange(lengths.sum(), dtype=np.int32) % 60, lengths)


@pytest.mark.parametrize(("rows", "size"), [(100, 16), (96, 16), (5, 16), (17, 1)])
def test_every_text_once_in_an_epoch_for_every_member(rows: int, size: int) -> None:
    tokens = some_tokens(rows)
    order = BatchOrder.from_tokens(tokens, size, 3, [0, 1, 2])
    batches = order.epoch(0)
    assert len(batches) == order.steps == math.ceil(rows / min(size, rows))
    for member in range(3):
        seen = np.concatenate([batch.rows[member] for batch in batches])
        assert sorted(seen[seen != NO_TEXT].tolist()) == list(range(rows))
    for batch in batches:
        assert batch.rows.shape == (3, min(size, rows))
        assert batch.width in (*WIDTHS, tokens.lengths.max())
        real = batch.rows[batch.rows != NO_TEXT]
        assert tokens.lengths[real].max() <= batch.width, "no text is cut by its batch"


def test_orders_differ_by_member_epoch_and_seed_and_come_again() -> None:
    tokens = some_tokens(64)

    def rows(seed: int, epoch: int, member: int, beside: list[int]) -> list[int]:
        batches = BatchOrder.from_tokens(tokens, 8, seed, beside).epoch(epoch)
        return [int(row) for batch in batches for row in batch.rows[beside.index(member)]]

    base = rows(0, 0, 1, [0, 1])
    assert base == rows(0, 0, 1, [1, 5]), "whoever is trained beside it"
    assert (
        len({tuple(base), tuple(rows(0, 0, 0, [0, 1])), tuple(rows(0, 1, 1, [0, 1])), tuple(rows(1, 0, 1, [0, 1]))})
        == 4
    )


def test_texts_of_a_batch_are_of_like_length() -> None:
    tokens = some_tokens(2000)
    padded = sum(batch.width * batch.rows.size for batch in BatchOrder.from_tokens(tokens, 32, 0, [0]).epoch(0))
    assert padded < 1.35 * tokens.lengths.sum()


def test_the_shelf_gives_each_row_its_tokens() -> None:
    texts = ["w1 w2", "w3", "w4 w5 w6 w7"]
    tokens = Tokens.from_texts(texts, tokenizer(), 5)
    assert tokens.lengths.tolist() == [4, 3, 5], "cut at five"
    ids, mask = DeviceTokens(tokens, torch.device("cpu"), 9).take(torch.tensor([2, 0, -1]), 6)
    assert ids.tolist() == [[2, 8, 9, 10, 3, 9], [2, 5, 6, 3, 9, 9], [2, 5, 6, 3, 9, 9]]
    assert mask.sum(1).tolist() == [5, 4, 4]


def test_a_text_without_a_token_gets_one() -> None:
    bare = tokenizer()
    bare.backend_tokenizer.post_processor = None
    assert Tokens.from_texts(["", "w1 w2"], bare, 8).lengths.tolist() == [1, 2]


def test_the_rate_rises_and_falls() -> None:
    rates = [one_cycle(step, 100, 0.2) for step in range(100)]
    assert rates[0] == pytest.approx(1 / 25)
    assert rates[20] == pytest.approx(1.0)
    assert rates[10] == pytest.approx((1 / 25 + 1) / 2)
    assert rates[-1] == pytest.approx(1e-4)
    assert rates[59] == pytest.approx(0.5 * (1 + 1e-4), abs=0.02), "half way down a cosine"
    assert np.diff(rates[:21]).min() > 0 > np.diff(rates[20:]).max()
    assert one_cycle(0, 50, 0.0) == 1.0
    assert 0.0 < one_cycle(0, 1, 0.1) <= 1.0


@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_companions_lie_between_two_of_a_class_and_weights_balance(classes: int, share: float) -> None:
    torch.manual_seed(2)
    vectors = torch.randn(2, 20, 4)
    kinds = torch.tensor([[0] * 13 + [1] * 6 + [min(2, classes)] * 1, [1] * 4 + [0] * 16])
    truth = torch.nn.functional.one_hot(kinds, 3).float() if classes == 3 else kinds.float().unsqueeze(-1)
    weight = torch.ones(2, 20)
    weight[1, -1] = 0.0  # nobody
    made, extra = smote_companions(vectors, truth, weight, share)
    for member in range(2):
        for number in range(20):
            alike = [
                k for k in range(20) if k != number and weight[member, k] and kinds[member, k] == kinds[member, number]
            ]
            if not extra[member, number]:
                continue
            near = min(alike, key=lambda k, m=member, n=number: float((vectors[m, k] - vectors[m, n]).norm()))
            line = vectors[member, near] - vectors[member, number]
            along = (made[member, number] - vectors[member, number]) @ line / line.square().sum()
            assert 0.0 <= along <= 1.0
            assert torch.allclose(made[member, number], vectors[member, number] + along * line, atol=1e-5)
        counts = {
            kind: int(((kinds[member] == kind) & (weight[member] > 0)).sum()) for kind in set(kinds[member].tolist())
        }
        for kind, count in counts.items():
            of_kind = kinds[member] == kind
            total = float((weight[member] + extra[member])[of_kind].sum())
            expected = max(count, share * max(counts.values())) if count > 1 else count
            assert total == pytest.approx(expected), "one alone has no neighbour"


def test_class_weights_make_kinds_equal() -> None:
    data = labelled("multi-label")
    found = text_weights(data, settings("", weigh="balanced"))
    assert found.mean() == pytest.approx(1.0, abs=1e-5)
    kinds = [tuple(row) for row in data.truth.tolist()]
    totals = [sum(w for w, own in zip(found, kinds, strict=True) if own == kind) for kind in set(kinds)]
    assert np.allclose(totals, totals[0], rtol=1e-4)
    assert set(text_weights(data, settings("")).tolist()) == {1.0}


def test_negatives_are_drawn_for_each_positive() -> None:
    data = labelled(rows=400)
    positives = int(data.truth.sum())
    fewer = training_rows(data, settings("", negatives=0.5))
    assert int(fewer.truth.sum()) == positives
    assert len(fewer.texts) == positives + round(0.5 * positives)
    assert set(fewer.texts) <= set(data.texts)
    assert fewer.texts == training_rows(data, settings("", negatives=0.5)).texts
    assert fewer.texts != training_rows(data, settings("", negatives=0.5, seed=1)).texts
    assert len(training_rows(data, settings("", negatives=99.0)).texts) == 400
    assert training_rows(data, settings("")) is data


@pytest.mark.parametrize(
    ("rows", "changes", "says"),
    [
        (9, {}, "9 rows are too few to train on: at least 10"),
        (19, {"members": 20}, "19 rows are too few to train on: at least 20"),
    ],
)
def test_too_few_rows(rows: int, changes: dict[str, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        training_rows(labelled(rows=rows), settings("", **changes))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_one_class_alone(value: float) -> None:
    data = labelled()
    with pytest.raises(InputError, match=r"with and without the class: (every|no) text is 'bad'"):
        training_rows(replace(data, truth=np.full_like(data.truth, value)), settings(""))


def test_oversampling_needs_one_class_a_text() -> None:
    with pytest.raises(InputError, match="one class for each text"):
        training_rows(labelled("multi-label"), settings("", oversample="smote"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"members": 0},
        {"samples": 0},
        {"epochs": 0},
        {"batch": 0},
        {"length": 2},
        {"reads": 1},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"head_rate": -1.0},
        {"clip": 0.0},
        {"spread": 0.0},
        {"ridge": 0.0},
        {"spectral_bound": float("inf")},
        {"decay": -1.0},
        {"negatives": -1.0},
        {"mean_field": -1.0},
        {"focus": -1.0},
        {"dropout": 1.0},
        {"warmup": 1.0},
        {"oversample_share": 1.5},
        {"seed": -1},
        {"samples": 10, "members": 2},
        {"samples": 10, "dropout": 0.0},
    ],
)
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError) as caught:
        settings("", **wrong)
    assert any(name in str(caught.value) for name in wrong)


def test_labels_are_as_wide_as_classes() -> None:
    for kind, targets in TARGETS.items():
        data: LabelledTexts = labelled(kind)
        assert data.truth.shape == (160, len(targets.classes))
