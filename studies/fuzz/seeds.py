"""Sound files, small, made on the spot by the code that reads them."""

from __future__ import annotations

import hashlib
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.files import content_hash
from studies.fuzz.tables import _bytes, sound

DECLARATION = b"""data = "items.csv"
audits = ["bias", "calibration"]
items = "items.csv"
query = "SELECT 1"
[columns]
score = ["p", "q"]
scale = "probability"
label = "y"
label_threshold = 0.5
terms = {dogs = ["dog", "puppy"]}
text = "t"
slices = ["where"]
[settings]
level = 0.9
threshold = 0.4
replicates = 50
capacities = [0.1, "1%"]
bins = 5
examples = 1
rank_with = "other.csv"
"""
SPELLINGS = b"""[gender]
women = ["woman", "female"]
others = ["*"]
"""
DESCRIPTIONS = (
    b"""kind = "endpoint"
url = "https://example.org/score"
method = "POST"
body = {text = "{text}", nested = [1, {a = true}]}
response = "attributeScores.TOXICITY.summaryScore.value"
headers = {"X-Key" = "${KEY}"}
query = {a = "b"}
batch = 1
rate = 2.5
timeout = 5
tries = 2
skip = [400]
name = "mine"
positive = "toxic"
""",
    b"""kind = "endpoint"
url = "https://example.org/score"
body = {texts = "{texts}"}
batch = 2
task = "multi-label"
response = {a = "results[].scores[label=a].value", b = "results[].scores[label=b].value"}
scale = "percent"
""",
    b"""kind = "openai"
url = "http://localhost:8000/v1"
model = "small"
prompt = "Is this hateful? {text}"
labels = {yes = ["Yes", "yes"], no = "No"}
positive = "yes"
parameters = {top_p = 1}
on_error = "empty"
""",
    b"""kind = "skops"
path = "model.skops"
positive = "1"
batch = 10
""",
    b"""kind = "transformers"
path = "folder"
positive = ["LABEL_1"]
length = 64
batch = 4
""",
    b"""kind = "prompt"
path = "folder"
prompt = "Is this hateful? {text} Answer:"
yes = ["yes"]
no = ["no"]
""",
)
ANSWERS = (
    b'{"attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.5}}}}',
    b'{"results": [{"scores": [{"label": "a", "value": 10}, {"label": "b", "value": 1}]}, {"scores": '
    b'[{"label": "a", "value": 1}, {"label": "b", "value": 99}]}]}',
)
TARGETS = {"linear": ("toxic",), "encoder": ("bad",)}


@cache
def tables(form: str) -> list[bytes]:
    """Twelve rows with an id, a score, a label, a group and a text; and the same with odd fields."""
    frame = sound(1, 12).select("id", "p", "y", g="a", t="text")
    found = [_bytes(frame, form)]
    if form in ("csv", "tsv"):
        rows = [b'id,p,y,g,t\n1,0.2,0,1,"a, ""b"""\n2,0.3,1,0,\n', b"\xef\xbb\xbfid;p;y;g;t\r\n1;0.5;1;0;x\r\n"]
        found += [row.replace(b",", b"\t") for row in rows] if form == "tsv" else rows
    if form == "jsonl":
        found.append(b'{"id": "a", "p": 0.1, "y": 1, "g": true, "t": null}\n{"id": "b", "p": 1, "y": 0, "g": false}\n')
    return found


def sealed(content: bytes) -> bytes:
    """With the seal that goes with what it says, whatever that is."""
    try:
        told = json.loads(content)
        told.pop("seal", None)
        return json.dumps({**told, "seal": content_hash(told)}).encode()
    except (ValueError, AttributeError, TypeError, RecursionError):
        return content


def sealed_plan(content: bytes) -> bytes:
    """The same for a plan, whose batches are sealed one after the other."""
    try:
        told = json.loads(content)
        batches = told.pop("batches", None)
        told.pop("seal", None)
        told.pop("batches_seal", None)
        before = seal = content_hash(told)
        for batch in batches if isinstance(batches, list) else []:
            if isinstance(batch, dict):
                batch.pop("seal", None)
                before = batch["seal"] = content_hash({**batch, "before": before})
        whole = content_hash({"seal": seal, "batches": [batch["seal"] for batch in batches or []]})
        return json.dumps({**told, "seal": seal, "batches_seal": whole, "batches": batches}).encode()
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return content


