"""How much a request may bring: checked while its body arrives, before anything parses it.

A body is read when a handler asks for it, so that unauthorised callers are refused first. It is counted as it arrives,
decompressed in pieces (gzip), and checked for nesting; a handler sees the plain bytes, as one message.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence

import numpy as np
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.service.headers import request_header
from evenhand.service.problems import RETRY_SECONDS, ErrorRenderers, Problem, pointer
from evenhand.service.settings import ServiceSettings

GZIP = 16 + zlib.MAX_WBITS
QUOTE = ord('"')
NOT_STRUCTURE = bytes(set(range(256)) - set(b'"[]{}'))
STEPS = np.zeros(256, dtype=np.int32)
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1
BODIES_AT_ONCE = 16  # of the largest size: so much memory do all requests together take
BODY_ARRIVED = "evenhand.body_arrived"  # in the scope of a request whose body the server has received whole
UNLIMITED_PATHS = frozenset({"/livez", "/readyz", "/metrics"})  # asked also, and above all, when much is going on


def json_depth(body: bytes) -> int:
    """How deep brackets are nested outside strings: of anything, also of what is not JSON, and without recursion."""
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = np.frombuffer(unescaped.translate(None, NOT_STRUCTURE), dtype=np.uint8)
    outside = np.cumsum(marks == QUOTE, dtype=np.int32) % 2 == 0
    return int(np.cumsum(STEPS[marks] * outside, dtype=np.int32).max(initial=0))


def is_deeper(body: bytes, limit: int) -> bool:
    """Whether JSON is nested more deeply than this."""
    return body.count(b"[") + body.count(b"{") > limit and json_depth(body) > limit


def check_texts(texts: Sequence[str], settings: ServiceSettings) -> None:
    """Refuse too many texts, texts that are too long, and NUL, which no store takes."""
    if len(texts) > settings.max_texts:
        detail = f"{len(texts):,} texts in one request (at most {settings.max_texts:,} are allowed)"
        raise Problem(422, "too-many-texts", detail)
    faults = {number: fault for number, text in enumerate(texts) if (fault := _fault(text, settings.max_text))}
    if faults:
        errors = [{"pointer": pointer(["texts", number]), "detail": fault} for number, fault in faults.items()]
        raise Problem(422, "invalid-text", errors[0]["detail"], errors[:20] if len(texts) > 1 else ())


def _fault(text: str, limit: int) -> str:
    if len(text) > limit:
        return f"the text has {len(text):,} characters (at most {limit:,} are allowed)"
    return "the text contains a NUL character" if "\0" in text else ""


class Inflater:
    """Decompresses a body that comes in pieces; never holds more than `limit` bytes of it, whatever it claims."""

    def __init__(self, encoding: str, limit: int) -> None:
        if encoding not in ("identity", "gzip", "x-gzip"):
            remedy = {"Accept-Encoding": "gzip, identity"}
            raise Problem(415, "unsupported-encoding", "Content-Encoding must be gzip or absent", headers=remedy)
        self._gzip = None if encoding == "identity" else zlib.decompressobj(GZIP)
        self._limit, self._whole = limit, bytearray()

    def add(self, piece: bytes) -> int:
        """The next piece as it came; how many bytes it is when decompressed."""
        before = len(self._whole)
        room = self._limit + 1 - before
        try:
            self._whole += self._gzip.decompress(piece, room) if self._gzip else piece[:room]
        except zlib.error:
            raise _not_gzip() from None
        if len(self._whole) > self._limit:
            raise too_large(self._limit)
        if self._gzip and self._gzip.unused_data:
            raise _not_gzip()
        return len(self._whole) - before

    def finish(self) -> bytes:
        """The whole body."""
        if self._gzip and self._whole and not self._gzip.eof:
            raise _not_gzip()
        return bytes(self._whole)


class RequestLimits:
    """The middleware: so many requests at once, and bodies of a limited size, time and depth."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, renderers: ErrorRenderers) -> None:
        self.app, self.settings, self.renderers = app, settings, renderers
        self.in_progress = self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLIMITED_PATHS:
            await self.app(scope, receive, send)
            return
        problem = self._refusal(scope)
        if problem:
            await self.renderers.render(scope, problem)(scope, receive, send)
            return
        body = _BodyReader(scope, receive, self)
        self.in_progress += 1
        try:
            await self.app(scope, body, send)
        finally:
            self.in_progress -= 1
            self.held -= body.held

    def hold(self, size: int) -> None:
        """So many more bytes of bodies are in memory."""
        self.held += size
        if self.held > BODIES_AT_ONCE * self.settings.max_body:
            raise overloaded(f"{self.held:,} bytes of requests are in progress")

    def _refusal(self, scope: Scope) -> Problem | None:
        """What is known to be too much before a byte of the body has come."""
        if self.in_progress >= self.settings.max_requests:
            return overloaded(f"{self.in_progress:,} requests are in progress")
        length = request_header(scope, b"content-length")
        if length.isdecimal() and int(length[:20]) > self.settings.max_body:
            return too_large(self.settings.max_body)
        return None


class _BodyReader:
    """Stands in for `receive`: reads the body when first asked, within the limits, and hands it on as one message."""

    def __init__(self, scope: Scope, receive: Receive, limits: RequestLimits) -> None:
        self._scope, self._receive, self._limits, self._settings = scope, receive, limits, limits.settings
        self._read, self.held = False, 0

    async def __call__(self) -> Message:
        if self._read:
            return await self._receive()
        self._read = True
        encoding = request_header(self._scope, b"content-encoding").strip().lower() or "identity"
        inflater = Inflater(encoding, self._settings.max_body)
        if not await self._all_read(inflater):
            return {"type": "http.disconnect"}
        body = inflater.finish()
        if is_deeper(body, self._settings.max_depth):
            raise Problem(400, "too-deep", f"the body is nested more than {self._settings.max_depth} levels deep")
        return {"type": "http.request", "body": body, "more_body": False}

    async def _all_read(self, inflater: Inflater) -> bool:
        """Whether the body came to its end before the client disconnected; a body that is on its way has a time-out."""
        if BODY_ARRIVED in self._scope:
            return await self._read_into(inflater)
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await self._read_into(inflater)
        except TimeoutError:
            raise Problem(408, "slow-request", "the body did not arrive in time") from None

    async def _read_into(self, inflater: Inflater) -> bool:
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return False
            self._hold(inflater.add(message.get("body", b"")))
            more = message.get("more_body", False)
        return True

    def _hold(self, size: int) -> None:
        self.held += size
        self._limits.hold(size)


def too_large(limit: int) -> Problem:
    """A body above the limit."""
    return Problem(413, "too-large", f"the body is larger than {limit:,} bytes: send fewer texts at once")


def overloaded(detail: str) -> Problem:
    """Too much at once, and not later."""
    return Problem(429, "overloaded", detail, headers={"Retry-After": str(RETRY_SECONDS)})


def _not_gzip() -> Problem:
    return Problem(400, "invalid-encoding", "the body is not gzip, as Content-Encoding says")
