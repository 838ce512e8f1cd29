"""evenhand train and score with encoders: the whole way, broken-off runs, and one line for whatever cannot be done."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch

from classifiers.encoder.made import directory, labelled
from classifiers.made import contents
from cli.program import fails
from evenhand.cards import examination
from evenhand.cards.training import CHECKPOINT_FOLDER
from evenhand.classifiers import model_folder as folders
from evenhand.classifiers.encoder import training
from evenhand.synthetic.templates import templates
from marks import smoke

QUICK = ["epochs=2", "batch=16", "length=24", "features=16", "rate=2e-3"]
TRAIN = ["--label", "bad", "--text", "text", *(part for setting in QUICK for part in ("--set", setting))]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return directory(tmp_path_factory.mktemp("made") / "tiny")


@pytest.fixture
def here(program: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """With few sentences for the card, which would take longer than everything else."""
    monkeypatch.setattr(examination, "templates", lambda rows=1000: templates(rows=min(rows, 1000)))
    shutil.copytree(folder, "tiny")
    table(80).write_parquet("in.parquet")
    return program


def table(rows: int) -> pl.DataFrame:
    data = labelled("multi-label", rows)
    kinds = [["calm", "rude", "threat"][2 if threat else int(rude)] for rude, threat in data.truth]
    return pl.DataFrame({"text": data.texts, "bad": data.truth[:, 0] > 0, "worse": data.truth[:, 1] > 0, "kind": kinds})


def train(here: Any, *options: object, method: str = "deterministic", out: str = "m") -> Any:
    return here("train", "in.parquet", *TRAIN, "--method", method, "--encoder", "tiny", "-o", out, *options)


METHODS = {
    "deterministic": [],
    "mc-dropout": ["--set", "samples=3"],
    "ensemble": ["--set", "members=2"],
    "sngp": ["--loss", "focal"],
    "sngp-ensemble": ["--set", "members=2", "--loss", "focal"],
}


@pytest.mark.parametrize("method", smoke(list(METHODS)))
def test_the_whole_way(here: Any, method: str) -> None:
    done = train(here, *METHODS[method], method=method)
    assert done.code == 0, done.err
    model = folders.load_model(Path("m"))
    assert f"trained m {model.version}: m" in done.out
    names = {"card.json", "card.md", "config.json", "model.json", "tokenizer.json", "tokenizer_config.json"}
    assert set(contents(Path("m"))) == names | {"weights-0.safetensors"}, "and nothing of training is left"
    assert json.loads(Path("m/card.json").read_text())["method"] == method
    done = here("score", "m", "in.parquet", "-o", "out.parquet", "--text", "text", "--device", "cpu")
    assert done.code == 0, done.err
    scored = pl.read_parquet("out.parquet")
    assert ("model_uncertainty" in scored.columns) == (method != "deterministic")
    assert scored["p"].null_count() == 0
    assert scored.select((pl.col("p") * (1 - pl.col("p")) - pl.col("uncertainty")).abs().max()).item() < 1e-9
    if method != "deterministic":
        assert scored["model_uncertainty"].min() > 0.0
        assert scored.filter(pl.col("model_uncertainty") > pl.col("uncertainty") + 1e-12).is_empty()
    assert set(scored["model_version"]) == {model.version}
    listed = {entry["model"]: entry for entry in json.loads(here("models", "--json").out)}
    assert listed["m"]["kind"] == "encoder"


@pytest.mark.parametrize(
    ("label", "columns"),
    [
        ("kind", ["p_calm", "p_rude", "p_threat", "uncertainty", "model_uncertainty"]),
        ("bad,worse", ["p_bad", "p_worse", "uncertainty_bad", "model_uncertainty_worse"]),
    ],
)
def test_several_classes(here: Any, label: str, columns: list[str]) -> None:
    done = train(here, "--label", label, method="sngp")
    assert done.code == 0, done.err
    assert here("score", "m", "in.parquet", "-o", "out.csv", "--text", "text").code == 0
    assert set(columns) <= set(pl.read_csv("out.csv").columns)


@pytest.mark.verify
def test_a_run_that_was_broken_off_goes_on(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(here, "--set", "members=2", method="ensemble", out="whole").code == 0
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    from evenhand.classifiers.encoder.training_step import TrainingStep as Stepper

    step, taken = Stepper.step, []

    def counted(self: Stepper, *given: Any) -> None:
        taken.append(1)
        if len(taken) == 4:
            raise KeyboardInterrupt
        step(self, *given)

    monkeypatch.setattr(Stepper, "step", counted)
    broken = train(here, "--set", "members=2", method="ensemble")
    assert broken.code != 0
    assert [path.name for path in Path("m").iterdir()] == [CHECKPOINT_FOLDER], "what there was so far"
    taken.clear()
    taken += [1] * 10
    assert train(here, "--set", "members=2", method="ensemble").code == 0
    assert len(taken) == 10 + 10 - 3, "only what was missing"
    assert not Path("m", CHECKPOINT_FOLDER).exists()
    assert Path("m/weights-0.safetensors").read_bytes() == Path("whole/weights-0.safetensors").read_bytes()


def test_a_model_of_another_kind_leaves_nothing_behind(here: Any) -> None:
    assert train(here).code == 0
    Path("m/notes.txt").write_text("mine")
    Path("m", CHECKPOINT_FOLDER).mkdir()
    Path("m", CHECKPOINT_FOLDER, "training-7.safetensors").write_text("of a run long ago")
    done = here(
        "train", "in.parquet", "--label", "bad", "--text", "text", "-o", "m", "--set", "bits=12", "--set", "rounds=4"
    )
    assert done.code == 0, done.err
    left = {"card.json", "card.md", "model.json", "notes.txt", "weights.npz"}
    assert {path.name for path in Path("m").iterdir()} == left


@pytest.mark.verify
@pytest.mark.parametrize(
    ("at", "kind"),
    smoke(
        [
            ("weights", "library"),
            ("weights", "system"),
            ("tokenizer", "library"),
            ("config", "system"),
            ("move", "system"),
        ]
    ),
)
def test_a_full_disk_leaves_the_model_that_was_there(
    here: Any, at: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import safetensors
    import safetensors.torch
    import transformers

    from evenhand import output_folder

    assert train(here).code == 0
    before = contents(Path("m"))
    error = OSError(28, "No space left on device")
    if kind == "library":
        error = (safetensors.SafetensorError if at == "weights" else Exception)("No space left on device (os error 28)")

    real = safetensors.torch.save_file

    def full(*given: Any, **named: Any) -> None:
        if at == "weights" and CHECKPOINT_FOLDER in str(given[1]):
            return real(*given, **named)
        raise error

    place, name = {
        "weights": (safetensors.torch, "save_file"),
        "tokenizer": (transformers.PreTrainedTokenizerFast, "save_pretrained"),
        "config": (transformers.BertConfig, "save_pretrained"),
        "move": (output_folder, "_move_into_place"),
    }[at]
    with monkeypatch.context() as patched:
        patched.setattr(place, name, full)
        done = train(here, "--set", "seed=1")
    assert done.code == 2, (done.out, done.err)
    (line,) = done.err.strip().splitlines()
    assert "could not be written" in line
    assert "No space left" in line
    left = contents(Path("m"))
    assert {name: left[name] for name in left if not name.startswith(CHECKPOINT_FOLDER)} == before
    assert folders.load_model(Path("m"))
    done = train(here, "--set", "seed=1")
    assert done.code == 0, "with room again, what was trained is only saved"
    assert contents(Path("m")).keys() == before.keys()


WRONG: list[tuple[list[str], list[str]]] = [
    (["--method", "sgnp"], ["no method 'sgnp'", "did you mean 'sngp'"]),
    (["--loss", "hinge"], ["loss must be 'cross-entropy' or 'focal'"]),
    (["--set", "members=0"], ["members is 0"]),
    (["--set", "dropout=1.0"], ["dropout"]),
    (["--set", "rate=-1.0"], ["rate is -1.0"]),
    (["--set", "epochs=many"], ["epochs must be a whole number"]),
    (["--set", "samples=3", "--set", "members=2"], ["samples", "one member"]),
    (["--set", "bits=12"], ["the method deterministic has no setting 'bits'", "belongs to linear, unigram"]),
    (["--set", "focsu=1.0"], ["no setting 'focsu'", "did you mean 'focus'"]),
    (["--device", "cuda"], ["no GPU is available for the device 'cuda'"]),
    (["--device", "cuda:3"], ["no GPU is available for the device 'cuda:3'"]),
    (["--device", "gpu"], ["there is no device 'gpu'", "cpu or cuda"]),
    (["--device", "meta"], ["there is no device 'meta'"]),
    (["--encoder", "nowhere"], ["nowhere", "no such directory", "--download"]),
    (["--encoder", "in.parquet"], ["in.parquet", "this is a file"]),
    (["--encoder", "empty"], ["empty", "no weights"]),
    (["--encoder", "half"], ["half", "config.json is missing"]),
    (["--encoder", "other"], ["other", "weights are missing"]),
    (["--encoder", "pickled"], ["pickled", "a pickle, which can run any code"]),
    (["--set", "members=500"], ["rows are too few to train on: at least 500"]),
    (["--where", "bad"], ["column 'bad'", "every item is violating: both classes are needed"]),
    (["--where", "not bad"], ["column 'bad'", "every item is benign: both classes are needed"]),
    (["--label", "bad,worse", "--oversample", "smote"], ["one class for each text"]),
    (["--oversample", "smoke"], ["oversample must be 'none' or 'smote'"]),
]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a graphics card")
@pytest.mark.parametrize(("options", "says"), WRONG, ids=[" ".join(options) for options, _ in WRONG])
def test_what_cannot_be_trained(here: Any, options: list[str], says: list[str]) -> None:
    for name in ("empty", "pickled"):
        Path(name).mkdir()
    Path("empty/config.json").write_text("{}")
    Path("pickled/pytorch_model.bin").write_bytes(b"\x80")
    for name in ("half", "other"):
        shutil.copytree("tiny", name)
    Path("half/config.json").unlink()
    told = json.loads(Path("other/config.json").read_text())
    Path("other/config.json").write_text(json.dumps({**told, "num_hidden_layers": 3}))
    given = [*TRAIN, "--method", "deterministic", "--encoder", "tiny", *options]
    fails(here, "train", "in.parquet", "-o", "new", *given, says=says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--loss", "focal"], ["the method linear has no setting 'loss': it belongs to deterministic, mc-dropout"]),
        (["--encoder", "tiny"], ["the method linear has no setting 'encoder'"]),
        (["--set", "dropout=0.5"], ["the method linear has no setting 'dropout'"]),
        (["--device", "cpu"], ["--device and --download go with encoders (deterministic", "not with linear"]),
        (["--download"], ["--device and --download go with encoders"]),
        (["--method", "unigram", "--loss", "focal"], ["the method unigram has no setting 'loss'"]),
    ],
)
def test_what_goes_with_encoders_alone(here: Any, options: list[str], says: list[str]) -> None:
    fails(here, "train", "in.parquet", "-o", "new", "--label", "bad", "--text", "text", *options, says=says)


def test_texts_that_are_odd(here: Any) -> None:
    odd = [None, "", "   ", "w55 " * 250_000, "\u200b", "漢字 🙂", "x" * 1_000_000]
    frame = pl.concat([table(80).select("text", "bad"), pl.DataFrame({"text": odd, "bad": [True, False] * 3 + [True]})])
    frame.write_parquet("in.parquet")
    done = train(here, method="sngp")
    assert done.code == 0, done.err
    done = here("score", "m", "in.parquet", "-o", "out.parquet", "--text", "text")
    assert done.code == 0, done.err
    assert "3 rows have no score" in done.out
    scored = pl.read_parquet("out.parquet")
    assert scored["p"].is_null().to_list()[80:] == [True, True, True, False, False, False, False]
    assert scored["p"].drop_nulls().is_between(0.0, 1.0).all()


def test_files_that_cannot_be_used(here: Any) -> None:
    Path("latin.csv").write_bytes(b"text,bad\n" + b"caf\x81,1\nth\x81,0\n" * 20)  # no character of CP1252 either
    pl.DataFrame({"text": ["", None, " "] * 10, "bad": [True, False, True] * 10}).write_parquet("blank.parquet")
    given = [*TRAIN, "--method", "sngp", "--encoder", "tiny", "-o", "new"]
    fails(here, "train", "latin.csv", *given, "--encoding", "utf-8", says=["latin.csv", "row 1", "set --encoding"])
    fails(here, "train", "blank.parquet", *given, says=["blank.parquet", "no row has a text"])


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a graphics card")
def test_models_that_cannot_be_asked(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(here).code == 0
    ask = ["in.parquet", "-o", "out.csv", "--text", "text"]
    fails(here, "score", "m", *ask, "--device", "cuda", says=["no GPU is available"])
    fails(here, "score", "m", *ask, "--device", "tpu", says=["no device 'tpu'"])
    fails(here, "score", "m", *ask, "--download", says=["m: --download goes with presets"])
    fails(here, "score", "default", *ask, "--device", "cuda", says=["does not use a GPU"])
    shutil.copytree("m", "cut")
    Path("cut/weights-0.safetensors").write_bytes(Path("m/weights-0.safetensors").read_bytes()[:-9])
    fails(here, "score", "cut", *ask, says=["cut", "weights-0.safetensors was altered"])
    shutil.copytree("m", "less")
    Path("less/tokenizer.json").unlink()
    fails(here, "score", "less", *ask, says=["less", "tokenizer.json is missing"])
    monkeypatch.setitem(sys.modules, "torch", None)
    fails(here, "score", "m", *ask, says=["this needs torch", "evenhand[train]"])
