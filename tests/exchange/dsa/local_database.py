"""A local server that behaves like the documented API of the Transparency Database, faults included.

All-or-nothing batches of up to 100, unique ids, 422 with errors by statement, 302 or 404 for an id. Faults are planned:
for each request one of None, 429, 500, 503, "lost" (stored, and the answer never comes), "late" (stored, and the answer
comes after the client has given up) or "cut" (nothing stored).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from evenhand.exchange.dsa.statement_rules import check_statement

TOKEN = "secret-token-123"
LATE = 1.0  # seconds


class Database(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, faults: Sequence[Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults, self.stored, self.doubles = list(faults), dict[str, dict[str, Any]](), 0
        self.requests = list[tuple[str, str]]()
        self.sizes = list[int]()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Database

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.server.requests.append(("GET", self.path))
        puid = self.path.rpartition("/")[2]
        self._answer(302 if puid in self.server.stored else 404, {})

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(("POST", self.path))
            fault = server.faults.pop(0) if server.faults else None
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                self._answer(401, {"message": "Unauthenticated."})
            elif fault in (429, 500, 503):
                self._answer(fault, {"message": "later"}, {"Retry-After": "0"} if fault == 429 else {})
            elif fault == "cut":
                self.connection.close()
            else:
                stored = self._store(body["statements"])
                if fault == "lost":
                    self.connection.close()
                elif fault != "late":
                    self._answer(*stored)
        if fault == "late":
            time.sleep(LATE)
            self.connection.close()

    def _store(self, statements: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
        server = self.server
        server.sizes.append(len(statements))
        errors = {}
        for number, one in enumerate(statements):
            for field, fault in check_statement(one):
                errors[f"statement_{number}"] = {field: [fault]}
            if one["puid"] in server.stored:
                errors[f"statement_{number}"] = {"puid": ["The identifier given is not unique within this platform."]}
        if errors or len(statements) > 100:
            return 422, {"message": "invalid", "errors": errors}
        for one in statements:
            server.doubles += one["puid"] in server.stored
            server.stored[one["puid"]] = one
        return 201, {"statements": [{**one, "uuid": f"u-{one['puid']}"} for one in statements]}

    def _answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def running(*faults: Any) -> Iterator[Database]:
    """A server that is there meanwhile."""
    server = Database(faults)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
