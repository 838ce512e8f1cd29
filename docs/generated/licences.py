"""The page of licences: everything that `pip install evenhand` brings, from what the packages say of themselves.

`python -m docs.generated.licences` writes it; a test holds it against what is installed and pinned.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from docs.generated.words import cell, table
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "licences.md"
HEAD = """# Licences of what Evenhand uses

Evenhand itself is under the [Apache License 2.0](https://www.apache.org/licenses/LICENSE-2.0). This is what installing
it brings along, without extras, at the versions that `make` pins. Made from the packages' own metadata by
`python -m docs.generated.licences`. The pages of the desk contain htmx 2.0.11, unchanged (Zero-Clause BSD).
"""
CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")
EVERYWHERE = {"python_version": "3.11", "python_full_version": "3.11.0"}  # the oldest, which needs most


def page() -> str:
    """One line a package: those that Evenhand asks for, and those that these ask for."""
    pins, asked = pinned(), {canonicalize_name(requirement.name) for requirement in own()}
    rows = [
        (
            cell(name),
            pins.get(canonicalize_name(name), "not pinned"),
            cell(licence(found)),
            "yes" if key in asked else "",
        )
        for key, (name, found) in sorted(everything().items())
    ]
    return f"{HEAD}\n{table(('package', 'version', 'licence', 'asked for by Evenhand itself'), rows)}"


def pinned() -> dict[str, str]:
    """The versions in constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text().split()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def own() -> list[Requirement]:
    """What Evenhand asks for, without extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(line) for line in project["dependencies"]]


def everything() -> dict[str, tuple[str, Distribution]]:
    """All packages that an installation without extras brings."""
    found: dict[str, tuple[str, Distribution]] = {}
    waiting = own()
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name)
        if key not in found:
            package = distribution(requirement.name)
            found[key] = (package.metadata["Name"], package)
            waiting += wanted(package, requirement.extras)
    return found


def wanted(package: Distribution, extras: Collection[str] = ()) -> Iterator[Requirement]:
    """What a package asks for on this machine, with these extras."""
    for line in package.requires or ():
        requirement = Requirement(line)
        chosen = [{**EVERYWHERE, "extra": extra} for extra in (*extras, "")]
        if requirement.marker is None or any(requirement.marker.evaluate(each) for each in chosen):
            yield requirement


def licence(package: Distribution) -> str:
    """By the expression, the classifiers or the first line of the field, in this order of trust."""
    said, lines = package.metadata, package.metadata.get_all("Classifier") or ()
    expression, *_ = said.get_all("License-Expression") or [""]
    field, *_ = said.get_all("License") or [""]
    named = ", ".join(match[1] for line in lines if (match := CLASSIFIER.match(line)))
    return expression or named or field.partition("\n")[0] or "not said"


if __name__ == "__main__":
    PAGE.write_text(page())
    print(PAGE)
