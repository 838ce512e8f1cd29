"""A command under strace: what it asks of the system, also from native code, and which of that no command may ask."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostile.judgement import DEVICES, is_own_child
from hostile.sandbox import environment
from hostile.site import SECRET, SECRET_NAME, Site

STRACE = shutil.which("strace")
PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
OPENS = re.compile(r"\b(?:open|openat|openat2|creat)\(")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|\bcreat\(")
CHANGES = re.compile(
    r"\b(unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|rmdir|link|linkat|symlink|symlinkat|truncate|chmod|"
    r"fchmodat|chown|lchown|fchownat|utimensat|mknod|mknodat|setxattr|removexattr|mount|umount2|chroot|pivot_root)\("
)
SEMAPHORE = re.compile(r"/dev/shm/sem\.\w+")  # which joblib makes and removes, to see whether it can
NETWORK = re.compile(r"\b(connect|bind|sendto|sendmsg|sendmmsg|listen)\(.*\bAF_INET6?\b|\bsocket\(AF_INET6?\b")
PROCESS = re.compile(r"\b(execve|execveat)\(")


def trace(site: Site, arguments: Sequence[str], home: Path, *, seconds: float) -> tuple[int, str, list[str]]:
    """Run a command of its own process; its exit code, what it said, and the calls it made."""
    record = site.root.with_name(f"{site.root.name}.trace")
    program = [sys.executable, "-B", "-P", "-W", "ignore", "-c", "from evenhand.cli import main; main()"]
    watch = [str(STRACE), "-f", "-y", "-qq", "--seccomp-bpf", "-s", "600", "-e", "trace=file,network,process"]
    variables = {**environment(home, site.port), "TMPDIR": str(site.root / "tmp"), SECRET_NAME: SECRET}
    done = subprocess.run(
        [*watch, "-o", str(record), *program, *arguments],
        cwd=site.work,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    lines = record.read_text(errors="replace").splitlines()
    return done.returncode, done.stderr.decode(errors="replace"), lines


def forbidden(lines: Sequence[str], root: Path) -> Iterator[str]:
    """The calls that no command may make, in a line each; those that failed changed nothing, but a contact is one."""
    started = 0
    for line in _whole(lines):
        failed = re.search(r"\) += -1 E", line)
        if NETWORK.search(line):
            yield f"the network: {line[:200]}"
        elif PROCESS.search(line) and not failed:
            started += 1
            if started > 1 and not _is_own_child(line):
                yield f"a process: {line[:200]}"
        elif not failed and _writes_outside(line, root):
            yield f"files: {line[:200]}"


def _writes_outside(line: str, root: Path) -> bool:
    writes = CHANGES.search(line) or (OPENS.search(line) and WRITES.search(line))
    return bool(writes) and not all(_is_allowed(path, root) for path in _paths(line, root))


def _whole(lines: Sequence[str]) -> Iterator[str]:
    """Calls that were broken off by those of another thread, put together again."""
    waiting: dict[str, str] = {}
    for line in lines:
        who, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            waiting[who] = call.removesuffix("<unfinished ...>")
        elif found := re.match(r"<\.\.\. \w+ resumed>(.*)", call):
            yield waiting.pop(who, "") + found[1]
        else:
            yield call


def _paths(line: str, root: Path) -> Iterator[str]:
    """The files that a call names, from the folder that it names them from."""
    folder = re.search(r"AT_FDCWD<([^>]*)>|\(\d+<([^>]*)>", line)
    base = next((one for one in folder.groups() if one), f"{root}/work") if folder else f"{root}/work"
    named = PATH.findall(line)
    if "symlink" in line:  # what a link says is no file that is changed
        named = named[1:]
    for one in named:
        path = one.encode("latin-1", "replace").decode("unicode_escape", "replace")
        yield os.path.normpath(os.path.join(base, path))


def _is_allowed(path: str, root: Path) -> bool:
    return path.startswith(f"{root}/") or path in DEVICES or bool(SEMAPHORE.fullmatch(path))


def _is_own_child(line: str) -> bool:
    return is_own_child([word.replace('\\"', '"') for word in PATH.findall(line)[1:]])
