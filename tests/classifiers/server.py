"""A real endpoint on the loopback that does what real ones do: fails, stalls, drops, limits and sends nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """One request as it came in."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: Any


@dataclass
class Reply:
    """What to send; `drop` closes the connection half way, `stall` says nothing until the server is shut down."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    stall: bool = False


class Server:
    """Counts and keeps what it is asked; `answer` decides what it says, given the request and its number from 0."""

    def __init__(self, answer: Callable[[Asked, int], Reply]) -> None:
        self.asked: list[Asked] = []
        self.answer = answer
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.busy = self.most_busy = 0
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/score"

    def reply(self, asked: Asked) -> Reply:
        with self.lock:
            number = len(self.asked)
            self.asked.append(asked)
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
        try:
            return self.answer(asked, number)
        finally:
            with self.lock:
                self.busy -= 1


@contextmanager
def serving(answer: Callable[[Asked, int], Reply]) -> Iterator[Server]:
    server = Server(answer)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet

        def do_POST(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.loads(raw) if raw else None
            asked = Asked(self.command, parts.path, parse_qs(parts.query), dict(self.headers.items()), body)
            self._send(server.reply(asked))

        do_GET = do_PUT = do_POST

        def _send(self, reply: Reply) -> None:
            if reply.stall:
                server.over.wait(10)
            if reply.stall or (reply.drop and reply.body is None):
                self.close_connection = True
                return
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content) + (100 if reply.drop else 0)))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = self.close_connection or reply.drop

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
