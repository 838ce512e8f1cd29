"""The log: what json writes, as logging would record it, and lines of a turn written at once."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.service import log_lines
from evenhand.service.log_lines import GatheredLines, JsonLines, RequestFacts, RequestRecord

FACTS = RequestFacts("1f", "POST", "/api/v1/score", 200, 0.25, "127.0.0.1", None)


class CountedStream(io.StringIO):
    """A stream that knows how often it was written to."""

    writes = 0

    def write(self, text: str) -> int:
        self.writes += bool(text)
        return super().write(text)


@pytest.fixture
def stream() -> Iterator[CountedStream]:
    logger, stream = logging.getLogger("evenhand.service"), CountedStream()
    handler, before = GatheredLines(stream), (logger.level, logger.propagate)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield stream
    logger.removeHandler(handler)
    logger.setLevel(before[0])
    logger.propagate = before[1]


def events(stream: io.StringIO) -> list[str]:
    return [json.loads(line)["event"] for line in stream.getvalue().splitlines()]


def test_requests_of_one_turn_are_written_at_once(stream: CountedStream) -> None:
    async def turn() -> None:
        for _ in range(32):
            log_lines.log_request(FACTS)
        assert stream.writes == 0
        await asyncio.sleep(0)
        assert (stream.writes, len(events(stream))) == (1, 32)
        log_lines.log_request(FACTS)
        await asyncio.sleep(0)

    asyncio.run(turn())
    assert (stream.writes, len(events(stream))) == (2, 33)


def test_another_line_comes_after_those_that_wait(stream: CountedStream) -> None:
    async def turn() -> None:
        log_lines.log_request(FACTS)
        logging.getLogger("evenhand.service.server").warning("stopping")
        assert events(stream) == ["request", "stopping"]

    asyncio.run(turn())


def test_without_an_event_loop_and_after_one_nothing_is_left_behind(stream: CountedStream) -> None:
    log_lines.log_request(FACTS)
    assert events(stream) == ["request"]
    loop = asyncio.new_event_loop()
    loop.call_soon(log_lines.log_request, FACTS)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()  # before it turned again
    log_lines.log_request(FACTS)
    assert events(stream) == ["request"] * 3


def test_a_closed_stream_stops_nothing(stream: CountedStream) -> None:
    problems = list[dict[str, Any]]()

    async def turn() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        log_lines.log_request(FACTS)
        stream.close()
        await asyncio.sleep(0)

    asyncio.run(turn())
    assert problems == []


NAMES = st.text(alphabet='a"\\\n\0é\u2028')


@given(st.builds(RequestFacts, NAMES, NAMES, NAMES, st.integers(100, 599), st.floats(0, 1e9), NAMES, st.none() | NAMES))
def test_a_line_is_what_json_writes(facts: RequestFacts) -> None:
    record = RequestRecord(facts)
    record.created = 1_763_300_000.0625
    expected = {
        "time": "2025-11-16T13:33:20.062+00:00",
        "level": "info",
        "logger": "evenhand.service.requests",
        "event": "request",
        **{name: getattr(facts, name) for name in RequestFacts.__slots__},
    }
    written = JsonLines().format(record)
    assert written == json.dumps(expected)


def test_a_line_is_ascii_whatever_it_names(stream: CountedStream) -> None:
    logging.getLogger("evenhand.service").warning("a name: %s", "caf\u00e9\u2028\u202e", extra={"facts": {"port": 1}})
    assert stream.getvalue().isascii()
    (line,) = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (line["event"], line["port"]) == ("a name: caf\u00e9\u2028\u202e", 1)


def test_the_record_of_a_request_is_that_of_logging() -> None:
    ours: dict[str, Any] = vars(RequestRecord(FACTS))
    theirs = vars(
        log_lines.LOG.makeRecord(log_lines.LOG.name, logging.INFO, log_lines.__file__, 0, "request", (), None)
    )
    assert ours.keys() - theirs.keys() == {"facts"}
    changing = {"created", "msecs", "relativeCreated", "facts"}
    changing |= {"thread", "threadName", "process", "processName"}  # not looked up once a server writes JSON lines
    assert {name: ours[name] for name in ours.keys() - changing} == {
        name: theirs[name] for name in theirs.keys() - changing
    }
    assert 0 <= theirs["relativeCreated"] - ours["relativeCreated"] < 60_000
