"""What holds of every calibrator: rows sum to one, a weight is a repetition, a class may be absent."""

from __future__ import annotations

import time

import numpy as np
import pytest

from calibrators.made import MULTI, NAMES, binary, example, several
from evenhand.calibrators import METHODS, fit
from evenhand.errors import InputError

EVERY = list(METHODS)


def proper(p: np.ndarray) -> None:
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert p.min() >= 0.0
    assert p.max() <= 1.0


def edges(p: np.ndarray) -> np.ndarray:
    """Rows like those it was fitted on, certain ones, equal ones, and ones all but impossible."""
    width = p.shape[1]
    tiny = np.full((1, width), 1e-300)
    tiny[0, -1] = 1.0
    return np.r_[p, np.eye(width), np.full((1, width), 1.0 / width), tiny]


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("sureness", [0.3, 1.0, 6.0])
def test_rows_stay_probabilities(method, sureness) -> None:
    p, labels = example(method, sureness=sureness)
    proper(fit(p, labels, method=method).apply(edges(p)))


@pytest.mark.parametrize("method", EVERY)
def test_a_weight_is_a_repetition(method) -> None:
    p, labels = example(method, items=1200, sureness=2.0)
    weights = np.random.default_rng(1).integers(0, 4, len(p))
    weighted = fit(p, labels, weights, method=method)
    repeated = fit(np.repeat(p, weights, axis=0), np.repeat(labels, weights), method=method)
    np.testing.assert_allclose(weighted.apply(p), repeated.apply(p), atol=1e-9)
    assert weighted.items == repeated.items


@pytest.mark.parametrize("method", EVERY)
def test_the_order_of_rows_says_nothing(method) -> None:
    p, labels = example(method, items=1200, sureness=2.0)
    order = np.random.default_rng(2).permutation(len(p))
    one, other = fit(p, labels, method=method), fit(p[order], labels[order], method=method)
    np.testing.assert_allclose(one.apply(p), other.apply(p), atol=1e-9)


@pytest.mark.parametrize("method", MULTI)
def test_the_order_of_classes_says_nothing(method) -> None:
    p, labels = several(1200, sureness=2.0)
    order = np.array([2, 0, 3, 1])
    turned = fit(p[:, order], np.argsort(order)[labels], method=method)
    np.testing.assert_allclose(turned.apply(p[:, order]), fit(p, labels, method=method).apply(p)[:, order], atol=1e-9)


@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_model_too_sure_becomes_more_honest(method, dtype) -> None:
    p, labels = example(method, items=20_000, sureness=3.0)
    new, truth = example(method, items=20_000, sureness=3.0, seed=1)
    found = fit(p.astype(dtype), labels, method=method)
    after = found.apply(new.astype(dtype))
    proper(after)
    rows = np.arange(len(new))
    brier = [np.mean(np.square(q - np.eye(q.shape[1])[truth]).sum(axis=1)) for q in (new, after)]
    assert brier[1] < brier[0] * (0.97 if method != "wts" else 1.0)
    assert np.mean(after[rows, truth] < 1e-9) < 0.01


@pytest.mark.parametrize("method", EVERY)
def test_logits_or_probabilities(method) -> None:
    p, labels = example(method, items=1200, sureness=2.0)
    by_logits = fit(np.log(p) + 7.0, labels, method=method, logits=True)
    np.testing.assert_allclose(by_logits.apply(p), fit(p, labels, method=method).apply(p), atol=1e-6)


@pytest.mark.parametrize("method", MULTI)
@pytest.mark.parametrize("absent", [(1,), (0, 3)])
def test_a_class_without_validation_data_passes_through(method, absent) -> None:
    p, labels = several(sureness=2.0)
    kept = ~np.isin(labels, absent)
    found = fit(p[kept], labels[kept], method=method, classes=NAMES)
    after = found.apply(edges(p))
    proper(after)
    for k in absent:
        assert any(f"no validation item is '{NAMES[k]}'" in warning for warning in found.warnings)
        if not METHODS[method].keeps_argmax:
            np.testing.assert_allclose(after[:, k], edges(p)[:, k], atol=1e-12)
    weights = kept.astype(float)
    np.testing.assert_allclose(fit(p, labels, weights, method=method).apply(p), found.apply(p), atol=1e-9)
    if METHODS[method].keeps_argmax:
        np.testing.assert_array_equal(found.apply(p).argmax(axis=1), p.argmax(axis=1))
        return
    others = [k for k in range(4) if k not in absent]
    share = p[:, others].sum(axis=1, keepdims=True)
    alone = fit((p[:, others] / share)[kept], np.searchsorted(others, labels[kept]), method=method)
    np.testing.assert_allclose(found.apply(p)[:, others], alone.apply(p[:, others] / share) * share, atol=1e-9)


