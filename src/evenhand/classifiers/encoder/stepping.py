"""One step of training: forward, backward, clip, move. On a graphics card each width is recorded once and replayed.

Small encoders are held up by launches and not by arithmetic; a recorded step is one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from evenhand.classifiers.encoder.batches import Batch, Shelf
from evenhand.classifiers.encoder.losses import Loss
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.oversampling import companions
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.spectral import Spectral
from evenhand.classifiers.encoder.stacked import linear_weights

WARM = 3  # steps of a width before it is recorded


class Stepper:
    """The network, what moves it, and what it learns from."""

    def __init__(
        self, network: Network, settings: EncoderSettings, shelf: Shelf, truth: Tensor, weight: Tensor, loss: Loss
    ) -> None:
        self.network, self.settings, self.shelf = network, settings, shelf
        self.truth, self.weight, self.loss = truth, weight, loss
        self.device = truth.device
        self.recording = self.device.type == "cuda"
        self.optimizer, self.tops = _optimizer(network, settings, recording=self.recording)
        layers = list(linear_weights(network.encoder)) if settings.head == "gp" else []
        self.spectral = Spectral(layers, settings.spectral_bound) if layers else None
        self.recorded: dict[int, tuple[Any, Tensor]] = {}
        self.seen: dict[int, int] = {}
        self.lost = torch.zeros((), device=self.device)

    def step(self, batch: Batch, part: float) -> None:
        """Learn from a batch, at a part of the top rate."""
        self._set_rate(part)
        rows = torch.from_numpy(batch.rows.reshape(-1)).to(self.device, non_blocking=True)
        if not self.recording:
            self._learn(rows, batch.width)
        elif batch.width in self.recorded:
            graph, held = self.recorded[batch.width]
            held.copy_(rows)
            graph.replay()
        else:
            self._warm_or_record(rows, batch.width)

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on, by name."""
        found = network_state(self.network)
        for number, state in self.optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{number}.{name}": torch.as_tensor(values) for name, values in state.items()}
        if self.spectral is not None:
            found |= {f"spectral.{number}": left for number, left in enumerate(self.spectral.left)}
        found["chance"] = torch.get_rng_state()
        if self.recording:
            found["chance_cuda"] = torch.cuda.get_rng_state(self.device)
        return found

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from there; of training that is done, the network is all there is."""
        self.network.load_state_dict(_under(state, "network."))
        if "chance" not in state:
            return
        kept: dict[int, dict[str, Tensor]] = {}
        for name, values in _under(state, "optimizer.").items():
            place, _, what = name.partition(".")
            kept.setdefault(int(place), {})[what] = values
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": kept})
        if self.spectral is not None:
            for number, left in enumerate(self.spectral.left):
                left.copy_(state[f"spectral.{number}"])
        torch.set_rng_state(state["chance"])
        if self.recording and "chance_cuda" in state:
            torch.cuda.set_rng_state(state["chance_cuda"], self.device)

    def _warm_or_record(self, rows: Tensor, width: int) -> None:
        """The first steps of a width are taken as they are; then one is recorded, and replayed for this batch."""
        self.seen[width] = self.seen.get(width, 0) + 1
        if self.seen[width] <= WARM:
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._learn(rows, width)
            torch.cuda.current_stream().wait_stream(stream)
            return
        held, graph = rows.clone(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool()):
            self._learn(held, width)
        self.recorded[width] = (graph, held)
        graph.replay()

    def _pool(self) -> Any:
        return next((graph.pool() for graph, _ in self.recorded.values()), None)

    def _learn(self, rows: Tensor, width: int) -> None:
        self.optimizer.zero_grad(set_to_none=False)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.recording):
            vectors = self.network.vectors(*self.shelf.take(rows, width))
            logits = self.network.head(vectors)
        members = self.network.members
        truth = self.truth[rows.clamp(min=0)].reshape(members, -1, self.truth.shape[-1])
        weight = (self.weight[rows.clamp(min=0)] * (rows >= 0)).reshape(members, -1)
        lost = (self.loss(logits, truth) * weight).sum(dim=1)
        whole = weight.sum(dim=1)
        if self.settings.oversample == "smote":
            made, extra = companions(vectors, truth, weight, self.settings.oversample_share)
            lost = lost + (self.loss(self.network.head(made), truth) * extra).sum(dim=1)
            whole = whole + extra.sum(dim=1)
        total = (lost / whole.clamp(min=1e-6)).sum()
        torch.autograd.backward(total)
        _clip([p.grad for p in self.network.parameters() if p.grad is not None], members, self.settings.clip)
        self.optimizer.step()
        if self.spectral is not None:
            self.spectral.keep()
        self.lost.copy_(total.detach())

    def _set_rate(self, part: float) -> None:
        for group, top in zip(self.optimizer.param_groups, self.tops, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(top * part)
            else:
                group["lr"] = top * part


def network_state(network: Network) -> dict[str, Tensor]:
    """Of the network alone."""
    return {f"network.{name}": values for name, values in network.state_dict().items()}


def _under(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): values for name, values in state.items() if name.startswith(prefix)}


@torch.no_grad()
def _clip(slopes: Sequence[Tensor], members: int, most: float) -> None:
    """Each member's slope to a length of at most `most`: members must not feel one another."""
    squares = torch.stack([slope.reshape(members, -1).square().sum(dim=1) for slope in slopes]).sum(dim=0)
    factor = (most / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    for slope in slopes:
        slope.mul_(factor.reshape(-1, *[1] * (slope.dim() - 1)) if slope.shape[0] == members else factor)


def _optimizer(network: Network, settings: EncoderSettings, *, recording: bool) -> tuple[Any, list[float]]:
    """AdamW; biases and norms are not drawn to zero, and the head, which starts from nothing, learns faster."""
    stacked = network.members > 1 or any(p.dim() == 3 for p in network.encoder.parameters())
    least = 3 if stacked else 2
    wanted: list[tuple[Callable[[str], bool], float]] = [
        (lambda name: name.startswith("encoder."), settings.rate),
        (lambda name: name.startswith("head."), settings.head_rate),
    ]
    groups, tops = [], []
    for belongs, top in wanted:
        named = [(name, p) for name, p in network.named_parameters() if belongs(name)]
        for drawn in (True, False):
            chosen = [p for _, p in named if (p.dim() >= least) == drawn]
            groups.append({"params": chosen, "weight_decay": settings.decay if drawn else 0.0})
            tops.append(top)
    if recording:
        rate = torch.tensor(settings.rate, device=next(network.parameters()).device)
        for group in groups:
            group["lr"] = rate.clone()
        return torch.optim.AdamW(groups, fused=True, capturable=True), tops
    return torch.optim.AdamW(groups, lr=settings.rate), tops
