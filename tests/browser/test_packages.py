"""What the browser tests fetch: only what is pinned, and never half of it."""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
from pathlib import Path

import pytest

from browser import packages


def archive(text: bytes) -> bytes:
    """An npm package with one file."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as packed:
        entry = tarfile.TarInfo("package/axe.min.js")
        entry.size = len(text)
        packed.addfile(entry, io.BytesIO(text))
    return content.getvalue()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry on disk with one package, which the pins name."""
    content, folder = archive(b"rules"), tmp_path / "registry"
    folder.mkdir(parents=True)
    (folder / "axe-core-1.0.0.tgz").write_bytes(content)
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    pins = tmp_path / "browser.toml"
    pins.write_text(f'[axe]\nname = "axe-core"\nversion = "1.0.0"\nintegrity = "sha512-{digest}"\n')
    packed = lambda name, version, _: (folder / f"{name}-{version}.tgz").read_bytes()  # noqa: E731
    monkeypatch.setattr(packages, "pack", packed)
    monkeypatch.setattr(packages, "PINS", pins)
    monkeypatch.setattr(packages, "FOLDER", tmp_path / "browser")
    monkeypatch.setattr(packages, "chromium", lambda: Path("/there"))
    return folder


def test_what_is_pinned_is_fetched_once(registry: Path) -> None:
    assert packages.axe() is None
    packages.fetch()
    assert packages.axe() is not None
    assert packages.axe().read_text() == "rules"
    (registry / "axe-core-1.0.0.tgz").unlink()
    packages.fetch()


def test_anything_else_is_refused(registry: Path) -> None:
    (registry / "axe-core-1.0.0.tgz").write_bytes(archive(b"other rules"))
    with pytest.raises(SystemExit, match=r"axe-core is not what browser\.toml pins"):
        packages.fetch()
    assert packages.axe() is None
    assert list(packages.FOLDER.iterdir()) == []


def test_every_package_is_pinned_by_version_and_hash() -> None:
    pins = tomllib.loads((Path(__file__).parents[2] / "locks" / "browser.toml").read_text())
    assert set(pins) == {"chromium", "axe"}
    for pin in pins.values():
        assert pin["version"].replace(".", "").isdigit()
        assert len(base64.b64decode(pin["integrity"].removeprefix("sha512-"))) == 64


def test_a_missing_browser_says_what_to_do() -> None:
    assert "make verify" in packages.MISSING
