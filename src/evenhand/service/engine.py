"""The engine: requests wait in one queue per model, and what waits is scored together.

A model runs in one thread of its own. While it works, requests gather; when it is free it takes all of them, up to a
batch, and those that are arriving at this moment, so that a burst costs little more than one request. There is no
timer: a request that comes alone is scored at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters import EndpointClassifier
from evenhand.classifiers.protocol import Scores, Targets
from evenhand.errors import EvenhandError, InputError, nearest
from evenhand.service.models import LoadedModel

LOG = logging.getLogger(__name__)
TEXTS_AT_ONCE = 2048  # more gain little, and the first would wait for the last
LETTERS_AT_ONCE = 4_000_000
QUIET_TURNS = 3  # of the event loop, microseconds each: a request takes two from its socket to the queue
LONGEST_GATHERING = 0.02  # seconds, where there is always something new


class UnknownModelError(EvenhandError):
    """No model of this name is served."""


class OverloadedError(EvenhandError):
    """More texts wait than may; the same request may be sent again later."""


class ModelError(EvenhandError):
    """The model gave no answer: what it depends on, such as an endpoint, did not work, or not in time."""


class StoppingError(EvenhandError):
    """The service is being stopped and takes nothing new."""


@dataclass(frozen=True)
class ScoredTexts:
    """What a model says of some texts: [texts, classes] each, NaN where a text could not be scored.

    `uncertainty` of exclusive classes is that of the text, the same for each. `model_uncertainty` is the part of it
    that is disagreement between the members of an ensemble, and None where there are none or after calibration.
    """

    model: str
    version: str
    targets: Targets
    calibrated: bool
    probabilities: AnyFloats
    uncertainty: AnyFloats
    model_uncertainty: AnyFloats | None

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.targets.classes

    @classmethod
    def from_scores(cls, model: LoadedModel, scores: Scores) -> ScoredTexts:
        """The scores of a model, with what it is called here."""
        shape, spread = scores.probabilities.shape, scores.model_uncertainty
        return cls(
            model.name,
            model.version,
            model.targets,
            model.calibrator is not None,
            scores.probabilities,
            np.broadcast_to(scores.uncertainty, shape),
            None if spread is None else np.broadcast_to(spread, shape),
        )

    def rows(self, start: int, end: int) -> ScoredTexts:
        """Some of the texts."""
        spread = self.model_uncertainty
        return ScoredTexts(
            self.model,
            self.version,
            self.targets,
            self.calibrated,
            self.probabilities[start:end],
            self.uncertainty[start:end],
            None if spread is None else spread[start:end],
        )


@dataclass(frozen=True)
class _Waiting:
    texts: Sequence[str]
    answer: asyncio.Future[ScoredTexts]


BatchObserver = Callable[[str, int, float], None]  # model, texts, seconds


class ScoringEngine:
    """Scores texts with the models of a service. Start it, ask it from one event loop, stop it."""

    def __init__(
        self,
        models: Mapping[str, LoadedModel],
        *,
        max_waiting: int,
        timeout: float | None = None,
        observe: BatchObserver | None = None,
    ) -> None:
        self.models = dict(models)
        self.default = next(iter(self.models))
        self._timeout = timeout
        self._queues = {name: _ModelQueue(model, max_waiting, observe) for name, model in self.models.items()}

    def model(self, name: str | None = None) -> LoadedModel:
        """The model of this name, or the first."""
        if name is not None and name not in self.models:
            raise UnknownModelError(f"there is no model '{name[:64]}'; {nearest(name[:64], self.models)}")
        return self.models[name or self.default]

    def waiting(self, name: str) -> int:
        """Texts that wait for a model or are being scored."""
        return self._queues[name].size

    async def score(self, texts: Sequence[str], model: str | None = None) -> ScoredTexts:
        """One row per text, in their order, as soon as the model has scored them."""
        return await self._queues[self.model(model).name].score(texts, self._timeout)

    async def warm_up(self) -> None:
        """Let every model that works on this machine do so once: the first call is the slowest."""
        for name, model in self.models.items():
            if not isinstance(model.classifier, EndpointClassifier):
                await self._queues[name].score(["warm up"])

    async def stop(self, timeout: float | None = None) -> None:
        """Take nothing new, and answer what was accepted unless that takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await asyncio.gather(*(queue.stop() for queue in self._queues.values()))


