"""How the desk uses models: one whose score routes, and shadow models, whose scores are recorded and decide nothing.

When a desk opens with another model, or another version of it, what waits is scored again, so that the queue is in the
order of the scores that decide from now on. It happens once more a quarter of an hour later, for what a server that
was still running with the earlier model took in meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool

from evenhand.errors import EvenhandError, InputError
from evenhand.service.engine import ScoringEngine
from evenhand.service.settings import ServiceSettings
from evenhand.service.streaming import patient_score
from evenhand.store import NewScore, Store
from evenhand.store.rescoring import OutdatedItem, outdated_items, rescore

LOG = logging.getLogger(__name__)
PASSES = (0.0, 900.0)  # seconds before each


class DeskScorer:
    """Scores texts with the models of a desk: the one that is served first, and those named as shadow models."""

    def __init__(self, engine: ScoringEngine, settings: ServiceSettings) -> None:
        self.engine, self.settings, self.shadow = engine, settings, settings.shadow
        self.rescores = True
        for name in dict.fromkeys((engine.default, *self.shadow)):
            model = engine.model(name)
            if model.targets.kind != "binary":
                problem = f"the desk needs models with one score, and '{model.name}' has several: name another"
                raise InputError(problem)
        if engine.default in self.shadow:
            raise InputError(f"`shadow` names '{engine.default}', whose scores decide: serve another model first")

    async def scores(self, texts: Sequence[str]) -> list[list[NewScore]]:
        """What the models say of each text; a text that the deciding one cannot score is reviewed."""
        decides = self._scores(texts, self.engine.default)
        several = await asyncio.gather(decides, *(self._shadow_scores(texts, name) for name in self.shadow))
        return [[score for score in row if score is not None] for row in zip(*several, strict=True)]

    async def _scores(self, texts: Sequence[str], name: str, *, shadow: bool = False) -> list[NewScore | None]:
        result = await patient_score(list(texts), self.engine, self.settings, name)
        pairs = zip(result.probabilities[:, 0].tolist(), result.uncertainty[:, 0].tolist(), strict=True)
        return [
            None if math.isnan(score) else NewScore(result.model, result.version, score, uncertainty, shadow)
            for score, uncertainty in pairs
        ]

    async def _shadow_scores(self, texts: Sequence[str], name: str) -> list[NewScore | None]:
        """Nothing waits for a shadow model that fails."""
        try:
            return await self._scores(texts, name, shadow=True)
        except Exception as error:
            known = isinstance(error, EvenhandError)
            LOG.warning("the shadow model '%s' returned no scores", name, exc_info=None if known else error)
            return [None] * len(texts)

    async def rescore_waiting(self, store: Store) -> int:
        """Score again what waits with the score of another model, batch by batch; how many items."""
        after, number = "", 0
        while batch := await run_in_threadpool(self._outdated, store, after):
            new = await self._scores([one.text for one in batch], self.engine.default)
            known = {one: score for one, score in zip(batch, new, strict=True) if score is not None}
            number += await run_in_threadpool(_record, store, known)
            after = batch[-1].item
        if number:
            LOG.info("waiting items were scored again", extra={"facts": {"items": number}})
        return number

    def _outdated(self, store: Store, after: str) -> list[OutdatedItem]:
        model = self.engine.model()
        with store.database.reading() as connection:
            return outdated_items(connection, model.name, model.version, after=after)

    async def keep_scores_current(self, store: Store) -> None:
        """Each pass of `PASSES`; one that fails is logged, and what it left is for the next."""
        for seconds in PASSES if self.rescores else ():
            await asyncio.sleep(seconds)
            try:
                await self.rescore_waiting(store)
            except Exception as error:
                known = isinstance(error, EvenhandError)
                LOG.error("waiting items could not be scored again", exc_info=None if known else error)


def _record(store: Store, scores: dict[OutdatedItem, NewScore]) -> int:
    with store.write() as ledger:
        return rescore(ledger, scores)