@cache
def planned(design: str = "score-driven") -> dict[str, bytes]:
    """A plan by which a batch was drawn and labelled: items.csv, plan.json, batch.csv."""
    from evenhand.measurement.campaign import Campaign as Work
    from evenhand.measurement.items import ItemColumns as Roles
    from evenhand.measurement.plan import Measurement
    from evenhand.measurement.plan_file import write_plan
    from evenhand.measurement.planning import SampleSizeRequest as Wish
    from evenhand.measurement.planning import make_plan
    from evenhand.sampling.designs import design_named

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = sound(3, 120).select("id", "p", "where", "text", thread=pl.col("item"))
        frame.write_csv(folder / "items.csv")
        clustered = design == "clusters"
        roles = Roles(id="id", score=None if clustered else "p", by=() if clustered else ("where",))
        roles = Roles(id="id", cluster="thread") if clustered else roles
        made = make_plan(
            folder / "items.csv",
            folder / "plan.json",
            roles=roles,
            design=design_named(design, {}),
            size=Wish(n=20) if design != "sequential" else Wish(promise={"within": 0.5}, prevalence=0.3),
            measurement=Measurement("rules", "rule 3", "visible", "January", "prevalence"),
            seed=1,
        )
        write_plan(made.plan, folder / "plan.json")
        Work(folder / "plan.json").draw(folder / "batch.csv")
        sheet = pl.read_csv(folder / "batch.csv", infer_schema=False)
        said = ["yes" if number % 3 == 0 else "no" for number in range(len(sheet))]
        sheet.with_columns(label=pl.Series(said)).write_csv(folder / "batch.csv")
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def plans() -> list[bytes]:
    """One of each design, at work."""
    from evenhand.errors import InputError

    found = []
    for design in ("score-driven", "random", "stratified", "sequential", "clusters"):
        try:
            found.append(planned(design)["plan.json"])
        except InputError:
            continue
    return found


@cache
def answers(ending: str) -> list[bytes]:
    """What annotators hand back."""
    sheet = pl.read_csv(planned()["batch.csv"], infer_schema=False)
    ids = sheet["id"].to_list()
    if ending == "csv":
        rows = "".join(
            f"{id_},{who},{'yes' if k % 2 else 'cannot tell'}\n" for k, id_ in enumerate(ids) for who in "ab"
        )
        return [planned()["batch.csv"], b"id,who,label\n" + rows.encode()]
    annotation = {"completed_by": {"email": "a"}, "result": [{"from_name": "label", "value": {"choices": ["yes"]}}]}
    tasks = [{"data": {"item": id_, "text": "x"}, "annotations": [annotation]} for id_ in ids]
    plain = [{"item": id_, "label": "no", "annotator": 3} for id_ in ids]
    return [json.dumps(tasks).encode(), json.dumps(plain).encode()]


@cache
def report() -> Any:
    """A small audit."""
    import evenhand as eh

    return eh.audit(sound(5, 60), score="p", label="y", groups=["a"], audits="bias", slices=["where"])