@pytest.mark.parametrize("method", EVERY)
def test_only_one_class_leaves_everything_as_it_is(method) -> None:
    p, labels = example(method, items=500)
    found = fit(p[labels == 1], labels[labels == 1], method=method)
    np.testing.assert_allclose(found.apply(p), p, atol=1e-12)
    assert "every validation item is '1'" in found.warnings[0]


@pytest.mark.parametrize("method", EVERY)
def test_zeros_and_ones_among_the_probabilities(method) -> None:
    p, labels = example(method, items=1500, sureness=2.0)
    p = np.where(p < 0.02, 0.0, p)
    p /= p.sum(axis=1, keepdims=True)
    proper(fit(p, labels, method=method).apply(edges(p)))


@pytest.mark.parametrize("method", EVERY)
def test_what_is_given_is_not_changed(method) -> None:
    p, labels = example(method, items=500)
    p.flags.writeable = labels.flags.writeable = False
    found = fit(p, labels, method=method)
    assert found.apply(p) is not p
    assert found.apply(p[:0]).shape == (0, p.shape[1])


@pytest.mark.parametrize("method", EVERY)
def test_a_large_file_is_soon_done(method) -> None:
    """About a second each where nothing else runs; the bound leaves room for a busy machine."""
    p, labels = example(method, items=100_000, sureness=2.0)
    start = time.process_time()
    found = fit(p, labels, method=method)
    fitted = time.process_time()
    found.apply(np.tile(p, (3, 1)))
    assert fitted - start < 4.0
    assert time.process_time() - fitted < 12.0


P, Y = np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]]), np.array([0, 1, 0])
WRONG = {
    "one or more columns|two or more": ((P[:, :1], Y), {}),
    "row 2: a value is missing": ((np.where(P == 0.2, np.nan, P), Y), {}),
    "row 3: a probability must be from 0 to 1": ((np.where(P == 0.6, -0.6, P), Y), {}),
    "row 1: the probabilities sum to 1.7, not to one, as in 1 of 3": ((np.where(P == 0.3, 1.0, P), Y), {}),
    "one label per row": ((P, Y[:2]), {}),
    "row 2: a label must be the number of a class, from 0 to 1": ((P, Y * 2), {}),
    "the number of its class": ((P, Y.astype(str)), {}),
    "weights must be finite": ((P, Y, [1.0, -1.0, 1.0]), {}),
    "2 weights for 3": ((P, Y, [1.0, 1.0]), {}),
    "did you mean 'platt'": ((P, Y), {"method": "plat"}),
    "1 names of classes for 2": ((P, Y), {"classes": ("a",)}),
    "has no option 'bins'": ((P, Y), {"bins": 3}),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_input_is_named_in_one_line(message) -> None:
    arguments, options = WRONG[message]
    with pytest.raises(InputError, match=message) as caught:
        fit(*arguments, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["platt", "beta"])
def test_binary_methods_want_two_classes(method) -> None:
    with pytest.raises(InputError, match="is for two classes, and there are 4"):
        fit(*several(100), method=method)


def test_other_classes_are_refused() -> None:
    found = fit(*binary(200), classes=("benign", "toxic"))
    with pytest.raises(InputError, match="3 columns for a calibrator of 2 classes"):
        found.apply(np.full((2, 3), 1 / 3))
    with pytest.raises(InputError, match="in another order: toxic, benign"):
        found.apply(P, classes=("toxic", "benign"))
    with pytest.raises(InputError, match="other classes: benign, spam"):
        found.apply(P, classes=("benign", "spam"))
    assert found.apply(P, classes=["benign", "toxic"]).shape == (3, 2)
