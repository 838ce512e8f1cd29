"""What is worth another try, and when: waits grow, are drawn at random, and yield to what the endpoint asks for.

The random draw over the whole wait (full jitter) keeps workers that failed together from coming back together.
"""

from __future__ import annotations

import datetime
import email.utils
from collections.abc import Callable

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})  # statuses that may be another one in a moment
FIRST, LONGEST = 0.5, 30.0  # seconds: the longest first wait, and the longest of all
PATIENCE = 300.0  # seconds: what an endpoint may ask for at most


def backoff(failures: int, draw: Callable[[float, float], float]) -> float:
    """Seconds to wait after so many failures."""
    return draw(0.0, min(LONGEST, FIRST * 2.0 ** min(failures - 1, 30)))


def asked_for(header: str | None, now: datetime.datetime) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None where it cannot be read."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(header)
        except ValueError:
            return None
        aware = when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
        seconds = (aware - now).total_seconds()
    return min(max(0.0, seconds), PATIENCE) if seconds == seconds else None