@cache
def calibrators() -> list[bytes]:
    """One of each method, and one with a class that had no data."""
    from evenhand.calibrators import METHODS, fit
    from evenhand.calibrators.storage import calibrator_to_json as as_json

    rng = np.random.default_rng(2)
    found = []
    for name, method in METHODS.items():
        classes = 2 if method.binary else 3
        p = rng.dirichlet([1.0] * classes, 60)
        label = (rng.random((60, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, classes - 1)
        found.append(as_json(fit(p, label, method=name, classes=[f"c{k}" for k in range(classes)])).encode())
    p = rng.dirichlet([1.0] * 3, 60)
    found.append(as_json(fit(p, rng.integers(0, 2, 60), classes=["a", "b", "c"])).encode())
    return found


@cache
def model(kind: str) -> dict[str, bytes]:
    """The files of a tiny model."""
    from evenhand.classifiers import model_folder as directory

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trained = _linear() if kind == "linear" else _encoder(folder / "source")
        directory.save_model(
            trained, folder / "model", name="tiny", cards=lambda version: {"card.md": f"# {version}\n"}
        )
        return {path.name: path.read_bytes() for path in (folder / "model").iterdir()}


def part(kind: str, name: str) -> bytes:
    """One of them."""
    return model(kind)[name]


def place_model(kind: str, folder: Path, name: str, content: bytes) -> None:
    """A model with one file altered, and the hashes of its manifest right again."""
    from evenhand.classifiers.model_folder import MANIFEST, _sealed

    folder.mkdir(exist_ok=True)
    files = {**model(kind), name: content}
    told: Any = None
    try:
        told = json.loads(files[MANIFEST])
        told.pop("seal", None)
        for other, inside in files.items():
            if other != MANIFEST and other in told["files"]:
                told["files"][other] = hashlib.sha256(inside).hexdigest()
        files[MANIFEST] = _sealed(told).encode()
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        pass
    for other, inside in files.items():
        (folder / other).write_bytes(inside)


def _labelled(kind: str) -> Any:
    from evenhand.classifiers.protocol import LabelledTexts as Labelled
    from evenhand.classifiers.protocol import Targets

    texts = [f"w{number % 7} some words w{number % 3}" for number in range(40)]
    truth = np.array([[float(number % 3 == 0)] for number in range(40)], dtype=np.float32)
    return Labelled(texts, truth, Targets("binary", TARGETS[kind]))


def _linear() -> Any:
    from evenhand.classifiers.linear import LinearClassifier, LinearSettings

    return LinearClassifier.train(_labelled("linear"), LinearSettings(bits=10, members=2, rounds=2))


def _encoder(folder: Path) -> Any:
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    from evenhand.classifiers.encoder import EncoderFamily, EncoderSettings

    words = ["[PAD]", "[UNK]", *(f"w{number}" for number in range(10))]
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=16, **named).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = transformers.BertConfig(**sizes, vocab_size=len(words), pad_token_id=0, max_position_embeddings=16)
    transformers.BertModel(config).save_pretrained(folder)
    settings = EncoderSettings(encoder=str(folder), epochs=1, batch=8, length=8)
    return EncoderFamily.train(_labelled("encoder"), settings)


@cache
def checkpoint() -> bytes:
    """What a training run that was broken off left."""
    import torch

    from evenhand.classifiers.encoder.training import Checkpoint as Kept

    with tempfile.TemporaryDirectory() as name:
        kept = Kept(Path(name), "key", 0)
        kept.write({"weight": torch.ones(2, 3), "step": torch.tensor(4)}, 4)
        assert kept.path is not None
        return kept.path.read_bytes()


@cache
def skops() -> bytes:
    """A scikit-learn pipeline."""
    import skops.io
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    data = _labelled("linear")
    fitted = make_pipeline(CountVectorizer(max_features=5), LogisticRegression()).fit(data.texts, data.truth[:, 0])
    return bytes(skops.io.dumps(fitted))


@cache
def endpoints() -> tuple[Any, ...]:
    """Those that the descriptions describe."""
    import tomllib

    from evenhand.classifiers.adapters import Endpoint
    from evenhand.classifiers.options import check_options as checked

    found = []
    for text in DESCRIPTIONS[:2]:
        told = tomllib.loads(text.decode())
        told.pop("kind")
        found.append(Endpoint(**checked(Endpoint, told)))
    return tuple(found)


def corpus_file(file: Any) -> bytes:
    """A file of a corpus with all its columns and three rows that could be there."""
    values = {"label": "1", "split": "train", "annotation": "1", "expert": "counter_speech", "Label": "BAD"}
    if file.name.endswith(".json"):
        item = {
            "text": "a",
            "annotators": "A1,A2",
            "annotations": "0,1",
            "split": "train",
            "other_info": {"domain": "x"},
        }
        return json.dumps({"1": item, "2": item}).encode()
    names = [*file.columns, *file.also]
    frame = pl.DataFrame({name: [values.get(name, str(k % 2)) for k in range(3)] for name in names})
    numbers = {name: pl.Int64 for name in names if values.get(name, "1") == "1" and "text" not in name.lower()}
    frame = frame.cast(numbers) if file.name.endswith("parquet") else frame
    return _bytes(frame, file.name.rpartition(".")[2])
