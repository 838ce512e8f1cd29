"""The process: listens, guards its connections, and when it is stopped answers first what it has accepted."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic_core import to_json
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evenhand.errors import InputError
from evenhand.service.app import create_app
from evenhand.service.limits import BODY_ARRIVED
from evenhand.service.log_lines import log_as_json
from evenhand.service.problems import MEDIA_TYPE, Problem
from evenhand.service.settings import ServiceSettings

LOG = logging.getLogger(__name__)
MAX_HEADERS = 64 * 1024  # bytes
HEADER_SECONDS = 15.0
CONTINUE = b"HTTP/1.1 100 "
LAST_CALL = 0.5  # seconds that a connection without a request has when the service is stopped
IDLE_SECONDS = 30
OBJECTS_PER_COLLECTION = 50_000  # made since the last one: some hundred requests, whose own objects form no cycles


class HeadWithBody:
    """A transport that sends the head of an answer together with the body: one packet, and the client wakes once.

    A head that no body follows, or only later, goes out at the next turn of the event loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop, self._head = transport, loop, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Keep a head, and send it before anything else."""
        if not self._head and data.startswith(b"HTTP/1.1 ") and not data.startswith(CONTINUE):
            self._head = data
            self._loop.call_soon(self.flush)
        else:
            head, self._head = self._head, b""
            self._transport.write(head + data)

    def flush(self) -> None:
        """Send a head that still waits."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        """Close the connection after what was written."""
        self.flush()
        self._transport.close()


class GuardedConnection(HttpToolsProtocol):
    """A connection that may not send headers without end, in size or in time; faults of HTTP are problem+json too."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(HeadWithBody(transport, self.loop))  # type: ignore[arg-type]
        self._in_headers, self._header_bytes = True, 0
        self._header_timer = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._header_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._header_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_timer.cancelled():  # most headers arrive whole, and need no timer
            self._header_timer = self.loop.call_later(HEADER_SECONDS, self._give_up)
        if self._in_headers and self._header_bytes > MAX_HEADERS and not self.transport.is_closing():
            self._refuse(Problem(431, "headers-too-large", f"the headers are larger than {MAX_HEADERS:,} bytes"))

    def on_message_begin(self) -> None:
        self._in_headers, self._header_bytes = True, 0
        self._header_timer.cancel()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._header_timer.cancel()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.scope[BODY_ARRIVED] = True  # type: ignore[literal-required]
        super().on_message_complete()

    def shutdown(self) -> None:
        """Close after the answer, or after a moment in which a request could still come."""
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_CALL, self._close_if_idle)
        else:
            super().shutdown()

    def _close_if_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP."""
        self._refuse(Problem(400, "invalid-http", "this is not an HTTP request"))

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self._refuse(Problem(408, "slow-request", "the headers did not arrive in time"))

    def _refuse(self, problem: Problem) -> None:
        document = problem.document()
        body = to_json(document)
        lines = (
            f"HTTP/1.1 {problem.status} {document['title']}",
            f"content-type: {MEDIA_TYPE}",
            f"content-length: {len(body)}",
            "connection: close",
        )
        self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        self.transport.close()


class ServiceServer(uvicorn.Server):
    """A server with a graceful shutdown.

    It takes in who has already connected and stops listening; every answer now closes its connection, /readyz is 503,
    and a connection without a request is closed a little later, since one may be on its way. Then it exits with 0.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and spare the garbage collector what lives as long as the process: models, modules, routes."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(OBJECTS_PER_COLLECTION)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.stopping = True  # type: ignore[union-attr]
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        late = [connection for listener in sockets or () for connection in _connected(listener)]
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in late:
            await asyncio.get_running_loop().connect_accepted_socket(self._connection, connection)
        await super().shutdown(sockets)

    def _connection(self) -> GuardedConnection:
        return GuardedConnection(self.config, self.server_state, self.lifespan.state)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does, without raising the signal again afterwards."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def _connected(listener: socket.socket) -> Iterator[socket.socket]:
    """Who has connected and has not been taken in yet."""
    listener.setblocking(False)
    with suppress(OSError):
        while True:
            yield listener.accept()[0]


def serve(
    settings: ServiceSettings, app: FastAPI | None = None, announce: Callable[[str], None] = lambda _url: None
) -> None:
    """Serve until a signal says to stop: the scoring service, or an application that contains it.

    `announce` is told the address once the service listens.
    """
    log_as_json()
    app = app or create_app(settings)
    config = uvicorn.Config(
        app,
        http=GuardedConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=round(settings.stop_timeout) or 1,
    )
    listener = listen(settings)
    host, port = listener.getsockname()[:2]
    facts = {"host": host, "port": port, "models": {m.name: m.version for m in app.state.engine.models.values()}}
    LOG.info("serving", extra={"facts": facts})
    announce(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    ServiceServer(config).run(sockets=[listener])


def listen(settings: ServiceSettings) -> socket.socket:
    """The socket, or an error that says why there is none."""
    try:
        addresses = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return socket.create_server(addresses[0][4][:2], family=addresses[0][0], backlog=2048)
    except OSError as error:
        problem = f"cannot listen on `host` {settings.host}, `port` {settings.port}: {error.strerror or error}"
        raise InputError(problem) from None
