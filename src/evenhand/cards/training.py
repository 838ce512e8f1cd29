"""From a labelled table to a saved model with its card."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.cards.card import Card
from evenhand.cards.examination import examine
from evenhand.classifiers import directory, methods
from evenhand.classifiers.learning import Question, read_labelled
from evenhand.classifiers.methods import Trainable
from evenhand.classifiers.place import Place
from evenhand.classifiers.protocol import Labelled
from evenhand.errors import InputError
from evenhand.evidence import Source, open_source
from evenhand.files import check_writable, remove_empty
from evenhand.progress import Progress, silent
from evenhand.synthetic.balancing import balancing

HELD_OUT = 0.1
KEPT = ".evenhand-training"  # within the model's folder, until that is saved: what training has so far


@dataclass(frozen=True, kw_only=True)
class Papers:
    """What a card says beyond what can be measured."""

    about: str = ""
    limits: str = ""
    licence: str = Card.licence
    more: str = ""


def train(
    data: Any,
    out: str | Path,
    *,
    label: str | Sequence[str],
    text: str | None = None,
    positive: str | Sequence[str] = (),
    label_threshold: float = 0.5,
    where: str | None = None,
    called: str | None = None,
    query: str | None = None,
    test: Any = None,
    test_where: str | None = None,
    method: str = "linear",
    settings: Mapping[str, Any] | None = None,
    balance: int = 0,
    name: str | None = None,
    device: str | None = None,
    download: bool = False,
    papers: Papers | None = None,
    progress: Progress | None = None,
) -> Trainable:
    """Train a model on a file or frame, examine it on rows it has not seen, and save it with its card.

    Unseen rows are those of `test`, or a tenth of the data. `balance` adds so many made-up sentences that mention
    groups of people, as many violating as benign, so that who is spoken of says nothing. An encoder is trained on
    `device`, fetched from the hub only with `download`, and a run that was broken off goes on where it stopped.
    """
    out, progress, papers = Path(out), progress or silent, papers or Papers()
    directory.check_free(out)
    check_writable(out)
    question = Question(
        label=(label,) if isinstance(label, str) else tuple(label),
        text=text,
        positive=(positive,) if isinstance(positive, str) else tuple(positive),
        label_threshold=label_threshold,
        where=where,
        called=called,
    )
    source = open_source(data, query=query)
    progress("reading", 0, 0)
    learnt, unseen = _parts(source, question, test, test_where)
    more = _balanced(learnt, balance)
    place = Place(device=device, keep=out / KEPT, download=download)
    try:
        model = methods.train(more, method=method, options=settings or {}, progress=progress, place=place)
    finally:
        remove_empty([out / KEPT, out])
    title = name or out.resolve().name
    card = Card(
        name=title,
        targets=model.targets,
        method=method,
        settings=methods.recorded(model.settings),
        data=_facts(source, question, learnt, balance)
        | {"unseen_rows": len(unseen.texts), "unseen": _told(test, test_where)},
        examination=examine(model, unseen, progress),
        **asdict(papers),
    )
    saved = directory.save(model, out, name=title, cards=card.documents)
    shutil.rmtree(out / KEPT, ignore_errors=True)
    return saved


def _parts(source: Source, question: Question, test: Any, test_where: str | None) -> tuple[Labelled, Labelled]:
    """What to learn from, and what to examine with: never the same row of a source."""
    if test is not None or test_where is not None:
        other = open_source(test) if test is not None else source
        learnt = read_labelled(source, question if test is not None else replace(question, without=test_where))
        unseen = read_labelled(other, replace(question, where=test_where))
        if unseen.targets != learnt.targets:
            raise InputError("the unseen rows have other labels than those to learn from", source=other.name)
        return learnt, unseen
    whole = read_labelled(source, question)
    if len(whole.texts) < 2 / HELD_OUT:
        problem = f"{len(whole.texts)} rows with a text are too few to train on and to hold some out"
        raise InputError(problem, source=source.name)
    held = np.random.default_rng(0).random(len(whole.texts)) < HELD_OUT
    held[whole.truth.argmax(axis=0)] = False  # of each class something is learnt
    if not held.any():
        raise InputError(
            f"{len(whole.texts)} rows are too few for {len(whole.targets.classes)} classes", source=source.name
        )
    return whole.take(~held), whole.take(held)


def _balanced(data: Labelled, rows: int) -> Labelled:
    if not rows:
        return data
    if rows < 0 or data.targets.kind != "binary":
        raise InputError("balancing adds violating and benign sentences: it needs one class, and a number of them")
    made = balancing(rows)
    truth = np.concatenate([data.truth, made.violating[:, None].astype(np.float32)])
    return Labelled([*data.texts, *made.texts], truth, data.targets)


def _told(test: Any, test_where: str | None) -> str:
    """What the unseen rows are called."""
    if test is None and test_where is None:
        return "a tenth, held out at random"
    return test_where or (Path(test).name if isinstance(test, (str, Path)) else "another table")


def _facts(source: Source, question: Question, learnt: Labelled, balance: int) -> dict[str, Any]:
    shares = zip(learnt.targets.classes, learnt.truth.mean(axis=0), strict=True)
    return {
        **source.fingerprint(),
        "label": list(question.label),
        "where": question.where,
        "rows": len(learnt.texts),
        "shares": [f"{name} {share:.1%}" for name, share in shares],
        "balancing_sentences": balance,
    }
