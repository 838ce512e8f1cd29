"""Probabilities of several classes: what a class is called, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from audits.calibration import made
from evenhand.evidence import Declaration, open_evidence

COLUMNS = ("p_calm", "p_rude", "p_hateful")


def table(**columns: object) -> pl.DataFrame:
    base: dict[str, object] = {
        "p_calm": [0.7, 0.2, 0.1, 0.5],
        "p_rude": [0.2, 0.6, 0.1, 0.25],
        "p_hateful": [0.1, 0.2, 0.8, 0.25],
        "kind": ["calm", "rude", "hateful", "calm"],
        "lang": ["en", "en", "de", "de"],
        "women": [True, False, True, None],
        "times": [1, 2, 3, 4],
    }
    return pl.DataFrame({**base, **columns}, strict=False)


def opened(frame: pl.DataFrame, **roles: object):
    return open_evidence(frame, Declaration.of({"probabilities": COLUMNS, "label": "kind", **roles}))


def refused(frame: pl.DataFrame, *says: str, **roles: object) -> None:
    with pytest.raises(eh.InputError) as error:
        opened(frame, **roles)
    for words in says:
        assert words in str(error.value), str(error.value)


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (("p_calm", "p_rude"), ("calm", "rude")),
        (("calm_prob", "rude_prob"), ("calm", "rude")),
        (("p_calm_calibrated", "p_rude_calibrated"), ("calm", "rude")),
        (("p_hate", "p_harm"), ("hate", "harm")),
        (("calm", "candid"), ("calm", "candid")),
        (("score.0", "score.1", "score.10"), ("0", "1", "10")),
        (("p_", "p_x"), ("p_", "p_x")),
    ],
)
def test_a_class_is_called_what_the_columns_do_not_share(columns: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert Declaration(probabilities=columns).class_names == names


def test_rows_are_as_they_came() -> None:
    evidence = opened(table(), slices="lang", groups="women", count="times")
    (all_of,) = evidence.classed(evidence.parts[0])
    assert all_of.classes == ("calm", "rude", "hateful")
    assert all_of.label.tolist() == [0, 1, 2, 0]
    assert np.array_equal(all_of.probabilities, table().select(COLUMNS).to_numpy())
    assert all_of.weights is not None
    assert all_of.weights.weight.tolist() == [1, 2, 3, 4]
    german = next(part for part in evidence.parts if part.slice == {"lang": "de"})
    (some,) = evidence.classed(german)
    assert some.label.tolist() == [2, 0]
    assert some.groups["women"].rows.tolist() == [0]
    assert evidence.groups == ("women",)
    assert evidence.unannotated() == {"women": 1}
    assert evidence.size == 4


def test_labels_may_be_numbers_and_go_by_their_own_names() -> None:
    numbered = table(kind=[0.0, 1.0, 2.0, 0.0])
    evidence = opened(numbered, classes=["0", "1", "2"])
    assert next(evidence.classed(evidence.parts[0])).label.tolist() == [0, 1, 2, 0]
    refused(numbered, "the label '0' is not one of the classes", "`classes`")


def test_logits_become_probabilities() -> None:
    plain = table().select(COLUMNS).to_numpy()
    logits = table(**{name: np.log(plain[:, k]) + 3.0 for k, name in enumerate(COLUMNS)})
    evidence = opened(logits, scale="logit")
    assert np.allclose(next(evidence.classed(evidence.parts[0])).probabilities, plain, atol=1e-12)
    hundred = table(**{name: 100.0 * plain[:, k] for k, name in enumerate(COLUMNS)})
    evidence = opened(hundred, scale="percent")
    assert np.allclose(next(evidence.classed(evidence.parts[0])).probabilities, plain, atol=1e-12)
    refused(table(), "ranks cannot", scale="rank")


def test_a_score_is_one_of_two_classes() -> None:
    frame = pl.DataFrame({"p": [10.0, 90.0], "y": [False, True]})
    evidence = open_evidence(frame, Declaration.of({"score": "p", "scale": "percent", "label": "y"}))
    (found,) = evidence.classed(evidence.parts[0])
    assert found.classes == ("benign", "violating")
    assert np.allclose(found.probabilities, [[0.9, 0.1], [0.1, 0.9]])
    ranked = open_evidence(frame, Declaration.of({"score": "p", "scale": "rank", "label": "y"}))
    with pytest.raises(eh.InputError, match="only its order"):
        list(ranked.classed(ranked.parts[0]))


def test_sums_that_are_off_are_counted_and_the_worst_is_named() -> None:
    off = table(p_calm=[0.7, 0.2, 0.6, 0.6])
    refused(off, "row 3", "2 of 4 rows do not sum to one", "this row's sum is 1.5", "`normalise`")
    evidence = opened(off, normalise=True)
    found = next(evidence.classed(evidence.parts[0])).probabilities
    assert np.allclose(found.sum(axis=1), 1.0, atol=1e-15)
    assert "2 of 4 rows" in evidence.notes[0]
    assert "within" in opened(table(p_calm=[0.705, 0.2, 0.1, 0.5])).notes[0]
    refused(table(p_calm=[0.0] * 4, p_rude=[0.0] * 4, p_hateful=[0.0] * 4), "row 1", "nothing to share", normalise=True)


def test_what_else_is_refused() -> None:
    refused(table(p_rude=[0.2, -0.1, 0.1, 0.25]), "'p_rude', row 2", "the probability -0.1 is outside 0 to 1")
    refused(table(p_rude=[0.2, 1.2, 0.1, 0.25]), "'p_rude', row 2", "1.2")
    refused(table(p_rude=[0.2, float("nan"), 0.1, 0.25]), "'p_rude', row 2", "NaN")
    refused(table(p_rude=[0.2, None, 0.1, 0.25]), "'p_rude', row 2", "empty")
    refused(
        table(kind=["calm", "rude", "hatefull", "calm"]), "row 3", "'hatefull' is not one of the classes", "'hateful'"
    )
    refused(table(kind=["calm"] * 4), "every item is of the class 'calm'")
    assert "'hateful'" in opened(table(kind=["calm", "rude", "rude", "calm"])).notes[0]


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        ({"probabilities": ["a"]}, "name one for each class"),
        ({"probabilities": ["a", "b"], "score": "p"}, "both set"),
        ({"probabilities": ["a", "b"], "classes": ["x"]}, "`classes`: 1 for 2 columns"),
        ({"probabilities": ["a", "a"]}, "named twice"),
        ({"probabilities": ["a", "b"], "positive": "x"}, "leave it out with probabilities"),
        ({"probabilities": ["a", "b"], "label": "a"}, "declared as `probabilities` and as `label`"),
        ({"probabilities": ["a", "b"], "normalise": "yes"}, "true or false"),
    ],
)
def test_declarations_that_cannot_be_meant(roles: dict[str, object], says: str) -> None:
    with pytest.raises(eh.InputError, match=says):
        Declaration.of(roles)


def test_logits_that_look_like_probabilities_are_asked_about() -> None:
    roles = {"probabilities": made.COLUMNS, "label": "kind", "scale": "logit"}
    evidence = open_evidence(made.made(50, 1), Declaration.of(roles))
    list(evidence.classed(evidence.parts[0]))
    assert any("are these probabilities rather than logits?" in note for note in evidence.notes)
