"""A hash of what a file says, kept in the file itself: whoever reads it can tell that nothing was changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def hash_of(content: Mapping[str, Any]) -> str:
    """The same for equal content, however it is laid out."""
    plain = json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(plain.encode()).hexdigest()
