"""Small labelled data, a model that is trained in a moment, and one that fails when it is told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evenhand.classifiers import model_folder
from evenhand.classifiers.linear import LinearClassifier, LinearSettings
from evenhand.classifiers.methods import TrainedClassifier
from evenhand.classifiers.protocol import LabelledTexts, Scores, Targets

QUICK: dict[str, Any] = {"bits": 12, "members": 2, "rounds": 6}
MOODS = {"angry": "hate awful idiot", "calm": "river garden evening", "glad": "thanks lovely wonderful"}
BINARY = Targets("binary", ("toxic",))


def comments(rows: int = 240, seed: int = 0) -> pl.DataFrame:
    """Texts of three moods; `toxic` is the first of them."""
    rng = np.random.default_rng(seed)
    names = list(MOODS)
    mood = [names[k] for k in rng.integers(0, 3, rows)]
    text = [f"{' '.join(rng.permutation(MOODS[m].split())[:2])} said number {k}" for k, m in enumerate(mood)]
    angry = [m == "angry" for m in mood]
    shares = {"toxic": angry, "share": [0.8 if a else 0.1 for a in angry], "glad": [m == "glad" for m in mood]}
    split = np.where(rng.random(rows) < 0.2, "test", "train")
    return pl.DataFrame({"id": range(rows), "text": text, "mood": mood, **shares, "split": split})


@cache
def trained(targets: Targets = BINARY, **settings: Any) -> LinearClassifier:
    """A tiny model that is not yet saved."""
    data = comments()
    columns = [(data["mood"] == mood).to_numpy() for mood in MOODS][: len(targets.classes)]
    truth = np.column_stack(columns).astype(np.float32)
    chosen = LinearSettings(**{**QUICK, **settings})
    return LinearClassifier.train(LabelledTexts(data["text"].to_list(), truth, targets), chosen)


def cards(version: str) -> dict[str, str]:
    """Stand-ins for the papers of a model."""
    return {"card.json": f'{{"version": "{version}"}}\n', "card.md": f"# {version}\n"}


def saved(folder: Path, name: str = "tiny", **settings: Any) -> TrainedClassifier:
    """A tiny model in a folder."""
    return model_folder.save_model(trained(**settings), folder, name=name, cards=cards)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass
class Told:
    """Scores a text by its length; raises `error` when it is asked for more than `until` texts."""

    until: int = 10**9
    error: BaseException | None = None
    version: str = "1"
    batch: int = 7
    targets: Targets = BINARY
    name: str = "told"
    seen: list[str] = field(default_factory=list)

    def score(self, texts: Sequence[str]) -> Scores:
        if self.error and len(self.seen) + len(texts) > self.until:
            raise self.error
        self.seen += texts
        lengths = np.array([len(text) % 97 / 97 for text in texts])
        p = np.column_stack([lengths / (k + 1) for k in range(len(self.targets.classes))])
        p[["unknown" in text for text in texts]] = np.nan
        return Scores(self.targets, p, p / 10)
