"""One sandbox for all tests of a process: it starts when the first command runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hostile.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    made = Sandbox(tmp_path_factory.mktemp("hostile") / "sites")
    yield made
    made.close()
