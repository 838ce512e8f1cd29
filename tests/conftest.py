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


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """The command line, in an empty folder."""
    from cli.program import Program

    monkeypatch.chdir(tmp_path)
    return Program(monkeypatch, capsys)
