"""An endpoint as a classifier: texts go out in several requests at once and come back in order or not at all."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.classifiers.adapters.answer import Rows, nothing, rows
from evenhand.classifiers.adapters.calling import WORKER, Caller, Skipped, log_no_address
from evenhand.classifiers.adapters.endpoint import Endpoint
from evenhand.classifiers.adapters.environment import Environment
from evenhand.classifiers.adapters.pace import Pace
from evenhand.classifiers.protocol import Scores, Targets

AT_ONCE = 8  # requests for each worker that are handed in together


@dataclass(frozen=True)
class EndpointClassifier:
    """Scores by asking. `clock`, `sleep` and `draw` are there to be replaced in tests."""

    endpoint: Endpoint
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] | None = None
    draw: Callable[[float, float], float] = random.uniform

    @property
    def name(self) -> str:
        """What findings call it."""
        return self.endpoint.title

    @property
    def version(self) -> str:
        """The hash of its description."""
        return self.endpoint.version

    @property
    def targets(self) -> Targets:
        """What it tells apart."""
        return self.endpoint.targets

    @property
    def batch(self) -> int:
        """How many texts it likes to be given."""
        return self.endpoint.batch * self.endpoint.parallel * AT_ONCE

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order; NaN where the endpoint says that a text cannot be scored."""
        import httpx

        told = self.endpoint
        keys = Environment.for_(told.url, told.headers, told.query, told.body)
        parts = [texts[start : start + told.batch] for start in range(0, len(texts), told.batch)]
        if not parts:
            return _scores(self.targets, [nothing(told, 0)])
        log_no_address()
        stop = threading.Event()
        sleep = self.sleep or _interruptible(stop)
        limits = httpx.Limits(max_connections=told.parallel)
        with httpx.Client(timeout=told.timeout, limits=limits, follow_redirects=False) as client:
            caller = Caller(told, client, keys, self._pace, self.clock, sleep, self.draw)
            return _scores(self.targets, _together(caller, parts, stop))

    @cached_property
    def _pace(self) -> Pace:
        """One for all calls: the rate is that of the endpoint, not of a batch."""
        return Pace(self.endpoint.rate, clock=self.clock)


def _together(caller: Caller, parts: Sequence[Sequence[str]], stop: threading.Event) -> list[Rows]:
    """All requests, a few at a time; the first that fails ends the others instead of letting them wait and retry."""

    def attempt(part: Sequence[str]) -> Rows:
        if stop.is_set():
            raise CancelledError
        try:
            return _rows(caller, part)
        except BaseException:
            stop.set()
            raise

    pool = ThreadPoolExecutor(caller.endpoint.parallel, thread_name_prefix=WORKER)
    try:
        futures = [pool.submit(attempt, part) for part in parts]
        failed = [future.exception() for future in futures]
        for error in failed:
            if error is not None and not isinstance(error, CancelledError):
                raise error
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _interruptible(stop: threading.Event) -> Callable[[float], None]:
    def sleep(seconds: float) -> None:
        if stop.wait(seconds):
            raise CancelledError

    return sleep


def _rows(caller: Caller, texts: Sequence[str]) -> Rows:
    """One request; if the endpoint cannot score it, each text alone, so that only those at fault are left out."""
    try:
        answer = caller.ask(texts)
    except Skipped:
        if len(texts) == 1:
            return nothing(caller.endpoint, 1)
        return _joined([_rows(caller, [text]) for text in texts])
    return rows(caller.endpoint, answer, len(texts))


def _joined(parts: Sequence[Rows]) -> Rows:
    spread = [part[1] for part in parts if part[1] is not None]
    return np.concatenate([part[0] for part in parts]), np.concatenate(spread) if spread else None


def _scores(targets: Targets, parts: Sequence[Rows]) -> Scores:
    return Scores(targets, *_joined(parts))
