"""A process that has imported Evenhand and forks a child for each command: seconds of imports are paid once.

Requests come as lines of JSON, answers go back the same way. A child gets its own session, files for what it prints,
the audit hook, and limits; who takes longer, or more memory, is ended together with what it started.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from typing import Any

from hostile.hook import watch

LARGEST_FILE = 1 << 29  # bytes that a child may write into one file: a bomb must not fill the disk
LATE = (
    *("fastexcel", "xlsxwriter", "rich.console", "rich.table", "rich.progress", "scipy.stats", "sklearn.isotonic"),
    *("sqlalchemy.dialects.sqlite", "typer._adapters", "typer._coercion", "vl_convert", "httpx", "sklearn.cluster"),
)
LOOK = 0.02  # seconds between two looks at a child


def serve() -> None:
    """Answer requests until there are no more."""
    gc.disable()
    _import_everything()
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        for module in request["imports"]:
            importlib.import_module(module)
        gc.freeze()  # a child that looked through all of this for garbage would copy it
        answers.write(json.dumps(_answer(request)) + "\n")
        answers.flush()


def _import_everything() -> None:
    """All of Evenhand and what it imports late, but for what needs PyTorch: that comes when it is asked for."""
    import evenhand

    for module in pkgutil.walk_packages(evenhand.__path__, "evenhand."):
        if not module.name.endswith("__main__") and ".encoder." not in module.name:
            importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        _become(request)
    return _wait(child, request["seconds"], request["bytes"])


def _become(request: dict[str, Any]) -> None:
    """What the child is from here on: the program, and nothing else."""
    code = 70
    try:
        os.setsid()
        gc.enable()
        _place_child(request)
        code = _run(request)
    except BaseException as error:
        os.write(2, f"Traceback: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def _place_child(request: dict[str, Any]) -> None:
    for number, (path, flags) in enumerate(
        [
            (os.devnull, os.O_RDONLY),
            (request["out"], os.O_WRONLY | os.O_CREAT),
            (request["err"], os.O_WRONLY | os.O_CREAT),
        ]
    ):
        os.dup2(os.open(path, flags, 0o600), number)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        for number, mode in enumerate(("r", "w", "w"))
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    tempfile.tempdir = None
    record = os.open(request["events"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    sys.addaudithook(watch(record, request["unread"], request["foreign"]))


def _run(request: dict[str, Any]) -> int:
    """The command, and then what Python does at the end of a program: wait for threads, run what was put off."""
    import atexit
    import threading

    module, _, name = request["entry"].partition(":")
    sys.argv = ["evenhand", *request["arguments"]]
    try:
        getattr(importlib.import_module(module), name)()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _wait(child: int, seconds: float, most: int) -> dict[str, Any]:
    start, stopped, peak = time.monotonic(), "", 0
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        took = time.monotonic() - start
        if ended:
            break
        peak = max(peak, _memory(child))
        if not stopped and (took > seconds or peak > most):
            stopped = "time" if took > seconds else "memory"
            os.killpg(child, signal.SIGKILL)
        time.sleep(min(LOOK, 0.001 + took / 10))
    return {
        "status": os.waitstatus_to_exitcode(status),
        "stopped": stopped,
        "seconds": took,
        "computing": used.ru_utime + used.ru_stime,
        "bytes": max(peak, used.ru_maxrss * 1024),
        "left": _end_group(child),
    }


def _memory(child: int) -> int:
    """Bytes in memory of a process and of those that it started."""
    total = 0
    with suppress(OSError, ValueError, IndexError):
        with open(f"/proc/{child}/statm") as told:
            total = int(told.read().split()[1]) * resource.getpagesize()
        with open(f"/proc/{child}/task/{child}/children") as told:
            total += sum(_memory(int(one)) for one in told.read().split())
    return total


def _end_group(child: int) -> bool:
    """Whether something that the child started was still there; then it is no more."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    serve()
