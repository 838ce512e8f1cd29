"""Which cases of a test that takes long are left to `make verify`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def smoke(cases: Iterable[Any], *, kept: int = 1) -> list[Any]:
    """The first cases as they are, for `make test`; the others for `make verify`."""
    listed = list(cases)
    return listed[:kept] + [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.verify)
        for case in listed[kept:]
    ]
