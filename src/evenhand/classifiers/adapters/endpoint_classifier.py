"""A server as a classifier: several requests at once, scores in the order of the texts.

An answer that does not hold one number per text and class is refused, or leaves its row empty; it is never repaired.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.classifiers.adapters.endpoint_permission import Origin, check_permission
from evenhand.classifiers.adapters.endpoint_requests import (
    WORKER_NAME,
    EndpointCaller,
    NotScorable,
    RateLimiter,
    hide_requests_from_logs,
)
from evenhand.classifiers.adapters.environment_keys import EnvironmentKeys
from evenhand.classifiers.adapters.server import ScaleContradiction, ScoreRows, Server, UnreadableAnswer
from evenhand.classifiers.estimator import TextEstimator
from evenhand.classifiers.protocol import Scores, Targets, TextError
from evenhand.errors import InputError

REQUESTS_PER_WORKER = 8  # requests for each worker that are submitted together
EMPTY_INSTEAD = 'set on_error = "empty" in the description to leave such rows without a score'


@dataclass(frozen=True, repr=False)
class EndpointClassifier(TextEstimator):
    """Scores by asking a server, where that is allowed: see `check_permission`.

    `send_to` is the host that may receive texts, as https://host, and `secrets` are the environment variables that may
    be sent there. `clock`, `sleep` and `draw` are there to be replaced in tests.
    """

    endpoint: Server
    send_to: str | None = None
    secrets: Sequence[str] = ()
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] | None = None
    draw: Callable[[float, float], float] = random.uniform

    def __post_init__(self) -> None:
        self.origin  # noqa: B018 (refuses what is not allowed)

    @cached_property
    def origin(self) -> Origin:
        """The host that is asked."""
        return check_permission(self.endpoint, send_to=self.send_to, secrets=self.secrets)

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
        """The classes that it gives probabilities of."""
        return self.endpoint.targets

    @property
    def batch(self) -> int:
        """How many texts are best scored at a time."""
        return self.endpoint.batch * self.endpoint.parallel * REQUESTS_PER_WORKER

    def environment_keys(self) -> EnvironmentKeys:
        """The variables that the description refers to; an error where one is not set."""
        allowed = {name: os.environ[name] for name in self.secrets if name in os.environ}
        return EnvironmentKeys.read(self.endpoint.templates, allowed)

    def score(self, texts: Sequence[str]) -> Scores:
        """One row per text, in their order; NaN where a text cannot be scored."""
        import httpx

        server = self.endpoint
        try:
            keys = self.environment_keys()
        except InputError as error:
            raise error.within(self.name) from None
        parts = [texts[start : start + server.batch] for start in range(0, len(texts), server.batch)]
        if not parts:
            empty = np.empty((0, len(self.targets.classes)))
            return Scores(self.targets, empty, empty if server.gives_variances else None)
        hide_requests_from_logs()
        stop = threading.Event()
        sleep = self.sleep or _interruptible(stop)
        limits = httpx.Limits(max_connections=server.parallel)
        with httpx.Client(timeout=server.timeout, limits=limits, follow_redirects=False) as client:
            caller = EndpointCaller(server, self.origin, client, keys, self._pace, self.clock, sleep, self.draw)
            return Scores(self.targets, *_join_rows(_ask_all(caller, parts, stop)))

    @cached_property
    def _pace(self) -> RateLimiter:
        """One for all calls: the rate is that of the server, not of a batch."""
        return RateLimiter(self.endpoint.rate, clock=self.clock)


def _ask_all(caller: EndpointCaller, parts: Sequence[Sequence[str]], stop: threading.Event) -> list[ScoreRows]:
    """All requests, a few at a time; the first that fails ends the others instead of letting them wait and retry."""

    def attempt(number: int, part: Sequence[str]) -> ScoreRows:
        if stop.is_set():
            raise CancelledError
        try:
            return _ask_or_split(caller, part)
        except UnreadableAnswer as problem:
            stop.set()
            raise _located(problem, caller.server, number) from None
        except BaseException:
            stop.set()
            raise

    pool = ThreadPoolExecutor(caller.server.parallel, thread_name_prefix=WORKER_NAME)
    try:
        futures = [pool.submit(attempt, number, part) for number, part in enumerate(parts)]
        for error in [future.exception() for future in futures]:
            if error is not None and not isinstance(error, CancelledError):
                raise error
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _located(problem: UnreadableAnswer, server: Server, request: int) -> TextError:
    """The error with the text that it is about, counted over all requests; of a whole request the first."""
    text = request * server.batch + (problem.text or 0)
    remedy = "" if isinstance(problem, ScaleContradiction) else EMPTY_INSTEAD
    return TextError(str(problem), server.address, text, remedy=remedy)


def _interruptible(stop: threading.Event) -> Callable[[float], None]:
    def sleep(seconds: float) -> None:
        if stop.wait(seconds):
            raise CancelledError

    return sleep


def _ask_or_split(caller: EndpointCaller, texts: Sequence[str]) -> ScoreRows:
    """One request; if it cannot be scored, each text alone, so that only those at fault have no score."""
    try:
        return caller.server.read(caller.ask(texts), len(texts))
    except NotScorable:
        pass
    except UnreadableAnswer as problem:
        if caller.server.on_error == "stop" or isinstance(problem, ScaleContradiction):
            raise
    if len(texts) == 1:
        return _no_scores(caller.server)
    return _join_rows([_ask_or_split(caller, [text]) for text in texts])


def _no_scores(server: Server) -> ScoreRows:
    """One row without a score."""
    row = np.full((1, len(server.targets.classes)), np.nan)
    return row, row.copy() if server.gives_variances else None


def _join_rows(parts: Sequence[ScoreRows]) -> ScoreRows:
    variances = [part[1] for part in parts if part[1] is not None]
    return np.concatenate([part[0] for part in parts]), np.concatenate(variances) if variances else None
