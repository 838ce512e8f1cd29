"""One desk for the tests that only ask it, and a fresh one for those that change its people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.desks import TestDesk, test_desk


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[TestDesk]:
    desk = test_desk(tmp_path)
    yield desk
    desk.store.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDesk]:
    desk = test_desk(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.store.close()
