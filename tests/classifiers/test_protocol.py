"""What every classifier has in common: two kinds of uncertainty that add up, and columns that say which is which."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from evenhand.classifiers.protocol import Scores, TargetKind, Targets
from evenhand.errors import InputError

CLASSES: dict[TargetKind, tuple[str, ...]] = {
    "binary": ("toxic",),
    "multi-class": ("fine", "rude", "violent"),
    "multi-label": ("rude", "threat"),
}
KINDS = list(CLASSES)


def asked(kind: TargetKind, *, members: int = 6, texts: int = 40, seed: int = 0) -> tuple[Targets, np.ndarray]:
    """Probabilities that members might give: [members, texts, classes]."""
    rng, targets = np.random.default_rng(seed), Targets(kind, CLASSES[kind])
    drawn = rng.random((members, texts, len(targets.classes)))
    return targets, drawn / drawn.sum(axis=2, keepdims=True) if targets.exclusive else drawn


def data_uncertainty(kind: TargetKind, p: np.ndarray) -> np.ndarray:
    """From the definition: the variance of yes or no; of exclusive classes, half that of each class added up."""
    each = np.array([[q * (1 - q) ** 2 + (1 - q) * q**2 for q in row] for row in p])
    return each.sum(axis=1, keepdims=True) / 2 if kind == "multi-class" else each


@pytest.mark.parametrize("kind", KINDS)
def test_data_and_model_uncertainty_add_up(kind: TargetKind) -> None:
    """The law of total variance: what is unsure in all is what members are unsure of, and that they differ."""
    targets, members = asked(kind)
    found = Scores.of_members(targets, members)
    within = np.mean([data_uncertainty(kind, member) for member in members], axis=0)
    assert found.model_uncertainty is not None
    np.testing.assert_allclose(found.uncertainty, within + found.model_uncertainty, rtol=1e-12)
    np.testing.assert_allclose(found.uncertainty, data_uncertainty(kind, members.mean(axis=0)), rtol=1e-12)
    assert found.model_uncertainty.min() > 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_the_law_holds_for_labels_that_are_drawn(kind: TargetKind) -> None:
    """A member at random, then a label by what it says: how often two such labels of a text differ."""
    targets, members = asked(kind, texts=1, seed=3)
    rng, draws = np.random.default_rng(4), 200_000
    said = members[rng.integers(len(members), size=draws), 0]
    if targets.exclusive:
        label = (rng.random((draws, 1)) > said.cumsum(axis=1)).sum(axis=1)
        differs = [np.mean(label[::2] != label[1::2]) / 2]
    else:
        differs = np.mean([a != b for a, b in [np.split(rng.random(said.shape) < said, 2)]], axis=(0, 1)) / 2
    np.testing.assert_allclose(
        Scores.of_members(targets, members).uncertainty[0], differs, atol=4 * 0.25 / 100_000**0.5
    )


def test_two_exclusive_classes_are_as_unsure_as_one_or_not() -> None:
    binary, members = asked("binary")
    two = Targets("multi-class", ("toxic", "fine"))
    one, other = Scores.of_members(binary, members), Scores.of_members(two, np.concatenate([members, 1 - members], 2))
    np.testing.assert_allclose(one.uncertainty, other.uncertainty, rtol=1e-12)
    np.testing.assert_allclose(one.model_uncertainty, other.model_uncertainty, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_members_of_one_mind_leave_no_model_uncertainty(kind: TargetKind) -> None:
    targets, members = asked(kind, members=1)
    alike = Scores.of_members(targets, np.repeat(members, 5, axis=0))
    np.testing.assert_allclose(alike.model_uncertainty, 0.0, atol=1e-30)
    alone = Scores.of_members(targets, members)
    assert alone.variance is None
    assert alone.model_uncertainty is None
    np.testing.assert_allclose(alone.uncertainty, alike.uncertainty, rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("binary", ["p", "uncertainty", "model_uncertainty"]),
        ("multi-class", ["p_fine", "p_rude", "p_violent", "uncertainty", "model_uncertainty"]),
        (
            "multi-label",
            [
                *("p_rude", "p_threat"),
                *("uncertainty_rude", "uncertainty_threat", "model_uncertainty_rude", "model_uncertainty_threat"),
            ],
        ),
    ],
)
def test_columns(kind: TargetKind, names: list[str]) -> None:
    targets, members = asked(kind)
    found = Scores.of_members(targets, members)
    columns = found.columns()
    assert list(columns) == names
    last = members[:, :, -1]
    np.testing.assert_array_equal([c for n, c in columns.items() if n.startswith("p")][-1], last.mean(axis=0))
    if kind != "multi-class":
        np.testing.assert_allclose(columns[names[-1]], last.var(axis=0))
    alone = Scores.of_members(targets, members[:1]).columns()
    assert list(alone) == [name for name in names if not name.startswith("model")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [1, 4])
def test_batches_are_joined_in_order(kind: TargetKind, members: int) -> None:
    targets, said = asked(kind, members=members)
    cuts = [0, 7, 8, 8, 40]
    parts = [Scores.of_members(targets, said[:, a:b]) for a, b in pairwise(cuts)]
    whole, joined = Scores.of_members(targets, said), Scores.joined(iter(parts))
    assert joined.targets == targets
    np.testing.assert_array_equal(joined.probabilities, whole.probabilities)
    assert (joined.variance is None) == (members == 1)
    if members > 1:
        np.testing.assert_array_equal(joined.variance, whole.variance)


@pytest.mark.parametrize(
    ("kind", "classes", "says"),
    [
        ("binary", (), "cannot have 0 classes"),
        ("multi-class", (), "cannot have 0 classes"),
        ("binary", ("a", "b"), "a binary classifier cannot have 2 classes"),
        ("multi-class", ("a",), "a multi-class classifier cannot have 1 classes"),
        ("multi-label", ("a",), "a multi-label classifier cannot have 1 classes"),
        ("multi-label", ("a", "b", "a"), "different names: a, b, a"),
        ("multi-class", ("a", ""), "different names"),
        ("binary", ("",), "different names"),
    ],
)
def test_classes_that_cannot_be(kind: TargetKind, classes: tuple[str, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Targets(kind, classes)
