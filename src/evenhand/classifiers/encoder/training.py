"""The one training loop for all methods and losses, one member or ten side by side, with checkpoints.

The learning rate follows the 1-cycle (Smith 2018): it rises from a twenty-fifth, then falls along a cosine to nearly
zero. Checkpoints hold numbers only, no code; an interrupted run is resumed from them.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evenhand.classifiers.encoder.batches import BatchOrder, DeviceTokens, Tokens
from evenhand.classifiers.encoder.network import GaussianProcessHead, Network, class_probabilities, member_seed
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.training_step import TrainingStep, make_loss, network_state
from evenhand.errors import InputError
from evenhand.files import fresh_file
from evenhand.progress import Progress, silent

START_DIVISOR, END_DIVISOR = 25.0, 1e4  # parts of the top


def one_cycle(step: int, steps: int, warmup: float) -> float:
    """The part of the top rate at a step, from 0."""
    rise = warmup * steps
    if step < rise:
        return 1.0 / START_DIVISOR + (1.0 - 1.0 / START_DIVISOR) * step / rise
    along = (step - rise) / max(1.0, steps - 1 - rise)
    return 1.0 / END_DIVISOR + (1.0 - 1.0 / END_DIVISOR) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, along)))


CHECKPOINT_SECONDS = 60.0  # seconds
CHECKPOINT_FILE = "training-{}.safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """A place for checkpoints of one group of members; `key` tells runs apart."""

    folder: Path | None
    key: str
    group: int

    @property
    def path(self) -> Path | None:
        """The file."""
        return self.folder / CHECKPOINT_FILE.format(self.group) if self.folder else None

    def write(self, state: Mapping[str, Tensor], step: int) -> None:
        """Whole or not at all."""
        if self.path is None:
            return
        from safetensors.torch import save_file

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            tensors = {name: values.contiguous() for name, values in state.items()}
            with fresh_file(self.path) as fresh:
                save_file(tensors, fresh, metadata={"about": json.dumps({"key": self.key, "step": step})})
        except Exception as error:  # safetensors has an error of its own for a full disk
            raise InputError(f"the training progress cannot be saved: {error}", source=str(self.path)) from None

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


LOSS_CHECK_STEPS = 50  # steps between looks at the loss
CPU_BYTES = 4e9  # what a batch may take without a GPU


@dataclass(frozen=True)
class EncoderTrainingData:
    """What is learnt: tokens, truth [texts, classes], a weight for each text, and whether classes exclude one another.

    `padding` is the token that fills up.
    """

    tokens: Tokens
    truth: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]
    exclusive: bool
    padding: int

    def key(self, settings: EncoderSettings, encoder: Any) -> str:
        """Tells one run from another: what is learnt, how, and with what it begins."""
        whole = hashlib.sha256(json.dumps(asdict(settings), sort_keys=True).encode())
        begins = (values.detach().float().numpy() for values in encoder.parameters())
        for part in (self.tokens.flat, self.tokens.lengths, self.truth, self.weight, *begins):
            whole.update(np.ascontiguousarray(part).tobytes())
        return whole.hexdigest()


def train_networks(
    lesson: EncoderTrainingData,
    settings: EncoderSettings,
    fresh: Callable[[], Any],
    *,
    device: torch.device,
    keep: Path | None = None,
    progress: Progress = silent,
) -> tuple[Network, ...]:
    """The trained networks; `fresh` gives the pretrained encoder anew. As many members side by side as fit.

    What lies in `keep` is for the caller to remove, once what was trained is safe.
    """
    encoder = fresh()
    key, groups = lesson.key(settings, encoder), list(_member_groups(settings, encoder, device))
    networks = []
    for number, members in enumerate(groups):
        torch.manual_seed(member_seed(settings.seed, members[0]))
        network = Network(fresh(), settings, numbers=members, classes=lesson.truth.shape[1]).to(device)
        checkpoint = Checkpoint(keep, f"{key} {members}", number)

        def share(what: str, done: int, of: int, before: int = number) -> None:
            progress(what, before * of + done, len(groups) * of)

        _train_network(network, lesson, settings, _TrainingRun(members, checkpoint, share, device))
        networks.append(network)
    return tuple(networks)


@dataclass(frozen=True)
class _TrainingRun:
    """Which members are trained, where, and who looks on."""

    numbers: Sequence[int]
    checkpoint: Checkpoint
    progress: Progress
    device: torch.device


def _train_network(
    network: Network, lesson: EncoderTrainingData, settings: EncoderSettings, course: _TrainingRun
) -> None:
    device = course.device
    shelf = DeviceTokens(lesson.tokens, device, lesson.padding)
    truth, weight = (torch.from_numpy(v.astype(np.float32)).to(device) for v in (lesson.truth, lesson.weight))
    focus = settings.focus if settings.loss == "focal" else 0.0
    stepper = TrainingStep(
        network.train(), settings, shelf, truth, weight, make_loss(exclusive=lesson.exclusive, focus=focus)
    )
    order = BatchOrder.from_tokens(lesson.tokens, settings.batch, settings.seed, course.numbers)
    done, state = course.checkpoint.read() or (0, None)
    if state is not None:
        stepper.restore(state)
    steps, saved = order.steps * settings.epochs, time.monotonic()
    for step in range(done, steps):
        if step == done or step % order.steps == 0:
            batches = order.epoch(step // order.steps)
        course.progress("training", step, steps)
        stepper.step(batches[step % order.steps], one_cycle(step, steps, settings.warmup))
        if step % LOSS_CHECK_STEPS == LOSS_CHECK_STEPS - 1 or step == steps - 1:
            _check_loss(stepper.lost)
        if time.monotonic() - saved >= CHECKPOINT_SECONDS and step + 1 < steps:
            course.checkpoint.write(stepper.state(), step + 1)
            saved = time.monotonic()
    if done < steps:
        if stepper.spectral is not None:
            stepper.spectral.settle()
        _round_to_half(network)
        if isinstance(network.head, GaussianProcessHead):
            _learn_variance(network.eval(), network.head, shelf, lesson, settings.batch)
        course.checkpoint.write(network_state(network), steps)
    network.eval()


def _check_loss(lost: Tensor) -> None:
    if not bool(torch.isfinite(lost)):
        raise InputError("training diverged: the loss is no longer a number; try a lower `rate`, such as 3e-5")


@torch.no_grad()
def _round_to_half(network: Network) -> None:
    """To half precision, in which a model is saved, so that it says the same before and after."""
    for values in (*network.parameters(), *network.buffers()):
        if values.is_floating_point():
            values.copy_(values.half().to(values.dtype))


@torch.no_grad()
def _learn_variance(
    network: Network, head: GaussianProcessHead, shelf: DeviceTokens, lesson: EncoderTrainingData, size: int
) -> None:
    """One more pass over all texts: what they say of the head's weights, given the encoder as it is now."""
    total: Tensor | None = None
    order = torch.argsort(shelf.lengths)
    for rows in torch.split(order, max(1, size)):
        ids, mask = shelf.take(rows, int(shelf.lengths[rows].max()))
        every = (ids.repeat(network.members, 1), mask.repeat(network.members, 1))
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type == "cuda"):
            vectors = network.vectors(*every)
            logits = head(vectors)
        added = head.information(vectors, class_probabilities(logits, exclusive=lesson.exclusive))
        total = added if total is None else total + added
    assert total is not None
    head.learn(total)


def _member_groups(settings: EncoderSettings, encoder: Any, device: torch.device) -> Iterator[list[int]]:
    """Members that are trained side by side: as many as memory allows, or one where an encoder cannot be stacked."""
    from evenhand.classifiers.encoder.stacked_layers import stackable

    config = encoder.config.get_text_config()
    layers, width = int(getattr(config, "num_hidden_layers", 12)), int(config.hidden_size)
    bytes_each = settings.batch * settings.length * layers * width * (70 if device.type == "cuda" else 140)
    room = 0.8 * torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else CPU_BYTES
    most = max(1, int(room // bytes_each)) if settings.members > 1 and stackable(encoder) else 1
    for start in range(0, settings.members, most):
        yield list(range(start, min(start + most, settings.members)))
