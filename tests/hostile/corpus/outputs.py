"""Hostile places for output: folders with forged lists, links that lead out, names that a run would use in passing."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

from hostile.corpus.model_folders import forged, seal
from hostile.corpus.registry import hostile, put
from hostile.site import Site


def _folder(site: Site) -> Path:
    """An output folder in which somebody keeps a file."""
    folder = site.work / "out"
    folder.mkdir()
    (folder / "precious.csv").write_text("kept here by somebody\n")
    return folder


def _listed(folder: Path, *names: str) -> None:
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    (folder / "files.json").write_text(json.dumps({"evenhand": "0.1", "files": files}))


@hostile("output folder", reads=True)
def folder_with_a_forged_list(site: Site) -> str:
    folder = _folder(site)
    (folder / "figures").mkdir()
    (folder / "figures" / "precious.svg").write_text("drawn by somebody")
    _listed(folder, "precious.csv", "figures/precious.svg")
    return "out"


@hostile("output folder", reads=True)
def folder_with_a_list_of_files_elsewhere(site: Site) -> str:
    folder = _folder(site)
    _listed(folder, "../../precious/precious.txt", str(site.precious / "precious.csv"))
    return "out"


@hostile("output folder", reads=True)
def folder_with_a_list_through_a_link(site: Site) -> str:
    folder = _folder(site)
    (folder / "tables").symlink_to(site.precious)
    _listed(folder, "tables/precious.csv", "tables/precious.txt")
    return "out"


@hostile("output folder", reads=True)
def folder_with_a_list_in_a_pipe(site: Site) -> str:
    os.mkfifo(_folder(site) / "files.json")
    return "out"


@hostile("output folder", reads=True)
def folder_with_a_list_in_a_device(site: Site) -> str:
    (_folder(site) / "files.json").symlink_to("/dev/zero")
    return "out"


@hostile("output folder", reads=True)
def folder_with_a_list_of_devices(site: Site) -> str:
    folder = _folder(site)
    (folder / "endless.svg").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.svg")
    told = {"evenhand": "0.1", "files": {"endless.svg": "0" * 64, "pipe.svg": "0" * 64}}
    (folder / "files.json").write_text(json.dumps(told))
    return "out"


@hostile("output folder", reads=True)
def folder_with_figures_elsewhere(site: Site) -> str:
    (_folder(site) / "figures").symlink_to(site.precious)
    return "out"


REPORT_FILES = (
    "report.html",
    "findings.json",
    "estimates.csv",
    "files.json",
    "model.json",
    "weights.npz",
    "card.md",
    "card.json",
)


@hostile("output folder", reads=True)
def folder_with_files_elsewhere(site: Site) -> str:
    folder = _folder(site)
    for name in REPORT_FILES:
        (site.precious / name).write_text("somebody's")
        (folder / name).symlink_to(site.precious / name)
    return "out"


@hostile("output folder", reads=True)
def folder_with_names_in_passing(site: Site) -> str:
    """Links that wait under the names which a run would write to first."""
    folder = _folder(site)
    for name in REPORT_FILES:
        for other in (f".{name}.new", f"{name}.tmp", f".{name}.tmp", f"{name}~"):
            (folder / other).symlink_to(site.precious / "precious.txt")
    return "out"


@hostile("output folder", refused=True)
def folder_that_is_a_pipe(site: Site) -> str:
    os.mkfifo(site.work / "out")
    return "out"


@hostile("output folder", reads=True)
def folder_of_a_forged_model(site: Site) -> str:
    """A manifest that claims somebody's files as those of an earlier model."""
    forged(site, lambda content: content["files"].update({"precious.csv": "0" * 64}), folder="out")
    (site.work / "out" / "precious.csv").write_text("kept here by somebody\n")
    return "out"


