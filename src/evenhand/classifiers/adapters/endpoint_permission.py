"""Where an endpoint may be and what may be sent there: whoever runs a model names the host and the variables.

A description can be written by anybody. Without permission nothing is sent to any host, not even a text to a program on
this machine, and no variable of the environment is read. Who writes the address in Python may reach this machine.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from evenhand.classifiers.adapters.server import Server
from evenhand.errors import InputError

if TYPE_CHECKING:
    import httpx

PORTS = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """A scheme, a host and a port: who gets what is sent."""

    scheme: str
    host: str
    port: int | None

    @classmethod
    def parse(cls, url: str | httpx.URL) -> Origin:
        """As the client itself reads an address, and not another parser."""
        import httpx

        try:
            address = httpx.URL(url)
        except (httpx.InvalidURL, TypeError) as error:
            problem = f"not the address of a host ({type(error).__name__}): write it as https://host"
            raise InputError(problem) from None
        return cls(address.scheme, address.host, address.port or PORTS.get(address.scheme))

    @property
    def is_this_machine(self) -> bool:
        """By the address itself: a name could lead anywhere."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != PORTS.get(self.scheme) else "")


def check_permission(server: Server, *, send_to: str | None, secrets: Sequence[str], from_file: bool = False) -> Origin:
    """The host, if texts may be sent there and with them every variable that the description refers to."""
    origin, names = Origin.parse(server.url), server.variables
    if names and origin.scheme != "https" and not origin.is_this_machine:
        raise InputError(f"{_listed(names)} would be sent to {origin} without encryption: use https")
    named = send_to is not None and origin == _named_origin(send_to)
    allowed = named or (origin.is_this_machine and not from_file)
    unnamed = [name for name in names if name not in secrets]
    if not allowed or unnamed:
        raise _refusal(origin, unnamed, texts=not allowed)
    return origin


def _named_origin(send_to: str) -> Origin:
    return Origin.parse(send_to if "://" in send_to else f"https://{send_to}")


def _refusal(origin: Origin, names: Sequence[str], *, texts: bool) -> InputError:
    """With the options that would allow it, to be copied once they are understood."""
    sent = [*(["your texts"] if texts else []), *([_listed(names)] if names else [])]
    options = [*([f"`send_to` {origin}"] if texts else []), *(f"`secrets` {name}" for name in names)]
    problem = f"this model would send {' and '.join(sent)} to {origin}; nothing was sent"
    return InputError(problem, remedy=f"allow it with {' '.join(options)}")


def _listed(names: Sequence[str]) -> str:
    return f"the environment variable{'s' if len(names) > 1 else ''} {', '.join(names)}"
