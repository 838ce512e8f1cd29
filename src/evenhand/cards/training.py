"""From a labelled table to a saved model with its card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.cards.examination import examine
from evenhand.cards.training_card import TrainingCard
from evenhand.choices import check_limits
from evenhand.classifiers import methods, model_folder
from evenhand.classifiers.methods import TrainedClassifier
from evenhand.classifiers.protocol import LabelledTexts, Runtime
from evenhand.classifiers.texts import TrainingColumns, read_labelled_texts
from evenhand.errors import InputError
from evenhand.evidence import Source, TableSource, open_source
from evenhand.files import remove_empty
from evenhand.inputs import protected_inputs
from evenhand.output_folder import check_folder_writable
from evenhand.progress import Progress, silent
from evenhand.staging import remove_abandoned
from evenhand.synthetic.balanced_sentences import balanced_sentences

HELD_OUT_SHARE = 0.1
CHECKPOINT_FOLDER = ".evenhand-training"  # within the model's folder, until that is saved: what training has so far
CHECKPOINT_PATTERN = "training-*.safetensors"


@dataclass(frozen=True, kw_only=True)
class CardNotes:
    """What a card says beyond what can be measured."""

    about: str = ""
    limits: str = ""
    licence: str = TrainingCard.licence
    more: str = ""


@protected_inputs()
def train(
    data: TableSource,
    out: str | Path,
    *,
    label: str | Sequence[str],
    text: str | None = None,
    positive: str | Sequence[str] = (),
    label_threshold: float = 0.5,
    where: str | None = None,
    called: str | None = None,
    query: str | None = None,
    test: TableSource | None = None,
    test_where: str | None = None,
    method: str = "linear",
    settings: Mapping[str, Any] | None = None,
    balance: int = 0,
    name: str | None = None,
    device: str | None = None,
    download: bool = False,
    papers: CardNotes | None = None,
    progress: Progress | None = None,
) -> TrainedClassifier:
    """Train a model on a file or frame, evaluate it on unseen rows, and save it with its card.

    Unseen rows are those of `test`, or a tenth of the data. `balance` adds this many synthetic sentences that mention
    groups of people, as many violating as benign, so that who is spoken of says nothing. An encoder is trained on
    `device`, fetched from the hub only with `download`, and an interrupted run resumes where it stopped.

    >>> table = {"text": ["You idiot.", "Thank you."] * 60, "toxic": [True, False] * 60}
    >>> eh.train(table, "model", label="toxic").targets.classes
    ('toxic',)
    """
    check_limits({"balance": balance})
    out, progress, papers = Path(out), progress or silent, papers or CardNotes()
    model_folder.check_replaceable(out)
    check_folder_writable(out, model_folder.MODEL_CONTENTS)
    _check_checkpoints(out / CHECKPOINT_FOLDER)
    question = TrainingColumns(
        label=(label,) if isinstance(label, str) else tuple(label),
        text=text,
        positive=(positive,) if isinstance(positive, str) else tuple(positive),
        label_threshold=label_threshold,
        where=where,
        called=called,
    )
    source = open_source(data, query=query)
    progress("reading", 0, 0)
    learnt, unseen = _split(source, question, test, test_where)
    more = _balanced(learnt, balance)
    place = Runtime(device=device, keep=out / CHECKPOINT_FOLDER, download=download)
    try:
        model = methods.train_classifier(more, method=method, options=settings or {}, progress=progress, place=place)
    finally:
        remove_empty([out / CHECKPOINT_FOLDER, out])
    title = name or out.resolve().name
    card = TrainingCard(
        name=title,
        targets=model.targets,
        method=method,
        settings=methods.recorded_settings(model.settings),
        data=_facts(source, question, learnt, balance)
        | {"unseen_rows": len(unseen.texts), "unseen": _unseen_source(test, test_where)},
        examination=examine(model, unseen, progress),
        **asdict(papers),
    )
    saved = model_folder.save_model(model, out, name=title, cards=card.documents)
    _remove_checkpoints(out / CHECKPOINT_FOLDER)
    return saved


def _check_checkpoints(folder: Path) -> None:
    """What is kept of the training goes into a folder of our own, not where a link leads."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError("not a folder: training checkpoints are stored here; move or rename it", source=str(folder))


def _remove_checkpoints(folder: Path) -> None:
    remove_abandoned(folder)
    for path in folder.glob(CHECKPOINT_PATTERN):
        path.unlink(missing_ok=True)
    remove_empty([folder])


def _split(
    source: Source, question: TrainingColumns, test: TableSource | None, test_where: str | None
) -> tuple[LabelledTexts, LabelledTexts]:
    """What to learn from, and what to examine with: never the same row of a source."""
    if test is not None or test_where is not None:
        other = open_source(test) if test is not None else source
        learnt = read_labelled_texts(source, question if test is not None else replace(question, without=test_where))
        unseen = read_labelled_texts(other, replace(question, where=test_where))
        if unseen.targets != learnt.targets:
            raise InputError("the held-out rows and the training rows have different labels", source=other.name)
        return learnt, unseen
    whole = read_labelled_texts(source, question)
    if len(whole.texts) < 2 / HELD_OUT_SHARE:
        problem = f"{len(whole.texts)} rows with a text are too few to train on and to hold out a test set"
        raise InputError(problem, source=source.name)
    held_out = np.random.default_rng(0).random(len(whole.texts)) < HELD_OUT_SHARE
    held_out[whole.truth.argmax(axis=0)] = False  # of each class something is learnt
    if not held_out.any():
        raise InputError(
            f"{len(whole.texts)} rows are too few for {len(whole.targets.classes)} classes", source=source.name
        )
    return whole.take(~held_out), whole.take(held_out)


def _balanced(data: LabelledTexts, rows: int) -> LabelledTexts:
    if not rows:
        return data
    if rows < 0 or data.targets.kind != "binary":
        raise InputError("`balance` must be 0 or more, and needs a label with two classes")
    made = balanced_sentences(rows)
    truth = np.concatenate([data.truth, made.violating[:, None].astype(np.float32)])
    return LabelledTexts([*data.texts, *made.texts], truth, data.targets)


def _unseen_source(test: TableSource | None, test_where: str | None) -> str:
    """What the unseen rows are called."""
    if test is None and test_where is None:
        return "a tenth, held out at random"
    return test_where or (Path(test).name if isinstance(test, (str, Path)) else "another table")


def _facts(source: Source, question: TrainingColumns, learnt: LabelledTexts, balance: int) -> dict[str, Any]:
    shares = zip(learnt.targets.classes, learnt.truth.mean(axis=0), strict=True)
    return {
        **source.fingerprint(),
        "label": list(question.label),
        "where": question.where,
        "rows": len(learnt.texts),
        "shares": [f"{name} {share:.1%}" for name, share in shares],
        "balancing_sentences": balance,
    }
