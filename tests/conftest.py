"""What tests share: where the real data is, and small tables made on the spot."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public research data; never part of the project."""
    folder = os.environ.get("EVENHAND_DATA")
    if not folder:
        pytest.skip("EVENHAND_DATA is not set: this test measures real public data")
    return Path(folder)


@pytest.fixture
def small() -> pl.DataFrame:
    """Six hundred items, two models, two overlapping groups; one group is scored higher by the first model."""
    rng = np.random.default_rng(11)
    label = rng.random(600) < 0.3
    a, b = rng.random(600) < 0.35, rng.random(600) < 0.3
    first = 1.0 / (1.0 + np.exp(-(2.0 * label - 1.0 + 0.9 * a + rng.normal(size=600))))
    second = 1.0 / (1.0 + np.exp(-(2.5 * label - 1.2 + rng.normal(size=600))))
    text = np.where(rng.random(600) < 0.5, "a short one", "a long one " * 12)
    return pl.DataFrame({"id": range(600), "text": text, "y": label, "a": a, "b": b, "first": first, "second": second})


@pytest.fixture(scope="session")
def classed() -> pl.DataFrame:
    """Twelve hundred items of three classes, the last two rare; the model is far too sure of what it says."""
    rng = np.random.default_rng(5)
    logits = rng.normal(size=(1200, 3)) * 1.2 + np.array([2.0, 0.0, -0.4])
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    label = (rng.random((1200, 1)) > honest.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    sure = honest**2.5 / (honest**2.5).sum(axis=1, keepdims=True)
    names = np.array(["calm", "rude", "threat"])
    columns = {f"p_{name}": sure[:, k] for k, name in enumerate(names)}
    honest_columns = {f"q_{name}": honest[:, k] for k, name in enumerate(names)}
    text = [f"words of item {i} " * (1 + i % 9) for i in range(1200)]
    groups = {"a": rng.random(1200) < 0.3, "b": rng.random(1200) < 0.4}
    return pl.DataFrame({"kind": names[label], "text": text, **columns, **honest_columns, **groups})


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """The command line, in an empty folder."""
    from cli.program import Program

    monkeypatch.chdir(tmp_path)
    return Program(monkeypatch, capsys)
