"""The place of one hostile case: a folder to work in, files that must survive, and traps that must not be touched."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hostile.hook import MARK

SECRET_NAME, SECRET = "EVENHAND_TEST_SECRET", "s3cr3t-of-the-environment-7f2a"
PRECIOUS = "precious"  # how every file is called that nothing may change
SHADOWS = ("evenhand", "polars", "fastexcel", "xlsxwriter", "numpy", "sitecustomize", "usercustomize", "skops")


@dataclass(frozen=True)
class Site:
    """`work` is where the command runs; everything below `root` is compared before and after."""

    root: Path
    port: int

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def precious(self) -> Path:
        """A folder that no command line names."""
        return self.root / PRECIOUS

    @property
    def canary(self) -> Path:
        """What hostile code would write."""
        return self.root / "canary"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def code(self) -> str:
        """Python that shows that it ran."""
        return f"{MARK} = open({str(self.canary)!r}, 'w').write('it ran')\n"

    def prepare(self) -> Site:
        for folder in (self.work, self.precious, self.root / "tmp"):
            folder.mkdir(parents=True)
        (self.precious / "precious.txt").write_text("a line that nobody may see or change\n")
        (self.precious / "precious.csv").write_text("id,p,y\n1,0.5,1\n")
        for name in SHADOWS:  # a module in the folder in which a command runs is not ours
            (self.work / f"{name}.py").write_text(self.code)
        return self

    def write(self, name: str, content: str | bytes) -> Path:
        """A file in the folder of work."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        path.chmod(0o600)  # a file of tokens that others may read is refused for that alone
        return path


Entry = tuple[str, int, str]  # what it is and may be, when it was changed, and what it holds
Snapshot = dict[str, Entry]


def take_snapshot(root: Path) -> Snapshot:
    """Every file, folder and link below, with what it holds."""
    return dict(_entries(str(root), ""))


def _entries(folder: str, prefix: str) -> Iterator[tuple[str, Entry]]:
    for one in os.scandir(folder):
        name, about = prefix + one.name, one.stat(follow_symlinks=False)
        kind = stat.filemode(about.st_mode)
        if one.is_symlink():
            yield name, (kind, 0, os.readlink(one.path))
        elif one.is_dir(follow_symlinks=False):
            yield name, (kind, 0, "")
            yield from _entries(one.path, name + "/")
        elif stat.S_ISREG(about.st_mode):
            yield name, (kind, about.st_mtime_ns, _digest(one.path))
        else:
            yield name, (kind, 0, "")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def differences(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """What became of each path that is not as it was; a pipe, device or socket that is something else was replaced."""
    found = dict.fromkeys(after.keys() - before.keys(), "new") | dict.fromkeys(before.keys() - after.keys(), "gone")
    both = [path for path in before.keys() & after.keys() if before[path] != after[path]]
    return found | {path: "changed" if before[path][0][0] in "-dl" else "replaced" for path in both}