class _ModelQueue:
    """The requests that wait for one model, and the thread that it runs in."""

    def __init__(self, model: LoadedModel, max_waiting: int, observe: BatchObserver | None) -> None:
        self.model, self.max_waiting, self.observe = model, max_waiting, observe
        self.size = 0
        self._waiting: deque[_Waiting] = deque()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"model-{model.name}")
        self._worker: asyncio.Task[None] | None = None
        self._stopped = False

    async def score(self, texts: Sequence[str], timeout: float | None = None) -> ScoredTexts:
        if self._stopped:
            raise StoppingError("the service is shutting down")
        if self.size and self.size + len(texts) > self.max_waiting:
            raise OverloadedError(f"{self.size:,} texts are waiting for the model '{self.model.name}'")
        loop = asyncio.get_running_loop()
        one = _Waiting(texts, loop.create_future())
        self._waiting.append(one)
        self.size += len(texts)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        timer = loop.call_later(timeout, self._give_up, one) if timeout else None
        try:
            return await one.answer
        finally:
            if timer:
                timer.cancel()

    def _give_up(self, one: _Waiting) -> None:
        _answer(one, ModelError(f"the model '{self.model.name}' did not respond in time"))

    async def stop(self) -> None:
        self._stopped = True
        if self._worker:
            await asyncio.shield(self._worker)
        self._thread.shutdown(wait=False)

    async def _work(self) -> None:
        """Until nothing waits."""
        while self._waiting:
            await self._gather()
            batch = self._take()
            try:
                await self._score_together(batch)
            finally:
                self.size -= sum(len(one.texts) for one in batch)
        self._worker = None

    async def _gather(self) -> None:
        """Let come what is on its way: until the event loop has turned a few times and brought nothing new."""
        clock = asyncio.get_running_loop().time
        give_up, quiet = clock() + LONGEST_GATHERING, 0
        while quiet < QUIET_TURNS and self.size < TEXTS_AT_ONCE and clock() < give_up:
            before = len(self._waiting)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._waiting) == before else 0

    def _take(self) -> list[_Waiting]:
        """What waits and is still wanted, up to a batch."""
        batch, texts, letters = list[_Waiting](), 0, 0
        while self._waiting:
            one = self._waiting[0]
            length = sum(map(len, one.texts))
            if batch and (texts + len(one.texts) > TEXTS_AT_ONCE or letters + length > LETTERS_AT_ONCE):
                break
            batch.append(self._waiting.popleft())
            texts, letters = texts + len(one.texts), letters + length
        return batch

    async def _score_together(self, batch: Sequence[_Waiting]) -> None:
        """All at once; if one of them is more than the model can take, each alone, and only that one fails."""
        wanted = [one for one in batch if not one.answer.done()]
        if not wanted:
            return
        try:
            scored = await self._run([text for one in wanted for text in one.texts])
        except Exception as error:
            if len(wanted) == 1 or isinstance(error, ModelError):
                for one in wanted:
                    _answer(one, error)
            else:
                for one in wanted:
                    await self._score_together([one])
            return
        start = 0
        for one in wanted:
            _answer(one, scored.rows(start, start + len(one.texts)))
            start += len(one.texts)

    async def _run(self, texts: list[str]) -> ScoredTexts:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            scores = await loop.run_in_executor(self._thread, self.model.score, texts)
        except InputError as error:
            LOG.error("the model '%s' returned no scores", self.model.name, exc_info=error)
            raise ModelError(f"the model '{self.model.name}' returned no scores") from None
        if self.observe:
            self.observe(self.model.name, len(texts), loop.time() - began)
        return ScoredTexts.from_scores(self.model, scores)


def _answer(one: _Waiting, result: ScoredTexts | Exception) -> None:
    if one.answer.done():  # the client has disconnected
        return
    if isinstance(result, Exception):
        one.answer.set_exception(result)
    else:
        one.answer.set_result(result)
