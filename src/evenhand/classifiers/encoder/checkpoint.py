"""What training has so far, so that a run that was broken off goes on where it stopped. Numbers alone, no code."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
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

    def write(self, network: torch.nn.Module, optimizer: Any, step: int) -> None:
        """Whole or not at all."""
        if self.path is None:
            return
        from safetensors.torch import save_file

        tensors = {f"network.{name}": values.contiguous() for name, values in network.state_dict().items()}
        for number, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(v).contiguous() for name, v in state.items()}
        tensors["chance"] = torch.get_rng_state()
        if torch.cuda.is_available():
            tensors["chance_cuda"] = torch.cuda.get_rng_state()
        fresh = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save_file(tensors, fresh, metadata={"about": json.dumps({"key": self.key, "step": step})})
            os.replace(fresh, self.path)
        except Exception as error:  # safetensors has an error of its own for a full disk
            fresh.unlink(missing_ok=True)
            raise InputError(f"the training so far cannot be kept: {error}", source=str(self.path)) from None

    def read(self, network: torch.nn.Module, optimizer: Any) -> int:
        """The step to go on with: 0 where there is nothing, or what there is belongs to another run."""
        if self.path is None or not self.path.exists():
            return 0
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="pt") as file:
                about = json.loads((file.metadata() or {}).get("about", "{}"))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (OSError, ValueError, SafetensorError):
            return 0
        if about.get("key") != self.key:
            return 0
        network.load_state_dict(_under(tensors, "network."))
        state: dict[int, dict[str, Tensor]] = {}
        for name, values in _under(tensors, "optimizer.").items():
            number, _, what = name.partition(".")
            state.setdefault(int(number), {})[what] = values
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
        torch.set_rng_state(tensors["chance"])
        if "chance_cuda" in tensors and torch.cuda.is_available():
            torch.cuda.set_rng_state(tensors["chance_cuda"])
        return int(about["step"])

    def forget(self) -> None:
        """When all is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path.with_suffix(".new").unlink(missing_ok=True)


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): values for name, values in tensors.items() if name.startswith(prefix)}
