"""scikit-learn models in memory and in skops files, against what they say themselves."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from evenhand.classifiers.adapters import adapt, open_skops
from evenhand.errors import InputError

TEXTS = ["you fool", "good day", "what a fool", "nice day", "you are nice", "go away fool"]
TWO = np.array([1, 0, 1, 0, 0, 1])
THREE = np.array(["rude", "fine", "rude", "fine", "kind", "rude"])
BOTH = np.array([[1, 0], [0, 1], [1, 1], [0, 1], [0, 0], [1, 0]])


def pipeline(last: Any, truth: Any) -> Pipeline:
    return make_pipeline(TfidfVectorizer(), last).fit(TEXTS, truth)


def test_two_classes_become_the_probability_of_the_second() -> None:
    model = pipeline(LogisticRegression(), TWO)
    found = adapt(model, name="m", version="1")
    assert found.targets.kind == "binary"
    assert found.targets.classes == ("1",)
    np.testing.assert_allclose(found.score(TEXTS).probabilities[:, 0], model.predict_proba(TEXTS)[:, 1])
    other = adapt(model, name="m", version="1", positive="0")
    np.testing.assert_allclose(other.score(TEXTS).probabilities[:, 0], model.predict_proba(TEXTS)[:, 0])


def test_several_classes() -> None:
    model = pipeline(MultinomialNB(), THREE)
    found = adapt(model, name="m", version="1")
    assert found.targets.kind == "multi-class"
    assert found.targets.classes == ("fine", "kind", "rude")
    np.testing.assert_allclose(found.score(TEXTS).probabilities, model.predict_proba(TEXTS))
    rude = adapt(model, name="m", version="1", positive="rude")
    np.testing.assert_allclose(rude.score(TEXTS).probabilities[:, 0], model.predict_proba(TEXTS)[:, 2])


def test_several_labels_of_one_versus_rest() -> None:
    model = pipeline(OneVsRestClassifier(LogisticRegression()), BOTH)
    found = adapt(model, name="m", version="1", classes=["insult", "greeting"])
    assert found.targets.kind == "multi-label"
    assert found.targets.classes == ("insult", "greeting")
    np.testing.assert_allclose(found.score(TEXTS).probabilities, model.predict_proba(TEXTS))


def test_several_outputs() -> None:
    model = pipeline(MultiOutputClassifier(LogisticRegression()), BOTH)
    found = adapt(model, name="m", version="1", classes=["insult", "greeting"])
    assert found.targets.kind == "multi-label"
    expected = np.column_stack([table[:, 1] for table in model.predict_proba(TEXTS)])
    np.testing.assert_allclose(found.score(TEXTS).probabilities, expected)


def test_labels_that_do_not_exclude_one_another_must_be_said_to() -> None:
    last = MLPClassifier(hidden_layer_sizes=(3,), solver="lbfgs", max_iter=500, random_state=0)
    model = pipeline(last, BOTH)
    with pytest.raises(InputError, match="do not sum to one"):
        adapt(model, name="m", version="1").score(TEXTS)
    found = adapt(model, name="m", version="1", task="multi-label")
    np.testing.assert_allclose(found.score(TEXTS).probabilities, model.predict_proba(TEXTS))


def test_no_texts_and_one() -> None:
    found = adapt(pipeline(LogisticRegression(), TWO), name="m", version="1")
    assert found.score([]).probabilities.shape == (0, 1)
    assert found.score(["fool"]).probabilities.shape == (1, 1)


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (pipeline(RidgeClassifier(), TWO), {}, "no predict_proba: CalibratedClassifierCV"),
        (pipeline(LogisticRegression(), TWO), {"version": ""}, "which version"),
        (pipeline(LogisticRegression(), TWO), {"positive": "toxic"}, "no label 'toxic'"),
        (pipeline(LogisticRegression(), TWO), {"positive": ["0", "1"]}, "every label is positive"),
        (pipeline(LogisticRegression(), TWO), {"classes": ["a"]}, "1 names for the 2 classes"),
        (pipeline(MultinomialNB(), THREE), {"task": "binary"}, "say which count as violating"),
        (pipeline(OneVsRestClassifier(LogisticRegression()), BOTH), {"positive": ["0", "1"]}, "cannot be added up"),
        (pipeline(OneVsRestClassifier(LogisticRegression()), BOTH), {"task": "multi-class"}, "any of the classes"),
        (make_pipeline(TfidfVectorizer(), LogisticRegression()), {}, "fit it first"),
    ],
)
def test_what_cannot_be_adapted(model: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        adapt(model, **{"name": "m", "version": "1", **options})


class Odd:
    """Gives whatever it is told to."""

    def __init__(self, given: Any) -> None:
        self.given, self.classes_ = given, np.array(["a", "b", "c"])

    def predict_proba(self, texts: list[str]) -> Any:
        return np.array(self.given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[0.5, 0.5]], "gives 2 probabilities for 3 labels"),
        ([[0.5, 0.5, 0.0]] * 2, "gives 2 rows for 1 texts"),
        ([[1.5, -0.5, 0.0]], "outside 0 to 1"),
        ([[float("nan")] * 3], "outside 0 to 1"),
        ([[0.5, 0.5, 0.5]], "do not sum to one"),
    ],
)
def test_answers_that_are_no_probabilities(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=f"^odd: .*{words}"):
        adapt(Odd(given), name="odd", version="1").score(["x"])


def test_a_model_without_its_vectoriser_is_explained_without_the_text() -> None:
    numbers = LogisticRegression().fit(np.eye(6), TWO)
    with pytest.raises(InputError, match="put its vectoriser before it") as caught:
        adapt(numbers, name="m", version="1").score(["a secret comment"])
    assert "secret" not in str(caught.value)


def test_a_skops_file(tmp_path: Path) -> None:
    model = pipeline(LogisticRegression(), TWO)
    skops.io.dump(model, tmp_path / "toxic.skops")
    found = open_skops(tmp_path / "toxic.skops")
    assert found.name == "toxic"
    np.testing.assert_allclose(found.score(TEXTS).probabilities[:, 0], model.predict_proba(TEXTS)[:, 1])
    assert open_skops(tmp_path / "toxic.skops").version == found.version
    assert open_skops(tmp_path / "toxic.skops", positive="0").version != found.version
    skops.io.dump(pipeline(LogisticRegression(C=9.0), TWO), tmp_path / "other.skops")
    assert open_skops(tmp_path / "other.skops").version != found.version


def shout(texts: Any) -> Any:
    return [text.upper() for text in texts]


def test_types_nobody_vouched_for_are_refused_by_name(tmp_path: Path) -> None:
    own = make_pipeline(FunctionTransformer(shout), CountVectorizer(), DummyClassifier(strategy="prior"))
    own.fit(TEXTS, TWO)
    skops.io.dump(own, tmp_path / "own.skops")
    with pytest.raises(InputError, match=r"nobody vouched for \(.*shout\): read their code") as caught:
        open_skops(tmp_path / "own.skops")
    (name,) = str(caught.value).split("(")[1].split(")")[0].split(", ")
    found = open_skops(tmp_path / "own.skops", trusted=[name])
    np.testing.assert_allclose(found.score(TEXTS).probabilities, 0.5)


class Trap:
    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('a pickle was loaded')",)


@pytest.mark.parametrize("name", ["model.pkl", "model.joblib", "model.skops", "model"])
def test_a_pickle_is_refused_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match=r"a pickle can run any code.*skops.io.dump"):
        open_skops(tmp_path / name)


def test_what_is_no_skops_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_skops(tmp_path / "none.skops")
    (tmp_path / "text.skops").write_text("hello")
    with pytest.raises(InputError, match="not a skops file"):
        open_skops(tmp_path / "text.skops")
    skops.io.dump(pipeline(LogisticRegression(), TWO), tmp_path / "cut.skops")
    whole = (tmp_path / "cut.skops").read_bytes()
    (tmp_path / "cut.skops").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="skops file"):
        open_skops(tmp_path / "cut.skops")
