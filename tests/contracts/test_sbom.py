"""The bill of materials: what CycloneDX 1.6 requires, and the packages and hashes of the lock, no more and no fewer."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from docs.generated import licences, sbom
from packaging.utils import canonicalize_name

from contracts.locks import LOCKS, pinned
from evenhand.version import __version__

BILL: dict[str, Any] = json.loads(sbom.FILE.read_text())
PARTS: list[dict[str, Any]] = BILL["components"]
LIBRARIES = [part for part in PARTS if part["purl"].startswith("pkg:pypi/")]
ALL = [BILL["metadata"]["component"], *PARTS]
KINDS = {"application", "library", "machine-learning-model"}  # of those that the format knows
PHASES = {"design", "pre-build", "build", "post-build", "operations", "discovery", "decommission"}
SPDX_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def test_it_is_the_one_of_this_lock() -> None:
    assert sbom.text() == sbom.FILE.read_text(), "run: make sbom"


def test_the_head_has_what_the_format_requires() -> None:
    assert (BILL["bomFormat"], BILL["specVersion"]) == ("CycloneDX", "1.6")
    assert isinstance(BILL["version"], int)
    assert BILL["version"] >= 1
    assert uuid.UUID(BILL["serialNumber"].removeprefix("urn:uuid:")).version == 4
    assert BILL["serialNumber"].startswith("urn:uuid:")
    assert {one["phase"] for one in BILL["metadata"]["lifecycles"]} <= PHASES
    allowed = {
        "$schema",
        "bomFormat",
        "specVersion",
        "serialNumber",
        "version",
        "metadata",
        "components",
        "dependencies",
    }
    assert set(BILL) == allowed
    assert ALL[0]["version"] == __version__


@pytest.mark.parametrize("part", ALL, ids=lambda part: part["name"])
def test_every_part_is_complete(part: dict[str, Any]) -> None:
    assert part["type"] in KINDS
    assert part["name"]
    assert part["version"]
    assert re.fullmatch(r"pkg:(pypi|npm|generic)/[\w.-]+@[\w.+-]+", part["purl"])
    assert part["bom-ref"] == part["purl"]
    assert part.get("scope", "required") in ("required", "optional", "excluded")
    (licence,) = part["licenses"]
    if "expression" in licence:
        words = set(SPDX_WORD.findall(licence["expression"]))
        assert words, part["name"]
        assert set(licence) == {"expression"}
    else:
        assert set(licence) == {"license"}
        assert len(set(licence["license"]) & {"id", "name"}) == 1  # one of the two, never both
    for found in (*part.get("hashes", ()), *(h for r in part.get("externalReferences", ()) for h in r["hashes"])):
        assert found["alg"] == "SHA-256"
        assert re.fullmatch(r"[0-9a-f]{64}", found["content"])
    for reference in part.get("externalReferences", ()):
        assert reference["type"] == "distribution"
        assert urlsplit(reference["url"]).scheme == "https"


def test_references_are_unique_and_lead_somewhere() -> None:
    names = [part["bom-ref"] for part in ALL]
    assert len(set(names)) == len(names)
    rows = {row["ref"]: row.get("dependsOn", []) for row in BILL["dependencies"]}
    assert set(rows) == set(names)
    assert len(BILL["dependencies"]) == len(rows)
    for name, needs in rows.items():
        assert set(needs) <= set(names), name
        assert len(set(needs)) == len(needs)
    reached, waiting = set[str](), [ALL[0]["bom-ref"]]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += [need for need in rows[name] if need not in reached]
    assert reached == set(names)


def test_packages_and_hashes_are_those_of_the_lock() -> None:
    assert {part["name"]: part["version"] for part in LIBRARIES} == pinned(LOCKS["server"])
    entries = re.findall(r"^[a-z0-9].*==.*(?:\n    .*)*", LOCKS["server"], re.MULTILINE)
    locked = {entry.split("==")[0]: set(re.findall(r"sha256:([0-9a-f]{64})", entry)) for entry in entries}
    for part in LIBRARIES:
        (reference,) = part["externalReferences"]
        assert {one["content"] for one in reference["hashes"]} == locked[part["name"]], part["name"]


def test_what_is_required_is_what_an_installation_brings() -> None:
    required = {part["name"] for part in LIBRARIES if part["scope"] == "required"}
    assert required == {canonicalize_name(name) for name in licences.everything()}


def test_files_that_are_shipped_have_their_hash() -> None:
    digests = {part["name"]: part["hashes"][0]["content"] for part in PARTS if "hashes" in part}
    for name, path in {"htmx.org": sbom.HTMX, "default": sbom.MODEL / "weights.npz"}.items():
        assert digests[name] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    version = next(part["version"] for part in PARTS if part["name"] == "htmx.org")
    assert f"htmx {version}," in licences.PAGE.read_text()
