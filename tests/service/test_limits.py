"""How much a request may bring: depth, size and time, all of it before anything is parsed."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from evenhand.service.app import create_app
from evenhand.service.limits import BODY_ARRIVED, Inflater, RequestLimits, is_deeper, json_depth
from evenhand.service.problems import ErrorRenderers, Problem
from evenhand.service.settings import ServiceSettings
from service.fakes import fake_model, local_client

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\[]{}é'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='k"\\{'), inner, max_size=3),
    max_leaves=20,
)


def depth_of(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(value=VALUES, ascii_=st.booleans())
def test_the_depth_is_that_of_the_parsed_value(value: Any, ascii_: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_).encode()
    assert json_depth(body) == depth_of(value)
    assert is_deeper(body, 3) is (depth_of(value) > 3)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 8_000_000,
        b"[]" * 4_000_000,
        b'"' * 8_000_000,
        b'"' + b'\\"' * 4_000_000,
        b'["]' * 2_600_000,
        b"{" * 9 + b"\xff" * 8_000_000,
    ],
    ids=["open", "pairs", "quotes", "escapes", "mixed", "binary"],
)
def test_no_body_takes_long_to_look_at(body: bytes) -> None:
    began = time.process_time()
    json_depth(body)
    assert time.process_time() - began < 6.0


def inflated(encoding: str, limit: int, *pieces: bytes) -> bytes:
    inflater = Inflater(encoding, limit)
    for piece in pieces:
        inflater.add(piece)
    return inflater.finish()


def test_gzip_in_pieces_is_what_was_zipped() -> None:
    plain = json.dumps({"text": "zipped " * 100}).encode()
    zipped = gzip.compress(plain)
    assert inflated("gzip", 10_000, *(zipped[k : k + 7] for k in range(0, len(zipped), 7))) == plain
    assert inflated("identity", 10_000, plain[:5], plain[5:]) == plain


def test_a_bomb_is_stopped_at_the_limit() -> None:
    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packed.compress(bytes(1 << 20)) for _ in range(64)) + packed.flush()
    inflater = Inflater("gzip", 100_000)
    with pytest.raises(Problem, match="larger than 100,000"):
        inflater.add(bomb)
    assert len(inflater._whole) == 100_001


@pytest.mark.parametrize(
    ("encoding", "body", "status"),
    [
        ("gzip", b"not gzip at all", 400),
        ("gzip", gzip.compress(b"{}" * 100, mtime=0)[:-9], 400),
        ("gzip", gzip.compress(b"{}", mtime=0) + b"rest", 400),
        ("br", b"{}", 415),
        ("gzip, gzip", b"{}", 415),
        ("identity", b"x" * 11, 413),
    ],
)
def test_what_cannot_be_read_is_a_problem(encoding: str, body: bytes, status: int) -> None:
    limit = 10 if status == 413 else 1000
    with pytest.raises(Problem) as refused:
        inflated(encoding, limit, body)
    assert refused.value.status == status


def answer_to(body: list[Message], *, settings: ServiceSettings, headers: dict[str, str], pause: float = 0.0) -> Any:
    """Status and document of a request whose body comes in these messages, with a pause before each."""
    model = fake_model()
    app = create_app(settings, models={"fake": model})
    raw = {"host": "localhost", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/score",
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in raw.items()],
        "client": ("127.0.0.1", 5),
        "state": {},
    }
    messages, sent = iter(body), []

    async def receive() -> Message:
        await asyncio.sleep(pause)
        return next(messages, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"]), model.classifier.asked  # type: ignore[attr-defined]


def pieces(*bodies: bytes) -> list[Message]:
    last = len(bodies) - 1
    return [{"type": "http.request", "body": body, "more_body": k < last} for k, body in enumerate(bodies)]


def test_a_body_in_pieces_is_one_body() -> None:
    status, found, _ = answer_to(pieces(b'{"te', b'xt": "a', b'b"}'), settings=ServiceSettings(), headers={})
    assert (status, found["results"][0]["probabilities"]) == (200, {"toxic": 0.002})


def test_a_body_without_a_length_is_stopped_at_the_limit() -> None:
    settings = ServiceSettings(max_body=1000)
    status, found, asked = answer_to(pieces(*[b" " * 100] * 20), settings=settings, headers={})
    assert (status, found["type"], asked) == (413, "urn:evenhand:problem:too-large", [])


def test_a_length_above_the_limit_is_refused_before_a_byte_is_read() -> None:
    status, found, _ = answer_to([], settings=ServiceSettings(), headers={"content-length": "99999999999999999999999"})
    assert (status, found["type"]) == (413, "urn:evenhand:problem:too-large")


def test_a_slow_body_is_given_up_on() -> None:
    body = pieces(*[b" "] * 100)
    status, found, _ = answer_to(body, settings=ServiceSettings(timeout=0.05), headers={}, pause=0.01)
    assert (status, found["type"]) == (408, "urn:evenhand:problem:slow-request")


def test_a_body_that_has_arrived_needs_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        received.append(await receive())

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Message) -> None: ...

    received, timers = list[Message](), list[float | None]()
    timeout = asyncio.timeout
    monkeypatch.setattr(asyncio, "timeout", lambda seconds: timers.append(seconds) or timeout(seconds))
    limits = RequestLimits(app, ServiceSettings(), ErrorRenderers())
    scope: dict[str, Any] = {"type": "http", "path": "/", "headers": []}
    asyncio.run(limits({**scope, BODY_ARRIVED: True}, receive, send))
    assert timers == []
    asyncio.run(limits(scope, receive, send))
    assert len(timers) == 1
    assert [message["body"] for message in received] == [b"{}", b"{}"]


def test_all_bodies_together_have_a_limit_too() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await release.wait()

    async def whole() -> list[Any]:
        scope = {"type": "http", "path": "/", "headers": []}

        async def receive() -> Message:
            return {"type": "http.request", "body": b"x" * 100, "more_body": False}

        async def send(message: Message) -> None: ...

        asked = [asyncio.create_task(limits(scope, receive, send)) for _ in range(20)]
        await asyncio.sleep(0.01)
        release.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert (limits.held, limits.in_progress) == (0, 0)
        return found

    release = asyncio.Event()
    limits = RequestLimits(app, ServiceSettings(max_body=100), ErrorRenderers())
    refused = [one for one in asyncio.run(whole()) if one is not None]
    assert [one.status for one in refused] == [429] * 4


def test_so_many_requests_at_once_and_no_more() -> None:
    model = fake_model(ready=False)
    app = create_app(ServiceSettings(max_requests=1), models={"fake": model})
    model.classifier.gate.set()  # type: ignore[attr-defined]
    with local_client(app) as client:
        model.classifier.gate.clear()  # type: ignore[attr-defined]
        portal = client.portal
        assert portal
        first = portal.start_task_soon(lambda: asyncio.to_thread(client.post, "/api/v1/score", json={"text": "a"}))
        while len(model.classifier.asked) < 2:  # type: ignore[attr-defined]  # the first is that of the warm-up
            time.sleep(0.001)
        refused = client.post("/api/v1/score", json={"text": "b"})
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert client.get("/livez").status_code == client.get("/metrics").status_code == 200
        model.classifier.gate.set()  # type: ignore[attr-defined]
        assert first.result().status_code == 200
        assert client.post("/api/v1/score", json={"text": "b"}).status_code == 200
