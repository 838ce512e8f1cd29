"""Every design of the table keeps the protocol, and is named where users look; nobody asks what a design is."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import evenhand
from evenhand.cli.sample_plan import plan as plan_command
from evenhand.errors import InputError
from evenhand.intervals.survey import SurveyShare
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.design import Drawn, DrawnSoFar, SamplingDesign
from evenhand.sampling.designs import DESIGNS, design_from_options, design_named
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import TARGETS, Below, Within, target_named

SOURCE = Path(evenhand.__file__).parent
SCORE = np.random.default_rng(3).beta(0.3, 3.0, 900)
LABEL = (np.random.default_rng(4).random(900) < SCORE).astype(float)


@dataclass(frozen=True)
class Pool:
    items: int = 900
    labels: int = 120
    clusters: int = 90
    wanted: int = 12

    @cached_property
    def frame(self) -> SamplingFrame:
        return SamplingFrame.of(SCORE)


def drawn(design: SamplingDesign, pool: Pool, done: DrawnSoFar) -> Drawn | None:
    rng = np.random.default_rng(7)
    if not design.traits.clusters:
        return design.next_draw(pool, done, rng, until_kept=False)
    rows = np.flatnonzero(np.isin(np.arange(900) // 10, design.choose_clusters(pool, rng)))
    return ClusterDraw(rows, rows // 10, pool.wanted, pool.clusters) if not done.past else None


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_plays_a_campaign(name: str) -> None:
    design, pool = design_from_options(name, {}), Pool()
    assert design.name == name
    assert design_named(name, design.settings()) == design
    design.check_drawable(pool, np.random.default_rng(0))
    past, gone = [], np.empty(0, dtype=np.int64)
    while (batch := drawn(design, pool, DrawnSoFar(past, gone))) is not None:
        batch.check(pool)
        again = design.read_draw(batch.to_data(), len(batch.places))
        assert again.to_data() == batch.to_data()
        rows = batch.places if design.traits.clusters else pool.frame.rows(batch.places)
        known = np.arange(len(rows)) % 17 != 0
        past.append(batch.with_labels(known, LABEL[rows][known]))
        gone = np.append(gone, batch.places)
    share = design.share(pool, past)
    assert isinstance(share, SurveyShare)
    estimate = share.estimate(0.95)
    assert estimate.low <= estimate.value <= estimate.high
    assert design.labels_to_come(pool, batches=len(past), drawn=len(gone), kept=None) == 0
    assert [caveat for caveat in design.caveats(pool, past) if not caveat.endswith(".")] == []
    for _, other in design.other_shares(pool, past):
        assert other.estimate(0.95).n == share.n
    if name != "sequential":
        weights = design.label_weights(pool, past)
        assert len(weights.weights) == len(weights.inclusion) == share.n
        assert (weights.strata is None) == design.traits.clusters == (weights.clusters is not None)


@pytest.mark.parametrize("name", DESIGNS)
def test_only_some_labels_are_in(name: str) -> None:
    design, pool = design_from_options(name, {}), Pool()
    batch = drawn(design, pool, DrawnSoFar())
    assert batch is not None
    has = np.ones(len(batch.places), dtype=np.bool_)
    assert batch.usable(has).all()
    has[-1] = False
    keep = batch.usable(has)
    assert len(batch.only(keep).places) == keep.sum()
    assert keep.all() == design.traits.joins_strata  # strata stay as they are, whatever is missing


def test_what_can_be_said_beforehand() -> None:
    for name, kind in DESIGNS.items():
        design = kind.from_settings({})
        assert (design.forecast is None) == bool(design.traits.unforeseeable), name
        if design.forecast is not None:
            assert 0 < design.forecast.fewest(Pool().frame) < 120


def test_options_of_another_design_are_refused() -> None:
    with pytest.raises(InputError) as raised:
        design_from_options("random", {"count": 4})
    assert str(raised.value) == "`strata`, `count`, `allocation` and `pilot` apply only to `design` stratified"
    assert design_from_options("stratified", {"strata": "none"}).settings()["score"] is None
    assert design_from_options("stratified", {"pilot": 20}).settings()["allocation"] == "pilot"
    assert design_named("sequential", {}).aimed_at({"within": 0.3}).settings()["within"] == 0.3
    assert design_named("random", {}).aimed_at({"within": 0.3}) == design_named("random", {})


def test_the_options_and_the_docs_name_every_design() -> None:
    text = (SOURCE.parents[1] / "docs" / "sampling.md").read_text()
    (option,) = (one for name, one in inspect.signature(plan_command).parameters.items() if name == "design")
    helped = option.annotation.__metadata__[0].help
    for name in DESIGNS:
        assert f"| `{name}` |" in text
        assert name in helped


def test_nobody_asks_what_a_design_or_a_draw_is() -> None:
    kinds = {*(kind.__name__ for kind in DESIGNS.values()), "SampleBatch", "SequentialDraws", "ClusterDraw"}
    kinds |= {target.__name__ for target in TARGETS.values()}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
                asked = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                assert not asked & kinds, f"{path.name}:{node.lineno}"


def test_targets_know_when_they_are_kept() -> None:
    share = SurveyShare(0.2, 0.0004, np.inf, 400, 80.0, 0.01).estimate(0.95)
    half = (share.high - share.low) / 2.0
    for name, just in (
        ("within", half / 0.2),
        ("width", 2.0 * half),
        ("cv", half / 0.2 / 1.959964),
        ("below", share.high),
    ):
        assert target_named(name, 1.001 * just, 0.95).kept_by(share), name
        assert not target_named(name, 0.999 * just, 0.95).kept_by(share), name
        assert target_named(name, 0.3, 0.95).name == name
    assert Within(0.2).bound is None
    assert Below(0.1).bound == Below(0.1)
