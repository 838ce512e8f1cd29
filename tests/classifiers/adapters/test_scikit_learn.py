"""scikit-learn models in memory and in skops files, against what they say themselves."""

from __future__ import annotations

import functools
import importlib
import io
import operator
import os
import pickle
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import polars as pl
import pytest
import sklearn.datasets
import skops.io
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from classifiers import hostile
from evenhand import limits
from evenhand.classifiers.adapters import adapt, open_skops, skops_file
from evenhand.classifiers.models import open_model
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
        (pipeline(LogisticRegression(), TWO), {"version": ""}, "give the version of the model"),
        (pipeline(LogisticRegression(), TWO), {"positive": "toxic"}, "no label 'toxic'"),
        (pipeline(LogisticRegression(), TWO), {"positive": ["0", "1"]}, "every label is positive"),
        (pipeline(LogisticRegression(), TWO), {"classes": ["a"]}, "1 names for the 2 classes"),
        (pipeline(MultinomialNB(), THREE), {"task": "binary"}, "name those that count as violating in positive"),
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


class Louder(TransformerMixin, BaseEstimator):
    """A step of the user's own."""

    def fit(self, texts: Any, truth: Any = None) -> Louder:
        return self

    def transform(self, texts: Any) -> Any:
        return [text.upper() for text in texts]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def shout(texts: Any) -> Any:
    return [text.upper() for text in texts]


def dumped(path: Path, *steps: Any) -> Path:
    skops.io.dump(make_pipeline(*steps, CountVectorizer(), DummyClassifier(strategy="prior")).fit(TEXTS, TWO), path)
    return path


def test_types_nobody_vouched_for_are_refused_by_name(tmp_path: Path) -> None:
    file, name = dumped(tmp_path / "own.skops", Louder()), f"{__name__}.Louder"
    says = re.escape(f"types that are not trusted ({name}); read their code, then allow them with `trust` {name}")
    with pytest.raises(InputError, match=says):
        open_skops(file)
    with pytest.raises(InputError, match=says):
        open_model(file)
    for found in (open_skops(file, trust=name), open_model(file, trust=[name])):
        np.testing.assert_allclose(found.score(TEXTS).probabilities, 0.5)


def test_a_function_cannot_be_trusted(tmp_path: Path) -> None:
    """Nothing tells a harmless function from one that runs commands."""
    file, name = dumped(tmp_path / "own.skops", FunctionTransformer(shout)), f"{__name__}.shout"
    with pytest.raises(InputError, match="types that are not trusted"):
        open_skops(file)
    with pytest.raises(InputError, match=r"cannot be trusted: only estimators can.*a transformer of your own"):
        open_skops(file, trust=name)


def test_what_scikit_learn_makes_models_of_can_be_trusted(tmp_path: Path) -> None:
    steps = (TfidfVectorizer(), SelectKBest(chi2, k=2), RandomForestClassifier(2, random_state=0))
    skops.io.dump(make_pipeline(*steps).fit(TEXTS, TWO), tmp_path / "m.skops")
    names = ["sklearn.feature_selection._univariate_selection.chi2", "sklearn.tree._tree.Tree"]
    with pytest.raises(InputError, match="types that are not trusted"):
        open_skops(tmp_path / "m.skops", trust=names[:1])
    assert open_skops(tmp_path / "m.skops", trust=names).score(TEXTS).probabilities.shape == (6, 1)


COMMANDS = [
    functools.partial(os.system, "touch burgled"),
    os.system,
    subprocess.check_call,
    eval,
    exec,
    operator.methodcaller("system", "touch burgled"),
    importlib.import_module,
    breakpoint,
    joblib.load,
    np.load,
    pl.read_csv,
    sklearn.datasets.fetch_openml,
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: getattr(command, "__name__", type(command).__name__))
@pytest.mark.parametrize("described", [False, True])
def test_naming_a_type_runs_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any, described: bool
) -> None:
    """Also of somebody who was talked into trusting all that the file asks for."""
    monkeypatch.chdir(tmp_path)
    transformer = FunctionTransformer(command)
    dumped_unfitted(tmp_path / "m.skops", transformer)
    names = skops.io.get_untrusted_types(file=tmp_path / "m.skops")
    assert names
    if described:
        listed = ", ".join(f'"{name}"' for name in names)
        (tmp_path / "m.toml").write_text(f'kind = "skops"\npath = "m.skops"\ntrusted = [{listed}]\n')
        with pytest.raises(InputError, match=r"m.toml: a description cannot grant trust.*`trust`"):
            open_model("m.toml").score(["x"])
        (tmp_path / "m.toml").write_text('kind = "skops"\npath = "m.skops"\n')
    with pytest.raises(InputError, match=r"could run a command|cannot be trusted|another name"):
        open_model("m.toml" if described else "m.skops", trust=names).score(["x"])
    assert not Path("burgled").exists()


def dumped_unfitted(path: Path, transformer: Any) -> None:
    """A pipeline that looks fitted, with a step that nobody could fit."""
    model = make_pipeline(CountVectorizer(), DummyClassifier(strategy="prior")).fit(TEXTS, TWO)
    model.steps.insert(0, ("first", transformer))
    skops.io.dump(model, path)


