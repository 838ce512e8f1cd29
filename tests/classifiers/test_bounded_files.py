"""Saved models of strangers: whatever the manifest claims ends in one line, soon, and without much memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifiers import hostile
from classifiers.hostile import MEMORY, SECONDS, cost, within
from classifiers.made import saved
from evenhand import limits
from evenhand.classifiers import bounded_files, model_folder
from evenhand.classifiers.linear import weights_file
from evenhand.classifiers.linear.classifier import StoredCoefficients
from evenhand.classifiers.models import list_models
from evenhand.errors import InputError


def refused(folder: Path, *says: str) -> None:
    """Opening ends in one line."""
    with within(), pytest.raises(InputError) as caught:
        model_folder.load_model(folder)
    assert all(piece in str(caught.value) for piece in says), str(caught.value)


def unlisted(folder: Path, *says: str) -> None:
    """Opening ends in one line, and a list shows it as the fault of the model."""
    refused(folder, *says)
    with within():
        noted = {entry.model: entry.note for entry in list_models(folder.parent)}
    assert noted[str(folder)], "listed as a sound model"


@pytest.mark.parametrize("name", ["/dev/zero", "../x", "deep/x", "..", ".", "", "C:x", "..\\x", "/etc/passwd", "a\0b"])
def test_a_manifest_names_files_of_its_folder_only(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").write_text("outside")
    folder = hostile.model(tmp_path / "m", hashed=False, files={name: "0" * 64})
    unlisted(folder, "is not a file in the folder")


@pytest.mark.parametrize("target", ["/dev/zero", "../x", "/proc/self/mem", "../loop"])
def test_a_link_out_of_the_folder(tmp_path: Path, target: str) -> None:
    (tmp_path / "x").write_text("outside")
    (tmp_path / "loop").symlink_to("m/card.md")
    folder = hostile.model(tmp_path / "m")
    (folder / "card.md").unlink()
    (folder / "card.md").symlink_to(target)
    unlisted(folder, "m")


def test_a_link_within_the_folder_is_read(tmp_path: Path) -> None:
    folder = hostile.model(tmp_path / "m")
    (folder / "card.md").rename(folder / "card.txt")
    (folder / "card.md").symlink_to("card.txt")
    model_folder.load_model(folder)


@pytest.mark.parametrize("name", ["model.json", "card.md", "weights.npz"])
def test_a_pipe_in_place_of_a_file(tmp_path: Path, name: str) -> None:
    folder = hostile.model(tmp_path / "m")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    unlisted(folder, name, "a pipe, a device or a socket")


@pytest.mark.parametrize("name", ["model.json", "weights.npz", "card.md"])
def test_a_file_of_a_terabyte_that_takes_no_room(tmp_path: Path, name: str) -> None:
    folder = hostile.model(tmp_path / "m")
    os.truncate(folder / name, 1 << 40)
    unlisted(folder, "too large to be read: 1,024 GB")


def test_files_are_large_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = hostile.model(tmp_path / "m")
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != "model.json")
    monkeypatch.setattr(limits, "MODEL_BYTES", size)
    model_folder.load_model(folder)
    monkeypatch.setattr(limits, "MODEL_BYTES", size - 1)
    unlisted(folder, "the model is too large")


@pytest.mark.parametrize(
    "settings",
    [{"x": "[" * 100_000}, {"x": [[]] * 100_000}, {"neutral": ["a"] * 300_000}, {"characters": [8] * 300_000}],
    ids=["brackets", "lists", "words", "lengths"],
)
def test_a_manifest_of_many_values(tmp_path: Path, settings: dict[str, Any]) -> None:
    folder = hostile.model(tmp_path / "m")
    known = json.loads((folder / "model.json").read_text())["settings"]
    refused(hostile.sealed(folder, settings={**known, **settings}), "m")


def test_parts_of_words_count_once(tmp_path: Path) -> None:
    folder = hostile.model(tmp_path / "m")
    known = json.loads((folder / "model.json").read_text())["settings"]
    refused(hostile.sealed(folder, settings={**known, "characters": [3] * 5000}), "each once")


def _zeros(folder: Path) -> None:
    hostile.bomb(folder / "weights.npz", 40 << 20, begin=hostile.array_header((40 << 20,), "|i1"))


def _claims(folder: Path) -> None:
    hostile.bomb(folder / "weights.npz", 0, begin=hostile.array_header((1 << 45, 2, 1), "|i1"))


def _crowd(folder: Path) -> None:
    hostile.crowded(folder / "weights.npz", 120_000)


@pytest.mark.parametrize("make", [_zeros, _claims, _crowd])
def test_weights_are_unpacked_only_if_they_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    folder = hostile.model(tmp_path / "m")
    make(folder)
    hostile.sealed(folder)
    monkeypatch.setattr(weights_file.npy, "read_array", lambda *_, **__: pytest.fail("it was unpacked"))
    refused_weights(folder)


def refused_weights(folder: Path) -> None:
    with within(), pytest.raises(InputError, match=r"weights.npz (does not fit|cannot be read|is too small)"):
        model_folder.load_model(folder)


def asks_for_more(folder: Path, **settings: int) -> Path:
    """100 members of 2²⁴ coefficients would be 1.7 GB of zeros, 1.6 MB in an archive, and 7 GB once in use."""
    hostile.model(folder)
    shape = (1 << settings["bits"], settings["members"], 1)
    hostile.bomb(folder / "weights.npz", 64 << 20, begin=hostile.array_header(shape, "|i1"))
    known = json.loads((folder / "model.json").read_text())["settings"]
    return hostile.sealed(folder, settings={**known, **settings})


def test_settings_that_ask_for_more_than_the_file_can_hold(tmp_path: Path) -> None:
    refused(asks_for_more(tmp_path / "m", bits=24, members=100), "weights.npz is too small for the 1,694,499,")


@pytest.mark.verify
@pytest.mark.parametrize("members", [1, 16, 100])
def test_what_opening_takes_is_bounded(tmp_path: Path, members: int) -> None:
    seconds, memory, said = cost(asks_for_more(tmp_path / "m", bits=24, members=members))
    assert "weights.npz" in said
    assert seconds < SECONDS
    assert memory < MEMORY


def test_large_coefficients_are_unpacked_in_place() -> None:
    """The same numbers as at once, to the bit."""
    rng = np.random.default_rng(3)
    steps = rng.integers(-127, 128, (70_000, 2, 2)).astype(np.int8)
    stored = StoredCoefficients(
        steps, rng.random((2, 2), np.float32), np.zeros((2, 2), np.float32), np.ones(1, np.float16)
    )
    share = steps.astype(np.float32) / np.float32(127)
    assert stored.coefficients().tobytes() == (share * np.abs(share) * stored.largest).tobytes()


def test_a_model_too_sparse_to_be_told_from_a_bomb_is_saved_at_full_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "COEFFICIENTS_FREE", 1000)
    small = saved(tmp_path / "m", anchor=0.0, strength=1e-9)
    assert model_folder.load_model(tmp_path / "m").version == small.version


def test_thousands_of_hostile_folders_are_listed_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read for a list is bounded, whatever number of folders there are."""
    sound = hostile.model(tmp_path / "a0000")
    known = json.loads((sound / "model.json").read_text())["settings"]
    for number in range(1, 1500):
        (tmp_path / f"a{number:04d}").symlink_to(sound)
    slow = hostile.sealed(hostile.model(tmp_path / "b"), settings={**known, "x": [[]] * 50_000})
    for number in range(300):
        shutil.copytree(slow, tmp_path / f"c{number:04d}", copy_function=os.link)
    (tmp_path / "keys.toml").write_text("kind" + ".a" * 50_000 + " = 1")
    os.mkfifo(tmp_path / "pipe.toml")
    os.truncate(_touched(tmp_path / "long.toml"), 1 << 40)
    monkeypatch.setattr(limits, "MODEL_LIST_BYTES", 1 << 30)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with within(20):
        found = list_models(tmp_path)
    assert len(found) >= 1801
    assert any("not checked" in entry.note for entry in found)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) << 10 < MEMORY


def _touched(path: Path) -> Path:
    path.touch()
    return path


def test_sizes_in_words() -> None:
    assert [bounded_files.format_size(size) for size in (7, 2048, 3 << 20, 5 << 30)] == [
        "7 bytes",
        "2 KB",
        "3 MB",
        "5 GB",
    ]


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b"[" + b"[]," * 10_000_000 + b"[]]", b'{"a": "' + b"\\n" * 20_000_000]
)
def test_json_that_would_fill_memory_is_not_parsed(content: bytes) -> None:
    with within(5), pytest.raises(ValueError, match=r"nested too deep|too many values"):
        bounded_files.parse_json(content)
