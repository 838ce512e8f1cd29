"""Hashes compared in memory and on disk: the same repeats, in bounded memory, and no files left."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.measurement.id_hashes import MOST_HELD, HashRanges


def pieces(rng: np.random.Generator, number: int = 7) -> list[np.ndarray]:
    return [rng.integers(0, 1 << 64, 500, dtype=np.uint64) for _ in range(number)]


@pytest.mark.parametrize("most", [1, 600, MOST_HELD])
def test_repeats_are_those_of_a_set(most: int) -> None:
    rng = np.random.default_rng(0)
    some = pieces(rng)
    some[4][:20] = some[1][30:50]
    some[6][7] = some[1][30]
    some[3][:2] = np.array([0, (1 << 64) - 1], dtype=np.uint64)  # the ends of the first and the last range
    some[5][:2] = some[3][:2]
    hashes = HashRanges(most)
    for part in some:
        hashes.add(part)
    every, times = np.unique(np.concatenate(some), return_counts=True)
    np.testing.assert_array_equal(hashes.repeated(), every[times > 1])
    assert not len(hashes.repeated())  # all is forgotten


@pytest.mark.parametrize("most", [1, MOST_HELD])
def test_no_hashes(most: int) -> None:
    assert not len(HashRanges(most).repeated())


def test_memory_is_that_of_one_range() -> None:
    rng = np.random.default_rng(1)
    hashes = HashRanges(1 << 14)
    tracemalloc.start()
    for _ in range(200):
        hashes.add(rng.integers(0, 1 << 64, 1 << 13, dtype=np.uint64))
    assert not len(hashes.repeated())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200 * 8 * (1 << 13) / 5  # a fifth of all hashes


def test_a_disk_that_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(InputError, match=r"ids are compared on disk, and in .* that fails: .*space"):
        HashRanges(1).add(np.arange(9, dtype=np.uint64))


def test_files_have_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    hashes = HashRanges(1)
    hashes.add(np.arange(9, dtype=np.uint64))
    assert not list(tmp_path.iterdir())
    hashes.close()
