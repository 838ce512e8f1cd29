"""Lines in, lines out: a body of NDJSON is scored piece by piece, and the answer is sent as it is made.

A line that cannot be scored is answered by a line that says why; the others are not affected.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from evenhand.errors import EvenhandError
from evenhand.service.engine import OverloadedError, ScoredTexts, ScoringEngine
from evenhand.service.limits import check_texts
from evenhand.service.problems import Problem, invalid_model, problem_of
from evenhand.service.results import text_results
from evenhand.service.schemas import ScoreLine
from evenhand.service.settings import ServiceSettings

LOG = logging.getLogger(__name__)
FILLED_LINE = re.compile(rb"\S[^\n]*")
LINES_AT_ONCE = 256
PAUSE = 0.05  # seconds until the queue is tried again

Line = tuple[ScoreLine | None, Problem | None]  # what stands in a line, or what is wrong with it


def check_lines(body: bytes, settings: ServiceSettings) -> None:
    """Refuse a stream of too many lines."""
    if body.count(b"\n") > settings.max_lines:
        raise Problem(422, "too-many-texts", f"the stream has more than {settings.max_lines:,} lines")


async def scored_lines(
    body: bytes, engine: ScoringEngine, settings: ServiceSettings, model: str | None
) -> AsyncIterator[bytes]:
    """The answer to each line that is not blank, in their order."""
    for piece in pieces(body):
        yield b"".join(to_json(line) + b"\n" for line in await _answers(piece, engine, settings, model))


def pieces(body: bytes) -> Iterator[list[bytes]]:
    """The lines that are not blank, some at a time; the body is never cut up as a whole."""
    lines = (match[0] for match in FILLED_LINE.finditer(body))
    while piece := list(islice(lines, LINES_AT_ONCE)):
        yield piece


async def _answers(
    lines: Sequence[bytes], engine: ScoringEngine, settings: ServiceSettings, model: str | None
) -> list[dict[str, Any]]:
    requests = [_read(line, settings) for line in lines]
    known = [line for line, _ in requests if line]
    try:
        scored = await patient_score([line.text for line in known], engine, settings, model)
    except Exception as error:  # the answer has begun, and ends only with its last line
        if not isinstance(error, EvenhandError):
            LOG.exception("internal error; please report it")
        return [_failed(line, problem or problem_of(error)) for line, problem in requests]
    about = {"model": scored.model, "version": scored.version, "calibrated": scored.calibrated}
    results = iter(text_results(scored))
    return [{"id": line.id, **about, **next(results)} if line else _failed(None, problem) for line, problem in requests]


def _read(line: bytes, settings: ServiceSettings) -> Line:
    try:
        parsed = ScoreLine.model_validate_json(line)
        check_texts([parsed.text], settings)
    except ValidationError as error:
        return None, invalid_model(error)
    except Problem as problem:
        return None, problem
    return parsed, None


async def patient_score(
    texts: list[str], engine: ScoringEngine, settings: ServiceSettings, model: str | None
) -> ScoredTexts:
    """A stream has begun and cannot be refused any more: it waits where another request would be sent away."""
    give_up = time.monotonic() + settings.timeout
    while True:
        try:
            return await engine.score(texts, model)
        except OverloadedError:
            if time.monotonic() > give_up:
                raise
        await asyncio.sleep(PAUSE)


def _failed(line: ScoreLine | None, problem: Problem | None) -> dict[str, Any]:
    assert problem
    return {"id": line.id if line else None, "problem": problem.document()}
