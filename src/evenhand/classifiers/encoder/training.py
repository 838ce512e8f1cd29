"""The one training loop: all methods and losses, one member or ten side by side."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evenhand.classifiers.encoder import checkpoint
from evenhand.classifiers.encoder.batches import Order, Shelf
from evenhand.classifiers.encoder.heads import ProcessHead
from evenhand.classifiers.encoder.losses import loss_of
from evenhand.classifiers.encoder.network import Network, probabilities, seed_of
from evenhand.classifiers.encoder.schedule import one_cycle
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.stepping import Stepper, network_state
from evenhand.classifiers.encoder.tokens import Tokens
from evenhand.errors import InputError
from evenhand.progress import Progress, silent

Floats = npt.NDArray[np.floating[Any]]
LOOK = 50  # steps between looks at the loss
CPU_BYTES = 4e9  # what a batch may take where there is no graphics card


@dataclass(frozen=True)
class Lesson:
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


def train(
    lesson: Lesson,
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
    key, groups = lesson.key(settings, encoder), list(_groups(settings, encoder, device))
    found = []
    for number, members in enumerate(groups):
        torch.manual_seed(seed_of(settings.seed, members[0]))
        network = Network(fresh(), settings, numbers=members, classes=lesson.truth.shape[1]).to(device)
        kept = checkpoint.Kept(keep, f"{key} {members}", number)

        def share(what: str, done: int, of: int, before: int = number) -> None:
            progress(what, before * of + done, len(groups) * of)

        _train(network, lesson, settings, _Course(members, kept, share, device))
        found.append(network)
    return tuple(found)


@dataclass(frozen=True)
class _Course:
    """Which members are trained, where, and who looks on."""

    numbers: Sequence[int]
    kept: checkpoint.Kept
    progress: Progress
    device: torch.device


def _train(network: Network, lesson: Lesson, settings: EncoderSettings, course: _Course) -> None:
    device = course.device
    shelf = Shelf(lesson.tokens, device, lesson.padding)
    truth, weight = (torch.from_numpy(v.astype(np.float32)).to(device) for v in (lesson.truth, lesson.weight))
    focus = settings.focus if settings.loss == "focal" else 0.0
    stepper = Stepper(network.train(), settings, shelf, truth, weight, loss_of(exclusive=lesson.exclusive, focus=focus))
    order = Order.of(lesson.tokens, settings.batch, settings.seed, course.numbers)
    done, state = course.kept.read() or (0, None)
    if state is not None:
        stepper.restore(state)
    steps, saved = order.steps * settings.epochs, time.monotonic()
    for step in range(done, steps):
        if step == done or step % order.steps == 0:
            batches = order.epoch(step // order.steps)
        course.progress("training", step, steps)
        stepper.step(batches[step % order.steps], one_cycle(step, steps, settings.warmup))
        if step % LOOK == LOOK - 1 or step == steps - 1:
            _check(stepper.lost)
        if time.monotonic() - saved >= checkpoint.EVERY and step + 1 < steps:
            course.kept.write(stepper.state(), step + 1)
            saved = time.monotonic()
    if done < steps:
        if stepper.spectral is not None:
            stepper.spectral.settle()
        _round(network)
        if isinstance(network.head, ProcessHead):
            _learn_variance(network.eval(), network.head, shelf, lesson, settings.batch)
        course.kept.write(network_state(network), steps)
    network.eval()


def _check(lost: Tensor) -> None:
    if not bool(torch.isfinite(lost)):
        raise InputError("training went astray: the loss is no longer a number; try a lower rate (--set rate=3e-5)")


@torch.no_grad()
def _round(network: Network) -> None:
    """To half precision, in which a model is saved, so that it says the same before and after."""
    for values in (*network.parameters(), *network.buffers()):
        if values.is_floating_point():
            values.copy_(values.half().to(values.dtype))


@torch.no_grad()
def _learn_variance(network: Network, head: ProcessHead, shelf: Shelf, lesson: Lesson, size: int) -> None:
    """One more pass over all texts: what they say of the head's weights, given the encoder as it is now."""
    total: Tensor | None = None
    order = torch.argsort(shelf.lengths)
    for rows in torch.split(order, max(1, size)):
        ids, mask = shelf.take(rows, int(shelf.lengths[rows].max()))
        every = (ids.repeat(network.members, 1), mask.repeat(network.members, 1))
        with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type == "cuda"):
            vectors = network.vectors(*every)
            logits = head(vectors)
        added = head.information(vectors, probabilities(logits, exclusive=lesson.exclusive))
        total = added if total is None else total + added
    assert total is not None
    head.learn(total)


def _groups(settings: EncoderSettings, encoder: Any, device: torch.device) -> Iterator[list[int]]:
    """Members that are trained side by side: as many as memory allows, or one where an encoder cannot be stacked."""
    from evenhand.classifiers.encoder.stacked import stackable

    config = encoder.config.get_text_config()
    layers, width = int(getattr(config, "num_hidden_layers", 12)), int(config.hidden_size)
    bytes_each = settings.batch * settings.length * layers * width * (70 if device.type == "cuda" else 140)
    room = 0.8 * torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else CPU_BYTES
    most = max(1, int(room // bytes_each)) if settings.members > 1 and stackable(encoder) else 1
    for start in range(0, settings.members, most):
        yield list(range(start, min(start + most, settings.members)))
