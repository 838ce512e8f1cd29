"""Requests to addresses that somebody typed in: signed, to a public address that is looked up once, without redirects.

The name is resolved, every address it has must be allowed, and the connection goes to that address and no other; the
certificate is still that of the name. So a name that changes its address between the check and the request (DNS
rebinding), or an answer that redirects, reaches nothing inside.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from evenhand.errors import EvenhandError, InputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Lookup = Callable[[str, int], Sequence[str]]  # host and port to addresses
SIGNATURE_HEADER = "Evenhand-Signature"
TRANSLATED = ipaddress.ip_network("64:ff9b::/32")  # addresses of IPv4 in another form
LONGEST_URL, SECONDS = 2000, 10.0


class DeliveryError(EvenhandError):
    """A delivery failed; the message says how, in a few words without anything that the other side sent."""


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryError("the name of the host is not known") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class OutgoingRequests:
    """Sends to public addresses, and to the private networks that were allowed."""

    networks: tuple[Network, ...] = ()
    lookup: Lookup = look_up
    transport: httpx.BaseTransport | None = None  # for tests

    @classmethod
    def from_networks(cls, names: Sequence[str]) -> OutgoingRequests:
        """With private networks as the settings name them."""
        return cls(tuple(ipaddress.ip_network(name, strict=False) for name in names))

    def pinned(self, url: str) -> tuple[httpx.URL, str]:
        """The URL by address, and the name that it is asked under; `InputError` where it is not allowed."""
        parts = check_url(url)
        host, port = str(parts.host), parts.port or (443 if parts.scheme == "https" else 80)
        addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in self.lookup(host, port)]
        if not addresses or not all(self.is_allowed(address) for address in addresses):
            raise InputError("`url` leads to a private address: allow its network with `webhook_networks`")
        if parts.scheme != "https" and not all(self._is_named(address) for address in addresses):
            raise InputError("`url` must begin with https://, except in a network of `webhook_networks`")
        return parts.copy_with(host=str(addresses[0])), parts.netloc.decode("ascii")

    def is_allowed(self, address: Address) -> bool:
        """Whether it is public, or in a network that was allowed."""
        return self._is_named(address) or is_public(address)

    def _is_named(self, address: Address) -> bool:
        return any(address in network for network in self.networks)

    def post(self, url: str, body: bytes, headers: dict[str, str]) -> None:
        """Send it; `DeliveryError` unless the answer is a success. Nothing of the answer's body is read."""
        try:
            pinned, name = self.pinned(url)
        except InputError as error:
            raise DeliveryError(error.problem) from None
        told = {**headers, "Host": name, "Content-Type": "application/json", "User-Agent": "evenhand"}
        extensions = {"sni_hostname": str(httpx.URL(url).host)}
        try:
            with (
                httpx.Client(timeout=SECONDS, transport=self.transport, trust_env=False, max_redirects=0) as client,
                client.stream("POST", pinned, content=body, headers=told, extensions=extensions) as answer,
            ):
                status = answer.status_code
        except httpx.HTTPError as error:
            raise DeliveryError(f"the connection failed ({type(error).__name__})") from None
        if not 200 <= status < 300:
            raise DeliveryError(f"the answer had status {status}")


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet, in whatever form it is written."""
    inner = address.ipv4_mapped or address.sixtofour if isinstance(address, ipaddress.IPv6Address) else None
    if inner is not None:
        return is_public(inner)
    if isinstance(address, ipaddress.IPv6Address) and (address in TRANSLATED or address.teredo is not None):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def check_url(url: str) -> httpx.URL:
    """The URL, if it is one that a webhook can have."""
    try:
        split = urlsplit(url)
        named = split.hostname and split.port != 0  # which fails where it is no number of a port
        parts = httpx.URL(url) if named and len(url) <= LONGEST_URL and url.isprintable() else None
    except (httpx.InvalidURL, ValueError):
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.host or parts.userinfo or parts.fragment:
        raise InputError("`url` must be an address https://HOST/PATH, without a name and password in it")
    return parts


def signature(secret: str, at: int, body: bytes) -> str:
    """What shows the receiver that this desk sent the body, at this second."""
    signed = hmac.digest(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hex()
    return f"t={at},v1={signed}"
