"""What is served: versions as pinned, calibrators that fit, names that are told apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evenhand import calibrators
from evenhand.classifiers.models import open_model
from evenhand.classifiers.permissions import Permissions
from evenhand.classifiers.protocol import Targets
from evenhand.errors import InputError
from evenhand.service.models import LoadedModel, open_models
from evenhand.service.served_models import ServedModel
from service.fakes import FakeClassifier, fake_model

DEFAULT = open_model("default")


def fitted(path: Path, classes: int = 2) -> Path:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(classes), 400)
    calibrators.write(calibrators.fit(p, rng.integers(0, classes, 400), method="ts"), path)
    return path


def test_the_pinned_version_is_served_and_another_refused() -> None:
    (model,) = open_models([ServedModel("default", version=DEFAULT.version)]).values()
    assert model.version == DEFAULT.version
    assert model.card is not None
    assert model.card["version"] == DEFAULT.version
    with pytest.raises(InputError, match=f"{DEFAULT.version}, but 0000 is configured"):
        open_models([ServedModel("default", version="0000")])


def test_a_name_that_no_header_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.service.models.open_model", lambda *_, **__: FakeClassifier(name="toxicität\n"))
    with pytest.raises(InputError, match="cannot be used as a model name"):
        open_models([ServedModel("somewhere")])
    assert list(open_models([ServedModel("somewhere", name="plain")])) == ["plain"]


def test_two_models_need_two_names() -> None:
    both = open_models([ServedModel("default"), ServedModel("default", name="again")])
    assert list(both) == ["default", "again"]
    with pytest.raises(InputError, match="two models are named 'default'"):
        open_models([ServedModel("default"), ServedModel("default")])


def test_a_calibrator_is_applied_and_the_spread_before_it_is_left_out(tmp_path: Path) -> None:
    path = fitted(tmp_path / "calibrator.json")
    (model,) = open_models([ServedModel("default", calibrator=str(path))]).values()
    texts = ["you fool", " ", "good morning"]
    raw = DEFAULT.score(["you fool", "good morning"]).probabilities[:, 0]
    expected = calibrators.read(path).apply(np.column_stack([1 - raw, raw]))[:, 1]
    found = model.score(texts)
    assert found.probabilities[[0, 2], 0].tolist() == expected.tolist()
    assert np.isnan(found.probabilities[1, 0])
    assert found.variance is None
    assert abs(expected - raw).max() > 0.01


def test_a_calibrator_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    three = fitted(tmp_path / "three.json", classes=3)
    with pytest.raises(InputError, match=r"three\.json: the calibrator is for 3 classes"):
        open_models([ServedModel("default", calibrator=str(three))])
    with pytest.raises(InputError, match="no such file"):
        open_models([ServedModel("default", calibrator=str(tmp_path / "none.json"))])


def test_texts_without_content_have_no_score() -> None:
    model = fake_model()
    found = model.score(["ab", "", "  \n", "abcd"])
    assert np.isnan(found.probabilities[:, 0]).tolist() == [False, True, True, False]
    assert found.probabilities[[0, 3], 0].tolist() == [0.002, 0.004]
    assert model.classifier.asked == [["ab", "abcd"]]  # type: ignore[attr-defined]


def test_of_several_labels_each_has_its_own_column() -> None:
    classifier = FakeClassifier(Targets("multi-label", ("rude", "threat")))
    classifier.gate.set()
    found = LoadedModel("two", classifier).score(["", "ab"])
    assert found.probabilities.shape == (2, 2)


def test_models_are_allowed_what_they_have_a_use_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that sends texts elsewhere beside one that does not; a key that is missing stops the service at the start."""
    (tmp_path / "remote.toml").write_text(
        'kind = "endpoint"\nurl = "https://api.example.com"\nresponse = "p"\nbody = {text = "{text}", key = "${KEY}"}\n'
    )
    served = [ServedModel("default"), ServedModel(str(tmp_path / "remote.toml"))]
    with pytest.raises(InputError, match=r"`send_to` https://api\.example\.com `secrets` KEY"):
        open_models(served)
    allowed = Permissions.from_arguments(send_to="https://api.example.com", secrets="KEY")
    monkeypatch.delenv("KEY", raising=False)
    with pytest.raises(InputError, match=r"remote.toml: 'body.key' refers to the environment variable KEY"):
        open_models(served, permissions=allowed)
    monkeypatch.setenv("KEY", "abcdef")
    assert list(open_models(served, permissions=allowed)) == ["default", "remote"]
