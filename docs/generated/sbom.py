"""The bill of materials that is in the wheel: CycloneDX 1.6, from the lock of the server and what the packages say.

`make sbom` writes it; a test holds it against the lock. It is the same for the same lock: it has no time in it, and its
serial number is a hash of its content.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import uuid
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from docs.generated.licences import licence
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from evenhand.version import __version__

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "locks" / "server.txt"
FILE = ROOT / "locks" / "evenhand.cdx.json"
SHIPPED = ROOT / "src" / "evenhand"
MODEL = SHIPPED / "classifiers" / "shipped" / "default"
HTMX = SHIPPED / "desk" / "pages" / "static" / "htmx.min.js"
EXTRA = "postgres"
PLATFORMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
)
ENTRY = re.compile(r"^([a-z0-9][\w.-]*)==([^\s;\\]+)[^\n]*((?:\n    .*)*)", re.MULTILINE)
SHA256 = re.compile(r"sha256:([0-9a-f]{64})")
Json = dict[str, Any]


def document() -> Json:
    """All of it."""
    parts = [*packages(), htmx(), model()]
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": own(),
            "licenses": [{"license": {"id": "Apache-2.0"}}],
        },
        "components": parts,
        "dependencies": dependencies(parts),
    }
    digest = hashlib.sha256(json.dumps(bill, sort_keys=True).encode()).digest()
    return {**bill, "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}"}


def own() -> Json:
    """What all of it is for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {
        **named("application", "evenhand", __version__, f"pkg:pypi/evenhand@{__version__}"),
        "description": project["description"],
        "licenses": [{"license": {"id": project["license"]}}],
    }


def named(kind: str, name: str, version: str, address: str) -> Json:
    """The fields that every part has; its package URL is also what others refer to it by."""
    return {"type": kind, "bom-ref": address, "name": name, "version": version, "purl": address}


def packages() -> Iterator[Json]:
    """Those of the lock. What only an extra or another platform needs is optional."""
    required = reached(Requirement("evenhand"), PLATFORMS[:1])
    for name, version, hashes in ENTRY.findall(LOCK.read_text()):
        yield {
            **named("library", name, version, f"pkg:pypi/{name}@{version}"),
            "scope": "required" if name in required else "optional",
            "licenses": [stated_licence(distribution(name))],
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{name}/{version}/",
                    "hashes": [{"alg": "SHA-256", "content": digest} for digest in SHA256.findall(hashes)],
                }
            ],
        }


def stated_licence(package: Distribution) -> Json:
    """As an expression where the package has one, which is checked when it is published; otherwise by its name."""
    expression = package.metadata.get("License-Expression")
    return {"expression": expression} if expression else {"license": {"name": licence(package)}}


def htmx() -> Json:
    """The script of the pages, unchanged."""
    (version,) = re.findall(r'version:"([\d.]+)"', HTMX.read_text())
    return {
        **named("library", "htmx.org", version, f"pkg:npm/htmx.org@{version}"),
        "scope": "required",
        "licenses": [{"license": {"id": "0BSD"}}],
        "hashes": [content_hash(HTMX)],
    }


def model() -> Json:
    """The model that is included."""
    weights = MODEL / "weights.npz"
    version = json.loads((MODEL / "model.json").read_text())["version"]
    return {
        **named("machine-learning-model", "default", version, f"pkg:generic/evenhand-default@{version}"),
        "scope": "required",
        "licenses": [{"license": {"id": "CC-BY-SA-3.0"}}],
        "hashes": [content_hash(weights)],
    }


def content_hash(path: Path) -> Json:
    """Of a file in the wheel."""
    return {"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}


def dependencies(parts: list[Json]) -> list[Json]:
    """Who asks for whom: each part once, also those that ask for nobody."""
    references = {part["name"]: part["bom-ref"] for part in parts}
    shipped = [part["bom-ref"] for part in parts if "externalReferences" not in part]
    own_needs = sorted(references[name] for name in asked("evenhand", {EXTRA}) if name in references)
    rows = [{"ref": own()["bom-ref"], "dependsOn": [*own_needs, *shipped]}]
    for part in parts:
        needs = asked(part["name"], extras_of(part["name"])) if "externalReferences" in part else set()
        row: Json = {"ref": part["bom-ref"]}
        known = sorted(references[name] for name in needs if name in references)
        rows.append({**row, "dependsOn": known} if known else row)
    return rows


def extras_of(name: str) -> set[str]:
    """The extras of a package that this project asks for."""
    own_lines = map(Requirement, distribution("evenhand").requires or ())
    return {extra for line in own_lines if canonicalize_name(line.name) == name for extra in line.extras}


def asked(name: str, extras: set[str], platforms: tuple[Json, ...] = PLATFORMS) -> set[str]:
    """The packages that one asks for, on any of the platforms."""
    lines = [Requirement(line) for line in distribution(name).requires or ()]
    settings = [{**platform, "python_version": "3.11", "python_full_version": "3.11.5", "extra": extra}
                for platform in platforms for extra in ("", *extras)]  # fmt: skip
    return {
        canonicalize_name(line.name)
        for line in lines
        if line.marker is None or any(line.marker.evaluate(setting) for setting in settings)
    }


def reached(requirement: Requirement, platforms: tuple[Json, ...]) -> set[str]:
    """All packages that one brings along, itself left out."""
    seen, waiting = set[str](), [canonicalize_name(requirement.name)]
    while waiting:
        new = asked(waiting.pop(), set(), platforms) - seen
        seen |= new
        waiting += new
    return seen


def text() -> str:
    """As it is in the file."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
    print(FILE)
