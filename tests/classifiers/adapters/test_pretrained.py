"""What models of the transformers library have in common: batches by length, and the library itself."""

from __future__ import annotations

from typing import Any

import pytest

from evenhand.classifiers.adapters.pretrained import length_buckets, require_library


def test_batches_of_one_length() -> None:
    """For models that must not see padding: every row once, and no two lengths together."""
    lengths = [3, 7, 3, 7, 7, 1, 3]
    found = list(length_buckets(lengths, 2, even=True))
    assert sorted(row for rows in found for row in rows) == list(range(7))
    assert all(len({lengths[row] for row in rows}) == 1 and len(rows) <= 2 for rows in found)


def test_a_library_that_is_broken_is_not_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise ImportError("no shared object", name="libsomething")

    monkeypatch.setattr("importlib.import_module", broken)
    with pytest.raises(ImportError, match="no shared object"):
        require_library("torch")