def test_a_module_is_imported_only_once_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one of the standard library not even then: importing some of them does things."""
    (tmp_path / "stranger.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    schema = edited(tmp_path / "m.skops", lambda text: text.replace(f'"{__name__}"', '"stranger"'), Louder())
    with pytest.raises(InputError, match="types that are not trusted"):
        open_skops(schema)
    schema = edited(tmp_path / "m.skops", lambda text: text.replace(f'"{__name__}"', '"antigravity"'), Louder())
    with pytest.raises(InputError, match=r"'antigravity.Louder'.*could run a command"):
        open_skops(schema, trust="antigravity.Louder")
    assert "antigravity" not in sys.modules


def edited(path: Path, change: Callable[[str], str], *steps: Any) -> Path:
    """A skops file whose description was changed by hand."""
    dumped(path, *steps)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, change(content.decode()) if name == "schema.json" else content)
    return path


def test_references_that_multiply_are_not_followed(tmp_path: Path) -> None:
    """A list of two lists of two lists …: forty lines that skops would look at for a week."""
    node = '{"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "__id__": %d, "content": [%s]}'
    again = '{"__id__": %d, "__loader__": "ListNode", "__class__": "list", "__module__": "builtins"}'
    nest = node % (900, "")
    for number in range(901, 941):
        nest = node % (number, f"{nest}, {again % (number - 1)}")
    file = edited(tmp_path / "m.skops", lambda text: f'{text.rstrip()[:-1]}, "more": {nest}}}')
    with pytest.raises(InputError, match="in a way that skops never writes"):
        open_skops(file)


def test_a_skops_file_that_is_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile.bomb(tmp_path / "zeros.skops", 70 << 20, name="schema.json")
    with pytest.raises(InputError, match="what is packed in it is too large to be read: 70 MB"):
        open_skops(tmp_path / "zeros.skops")
    hostile.crowded(tmp_path / "crowd.skops", 120_000)
    with pytest.raises(InputError, match="not a skops file"):
        open_skops(tmp_path / "crowd.skops")
    one = '{"__class__": "A", "__module__": "b", "__loader__": "ObjectNode"},'
    objects = edited(tmp_path / "objects.skops", lambda text: "[" + one * 110_000 + "{}]")
    with pytest.raises(InputError, match="more objects than any model has"):
        open_skops(objects)
    monkeypatch.setattr(limits, "SKOPS_SCHEMA_MEMORY", 1 << 20)
    many = edited(tmp_path / "many.skops", lambda text: "[" + "{}," * 10_000 + "{}]")
    with pytest.raises(InputError, match="cannot be read"):
        open_skops(many)


def test_one_array_that_is_read_again_and_again(tmp_path: Path) -> None:
    node = '{"__class__": "bytes", "__module__": "builtins", "__loader__": "BytesNode", "file": "big"},'
    file = edited(tmp_path / "m.skops", lambda text: "[" + node * 1000 + "{}]")
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", bytes(1 << 20))
    with pytest.raises(InputError, match="what it reads is too large to be read: 1,000 MB"):
        open_skops(file)


def test_matrices_whose_indices_lead_out_of_memory(tmp_path: Path) -> None:
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, TWO)
    model[-1].sparsify()
    skops.io.dump(model, tmp_path / "m.skops")
    trust = "scipy.sparse._csr.csr_matrix"
    assert open_skops(tmp_path / "m.skops", trust=trust).score(TEXTS).probabilities.shape == (6, 1)
    model[-1].coef_.indices[0] = 1 << 30
    skops.io.dump(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="cannot be read"):
        open_skops(tmp_path / "m.skops", trust=trust)
    matrix = io.BytesIO()
    with zipfile.ZipFile(matrix, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", bytes(70 << 20))
    with pytest.raises(InputError, match="a matrix in it is too large"):
        skops_file._check_sparse(matrix.getvalue())


def test_texts_are_not_taken_for_files(tmp_path: Path) -> None:
    model = make_pipeline(CountVectorizer(), DummyClassifier(strategy="prior")).fit(TEXTS, TWO)
    model[0].input = "filename"
    skops.io.dump(model, tmp_path / "m.skops")
    with pytest.raises(InputError, match="takes texts for the names of files"):
        open_skops(tmp_path / "m.skops")


def test_no_more_workers_than_processors(tmp_path: Path) -> None:
    union = FeatureUnion([("a", CountVectorizer()), ("b", CountVectorizer())], n_jobs=10_000)
    skops.io.dump(
        make_pipeline(union, DummyClassifier()).set_params(featureunion__n_jobs=None).fit(TEXTS, TWO), tmp_path / "m"
    )
    model = skops.io.load(tmp_path / "m")
    model[0].n_jobs = 10_000
    skops.io.dump(model, tmp_path / "m")
    assert open_skops(tmp_path / "m").model[0].n_jobs <= os.cpu_count()


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


def test_outputs_of_three_classes() -> None:
    class Several:
        def __init__(self) -> None:
            self.classes_ = [np.array([0, 1]), np.array([0, 1, 2])]

        def predict_proba(self, texts: list[str]) -> Any:
            raise NotImplementedError

    with pytest.raises(InputError, match="output 1 of the model has 3 classes"):
        adapt(Several(), name="several", version="1")


@pytest.mark.verify
def test_opening_a_file_does_not_import_torch(tmp_path: Path) -> None:
    """It takes longer than everything else together."""
    skops.io.dump(pipeline(LogisticRegression(), TWO), tmp_path / "m.skops")
    code = f"""
import sys
from evenhand.classifiers.adapters import open_skops
open_skops({str(tmp_path / "m.skops")!r})
assert "torch" not in sys.modules
import sklearn.externals.array_api_compat  # as before, from now on
assert not any("SkippedModule" in type(finder).__name__ for finder in sys.meta_path)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
