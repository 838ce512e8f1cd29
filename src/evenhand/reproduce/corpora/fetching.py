"""Fetching published files over HTTP: with progress, resumed after an interruption, verified, and never half there.

Where the publisher states a checksum, a file that differs is refused. Where none is stated, what was fetched is
recorded in a lock file beside it (size, SHA-256, address), and a later fetch must give the same.
"""

from __future__ import annotations

import json
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import IO

import httpx

from evenhand.errors import InputError
from evenhand.files import file_hash, fresh_file, open_own_file, write_text
from evenhand.progress import Progress, silent
from evenhand.reproduce.corpora.corpus import Corpus, RemoteFile

LOCK_FILE = "evenhand-data.lock.json"
PART = ".{}.evenhand-part"  # what is there so far of a file
DAMAGED = (
    zipfile.BadZipFile,
    RuntimeError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
)  # or packed otherwise
BLOCK = 1 << 18
LARGEST_FILE = 4 << 30  # bytes of a file or of what is unpacked from one: the largest known has 1 GB
TIMEOUT = httpx.Timeout(30.0, read=60.0)


class ChecksumSource(StrEnum):
    """What the check of a fetched file could lean on."""

    PUBLISHED = "published"
    LOCK = "lock"  # an earlier fetch
    FIRST_FETCH = "first fetch"  # nothing: it was written down


@dataclass(frozen=True)
class FetchedFile:
    """What was fetched, and what the check could lean on."""

    url: str
    size: int
    sha256: str
    checked: ChecksumSource


class ForeignFileError(InputError):
    """A file of somebody else is where one would be fetched to."""


LOCK_FIELDS = {field.name for field in fields(FetchedFile)}


def fetch_all(
    corpora: Iterable[Corpus], folder: Path, *, progress: Progress = silent
) -> tuple[list[FetchedFile], list[str]]:
    """Every file that can be fetched, into a folder for each corpus; and in a line each, what could not be."""
    fetched: list[FetchedFile] = []
    failed: list[str] = []
    corpora = list(corpora)
    for corpus in corpora:
        for remote in corpus.remotes:
            _check_before(remote, folder / corpus.name)
    for corpus in corpora:
        if not corpus.remotes:
            failed.append(f"{corpus.title} cannot be fetched from here: see {corpus.page}")
        for remote in corpus.remotes:
            try:
                fetched.append(fetch(remote, folder / corpus.name, progress=progress))
            except ForeignFileError:
                raise
            except InputError as error:
                failed.append(str(error))
    if not fetched:
        raise InputError(failed[0] if failed else "there is nothing to fetch", source=str(folder))
    return fetched, failed


def fetch(remote: RemoteFile, folder: Path, *, progress: Progress = silent) -> FetchedFile:
    """One file; what lies there already and is the same is not fetched again. Archives are opened."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be written: {error.strerror}", source=str(folder)) from None
    path, lock = folder / remote.name, _read_lock(folder)
    known, there = _check_before(remote, folder)
    digest = there if there and there == known else _download(remote, path, known, progress)
    earlier = ChecksumSource.LOCK if remote.name in lock else ChecksumSource.FIRST_FETCH
    checked = ChecksumSource.PUBLISHED if remote.sha256 else earlier
    fetched = FetchedFile(remote.url, path.stat().st_size, digest, checked)
    write_text(folder / LOCK_FILE, json.dumps({**lock, remote.name: asdict(fetched)}, indent=1, sort_keys=True) + "\n")
    if remote.members:
        _unpack(path, remote.members, folder)
    return fetched


def _check_before(remote: RemoteFile, folder: Path) -> tuple[str | None, str | None]:
    """The hash that the file must have, as far as that is known, and the one of what was fetched before."""
    noted = _read_lock(folder).get(remote.name, {}).get("sha256")
    known = remote.sha256 or noted
    return known, _hash_of_ours(folder / remote.name, (known, noted))


def _hash_of_ours(path: Path, known: Collection[str | None]) -> str | None:
    """The hash of a file that was fetched before, None where there is none; a file of somebody else is refused."""
    if not os.path.lexists(path):
        return None
    digest = file_hash(path) if path.is_file() and not path.is_symlink() else None
    if digest not in known or digest is None:
        problem = "this is another file than the one that is fetched: move it away, or choose another folder"
        raise ForeignFileError(problem, source=str(path))
    return digest


def _download(remote: RemoteFile, path: Path, known: str | None, progress: Progress) -> str:
    """Into a part file, on from where an earlier try broke off, if the server can do that; the hash of the whole."""
    part = path.with_name(PART.format(path.name))
    _receive_all(remote, part, progress)
    digest = file_hash(part)
    if known and digest != known:
        part.unlink()
        how = "its publisher states" if remote.sha256 else "was fetched before (see the lock file)"
        raise InputError(
            f"the file fetched from {remote.url} is not the one that {how}: it was removed", source=str(path)
        )
    os.replace(part, path)
    return digest


def _receive_all(remote: RemoteFile, part: Path, progress: Progress) -> None:
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


def _receive(answer: httpx.Response, part: Path, there: int, remote: RemoteFile, progress: Progress) -> None:
    total = remote.size or there + int(answer.headers.get("Content-Length", 0))
    done = there
    with open_own_file(part, anew=not there) as file:
        for block in answer.iter_bytes(BLOCK):
            file.write(block)
            done += len(block)
            progress(f"fetching {remote.name}", done, total)
            if done > (remote.size or LARGEST_FILE):
                part.unlink()
                raise InputError("the server sends more than the file has: what it sent was removed", source=remote.url)


def _unpack(archive: Path, members: Sequence[str], folder: Path) -> None:
    """Only the files asked for, by their own name and nowhere else; one that is there whole is left alone."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                names = {Path(name).name: name for name in opened.namelist() if not name.endswith("/")}
                for member in members:
                    with opened.open(_member_name(names, member, archive)) as stream:
                        _copy_member(stream, folder / member)
        else:
            with tarfile.open(archive) as tar:
                inside = {Path(info.name).name: info for info in tar.getmembers() if info.isfile()}
                names = {name: name for name in inside}
                for member in members:
                    packed = tar.extractfile(inside[_member_name(names, member, archive)])
                    assert packed is not None  # a plain file
                    _copy_member(packed, folder / member)
    except (*DAMAGED, tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"the archive cannot be opened ({error})", source=str(archive)) from None


def _member_name(names: dict[str, str], member: str, archive: Path) -> str:
    if member not in names:
        raise InputError(f"the archive does not hold {member}", source=str(archive))
    return names[member]


def _copy_member(stream: IO[bytes], path: Path) -> None:
    with fresh_file(path) as fresh:
        with fresh.open("wb") as file:
            while block := stream.read(1 << 20):
                file.write(block)
                if file.tell() > LARGEST_FILE:
                    problem = f"{path.name} is larger than any published file: nothing is left of it"
                    raise InputError(problem, source=str(path))
        _hash_of_ours(path, [file_hash(fresh)])


def _read_lock(folder: Path) -> dict[str, dict[str, str]]:
    path = folder / LOCK_FILE
    if not path.exists():
        return {}
    try:
        entries: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
        if not all(set(entry) == LOCK_FIELDS for entry in entries.values()):
            raise ValueError
        return entries
    except (ValueError, AttributeError, TypeError, OSError, RecursionError):
        raise InputError("this lock file cannot be read: remove it to start again", source=str(path)) from None
