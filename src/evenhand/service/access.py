"""Who may ask: by token, or by being a program on this machine; and under which name the service may be asked.

On a loopback address no token is needed, with three exceptions: `require_token`, a request that came through a proxy,
and any request where proxies are configured. The Host header must name this machine or an allowed host, so that a web
page whose name is made to point here (DNS rebinding) is refused.
"""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.errors import InputError
from evenhand.service.problems import ErrorRenderers, Problem
from evenhand.service.settings import ServiceSettings
from evenhand.service.tokens import SCOPES, TokenFile, read_tokens, token_file

LOG = logging.getLogger(__name__)
FORWARDING_HEADERS = frozenset(
    {b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip", b"via"}
)
HEALTH_PATHS = frozenset({"/livez", "/readyz"})  # asked by address, and they say nothing


@dataclass(frozen=True)
class Caller:
    """The caller: the name of the token, or None for a local request without one."""

    name: str | None
    scopes: frozenset[str]


LOCAL = Caller(None, frozenset(SCOPES))


class Access:
    """Decides who may ask. Tokens that are added or revoked count from the next request on."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.path: Path = token_file(settings.token_file)
        self._stamp: tuple[int, int, int] | None = None
        self._tokens = TokenFile()

    def check_start(self) -> None:
        """Refuse to start if everybody or nobody could call the service, or if the token file cannot be read."""
        if read_tokens(self.path).records or self.settings.store is not None:  # at a desk people sign in
            return
        remedy = "create one with 'evenhand serve tokens add NAME'"
        if not self.settings.on_loopback:
            raise InputError(
                f"`host` {self.settings.host} is reachable from other machines, which requires a token: {remedy}"
            )
        if self.settings.trusted_proxies or self.settings.require_token:
            asking = "trusted_proxies" if self.settings.trusted_proxies else "require_token"
            raise InputError(f"with `{asking}` every request needs a token, but none exists: {remedy}")

    def tokens(self) -> TokenFile:
        """The tokens as they are in the file now; none if it cannot be read any more."""
        try:
            status = self.path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            stamp = None
        if stamp != self._stamp:
            self._tokens, self._stamp = self._read(), stamp
        return self._tokens

    def _read(self) -> TokenFile:
        try:
            return read_tokens(self.path)
        except InputError as error:
            LOG.error("no token is accepted: %s", error)
            return TokenFile()

    def caller(self, scope: Scope, token: str | None, needed: str) -> Caller:
        """Whoever asks, if they may do what is needed; `Problem` 401 or 403 otherwise."""
        if self.is_local(scope):
            return LOCAL
        record = self.tokens().find(token) if token else None
        if record is None:
            detail = "unknown token" if token else "a token is required: Authorization: Bearer TOKEN"
            raise Problem(401, "unauthorised", detail, headers={"WWW-Authenticate": "Bearer"})
        if needed not in record.scopes:
            challenge = {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{needed}"'}
            raise Problem(403, "forbidden", f"the token does not have the scope '{needed}'", headers=challenge)
        return Caller(record.name, frozenset(record.scopes))

    def is_local(self, scope: Scope) -> bool:
        """Whether a request comes directly from a program on this machine, and that is enough."""
        settings = self.settings
        if not settings.on_loopback or settings.trusted_proxies or settings.require_token:
            return False
        return _is_loopback(_peer(scope)) and FORWARDING_HEADERS.isdisjoint(name for name, _ in scope["headers"])

    def client(self, scope: Scope) -> str:
        """The address of the client, also behind trusted proxies."""
        address = _peer(scope)
        if not self._is_proxy(address):
            return address
        for hop in reversed(",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")):
            if not _is_address(hop.strip()):
                break
            address = hop.strip()
            if not self._is_proxy(address):
                break
        return address

    def allows_host(self, header: str) -> bool:
        """Whether the service may be asked under this name."""
        name = _host_name(header)
        if name in self._named_hosts:
            return True
        return name == "localhost" or _is_loopback(name) if self.settings.on_loopback else not self._named_hosts

    @cached_property
    def _named_hosts(self) -> frozenset[str]:
        return frozenset(host.lower() for host in self.settings.allowed_hosts)

    @cached_property
    def _networks(self) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
        return tuple(ipaddress.ip_network(proxy, strict=False) for proxy in self.settings.trusted_proxies)

    def _is_proxy(self, address: str) -> bool:
        if not self._networks or not _is_address(address):
            return False
        return any(ipaddress.ip_address(address) in network for network in self._networks)


def authorise(request: Request, scope: str) -> Caller:
    """Whoever sent a request, if they may do this; their token is in the header Authorization or X-API-Key."""
    access: Access = request.app.state.access
    if access.is_local(request.scope):
        return LOCAL
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    presented = token.strip() if kind.lower() == "bearer" else request.headers.get("x-api-key")
    caller = access.caller(request.scope, presented, scope)
    request.state.caller = caller.name
    return caller


class HostCheck:
    """The middleware that refuses requests under a name that is not this service's."""

    def __init__(self, app: ASGIApp, access: Access, renderers: ErrorRenderers) -> None:
        self.app, self.access, self.renderers = app, access, renderers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and scope["path"] not in HEALTH_PATHS:
            names = [value for name, value in scope["headers"] if name == b"host"]
            if len(names) != 1 or not self.access.allows_host(names[0].decode("latin-1")):
                detail = "this host name is not allowed: see allowed_hosts"
                app = self.renderers.render(scope, Problem(421, "misdirected", detail))
        await app(scope, receive, send)


def _peer(scope: Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1024)
def _is_loopback(text: str) -> bool:
    return _is_address(text) and ipaddress.ip_address(text).is_loopback


def _host_name(header: str) -> str:
    """The name without the port."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.rpartition(":")[0] if name.count(":") == 1 else name
