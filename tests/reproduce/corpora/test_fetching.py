"""Fetching from a server on this machine: checksums, going on after a break, archives, and one line when it fails."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.reproduce.corpora import CORPORA, fetching
from evenhand.reproduce.corpora.corpus import Corpus, RemoteFile
from evenhand.reproduce.corpora.fetching import LOCK_FILE, fetch, fetch_all

CONTENT = b"id,text\n" + b"1,some words\n" * 50_000


class Server:
    """Serves bytes, with ranges; can break off after so many, and counts what it was asked."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"/data.csv": CONTENT}
        self.breaks_after: int | None = None
        self.ranges = True
        self.asked: list[str | None] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("Range")
                server.asked.append(wanted)
                content = server.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                first = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.ranges else 0
                if first >= len(content):
                    self.send_error(416)
                    return
                self.send_response(206 if wanted and server.ranges else 200)
                self.send_header("Content-Length", str(len(content) - first))
                self.end_headers()
                self.wfile.write(content[first:][: server.breaks_after])

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def remote(self, name: str = "data.csv", **more) -> RemoteFile:
        return RemoteFile(f"http://127.0.0.1:{self.http.server_port}/{name}", name, **more)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.http.shutdown()
    made.http.server_close()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_with_a_checksum_is_fetched_once(server: Server, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    remote = server.remote(sha256=digest(CONTENT), size=len(CONTENT))
    found = fetch(remote, tmp_path, progress=lambda *step: told.append(step))
    assert (tmp_path / "data.csv").read_bytes() == CONTENT
    assert found.checked == "published"
    assert told[-1] == ("fetching data.csv", len(CONTENT), len(CONTENT))
    fetch(remote, tmp_path)
    assert len(server.asked) == 1
    assert not list(tmp_path.glob("*part"))


def test_a_fetch_that_broke_off_goes_on(server: Server, tmp_path: Path) -> None:
    server.breaks_after = 300_000
    with pytest.raises(InputError, match="run again to go on"):
        fetch(server.remote(), tmp_path)
    assert not (tmp_path / "data.csv").exists()
    there = (tmp_path / ".data.csv.evenhand-part").stat().st_size
    assert there > 0
    server.breaks_after = None
    fetch(server.remote(), tmp_path)
    assert server.asked[-1] == f"bytes={there}-"
    assert (tmp_path / "data.csv").read_bytes() == CONTENT


def test_a_server_without_ranges_begins_anew(server: Server, tmp_path: Path) -> None:
    (tmp_path / ".data.csv.evenhand-part").write_bytes(b"of an earlier try")
    server.ranges = False
    fetch(server.remote(), tmp_path)
    assert (tmp_path / "data.csv").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(server: Server, tmp_path: Path) -> None:
    (tmp_path / ".data.csv.evenhand-part").write_bytes(CONTENT + b"more")
    with pytest.raises(InputError, match="begin anew"):
        fetch(server.remote(), tmp_path)
    fetch(server.remote(), tmp_path)
    assert (tmp_path / "data.csv").read_bytes() == CONTENT


def test_what_is_not_the_published_file_is_removed(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the one that its publisher states"):
        fetch(server.remote(sha256=digest(b"other")), tmp_path)
    assert not (tmp_path / "data.csv").exists()


def test_without_a_checksum_the_first_fetch_is_written_down(server: Server, tmp_path: Path) -> None:
    assert fetch(server.remote(), tmp_path).checked == "first fetch"
    lock = json.loads((tmp_path / LOCK_FILE).read_text())
    assert lock["data.csv"]["sha256"] == digest(CONTENT)
    assert lock["data.csv"]["size"] == len(CONTENT)
    assert fetch(server.remote(), tmp_path).checked == "lock"
    (tmp_path / "data.csv").unlink()
    server.files["/data.csv"] = b"changed"
    with pytest.raises(InputError, match="not the one that was fetched before"):
        fetch(server.remote(), tmp_path)


def test_archives_give_only_what_was_asked_for_and_write_nowhere_else(server: Server, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("deep/folder/wanted.csv", "a,b\n")
        archive.writestr("../escaped.csv", "x")
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        info = tarfile.TarInfo("SBIC/wanted.csv")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"c,d\n"))
    server.files |= {"/data.zip": packed.getvalue(), "/data.tgz": tarred.getvalue(), "/no.zip": b"PK"}
    fetch(server.remote("data.zip", members=("wanted.csv",)), tmp_path / "zip")
    fetch(server.remote("data.tgz", members=("wanted.csv",)), tmp_path / "tar")
    assert (tmp_path / "zip" / "wanted.csv").read_text() == "a,b\n"
    assert (tmp_path / "tar" / "wanted.csv").read_text() == "c,d\n"
    assert not list(tmp_path.rglob("escaped.csv"))
    with pytest.raises(InputError, match=r"does not hold lacking\.csv"):
        fetch(server.remote("data.zip", members=("lacking.csv",)), tmp_path / "zip")
    with pytest.raises(InputError, match="cannot be opened"):
        fetch(server.remote("no.zip", members=("wanted.csv",)), tmp_path / "bad")


@pytest.mark.parametrize("checksum", [None, digest(CONTENT)])
def test_a_file_of_somebody_else_is_never_replaced(server: Server, tmp_path: Path, checksum: str | None) -> None:
    (tmp_path / "data.csv").write_text("mine")
    with pytest.raises(InputError, match=r"data\.csv: this is another file than the one that is fetched"):
        fetch(server.remote(sha256=checksum), tmp_path)
    assert (tmp_path / "data.csv").read_text() == "mine"
    assert server.asked == []


def test_a_fetched_file_that_was_changed_stays(server: Server, tmp_path: Path) -> None:
    fetch(server.remote(), tmp_path)
    (tmp_path / "data.csv").write_text("mine now")
    one = Corpus("", "One", "http://x", "none", {}, (), remotes=(server.remote(),))
    with pytest.raises(InputError, match="another file"):
        fetch_all([one], tmp_path)
    assert (tmp_path / "data.csv").read_text() == "mine now"


def test_a_member_of_an_archive_replaces_nothing(server: Server, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("wanted.csv", "a,b\n")
    server.files["/data.zip"] = packed.getvalue()
    remote = server.remote("data.zip", members=("wanted.csv",))
    (tmp_path / "wanted.csv").write_text("mine")
    with pytest.raises(InputError, match=r"wanted\.csv: this is another file"):
        fetch(remote, tmp_path)
    assert (tmp_path / "wanted.csv").read_text() == "mine"
    (tmp_path / "wanted.csv").write_text("a,b\n")
    fetch(remote, tmp_path)


@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_a_part_that_leads_elsewhere_is_not_written_to(server: Server, tmp_path: Path, plant) -> None:
    (tmp_path / "theirs").write_text("theirs")
    plant(tmp_path / ".data.csv.evenhand-part", tmp_path / "theirs")
    server.ranges = False
    with pytest.raises(OSError, match=r"Too many levels|something else has this name"):
        fetch(server.remote(), tmp_path)
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_failures_are_one_line(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the server answers 404"):
        fetch(server.remote("nothing.csv"), tmp_path)
    with pytest.raises(InputError, match="cannot be fetched"):
        fetch(RemoteFile("http://127.0.0.1:9/data.csv", "data.csv"), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        fetch(server.remote(), tmp_path / "file")
    for text in ("{", '{"mine": 3}', '{"mine": {"a": 1}}', "[]"):
        (tmp_path / LOCK_FILE).write_text(text)
        with pytest.raises(InputError, match="lock file cannot be read"):
            fetch(server.remote(), tmp_path)
        assert (tmp_path / LOCK_FILE).read_text() == text


def test_all_files_of_a_corpus_go_into_its_own_folder(server: Server, tmp_path: Path) -> None:
    one = Corpus("one", "One", "http://x", "none", {}, (), remotes=(server.remote(),))
    none = Corpus("two", "Two", "http://two", "none", {}, ())
    gone = Corpus("three", "Three", "http://x", "none", {}, (), remotes=(server.remote("gone.csv"),))
    found, failed = fetch_all([one, none, gone], tmp_path)
    assert [fetched.size for fetched in found] == [len(CONTENT)]
    assert (tmp_path / "one" / "data.csv").exists()
    assert failed[0] == "Two cannot be fetched from here: see http://two"
    assert failed[1].endswith("the server answers 404")
    with pytest.raises(InputError, match="Two cannot be fetched from here"):
        fetch_all([none], tmp_path)


def test_no_more_is_kept_than_a_file_may_have(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="sends more than the file has"):
        fetch(server.remote(size=1000), tmp_path)
    monkeypatch.setattr(fetching, "LARGEST_FILE", 10_000)
    with pytest.raises(InputError, match="sends more than the file has"):
        fetch(server.remote(), tmp_path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("wanted.csv", bytes(3 << 20))
    server.files["/data.zip"] = packed.getvalue()
    with pytest.raises(InputError, match=r"wanted\.csv is larger than any published file"):
        fetch(server.remote("data.zip", members=("wanted.csv",)), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.zip", LOCK_FILE]


FIXED = re.compile(r"/[0-9a-f]{40}/|zenodo\.org/record/\d+/|\.v\d+\.")  # a commit, a record, a version


@pytest.mark.parametrize("name", CORPORA)
def test_what_is_fetched_is_one_file_for_ever(name: str) -> None:
    """By the checksum that its publisher states, or by a revision in the address; the lock file does the rest."""
    for remote in CORPORA[name].remotes:
        assert remote.url.startswith("https://")
        assert remote.sha256 or FIXED.search(remote.url), remote.url
        assert remote.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", remote.sha256)
