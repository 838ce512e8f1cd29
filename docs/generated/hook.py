"""What MkDocs asks while it builds: pages that are made from code or lie elsewhere in the repository.

None of them is committed under docs, so none can drift from what it describes.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from docs.generated import commands, measures, names, roles, word_lists

ROOT = Path(__file__).parents[2]
MADE = {
    "reference/commands.md": commands.page,
    "reference/names.md": names.page,
    **names.module_pages(),
    "reference/measures.md": measures.page,
    "reference/roles.md": roles.page,
    "reference/word-lists.md": word_lists.page,
}
ELSEWHERE = {
    "index.md": "README.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/security.md": "SECURITY.md",
    "project/changes.md": "CHANGELOG.md",
    "project/speed.md": "benchmarks/RESULTS.md",
    "project/runs.md": "models/runs/README.md",
    "project/default-model.md": "src/evenhand/classifiers/shipped/default/card.md",
}
PLACES = {source: uri for uri, source in ELSEWHERE.items()}


def on_files(files: Any, config: Any) -> Any:
    """Adds what is made and what lies elsewhere to the pages found under docs."""
    from mkdocs.structure.files import File

    for uri, make in MADE.items():
        files.append(File.generated(config, uri, content=make()))
    for uri, path in ELSEWHERE.items():
        files.append(File.generated(config, uri, content=(ROOT / path).read_text()))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Links that hold in the repository, made to hold in the site."""
    uri = page.file.src_uri
    return markdown if uri in MADE else relinked(markdown, ELSEWHERE.get(uri, f"docs/{uri}"), uri)


def relinked(text: str, path: str, uri: str) -> str:
    """A text that lies at `path` in the repository, with links as they must be at `uri` in the site."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
        inside = PLACES.get(target, target.removeprefix("docs/"))
        return f"{match[1]}{posixpath.relpath(inside, posixpath.dirname(uri) or '.')}"

    return re.sub(r'(\]\(|src=")([^)#:"]+)(?=[)#"])', link, text)
