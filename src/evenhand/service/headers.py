"""Headers: what every answer has, so that none of it is framed, sniffed, cached or run as a page; and reading one."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import Scope

RawHeader = tuple[bytes, bytes]  # the name in lower case, as ASGI has it
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
RAW_HEADERS: list[RawHeader] = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
SECURITY_NAMES = frozenset(name for name, _ in RAW_HEADERS)


def request_header(scope: Scope, name: bytes) -> str:
    """The first header of this name, in lower case as ASGI has them; empty where there is none."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return ""


def with_security_headers(headers: Iterable[RawHeader]) -> list[RawHeader]:
    """The headers of an answer and those of every answer; what a handler says about one of them is left alone."""
    own = list(headers)
    names = {name for name, _ in own}
    if SECURITY_NAMES.isdisjoint(names):
        return own + RAW_HEADERS
    return own + [pair for pair in RAW_HEADERS if pair[0] not in names]
