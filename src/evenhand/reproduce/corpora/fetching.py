"""Fetching published files: over HTTP, with progress, going on where it broke off, checked, and never half there.

Where the publisher states a checksum, a file that differs is refused. Where none is stated, what was fetched is written
down in a lock file beside it (size, SHA-256, address), and a later fetch must give the same.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

import httpx

from evenhand.errors import InputError
from evenhand.files import write_text
from evenhand.progress import Progress, silent
from evenhand.reproduce.corpora.corpus import Corpus, Remote

LOCK = "evenhand-data.lock.json"
DAMAGED = (
    zipfile.BadZipFile,
    RuntimeError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
)  # or packed otherwise
BLOCK = 1 << 18
TIMEOUT = httpx.Timeout(30.0, read=60.0)


@dataclass(frozen=True)
class Fetched:
    """What was fetched, and what the check could lean on: the publisher's checksum, an earlier fetch, or nothing."""

    url: str
    size: int
    sha256: str
    checked: str  # "published", "lock" or "first fetch"


def fetch_all(
    corpora: Iterable[Corpus], folder: Path, *, progress: Progress = silent
) -> tuple[list[Fetched], list[str]]:
    """Every file that can be fetched, into a folder for each corpus; and in a line each, what could not be."""
    found: list[Fetched] = []
    failed: list[str] = []
    for corpus in corpora:
        if not corpus.remotes:
            failed.append(f"{corpus.title} cannot be fetched from here: see {corpus.page}")
        for remote in corpus.remotes:
            try:
                found.append(fetch(remote, folder / corpus.name, progress=progress))
            except InputError as error:
                failed.append(str(error))
    if not found:
        raise InputError(failed[0] if failed else "there is nothing to fetch", source=str(folder))
    return found, failed


def fetch(remote: Remote, folder: Path, *, progress: Progress = silent) -> Fetched:
    """One file; what lies there already and is the same is not fetched again. Archives are opened."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be written: {error.strerror}", source=str(folder)) from None
    path, lock = folder / remote.name, _read_lock(folder)
    known = remote.sha256 or lock.get(remote.name, {}).get("sha256")
    if not (path.exists() and known == _digest(path)):
        _download(remote, path, progress)
    digest = _digest(path)
    if known and digest != known:
        path.unlink()
        how = "its publisher states" if remote.sha256 else "was fetched before (see the lock file)"
        raise InputError(
            f"the file fetched from {remote.url} is not the one that {how}: it was removed", source=str(path)
        )
    checked = "published" if remote.sha256 else "lock" if remote.name in lock else "first fetch"
    fetched = Fetched(remote.url, path.stat().st_size, digest, checked)
    write_text(folder / LOCK, json.dumps({**lock, remote.name: asdict(fetched)}, indent=1, sort_keys=True) + "\n")
    if remote.members:
        _unpack(path, remote.members, folder)
    return fetched


def _download(remote: Remote, path: Path, progress: Progress) -> None:
    """Into a part file, on from where an earlier try broke off, if the server can do that."""
    part = path.with_name(f"{path.name}.part")
    there = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={there}-"} if there else {}
    try:
        with httpx.stream("GET", remote.url, headers=headers, timeout=TIMEOUT, follow_redirects=True) as answer:
            if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                part.unlink()
                raise InputError("what was fetched before does not fit: run again to begin anew", source=remote.url)
            answer.raise_for_status()
            on = answer.status_code == httpx.codes.PARTIAL_CONTENT
            _receive(answer, part, there if on else 0, remote, progress)
    except httpx.HTTPStatusError as error:
        raise InputError(f"the server answers {error.response.status_code}", source=remote.url) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"cannot be fetched ({reason}); run again to go on", source=remote.url) from None
    os.replace(part, path)


def _receive(answer: httpx.Response, part: Path, there: int, remote: Remote, progress: Progress) -> None:
    total = remote.size or there + int(answer.headers.get("Content-Length", 0))
    done = there
    with part.open("ab" if there else "wb") as file:
        for block in answer.iter_bytes(BLOCK):
            file.write(block)
            done += len(block)
            progress(f"fetching {remote.name}", done, total)


def _unpack(archive: Path, members: Sequence[str], folder: Path) -> None:
    """Only the files asked for, by their own name and nowhere else; one that is there whole is left alone."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                names = {Path(name).name: name for name in opened.namelist() if not name.endswith("/")}
                for member in members:
                    with opened.open(_inside(names, member, archive)) as stream:
                        _copied(stream, folder / member)
        else:
            with tarfile.open(archive) as tar:
                inside = {Path(info.name).name: info for info in tar.getmembers() if info.isfile()}
                names = {name: name for name in inside}
                for member in members:
                    packed = tar.extractfile(inside[_inside(names, member, archive)])
                    assert packed is not None  # a plain file
                    _copied(packed, folder / member)
    except (*DAMAGED, tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"the archive cannot be opened ({error})", source=str(archive)) from None


def _inside(names: dict[str, str], member: str, archive: Path) -> str:
    if member not in names:
        raise InputError(f"the archive does not hold {member}", source=str(archive))
    return names[member]


def _copied(stream: IO[bytes], path: Path) -> None:
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            shutil.copyfileobj(stream, file, 1 << 20)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _read_lock(folder: Path) -> dict[str, dict[str, str]]:
    path = folder / LOCK
    if not path.exists():
        return {}
    try:
        found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
        return {name: entry for name, entry in found.items() if isinstance(entry, dict)}
    except (ValueError, AttributeError, OSError, RecursionError):
        raise InputError("this lock file cannot be read: remove it to begin anew", source=str(path)) from None
