"""One-time codes of an authenticator app, as RFC 6238 has them: HMAC-SHA-1 of the time in steps of 30 seconds."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from urllib.parse import quote

STEP_SECONDS = 30
DIGITS = 6
EARLIER, LATER = 1, 1  # steps by which a clock may be wrong
SECRET_BYTES = 20  # as long as the hash, as RFC 4226 recommends


def new_secret() -> str:
    """A secret, in base32 as apps take it."""
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """The code of a step of time."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), hashlib.sha1)
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}d}"


def matching_step(secret: str, code: str, seconds: float) -> int | None:
    """The step about now whose code this is; all are compared, whichever fits."""
    now, found = int(seconds) // STEP_SECONDS, None
    for step in range(now - EARLIER, now + LATER + 1):
        if hmac.compare_digest(code_at(secret, step).encode(), code.encode("utf-8", "surrogatepass")):
            found = step
    return found


def enrolment_address(secret: str, person: str, issuer: str = "Evenhand") -> str:
    """What an app reads from a QR code."""
    label = quote(f"{issuer}:{person}", safe="")
    return f"otpauth://totp/{label}?secret={secret}&issuer={quote(issuer)}&digits={DIGITS}&period={STEP_SECONDS}"
