"""A model described in a TOML file: its kind and its options, readable by a command and by a colleague."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand import limits
from evenhand.classifiers.adapters import (
    Endpoint,
    EndpointClassifier,
    LanguageModelServer,
    open_prompt,
    open_skops,
    open_transformers,
)
from evenhand.classifiers.adapters.endpoint_permission import check_permission
from evenhand.classifiers.bounded_files import read_bounded
from evenhand.classifiers.options import check_options
from evenhand.classifiers.permissions import NOTHING_ALLOWED, Permissions
from evenhand.classifiers.protocol import Classifier
from evenhand.documents import parse_toml
from evenhand.errors import InputError, nearest
from evenhand.files import unreadable

SERVER_KINDS = {"endpoint": Endpoint, "openai": LanguageModelServer}
DESCRIBED_KINDS: dict[str, Callable[..., Any]] = {
    **SERVER_KINDS,
    "prompt": open_prompt,
    "skops": open_skops,
    "transformers": open_transformers,
}
USED_PERMISSIONS = {
    "endpoint": ("send_to", "secrets"),
    "openai": ("send_to", "secrets"),
    "prompt": ("download",),
    "skops": ("trust",),
    "transformers": ("download",),
}


@dataclass(frozen=True)
class ModelDescription:
    """What a file says about a model, checked as far as that goes without the model itself."""

    file: Path
    kind: str
    options: dict[str, Any]

    @classmethod
    def read(cls, file: Path) -> ModelDescription:
        """Read and check a file; paths in it are relative to it."""
        try:
            table = read_table(file)
            kind = table.pop("kind", None)
            if not isinstance(kind, str) or kind not in DESCRIBED_KINDS:
                raise InputError(f"'kind' must name a kind of model; {nearest(str(kind), DESCRIBED_KINDS)}")
            _refuse_trust(table)
            options = {"name": file.stem, **check_options(DESCRIBED_KINDS[kind], table)}
            if kind in SERVER_KINDS:
                SERVER_KINDS[kind](**options)
            return cls(file, kind, options)
        except InputError as error:
            raise error.within(str(file)) from None

    def open(self, *, device: str | None = None, permissions: Permissions = NOTHING_ALLOWED) -> Classifier:
        """The classifier, loaded; a device that is given counts for more than that of the file."""
        try:
            placed = "device" in inspect.signature(DESCRIBED_KINDS[self.kind]).parameters
            if device not in (None, "cpu") and not placed:
                raise InputError(f"a model of the kind {self.kind} does not use `device`: leave it out")
            if self.kind in SERVER_KINDS:
                return self._connected(permissions)
            place = {"device": device} if placed and device else {}
            return self._loaded(permissions, **place)
        except InputError as error:
            raise error.within(str(self.file)) from None

    def _connected(self, allowed: Permissions) -> EndpointClassifier:
        """The server as a classifier, once every key that it needs is there."""
        server = SERVER_KINDS[self.kind](**self.options)
        check_permission(server, send_to=allowed.send_to, secrets=allowed.secrets, from_file=True)
        classifier = EndpointClassifier(server, send_to=allowed.send_to, secrets=allowed.secrets)
        classifier.environment_keys()
        return classifier

    def _loaded(self, allowed: Permissions, **place: str) -> Classifier:
        more: dict[str, Any] = {"path": self.file.parent / self.options["path"], **place}
        if self.kind == "skops":
            more["trust"] = allowed.trust
        elif self.options.get("download", False) and not more["path"].exists():
            if not allowed.download:
                raise InputError("the file asks for a model from the Hugging Face Hub: allow it with `download`")
            more["path"] = self.options["path"]
        elif allowed.download:
            raise InputError("`download` goes with files that say download = true: leave it out")
        opened: Classifier = DESCRIBED_KINDS[self.kind](**{**self.options, **more})
        return opened


def open_described(path: Path, *, device: str | None = None, permissions: Permissions = NOTHING_ALLOWED) -> Classifier:
    """The classifier that a TOML file describes: kind = "endpoint", "openai", "prompt", "skops" or "transformers"."""
    return ModelDescription.read(path).open(device=device, permissions=permissions)


def _refuse_trust(table: Mapping[str, object]) -> None:
    for name in ("trust", "trusted"):
        if name in table:
            problem = f"a description cannot grant trust: remove '{name}' from it, read the code of these types"
            raise InputError(f"{problem}, and name them with `trust` where you use the model")


def read_table(file: Path) -> dict[str, Any]:
    """What a description says, unchecked."""
    try:
        return parse_toml(read_bounded(file, limits.DESCRIPTION_BYTES).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(unreadable(error)) from None
    except ValueError as error:
        raise InputError(f"the file is not TOML: {error}") from None
