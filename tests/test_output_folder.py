"""A folder of output: what is ours is replaced, what is not stays, and two runs do not mix."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pytest

from evenhand import output_folder
from evenhand.errors import InputError
from evenhand.inputs import note_input, protected_inputs
from evenhand.output_folder import FILE_LIST, FolderContents, check_folder_writable, read_file_list, staged_folder

PAGES = FolderContents(("page.html", "figures/*"))
TABLES = FolderContents(("table.csv",))


def save(folder: Path, files: dict[str, str], contents: FolderContents = PAGES) -> None:
    with staged_folder(folder, contents) as staging:
        for name, text in files.items():
            (staging / name).parent.mkdir(exist_ok=True)
            (staging / name).write_text(text)


def held(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != FILE_LIST]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def test_the_next_run_replaces_what_the_last_one_wrote(tmp_path: Path) -> None:
    save(tmp_path, {"page.html": "1", "figures/a.svg": "1", "figures/b.svg": "1"})
    (tmp_path / "figures/mine.svg").write_text("mine")
    save(tmp_path, {"page.html": "2", "figures/b.svg": "2"})
    assert held(tmp_path) == {"page.html": "2", "figures/b.svg": "2", "figures/mine.svg": "mine"}
    assert sorted(read_file_list(tmp_path)) == sorted(["page.html", "figures/b.svg", FILE_LIST])


@pytest.mark.parametrize("name", ["page.html", "figures/a.svg", FILE_LIST])
@pytest.mark.parametrize("how", ["foreign", "changed", "link", "folder", "dangling"])
def test_what_is_somebody_elses_is_never_replaced(tmp_path: Path, name: str, how: str) -> None:
    folder, path = tmp_path / "out", tmp_path / "out" / name
    if how == "changed":
        save(folder, {"page.html": "1", "figures/a.svg": "1"})
        path.write_text(path.read_text() + " ")
    else:
        path.parent.mkdir(parents=True)
        (tmp_path / "theirs").write_text("2")
        place = {
            "foreign": lambda: path.write_text("theirs"),
            "link": lambda: path.symlink_to(tmp_path / "theirs"),
            "dangling": lambda: path.symlink_to(tmp_path / "nowhere"),
            "folder": path.mkdir,
        }
        place[how]()
    before = {item: item.lstat().st_mtime_ns for item in tmp_path.rglob("*") if not item.is_dir()}
    words = "is to be a file and is a folder" if how == "folder" else f"{name}: this file is not from an earlier run"
    with pytest.raises(InputError, match=words):
        save(folder, {"page.html": "2", "figures/a.svg": "2"})
    if name != "figures/a.svg":
        with pytest.raises(InputError, match=words):
            check_folder_writable(folder, PAGES)
    assert {item: item.lstat().st_mtime_ns for item in tmp_path.rglob("*") if not item.is_dir()} == before
    assert not (tmp_path / "nowhere").exists()


def test_what_runs_of_another_kind_wrote_stays_and_stays_listed(tmp_path: Path) -> None:
    save(tmp_path, {"table.csv": "1"}, TABLES)
    save(tmp_path, {"page.html": "1"})
    save(tmp_path, {"page.html": "2"})
    save(tmp_path, {"table.csv": "2"}, TABLES)
    assert held(tmp_path) == {"page.html": "2", "table.csv": "2"}


def test_an_input_is_neither_replaced_nor_removed(tmp_path: Path) -> None:
    save(tmp_path, {"page.html": "1", "figures/a.svg": "1"})
    for name in ("page.html", "figures/a.svg"):
        with protected_inputs():
            note_input(tmp_path / name)
            with pytest.raises(InputError, match=f"{name}: the output would replace the file that is read"):
                save(tmp_path, {"page.html": "2"})
    assert held(tmp_path) == {"page.html": "1", "figures/a.svg": "1"}


FORGED = [
    "",
    "[]",
    "{}",
    "{",
    '{"files": 3}',
    '{"files": {"../secret": "HASH"}}',
    '{"evenhand": "0.1.0", "files": {"secret": "HASH"}}',
    '{\n "evenhand": "0.1.0",\n "files": {\n  "secret": "HASH"\n },\n "more": 1\n}\n',
]


@pytest.mark.parametrize("text", FORGED)
def test_a_list_that_is_not_as_we_write_it_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "secret").write_text("s")
    (tmp_path / FILE_LIST).write_text(text.replace("HASH", hashlib.sha256(b"s").hexdigest()))
    with pytest.raises(InputError, match=FILE_LIST):
        save(tmp_path, {"page.html": "1"}, FolderContents(("page.html", "*")))
    assert (tmp_path / "secret").read_text() == "s"


@pytest.mark.parametrize("name", ["../secret", "/secret", "\0", "", "deep/../../secret"])
def test_a_list_reaches_no_further_than_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("s")
    folder = tmp_path / "here"
    folder.mkdir()
    listed = {
        name.replace("/secret", f"{tmp_path}/secret") if name == "/secret" else name: hashlib.sha256(b"s").hexdigest()
    }
    (folder / FILE_LIST).write_text(output_folder._file_list_text("0.1.0", listed))
    save(folder, {"page.html": "1"}, FolderContents(("page.html", "*")))
    assert (tmp_path / "secret").read_text() == "s"


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    """All have written everything when the first moves its files into place; in the end one of them is there, whole."""
    ready, failed = threading.Barrier(4), []

    def run(number: int) -> None:
        try:
            for round_ in range(5):
                with staged_folder(tmp_path, PAGES) as staging:
                    (staging / "figures").mkdir()
                    for name in ("page.html", *(f"figures/{k}.svg" for k in range(number + 3))):
                        (staging / name).write_text(f"{number} {round_}")
                    ready.wait()
        except Exception as error:
            failed.append(error)
            ready.abort()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    (text,) = set(held(tmp_path).values())
    assert len(held(tmp_path)) == int(text[0]) + 4
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "a", {"page.html": "1"})

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(output_folder, "write_file_list", full)
    contents = FolderContents(PAGES.files, list_again=full)
    for folder in ("a", "b/c"):
        with pytest.raises(InputError, match=f"{folder}: the output could not be written: No space left on device"):
            save(tmp_path / folder, {"page.html": "2"}, contents)
    assert held(tmp_path) == {"a/page.html": "1"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_folder_within_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "theirs", tmp_path / "out"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "figures").symlink_to(elsewhere)
    with pytest.raises(InputError, match="'figures' is a link to another folder"):
        save(folder, {"page.html": "1", "figures/a.svg": "1"})
    assert list(elsewhere.iterdir()) == []
