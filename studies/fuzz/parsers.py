"""Every parser of a file that somebody may hand us: what a sound file looks like, and what reads it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from studies.fuzz import mutation, seeds

Change = Callable[[bytes, mutation.Bytes, Any], bytes]


@dataclass(frozen=True)
class Target:
    """`seeds` are sound files; `feed` reads one, in a scratch folder; `change` alters one so that it stays near."""

    name: str
    seeds: Callable[[], list[bytes]]
    feed: Callable[[bytes, Path], Any]
    change: Change | None = None


def _written(content: bytes, path: Path) -> Path:
    path.write_bytes(content)
    return path


def evidence(form: str) -> Callable[[bytes, Path], None]:
    """A table: its roles sketched, its columns read and checked, its rows handed on in pieces."""

    def feed(content: bytes, folder: Path) -> None:
        from evenhand.errors import InputError
        from evenhand.evidence import Declaration, open_evidence, open_source
        from evenhand.evidence.draft import draft_declaration as sketch

        path = _written(content, folder / f"items.{form}")
        faults = []
        for action in (
            lambda: open_evidence(path, Declaration(score=("p",), label="y", groups=("g",), text="t", id="id")),
            lambda: sketch(open_source(path), str(path), None, beside=folder / "audit.toml"),
            lambda: list(open_source(path).batches(7, verbatim=True)),
            lambda: open_source(path).as_written(["id", "y"]),
        ):
            try:
                action()
            except InputError as error:
                faults.append(error)
        if faults:
            raise faults[-1]

    return feed


def declaration(content: bytes, folder: Path) -> None:
    """A whole request in a TOML file; its data is not opened."""
    from evenhand.audits.request import AuditRequest as Request

    Request.of(_written(content, folder / "audit.toml"), options={})


def terms(content: bytes, folder: Path) -> None:
    from evenhand.evidence import Declaration
    from evenhand.evidence.terms import read_terms

    Declaration.of({"terms": read_terms(_written(content, folder / "terms.txt")), "text": "t"})


def spellings(content: bytes, folder: Path) -> None:
    from evenhand.evidence import Declaration
    from evenhand.files import read_toml

    told = read_toml(_written(content, folder / "spellings.toml"))
    Declaration.of({"item": "i", "annotator": "w", "annotator_groups": ["gender"], "spellings": told})


def plan(content: bytes, folder: Path) -> None:
    """A plan that was altered by somebody who knows how to seal it, its labels, and what comes next."""
    from evenhand.measurement.campaign import Campaign as Work
    from evenhand.measurement.plan_file import plan_as_json as as_json
    from evenhand.measurement.plan_file import read_plan
    from evenhand.measurement.sample import AnswerFiles as Files

    path = _written(seeds.sealed_plan(content), folder / "plan.json")
    as_json(read_plan(path))
    for name, whole in seeds.planned().items():
        if name != "plan.json":
            _written(whole, folder / name)
    work = Work(path)
    work.take(Files((folder / "batch.csv",)))
    work.draw(folder / "again.csv")


def labels(ending: str) -> Callable[[bytes, Path], None]:
    def feed(content: bytes, folder: Path) -> None:
        from evenhand.measurement.campaign import Campaign as Work
        from evenhand.measurement.sample import AnswerFiles as Files

        for name, whole in seeds.planned().items():
            _written(whole, folder / name)
        path = _written(content, folder / f"labels.{ending}")
        Work(folder / "plan.json").take(Files((path,), annotator="who" if b"who" in content else None))

    return feed


def findings(content: bytes, folder: Path) -> None:
    """An earlier run: read, compared with, and shown."""
    from evenhand.comparison.runs import compare_runs as compare
    from evenhand.findings_file import read_findings as read
    from evenhand.reports import Report

    earlier = read(_written(content, folder / "findings.json"))
    report = Report((*seeds.report().findings, compare(seeds.report().findings, earlier, called="earlier")))
    report.json(), report.csv(), report.tables()


def calibrator(content: bytes, folder: Path) -> None:
    from evenhand.calibrators import read

    found = read(_written(seeds.sealed(content), folder / "calibrator.json"))
    table = np.full((3, len(found.classes)), 1.0 / max(len(found.classes), 1))
    table[0, 0], table[0, 1:] = 1.0, 0.0
    p = found.apply(table)
    assert np.isfinite(p).all(), p
    assert p.min() >= -1e-9, p
    assert p.max() <= 1.0 + 1e-9, p


def model(kind: str, name: str) -> Callable[[bytes, Path], None]:
    """One file of a saved model altered, and the manifest sealed anew."""

    def feed(content: bytes, folder: Path) -> None:
        from evenhand.classifiers import model_folder as directory

        seeds.place_model(kind, folder / "model", name, content)
        found = directory.load_model(folder / "model")
        scores = found.score(["some words", ""]).probabilities
        assert np.isfinite(scores).all(), scores
        assert scores.min() >= 0.0, scores
        assert scores.max() <= 1.0 + 1e-6, scores

    return feed


def skops(content: bytes, folder: Path) -> None:
    from evenhand.classifiers.adapters import open_skops

    open_skops(_written(content, folder / "model.skops")).score(["some words"])


def config(content: bytes, folder: Path) -> None:
    from evenhand.classifiers.adapters.pretrained import PretrainedDirectory as Directory

    _written(b"\x02" + bytes(7) + b"{}", folder / "model.safetensors")  # a header that lists nothing
    _written(content, folder / "config.json")
    Directory.at(folder).config("ForSequenceClassification")


def description(content: bytes, folder: Path) -> None:
    from evenhand.classifiers.description import SERVER_KINDS
    from evenhand.classifiers.description import ModelDescription as Description
    from evenhand.classifiers.models import list_models

    path = _written(content, folder / "model.toml")
    list_models(folder)
    found = Description.read(path)
    if found.kind in SERVER_KINDS:
        _ = found.open().version


def answer(content: bytes, _folder: Path) -> None:
    """What an endpoint answers."""
    from evenhand.classifiers.adapters.server import UnreadableAnswer
    from evenhand.errors import InputError

    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return
    failed = None
    for endpoint in seeds.endpoints():
        try:
            endpoint.read(told, 2 if endpoint.batch > 1 else 1)
        except UnreadableAnswer as problem:
            failed = InputError(str(problem))
    if failed:
        raise failed


@cache
def published() -> list[tuple[str, str, dict[str, bytes]]]:
    """A sound file or several for each layout of each corpus: its name and that of a file to alter come first."""
    from evenhand.reproduce.corpora import CORPORA

    found = []
    for corpus in CORPORA.values():
        for layout in corpus.layouts:
            files = {file.name: seeds.corpus_file(file) for file in layout.files}
            found += [(corpus.name, name, files) for name in files]
    return found


def corpus(content: bytes, folder: Path) -> None:
    """The first byte says which file of which corpus; the rest is what it holds."""
    from evenhand.reproduce.corpora import CorpusFolder as Corpora

    if not content:
        return
    name, file, files = published()[content[0] % len(published())]
    for other, whole in files.items():
        _written(whole, folder / other)
    _written(content[1:], folder / file)
    loaded = Corpora(folder).load(name)
    loaded.facts()
    if loaded.roles:
        loaded.declaration()


def corpora_seeds() -> list[bytes]:
    return [bytes([number]) + files[file] for number, (_, file, files) in enumerate(published())]


def changed_corpus(content: bytes, plain: mutation.Bytes, rng: Any) -> bytes:
    if not content:
        return plain(content)
    file = published()[content[0] % len(published())][1]
    change = {"json": mutation.changed_json, "parquet": None}.get(file.rpartition(".")[2], mutation.changed_text)
    return content[:1] + (change(content[1:], plain, rng) if change else plain(content[1:]))


def runs(content: bytes, folder: Path) -> None:
    from evenhand.reproduce.collaboration.runs import read_environments as read

    for name in ("test", "deployment"):
        _written(content, folder / f"{name}.parquet")
    read(folder)


def archive(content: bytes, folder: Path) -> None:
    from evenhand.reproduce.corpora.fetching import _unpack

    _unpack(_written(content, folder / "archive"), ["a.csv", "b.csv"], folder)


def lock(content: bytes, folder: Path) -> None:
    from evenhand.reproduce.corpora.corpus import RemoteFile as Remote
    from evenhand.reproduce.corpora.fetching import LOCK_FILE as LOCK
    from evenhand.reproduce.corpora.fetching import _read_lock

    _written(content, folder / LOCK)
    _read_lock(folder).get(Remote("http://x", "a.zip").name, {}).get("sha256")


def checkpoint(content: bytes, folder: Path) -> None:
    from evenhand.classifiers.encoder.training import Checkpoint as Kept

    kept = Kept(folder, "key", 0)
    assert kept.path is not None
    _written(content, kept.path)
    kept.read()


def piece(content: bytes, folder: Path) -> None:
    """What is left of a run that was broken off."""
    from evenhand.classifiers.partial_results import JOB_FILE as JOB
    from evenhand.classifiers.partial_results import partial_results_beside as pieces_beside

    beside = folder / ".out.csv.pieces"
    beside.mkdir(exist_ok=True)
    _written(b'{"a": 1}', beside / JOB)
    _written(content, beside / f"{0:012d}.parquet")
    with pieces_beside(folder / "out.csv", {"a": 1}):
        pass


def other_source(content: bytes, folder: Path) -> None:
    """Small tables that go with a command: prevalences to rank with, strata to plan for."""
    from evenhand.audits.accuracy.quantities import _read_ranking as _read
    from evenhand.errors import InputError
    from evenhand.measurement.sizes import StrataTable as Strata

    path = _written(content, folder / "strata.csv")
    with suppress(InputError):
        _read(str(path), ["stratum"])
    Strata.read(path)


def archives() -> list[bytes]:
    out, tar = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file, tarfile.open(fileobj=tar, mode="w:gz") as other:
        for name in ("a.csv", "in/b.csv"):
            file.writestr(name, "id\n1\n")
            info = tarfile.TarInfo(name)
            info.size = 5
            other.addfile(info, io.BytesIO(b"id\n1\n"))
    return [out.getvalue(), tar.getvalue(), gzip.decompress(tar.getvalue())]


def parquet() -> list[bytes]:
    out = io.BytesIO()
    names = ("p:deterministic:cross-entropy:0", "v:sngp:focal:1")
    pl.DataFrame({"id": [1, 2], "label": [0, 1], **{name: [0.1, 0.9] for name in names}}).write_parquet(out)
    return [out.getvalue()]


LOCKED = b'{"a.zip": {"url": "http://x", "size": 3, "sha256": "ab", "checked": "lock"}}'
STRATA = b"stratum,items,prevalence\nnorth,100,0.1\nsouth,300,0.05\n"
CONFIG = b'{"architectures": ["BertForSequenceClassification"], "model_type": "bert"}'
TERMS = b"# groups\ndogs: dog, puppy\ncat\n"
TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("evidence csv", lambda: seeds.tables("csv"), evidence("csv"), mutation.changed_text),
        Target("evidence tsv", lambda: seeds.tables("tsv"), evidence("tsv"), mutation.changed_text),
        Target("evidence csv.gz", lambda: seeds.tables("csv.gz"), evidence("csv.gz"), mutation.changed_gzip),
        Target("evidence jsonl", lambda: seeds.tables("jsonl"), evidence("jsonl"), mutation.changed_lines),
        Target("evidence parquet", lambda: seeds.tables("parquet"), evidence("parquet")),
        Target("evidence arrow", lambda: seeds.tables("arrow"), evidence("arrow")),
        Target("evidence xlsx", lambda: seeds.tables("xlsx"), evidence("xlsx"), mutation.changed_zip),
        Target("declaration toml", lambda: [seeds.DECLARATION], declaration, mutation.changed_toml),
        Target("terms", lambda: [TERMS], terms),
        Target("spellings", lambda: [seeds.SPELLINGS], spellings, mutation.changed_toml),
        Target("plan", lambda: seeds.plans(), plan, mutation.changed_json),
        Target("labels csv", lambda: seeds.answers("csv"), labels("csv"), mutation.changed_text),
        Target("labels json", lambda: seeds.answers("json"), labels("json"), mutation.changed_json),
        Target("findings json", lambda: [seeds.report().json().encode()], findings, mutation.changed_json),
        Target("calibrator", lambda: seeds.calibrators(), calibrator, mutation.changed_json),
        Target(
            "linear model json",
            lambda: [seeds.part("linear", "model.json")],
            model("linear", "model.json"),
            mutation.changed_json,
        ),
        Target(
            "linear model npz",
            lambda: [seeds.part("linear", "weights.npz")],
            model("linear", "weights.npz"),
            mutation.changed_zip,
        ),
        Target(
            "encoder model json",
            lambda: [seeds.part("encoder", "model.json")],
            model("encoder", "model.json"),
            mutation.changed_json,
        ),
        Target(
            "encoder config",
            lambda: [seeds.part("encoder", "config.json")],
            model("encoder", "config.json"),
            mutation.changed_json,
        ),
        Target(
            "encoder tokenizer",
            lambda: [seeds.part("encoder", "tokenizer.json")],
            model("encoder", "tokenizer.json"),
            mutation.changed_json,
        ),
        Target(
            "encoder safetensors",
            lambda: [seeds.part("encoder", "weights-0.safetensors")],
            model("encoder", "weights-0.safetensors"),
            mutation.changed_tensors,
        ),
        Target(
            "encoder checkpoint",
            lambda: [seeds.checkpoint()],
            checkpoint,
            mutation.changed_tensors,
        ),
        Target("skops model", lambda: [seeds.skops()], skops, mutation.changed_zip),
        Target("transformers config", lambda: [CONFIG], config, mutation.changed_json),
        Target("model description", lambda: list(seeds.DESCRIPTIONS), description, mutation.changed_toml),
        Target("endpoint answer", lambda: list(seeds.ANSWERS), answer, mutation.changed_json),
        Target("corpora", corpora_seeds, corpus, changed_corpus),
        Target("runs parquet", parquet, runs),
        Target("archives", archives, archive, mutation.changed_zip),
        Target("lock of fetched files", lambda: [LOCKED], lock, mutation.changed_json),
        Target("pieces of a run", parquet, piece),
        Target("strata and ranks", lambda: [STRATA], other_source, mutation.changed_text),
    )
}
