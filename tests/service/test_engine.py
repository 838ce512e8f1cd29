"""The engine: what waits is scored together, each gets its own rows, and a fault stays with whoever caused it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from evenhand.classifiers.models import open_model
from evenhand.classifiers.protocol import Targets
from evenhand.service.engine import (
    ModelError,
    OverloadedError,
    ScoredTexts,
    ScoringEngine,
    StoppingError,
    UnknownModelError,
)
from evenhand.service.models import LoadedModel
from service.fakes import FakeClassifier, fake_model


def run(act: Callable[[ScoringEngine], Awaitable[Any]], model: LoadedModel, **more: Any) -> Any:
    async def whole() -> Any:
        engine = ScoringEngine({model.name: model}, **{"max_waiting": 100, **more})
        try:
            return await act(engine)
        finally:
            model.classifier.gate.set()  # type: ignore[attr-defined]
            await engine.stop()

    return asyncio.run(whole())


def classifier_of(model: LoadedModel) -> FakeClassifier:
    assert isinstance(model.classifier, FakeClassifier)
    return model.classifier


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0.001)


def test_a_burst_is_scored_together_and_everybody_gets_their_own_rows() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> list[ScoredTexts]:
        first = asyncio.create_task(engine.score(["x"]))
        await settle()
        burst = [asyncio.create_task(engine.score(["y" * n, "z" * (n + 50)])) for n in range(1, 21)]
        await settle()
        classifier_of(model).gate.set()
        return await asyncio.gather(first, *burst)

    _, *burst = run(act, model)
    assert [len(texts) for texts in classifier_of(model).asked] == [1, 40]
    for n, scored in enumerate(burst, start=1):
        assert scored.probabilities[:, 0].tolist() == [n / 1000, (n + 50) / 1000]


def test_merged_rows_are_those_of_the_model_alone() -> None:
    classifier = open_model("default")
    texts = [f"you are number {n}, you fool" for n in range(30)]

    async def act() -> list[ScoredTexts]:
        engine = ScoringEngine({"default": LoadedModel("default", classifier)}, max_waiting=100)
        found = await asyncio.gather(*(engine.score([text]) for text in texts))
        await engine.stop()
        return found

    together = asyncio.run(act())
    for text, scored in zip(texts, together, strict=True):
        alone = classifier.score([text])
        assert scored.probabilities.tolist() == alone.probabilities.tolist()
        assert scored.uncertainty.tolist() == alone.uncertainty.tolist()
        assert scored.model_uncertainty.tolist() == alone.model_uncertainty.tolist()


def test_what_is_too_much_is_refused_and_taken_later() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> None:
        accepted = [asyncio.create_task(engine.score(["a"] * 30)) for _ in range(3)]
        await settle()
        assert engine.waiting("fake") == 90
        with pytest.raises(OverloadedError):
            await engine.score(["b"] * 11)
        classifier_of(model).gate.set()
        await asyncio.gather(*accepted)
        assert engine.waiting("fake") == 0
        await engine.score(["b"] * 11)

    run(act, model)


def test_a_request_larger_than_the_queue_is_scored_when_nothing_waits() -> None:
    found = run(lambda engine: engine.score(["a"] * 500), fake_model())
    assert len(found.probabilities) == 500


def test_only_the_request_at_fault_fails() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> list[Any]:
        tasks = [asyncio.create_task(engine.score([text])) for text in ("hold", "good", "break", "fine")]
        await settle()
        classifier_of(model).gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    _, good, broken, fine = run(act, model)
    assert isinstance(broken, ZeroDivisionError)
    assert good.probabilities[0, 0] == fine.probabilities[0, 0] == 0.004


def test_a_model_that_is_down_is_not_asked_again_for_each_request() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> list[Any]:
        tasks = [asyncio.create_task(engine.score([text])) for text in ("hold", "good", "down", "fine")]
        await settle()
        classifier_of(model).gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = run(act, model)
    assert [type(one) for one in found] == [ModelError] * 4
    assert "secret" not in str(found[0])
    assert len(classifier_of(model).asked) == 1


def test_a_model_that_hangs_is_given_up_on() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> None:
        with pytest.raises(ModelError, match="in time"):
            await engine.score(["a"])
        with pytest.raises(ModelError, match="in time"):
            await engine.score(["b"])
        classifier_of(model).gate.set()
        await settle()
        assert (await engine.score(["c"])).probabilities.tolist() == [[0.001]]

    run(act, model, timeout=0.05)
    assert ["b"] not in classifier_of(model).asked  # nobody waited for it any more


def test_what_was_accepted_is_answered_when_it_stops() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> None:
        accepted = [asyncio.create_task(engine.score([text])) for text in ("a", "bb", "ccc")]
        await settle()
        stopping = asyncio.create_task(engine.stop())
        await settle()
        with pytest.raises(StoppingError):
            await engine.score(["late"])
        assert not stopping.done()
        classifier_of(model).gate.set()
        found = await asyncio.gather(*accepted)
        assert [one.probabilities[0, 0] for one in found] == [0.001, 0.002, 0.003]
        await stopping

    run(act, model)


def test_a_model_is_found_by_name() -> None:
    with pytest.raises(UnknownModelError, match="did you mean 'fake'"):
        run(lambda engine: engine.score(["a"], "fakes"), fake_model())


def test_exclusive_classes_share_the_uncertainty_of_the_text() -> None:
    model = fake_model(targets=Targets("multi-class", ("a", "b", "c")))
    found = run(lambda engine: engine.score(["x" * 333, " "]), model)
    assert found.uncertainty.shape == (2, 3)
    assert np.ptp(found.uncertainty[0]) == 0.0
    assert found.uncertainty[0, 0] == pytest.approx((1 - 3 * 0.333**2) / 2)
    assert np.isnan(found.probabilities[1]).all()


def test_a_model_that_hangs_does_not_keep_it_from_stopping() -> None:
    model = fake_model(ready=False)

    async def act(engine: ScoringEngine) -> None:
        hanging = asyncio.create_task(engine.score(["a"]))
        await settle()
        began = time.monotonic()
        await engine.stop(0.05)
        assert time.monotonic() - began < 20.0
        classifier_of(model).gate.set()
        await hanging

    run(act, model)
