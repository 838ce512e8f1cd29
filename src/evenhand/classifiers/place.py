"""Where a model is trained or asked: nothing that could change what it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A place to work.

    `device` is a graphics card if there is one; `keep` is where a run that is broken off leaves what it has; `download`
    says whether what is missing may be fetched.
    """

    device: str | None = None
    keep: Path | None = None
    download: bool = False


HERE = Place()
