"""Things that stand in the place of a file, for every kind of file: pipes, devices, links, folders, and odd names."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from hostile.corpus.registry import KINDS, put
from hostile.site import Site

BIDI, ESCAPE, TITLE = "\u202etxt.elif\u202c", "\x1b[2J\x1b[31m", "\x1b]0;owned\x07"
FILES = tuple(kind for kind, ending in KINDS.items() if ending)
FOLDERS = ("encoder", "model list", "corpora")


def _pipe(path: Path, site: Site) -> None:
    os.mkfifo(path)


def _folder(path: Path, site: Site) -> None:
    path.mkdir()
    (path / "inside").write_text("a file in it")


def _link(target: str) -> Callable[[Path, Site], None]:
    return lambda path, site: path.symlink_to(target.replace("PRECIOUS", str(site.precious)))


def _socket(path: Path, site: Site) -> None:
    bound = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(path.parent)  # addresses are short
    try:
        bound.bind(path.name)
    finally:
        os.chdir(here)
    bound.close()


def _text(content: bytes) -> Callable[[Path, Site], None]:
    return lambda path, site: site.write(str(path.relative_to(site.work)), content) and None


PLACES: dict[str, tuple[str, Callable[[Path, Site], None]]] = {
    "pipe": ("in", _pipe),
    "folder_for_file": ("in", _folder),
    "endless_device": ("in", _link("/dev/zero")),
    "full_device": ("in", _link("/dev/full")),
    "terminal_device": ("in", _link("/dev/tty")),
    "system_file": ("in", _link("/etc/passwd")),
    "process_memory": ("in", _link("/proc/self/mem")),
    "link_to_itself": ("in", lambda path, site: path.symlink_to(path.name)),
    "link_to_nothing": ("in", _link("nowhere")),
    "socket_for_file": ("in", _socket),
    "empty_file": ("in", _text(b"")),
    "nul_bytes": ("in", _text(b"\0" * 4096)),
    "noise": ("in", _text(bytes((7 * n * n + 13 * n) % 256 for n in range(5000)))),
    "byte_order_mark_alone": ("in", _text(b"\xef\xbb\xbf")),
    "half_characters": ("in", _text("id,p\n1,\ud800\n".encode("utf-8", "surrogatepass"))),
    "one_long_line": ("in", _text(b"a" * (1 << 22))),
    "deep_brackets": ("in", _text(b"[" * 200_000)),
    "name_with_direction": (f"in{BIDI}", _text(b"id,p\n")),
    "name_with_escape": (f"in{ESCAPE}{TITLE}", _text(b"id,p\n")),
    "name_with_line_break": ("in\nevenhand: all is well\r", _text(b"id,p\n")),
    "name_with_pattern": ("*[a-z]{x}?", _text(b"id,p\n")),
    "name_with_markup": ("[bold]<b>&amp;`where`", _text(b"id,p\n")),
    "name_that_is_no_text": ("in\udcff\udcfe", _text(b"id,p\n")),
}


NAMES = {name for name in PLACES if name.startswith("name_")}
HARMLESS = {  # what is in fact a list of terms, a table of nothing, an empty file of settings, or no tokens yet
    "terms": {
        "system_file",
        "empty_file",
        "nul_bytes",
        "byte_order_mark_alone",
        *NAMES,
    },
    "table": {"half_characters", *NAMES},
    "spellings": {"empty_file"},
    "service": {"empty_file"},
    "tokens": {"link_to_itself", "link_to_nothing"},
}


def _builder(stem: str, ending: str, make: Callable[[Path, Site], None]) -> Callable[[Site], str]:
    def build(site: Site) -> str:
        make(site.work / f"{stem}{ending}", site)
        return f"{stem}{ending}"

    return build


def _register() -> None:
    for name, (stem, make) in PLACES.items():
        for ending in sorted({KINDS[kind] for kind in FILES}):
            taken = [kind for kind in FILES if KINDS[kind] == ending]
            fine = tuple(kind for kind in taken if name in HARMLESS.get(kind, ()))
            build = _builder(stem, ending, make)
            put(f"{name}{ending}", tuple(kind for kind in taken if kind not in fine), build, refused=True)
            put(f"{name}{ending} for {' and '.join(fine)}", fine, build)
    for name in ("pipe", "endless_device", "link_to_itself", "link_to_nothing", "socket_for_file", "empty_file"):
        put(f"{name} for a folder", FOLDERS, _builder("in", "", PLACES[name][1]), refused=True)


_register()
