"""A listener on the loopback address, at which hostile files point: nobody may ever contact it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

PATIENCE = 0.2  # seconds in which a contact says what it wants
ANSWER = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
ROLL_CALL = b"who was there?"  # our own contact: those before it have then been taken


class Listener:
    """Takes connections and datagrams at one port, one after another, and keeps what they said."""

    def __init__(self) -> None:
        self._contacts: list[bytes] = []
        self._called = threading.Semaphore(0)
        self._stream = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._stream.getsockname()[1]
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._datagrams.bind(("127.0.0.1", self.port))
        for loop in (self._take_connections, self._take_datagrams):
            threading.Thread(target=loop, daemon=True).start()

    def taken(self) -> list[bytes]:
        """What was said since the last question."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(ROLL_CALL)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
            datagram.sendto(ROLL_CALL, ("127.0.0.1", self.port))
        for _ in range(2):
            self._called.acquire(timeout=30)
        found, self._contacts = self._contacts, []
        return found

    def close(self) -> None:
        for one in (self._stream, self._datagrams):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _take_connections(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._stream.accept()
                with connection:
                    self._take(connection)

    def _take(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        said = b""
        with suppress(OSError):
            said = connection.recv(4096)
        if said == ROLL_CALL:
            self._called.release()
            return
        self._contacts.append(said)
        with suppress(OSError):
            connection.sendall(ANSWER)

    def _take_datagrams(self) -> None:
        with suppress(OSError):
            while True:
                said = self._datagrams.recv(4096)
                if said == ROLL_CALL:
                    self._called.release()
                else:
                    self._contacts.append(said)
