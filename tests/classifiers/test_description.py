"""Models described in TOML files: each kind opens, and what is wrong is one line that names the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from classifiers.server import Asked, Reply, serving
from classifiers.tiny import TEXTS, causal_model, saved, sequence_model, tokenizer
from evenhand.classifiers.description import ModelDescription, open_described
from evenhand.classifiers.models import open_model
from evenhand.classifiers.permissions import Permissions
from evenhand.classifiers.protocol import Classifier
from evenhand.errors import InputError


def written(folder: Path, text: str) -> Path:
    (folder / "model.toml").write_text(text)
    return folder / "model.toml"


def conforms(found: Classifier) -> None:
    """Keeps to the protocol: whoever scores a table relies on no more than this."""
    assert found.name
    assert len(found.version) == 16
    assert found.batch >= 1
    scores = found.score(TEXTS[:3])
    assert scores.targets == found.targets
    assert scores.probabilities.shape == (3, len(found.targets.classes))
    none = found.score([])
    assert none.probabilities.shape == (0, len(found.targets.classes))


def test_an_endpoint(tmp_path: Path) -> None:
    def answer(asked: Asked, _: int) -> Reply:
        assert asked.headers["X-Model"] == "7"
        return Reply({"results": [{"p": len(text) / 1000} for text in asked.body["input"]["texts"]]})

    with serving(answer) as server:
        file = written(
            tmp_path,
            f"""
            kind = "endpoint"
            url = "{server.url}"
            response = "results[].p"
            batch = 3
            rate = 1000
            skip = [400]
            [headers]
            X-Model = "7"
            [body.input]
            texts = "{{texts}}"
            """,
        )
        found = open_described(file, permissions=Permissions(send_to=server.url))
        assert found.name == "model"
        conforms(found)
        scores = found.score(TEXTS)
    np.testing.assert_allclose(scores.probabilities[:, 0], [len(text) / 1000 for text in TEXTS])


def test_models_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    skops.io.dump(make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a fool", "a dog"], [1, 0]), tmp_path / "m")
    found = open_described(written(tmp_path, 'kind = "skops"\npath = "m"\npositive = "1"'))
    conforms(found)
    assert found.score(["fool"]).probabilities[0, 0] > 0.5
    saved(tmp_path / "bert", sequence_model("bert", ["fine", "rude"]), tokenizer())
    found = open_described(
        written(tmp_path, 'kind = "transformers"\npath = "bert"\npositive = ["rude"]\nname = "ours"\nmax_length = 12')
    )
    assert (found.name, found.targets.classes) == ("ours", ("rude",))
    conforms(found)
    saved(tmp_path / "lm", causal_model("llama"), tokenizer(causal=True))
    prompt = 'kind = "prompt"\npath = "lm"\nprompt = ["{text} rude?", "rude: {text}."]\npositive = "yes"\n'
    found = open_described(written(tmp_path, prompt + '[labels]\nyes = [" yes", " fool"]\nno = " no"'))
    assert found.score(TEXTS[:2]).variance is not None
    conforms(found)


def test_a_name_on_the_hub_is_kept_as_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    folder = saved(tmp_path / "bert", sequence_model("bert", ["rude"]), tokenizer())
    asked: list[str] = []

    def fetch(name: str, **_: Any) -> str:
        asked.append(name)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    file = written(tmp_path, 'kind = "transformers"\npath = "some/model"\ndownload = true')
    with pytest.raises(InputError, match=r"model.toml: .*from the Hugging Face Hub: allow it with `download`"):
        open_model(file)
    assert asked == []
    open_model(file, download=True)
    open_described(written(tmp_path, 'kind = "transformers"\npath = "bert"\ndownload = true'))
    assert asked == ["some/model"]
    with pytest.raises(InputError, match="`download` goes with files that say download = true"):
        open_model(written(tmp_path, 'kind = "transformers"\npath = "bert"'), download=True)


ENDPOINT = 'kind = "endpoint"\nurl = "https://example.org"\nresponse = "p"\nbody = {t = "{text}"}\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must name a kind of model; choose from: endpoint"),
        ('kind = "endpont"', "did you mean 'endpoint'"),
        ("kind = 3", "must name a kind"),
        ("kind = ", "not TOML"),
        (ENDPOINT + "timeuot = 3", "no setting 'timeuot'; did you mean 'timeout'"),
        (ENDPOINT + 'timeout = "3"', "timeout must be a number, not a text"),
        (ENDPOINT + "batch = 1.5", "batch must be a whole number, not a number"),
        (ENDPOINT + "batch = true", "batch must be a whole number, not true or false"),
        (ENDPOINT + 'skip = ["400"]', "skip must be a list"),
        (ENDPOINT + "headers = {X-Key = 4}", "headers must be a table"),
        (ENDPOINT + 'task = "multilabel"', "task must be 'binary' or 'multi-class' or 'multi-label'"),
        (ENDPOINT + "rate = 0", r"rate must be 0.001 requests"),
        ('kind = "endpoint"\nurl = "https://example.org"', "the setting 'response' is missing"),
        ('kind = "transformers"', "the setting 'path' is missing"),
        ('kind = "transformers"\npath = "x"\ndownload = 1', "download must be true or false"),
        ('kind = "transformers"\npath = "nowhere"', "nowhere: there is no such directory"),
        ('kind = "skops"\npath = "x"\ntrust = ["y"]', "remove 'trust' from it.*`trust`"),
        ('kind = "skops"\npath = "x"\ntrusted = ["y"]', "remove 'trusted' from it.*`trust`"),
        ('kind = "skops"\npath = "nowhere.skops"', "nowhere.skops: there is no such file"),
        ('kind = "prompt"\npath = "x"\nprompt = "y {text}"', "the setting 'labels' is missing"),
        ('kind = "prompt"\npath = "x"\nprompt = "y {text}"\nlabels = {a = 1}', "labels must be a table"),
    ],
)
def test_a_file_that_describes_no_model(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        open_described(written(tmp_path, text))
    assert str(tmp_path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_described(tmp_path / "none.toml")
    with pytest.raises(InputError, match="not a file"):
        open_described(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'kind = "\xe9"')
    with pytest.raises(InputError, match="not UTF-8"):
        open_described(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" + ".a" * 3000 + " = 1", "more than 100 levels"),
        ("[x" + ' . "\\"" . y' * 60 + "]", "more than 100 levels"),
        ("x = {" + "'a'." * 120 + "b = 1}", "more than 100 levels"),
        ("x = " + "[" * 100_000, "more than 100 levels|not TOML"),
        ("#" * 300_000, "too large to be read: 293 KB"),
    ],
    ids=["bare", "table", "inline", "nest", "long"],
)
def test_a_small_file_cannot_fill_the_memory(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_described(written(tmp_path, text))


def test_dots_in_a_prompt_are_no_key(tmp_path: Path) -> None:
    dots = "Mr. X. and so on...... " * 200
    file = written(tmp_path, ENDPOINT + f'positive = """{dots}"""\n')
    assert ModelDescription.read(file).options["positive"] == dots


def test_what_stands_in_a_file_is_not_repeated(tmp_path: Path) -> None:
    """Somebody will put a key there all the same."""
    with pytest.raises(InputError) as caught:
        ModelDescription.read(written(tmp_path, ENDPOINT + "headers = 's3cr3t'"))
    assert "s3cr3t" not in str(caught.value)


def test_reading_a_description_imports_nothing_heavy() -> None:
    heavy = ("torch", "transformers", "sklearn", "skops", "httpx", "huggingface_hub")
    code = f"import sys, evenhand.classifiers.description\nprint([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
