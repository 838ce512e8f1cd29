"""What a command does, as Python itself reports it: an audit hook that writes down every event that could do harm.

Reading is not written down, but for files in the folder that no command line ever names. Code of libraries in native
code raises no events; the comparison of folders before and after, and the run under strace, see what that does.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

MARK = "evenhand_canary"  # stands in every piece of hostile code, so that it is known when it is compiled

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
    *("os.chown", "os.chflags", "os.setxattr", "os.removexattr", "os.utime", "os.lockf"),
}
NETWORK = {
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
    *("socket.sendto", "socket.sendmsg", "urllib.Request", "http.client.connect", "webbrowser.open"),
    *(
        "ftplib.connect",
        "smtplib.connect",
        "imaplib.open",
        "poplib.connect",
        "nntplib.connect",
        "telnetlib.Telnet.open",
    ),
}
PROCESSES = {
    *("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn"),
    *("os.kill", "os.killpg", "signal.pthread_kill", "os.startfile"),
}
CODE = {"ctypes.dlopen", "pickle.find_class", "sqlite3.enable_load_extension", "sqlite3.load_extension"}
KINDS = {
    **dict.fromkeys(CHANGES, "change"),
    **dict.fromkeys(NETWORK, "network"),
    **dict.fromkeys(PROCESSES, "process"),
    **dict.fromkeys(CODE, "code"),
}


def watch(record: int, unread: str, foreign: str) -> Callable[[str, tuple[Any, ...]], None]:
    """A hook that writes events to the descriptor `record`, a line of JSON each.

    Opening a file below `unread` is an event, and so is running or importing a file below `foreign`.
    """
    inside = {"busy": False}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if inside["busy"]:
            return
        inside["busy"] = True
        try:
            kind = KINDS.get(event) or _kind(event, arguments, unread, foreign)
            if kind:
                told = {"kind": kind, "event": event, "arguments": [_plain(one) for one in arguments], "at": _place()}
                os.write(record, (json.dumps(told) + "\n").encode("utf-8", "replace"))
        finally:
            inside["busy"] = False

    return hook


def _kind(event: str, arguments: tuple[Any, ...], unread: str, foreign: str) -> str | None:
    if event == "open":
        return _kind_of_opening(arguments, unread)
    if event == "import":
        path = arguments[1]
        return "code" if isinstance(path, str) and os.path.abspath(path).startswith(foreign) else None
    if event == "exec":
        path = getattr(arguments[0], "co_filename", "")
        return "code" if path.startswith("/") and path.startswith(foreign) else None
    if event == "compile":
        return "code" if _is_foreign_source(arguments, foreign) else None
    return None


def _kind_of_opening(arguments: tuple[Any, ...], unread: str) -> str | None:
    path, mode, flags = arguments
    if isinstance(path, int) or path is None:
        return None
    if (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & WRITES):
        return "write"
    named = os.fsdecode(path)
    return "read" if unread in (os.path.abspath(named), os.path.realpath(named)) or _below(named, unread) else None


def _below(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(folder + os.sep)


def _is_foreign_source(arguments: tuple[Any, ...], foreign: str) -> bool:
    source, path = arguments[:2]
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source if isinstance(source, str) else ""
    named = os.fsdecode(path) if isinstance(path, (str, bytes)) else ""
    return MARK in text or (named.startswith("/") and named.startswith(foreign))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return os.fsdecode(value)[:2000]
    if isinstance(value, (str, int, float, type(None))):
        return value[:2000] if isinstance(value, str) else value
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return getattr(value, "co_filename", None) or str(value)[:500]


def _place() -> str:
    """The innermost lines of Evenhand, or else of anything, that led here."""
    found, frame = [], sys._getframe(2)
    while frame and len(found) < 40:
        found.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back  # type: ignore[assignment]
    ours = [line for line in found if "/evenhand/" in line]
    return " < ".join((ours or found)[:2])