@hostile("output folder", reads=True)
def folder_of_a_forged_model_elsewhere(site: Site) -> str:
    folder = _folder(site)
    told = {"format": 1, "kind": "linear", "name": "x", "version": "1", "settings": {}}
    told |= {
        "targets": {"kind": "binary", "classes": ["y"]},
        "files": {"precious.csv": "0" * 64, "../precious": "0" * 64},
    }
    (folder / "model.json").write_text(seal(told))
    return "out"


Lay = Callable[[Path, Site], None]


def _pieces(make: Callable[[Path, Site], None]) -> Lay:
    """What lies where a run that scores keeps what it has done so far."""

    def lay(out: Path, site: Site) -> None:
        folder = out.with_name(f".{out.name}.pieces")
        folder.mkdir()
        make(folder, site)

    return lay


def _links(*names: str) -> Callable[[Path, Site], None]:
    def make(folder: Path, site: Site) -> None:
        for name in names:
            (folder / name).symlink_to(site.precious / "precious.txt")

    return make


def _node(out: Path) -> None:
    """A device of our own, which may be lost; a socket where only the system may make devices."""
    try:
        os.mknod(out, stat.S_IFCHR | 0o600, os.makedev(1, 7))
    except PermissionError:
        os.mknod(out, stat.S_IFSOCK | 0o600)


def _kept_in(folder: Path) -> None:
    folder.mkdir()
    (folder / "precious.csv").write_text("kept here by somebody")


def _in_passing(out: Path, site: Site) -> None:
    for other in (f".{out.name}.new", f"{out.name}.tmp", f".{out.name}.tmp", f".{out.name}.part", f"{out.name}~"):
        out.with_name(other).symlink_to(site.precious / "precious.txt")


def _config_elsewhere(out: Path, site: Site) -> None:
    """Beside tasks for Label Studio a second file is written."""
    out.with_suffix(".config.xml").symlink_to(site.precious / "precious.txt")
    out.with_name(f".{out.with_suffix('.config.xml').name}.new").symlink_to(site.precious / "precious.txt")


FILES: dict[str, Lay] = {
    "file_elsewhere": lambda out, site: out.symlink_to(site.precious / "precious.txt"),
    "file_that_is_a_pipe": lambda out, site: os.mkfifo(out),
    "file_that_is_a_device": lambda out, site: _node(out),
    "file_that_leads_to_a_device": lambda out, site: out.symlink_to("/dev/full"),
    "file_that_is_a_folder": lambda out, site: _kept_in(out),
    "file_that_links_to_itself": lambda out, site: out.symlink_to(out.name),
    "file_with_names_in_passing": _in_passing,
    "file_with_a_second_one_elsewhere": _config_elsewhere,
    "pieces_elsewhere": lambda out, site: out.with_name(f".{out.name}.pieces").symlink_to(site.precious),
    "pieces_with_links": _pieces(_links("lock", "job.json", "000000000000.parquet", ".000000000000.parquet.new")),
    "pieces_with_a_pipe": _pieces(lambda folder, site: os.mkfifo(folder / "lock")),
    "pieces_with_a_job_in_a_pipe": _pieces(lambda folder, site: os.mkfifo(folder / "job.json")),
    "pieces_of_somebody": _pieces(lambda folder, site: (folder / "precious.parquet").write_text("kept here") and None),
}


def lay_file(name: str, out: str, site: Site) -> None:
    """Put a hostile thing where a file is to be written."""
    path = site.work / out
    path.parent.mkdir(parents=True, exist_ok=True)
    FILES[name](path, site)


def _file(name: str) -> Callable[[Site], str]:
    return lambda site: name


for _name in FILES:
    put(_name, ("output file",), _file(_name), reads=True)  # a command looks at what lies there


WAYS = ("the same name", "a longer way", "a link", "a second name")


def alias(site: Site, name: str, way: str) -> str:
    """Another name of a file of the site."""
    path = site.work / name
    if way == "a longer way":
        return f"../work/./{name}"
    if way == "a link":
        (site.work / f"link-{name}").symlink_to(name)
        return f"link-{name}"
    if way == "a second name":
        os.link(path, site.work / f"twin-{name}")
        return f"twin-{name}"
    return name
