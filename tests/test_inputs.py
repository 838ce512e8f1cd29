"""What was read is known again by whatever name, and only while somebody keeps record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.files import check_replaceable, update_text, write_text
from evenhand.inputs import note_input, protected_inputs, refuse_input, unrecorded


@pytest.fixture
def read(tmp_path: Path) -> Path:
    path = tmp_path / "read.csv"
    path.write_text("theirs")
    return path


def other_names(path: Path) -> list[Path]:
    (path.parent / "x").mkdir()
    (path.parent / "link").symlink_to(path)
    (path.parent / "hard").hardlink_to(path)
    return [path, path.parent / "link", path.parent / "hard", path.parent / "x" / ".." / path.name]


def test_by_every_name(read: Path) -> None:
    with protected_inputs():
        note_input(str(read))
        for name in other_names(read):
            with pytest.raises(InputError, match="would replace the file that is read"):
                refuse_input(name)
        refuse_input(read.parent / "new.csv")
        refuse_input(Path("\0"))


def test_a_record_lasts_as_long_as_its_block(read: Path) -> None:
    note_input(read)
    with protected_inputs():
        refuse_input(read)
        with protected_inputs():
            note_input(read)
        with pytest.raises(InputError):
            refuse_input(read)
        with unrecorded():
            refuse_input(read)
    refuse_input(read)


def test_a_relative_name_is_known_from_elsewhere(read: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(read.parent)
    with protected_inputs():
        note_input(read.name)
        monkeypatch.chdir("/")
        with pytest.raises(InputError):
            refuse_input(read)


def test_a_file_that_is_kept_up_to_date_is_written_where_it_is(read: Path) -> None:
    link = read.parent / "link"
    link.symlink_to(read)
    with protected_inputs():
        note_input(read)
        update_text(link, "newer")
        with pytest.raises(InputError):
            write_text(read, "other")
    assert link.is_symlink()
    assert read.read_text() == "newer"


@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe"])
def test_what_is_no_plain_file_is_not_written_over(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out"
    (tmp_path / "theirs").write_text("theirs")
    if kind in ("link", "dangling"):
        path.symlink_to(tmp_path / ("theirs" if kind == "link" else "nowhere"))
    else:
        path.mkdir() if kind == "folder" else os.mkfifo(path)
    before = path.lstat()
    with pytest.raises(InputError, match="this is a"):
        check_replaceable(path)
    with pytest.raises(InputError, match="this is a"):
        write_text(path, "ours")
    assert path.lstat().st_ino == before.st_ino
    assert (tmp_path / "theirs").read_text() == "theirs"
    assert not (tmp_path / "nowhere").exists()
