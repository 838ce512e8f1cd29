"""What training has so far, so that a run that was broken off goes on where it stopped. Numbers alone, no code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from evenhand.errors import InputError

EVERY = 60.0  # seconds
FILE = "training-{}.safetensors"


@dataclass(frozen=True)
class Kept:
    """A place for checkpoints of one group of members; `key` tells runs apart."""

    folder: Path | None
    key: str
    group: int

    @property
    def path(self) -> Path | None:
        """The file."""
        return self.folder / FILE.format(self.group) if self.folder else None

    def write(self, state: Mapping[str, Tensor], step: int) -> None:
        """Whole or not at all."""
        if self.path is None:
            return
        from safetensors.torch import save_file

        fresh = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            tensors = {name: values.contiguous() for name, values in state.items()}
            save_file(tensors, fresh, metadata={"about": json.dumps({"key": self.key, "step": step})})
            os.replace(fresh, self.path)
        except Exception as error:  # safetensors has an error of its own for a full disk
            fresh.unlink(missing_ok=True)
            raise InputError(f"the training so far cannot be kept: {error}", source=str(self.path)) from None

    def read(self) -> tuple[int, dict[str, Tensor]] | None:
        """The step to go on with and the state; None where there is nothing, or it belongs to another run."""
        if self.path is None or not self.path.exists():
            return None
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="pt") as file:
                about = json.loads((file.metadata() or {}).get("about", "{}"))
                if about.get("key") != self.key:
                    return None
                return int(about["step"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, SafetensorError):
            return None
