"""A model in a TOML file: its kind and how to ask it, so that a command can name it and a colleague can see it."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.classifiers.adapters import Endpoint, EndpointClassifier, open_prompt, open_skops, open_transformers
from evenhand.classifiers.options import checked
from evenhand.classifiers.protocol import Classifier
from evenhand.errors import InputError, nearest

KINDS: dict[str, Callable[..., Any]] = {
    "endpoint": Endpoint,
    "prompt": open_prompt,
    "skops": open_skops,
    "transformers": open_transformers,
}


@dataclass(frozen=True)
class Description:
    """What a file says about a model, checked as far as that goes without the model itself."""

    file: Path
    kind: str
    options: dict[str, Any]

    @classmethod
    def read(cls, file: Path) -> Description:
        """Read and check a file; paths in it are relative to it."""
        try:
            table = _table(file)
            kind = table.pop("kind", None)
            if not isinstance(kind, str) or kind not in KINDS:
                raise InputError(f"the file must say a kind of model; {nearest(str(kind), KINDS)}")
            options = {"name": file.stem, **checked(KINDS[kind], table)}
            if kind == "endpoint":
                Endpoint(**options)
            return cls(file, kind, options)
        except InputError as error:
            raise error.within(str(file)) from None

    def open(self, *, device: str | None = None) -> Classifier:
        """The classifier, loaded; a device that is given counts for more than that of the file."""
        placed = "device" in inspect.signature(KINDS[self.kind]).parameters
        if device not in (None, "cpu") and not placed:
            raise InputError(
                f"a model of the kind {self.kind} works without a device: leave it out", source=str(self.file)
            )
        if self.kind == "endpoint":
            return EndpointClassifier(Endpoint(**self.options))
        beside = self.file.parent / self.options["path"]
        fetched = self.options.get("download", False) and not beside.exists()
        path = self.options["path"] if fetched else beside
        place = {"device": device} if placed and device else {}
        opened: Classifier = KINDS[self.kind](**{**self.options, "path": path, **place})
        return opened


def open_described(path: Path, *, device: str | None = None) -> Classifier:
    """The classifier that a TOML file describes: kind = "endpoint", "prompt", "skops" or "transformers"."""
    return Description.read(path).open(device=device)


def _table(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"the file is not TOML: {error}") from None
