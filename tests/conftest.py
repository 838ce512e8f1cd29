"""What tests share: where the real data is, and small tables made on the spot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import settings

# The same examples in every run: what lands must not depend on luck. Studies of fuzzing look further.
settings.register_profile("evenhand", derandomize=True)
settings.load_profile("evenhand")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public research data; never part of the project."""
    folder = os.environ.get("EVENHAND_DATA")
    if not folder:
        pytest.skip("EVENHAND_DATA is not set: this test measures real public data")
    return Path(folder)


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def labelled() -> pl.DataFrame:
    """A hundred and fifty items with fourteen labels each; half of the women say the opposite of the model `p`.

    Eight annotators are in the group 'few', three in the group 'tiny', which must not be shown; `q` knows nothing.
    """
    rng = np.random.default_rng(7)
    group = np.array(["women"] * 57 + ["men"] * 52 + ["few"] * 8 + ["tiny"] * 3)
    truth = rng.random(150)
    p = 1.0 / (1.0 + np.exp(-(3.0 * (truth - 0.5) + rng.normal(size=150))))
    item = np.repeat(np.arange(150), 14)
    who = np.concatenate([rng.choice(len(group), 14, replace=False) for _ in range(150)])
    against = (group[who] == "women") & (rng.random(len(who)) < 0.4)
    label = np.where(against, p[item] < 0.5, rng.random(len(who)) < truth[item])
    return pl.DataFrame(
        {
            "item": item,
            "who": [f"secret-{number}" for number in who],
            "label": label.astype(int),
            "gender": group[who],
            "p": p[item],
            "q": rng.random(150)[item],
        }
    )


@pytest.fixture(scope="session")
def perspectives(labelled: pl.DataFrame) -> dict[str, object]:
    """Reports on whose judgement is shared, of one model and of two."""
    import evenhand as eh

    roles = {"item": "item", "annotator": "who", "label": "label", "annotator_groups": "gender"}
    settings = {"replicates": 50, "permutations": 399, "fewest_labels": 10}
    return {
        name: eh.audit(labelled, audits="perspective", score=score, **roles, **settings)
        for name, score in (("one", ["p"]), ("two", ["p", "q"]))
    }


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser, for the tests of the desk and of reports. While it is open, nothing else can run a loop of events."""
    from playwright.sync_api import sync_playwright

    from browser import packages

    program = packages.chromium()
    if program is None:
        pytest.fail(packages.MISSING.format("a Chromium"), pytrace=False)
    with sync_playwright() as started:
        environment = {**os.environ, **packages.library_path(program)}
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"], env=environment)
        yield browser
        browser.close()


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """The command line, in an empty folder."""
    from cli.program import Program

    monkeypatch.chdir(tmp_path)
    return Program(monkeypatch, capsys)
