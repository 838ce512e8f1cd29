"""The models of a desk: a shadow model decides nothing, and what waits is scored again when the model changes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from desk.desks import STAFF, TestDesk, test_desk
from evenhand.classifiers.protocol import Targets
from evenhand.desk.app import create_desk
from evenhand.desk.people import Role
from evenhand.desk.scoring import DeskScorer
from evenhand.errors import InputError
from evenhand.service.engine import ScoringEngine
from evenhand.service.models import LoadedModel
from evenhand.service.settings import ServiceSettings
from evenhand.store.events import Scored
from evenhand.store.exporting import export
from service.fakes import FakeClassifier, fake_model
from store.desks import check


class Louder(FakeClassifier):
    """Half of what is left to 1 above the usual score."""

    def score(self, texts):  # type: ignore[no-untyped-def]
        scores = super().score(texts)
        return replace(scores, probabilities=(1.0 + scores.probabilities) / 2.0)


def louder(name: str = "fake", version: str = "second") -> LoadedModel:
    classifier = Louder(name=name, version=version)
    classifier.gate.set()
    return LoadedModel(name, classifier)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[TestDesk]:
    made = test_desk(tmp_path, measured=1e-9, reserved=0.0, second=0.0)
    yield made
    check(made.store)
    made.store.close()


def send(desk: TestDesk, **texts: str) -> dict[str, str]:
    body = {"items": [{"id": name, "text": text} for name, text in texts.items()]}
    answer = desk.client().post("/api/v1/items", json=body, headers=desk.as_token(STAFF[Role.SERVICE]))
    return {one["id"]: one["item"] for one in answer.json()["items"]}


def rescored(desk: TestDesk, model: LoadedModel) -> int:
    async def one_pass() -> int:
        engine = ScoringEngine({model.name: model}, max_waiting=1000)
        return await DeskScorer(engine, ServiceSettings()).rescore_waiting(desk.store)

    return asyncio.run(one_pass())


def test_what_waits_is_scored_again_and_nothing_else(desk: TestDesk) -> None:
    lengths = {"held": 500, "low": 300, "high": 850, "left": 50, "removed": 950, "decided": 480, "erased": 400}
    items = send(desk, **{name: "x" * length for name, length in lengths.items()}, blank=" ")
    view = desk.desk.do("claim_item", "ana", item=items["decided"])
    desk.desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="benign")
    desk.desk.do("claim_item", "bo", item=items["held"])
    desk.desk.do("erase_item", "lee", item=items["erased"], reason="request")
    before = {name: desk.desk.row(item) for name, item in items.items()}
    assert rescored(desk, louder()) == 2
    assert rescored(desk, louder()) == 0
    after = {name: desk.desk.row(item) for name, item in items.items()}
    changed = {name for name, row in after.items() if row != before[name]}
    assert changed == {"low", "high"}
    assert [(after[name].score, after[name].model_version) for name in ("low", "high")] == [
        (0.65, "second"),
        (0.925, "second"),
    ]
    assert (after["low"].route, after["high"].route) == ("review", "remove")  # and nobody has to look at it any more
    waiting = [desk.desk.do("claim", "cy", queue="review").get("external_id") for _ in range(4)]
    assert waiting == ["blank", "erased", "low", None]


def test_many_are_scored_in_batches(desk: TestDesk) -> None:
    items = send(desk, **{f"c{number}": "x" * (300 + number) for number in range(250)})
    assert rescored(desk, louder()) == 250
    assert {desk.desk.row(item).model_version for item in items.values()} == {"second"}


def test_a_desk_scores_what_waits_when_it_opens(desk: TestDesk) -> None:
    (item,) = send(desk, c0="x" * 300).values()
    app = create_desk(desk.store, desk.app.state.settings, models={"fake": louder()})

    async def open_and_close() -> None:
        async with app.router.lifespan_context(app):
            for _ in range(500):
                if desk.desk.row(item).model_version == "second":
                    return
                await asyncio.sleep(0.01)

    asyncio.run(open_and_close())
    assert desk.desk.row(item).score == 0.65


def test_a_shadow_model_is_recorded_and_decides_nothing(desk: TestDesk, tmp_path: Path) -> None:
    settings = replace(desk.app.state.settings, shadow=("candidate", "broken"))
    broken = Louder(name="broken")
    broken.gate.set()
    object.__setattr__(broken, "score", lambda _texts: 1 / 0)
    models = {"fake": fake_model(), "candidate": louder("candidate"), "broken": LoadedModel("broken", broken)}
    desk.app = create_desk(desk.store, settings, models=models)
    (item,) = send(desk, c0="x" * 850).values()
    row = desk.desk.row(item)
    assert (row.score, row.model, row.route) == (0.85, "fake", "review")  # 0.925 would have removed it
    scored = [event for event in desk.desk.history(item) if isinstance(event, Scored)]
    assert [(event.model, event.score, event.shadow) for event in scored] == [
        ("fake", 0.85, False),
        ("candidate", 0.925, True),
    ]
    export(desk.store, tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out" / "scores.parquet").sort("score")
    assert table.select("item_id", "model_name", "is_shadow").rows() == [
        ("c0", "fake", False),
        ("c0", "candidate", True),
    ]


def test_the_same_request_is_known_whatever_it_scores(desk: TestDesk) -> None:
    headers = desk.as_token(STAFF[Role.SERVICE]) | {"Idempotency-Key": "k"}
    body = {"id": "c0", "text": "x" * 300}
    first = desk.client().post("/api/v1/items", json=body, headers=headers)
    desk.app = create_desk(desk.store, desk.app.state.settings, models={"fake": louder()})
    assert desk.client().post("/api/v1/items", json=body, headers=headers).json() == first.json()
    other = desk.client().post("/api/v1/items", json={**body, "text": "another"}, headers=headers)
    assert other.status_code == 409


@pytest.mark.parametrize(
    ("shadow", "targets", "problem"),
    [
        ("fake", None, "whose scores decide"),
        ("nobody", None, "there is no model 'nobody'"),
        ("several", Targets("multi-label", ("a", "b")), "models with one score"),
    ],
)
def test_what_cannot_be_a_shadow_model_is_said(
    desk: TestDesk, shadow: str, targets: Targets | None, problem: str
) -> None:
    models = {"fake": fake_model()}
    if targets is not None:
        models[shadow] = fake_model(name=shadow, targets=targets)
    with pytest.raises(Exception, match=problem) as raised:
        create_desk(desk.store, replace(desk.app.state.settings, shadow=(shadow,)), models=models)
    assert isinstance(raised.value, InputError) or shadow == "nobody"
