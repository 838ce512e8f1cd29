"""One step of training: loss, gradient, clipping, update.

Focal loss (Lin et al. 2017) is cross-entropy times (1 − p)^focus, p the probability of the true class: texts that the
model already gets right count less. With SMOTE every text gets a companion on the line to its nearest neighbour of
the same class in the batch; companions of rare classes are weighted so that the classes of a batch reach a share of
the largest. On a GPU the step is recorded once for each width and replayed: small encoders are limited by
launches and not by arithmetic, and a recorded step is one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from evenhand.classifiers.encoder.batches import DeviceTokens, TokenBatch
from evenhand.classifiers.encoder.network import Network, SpectralBound
from evenhand.classifiers.encoder.settings import EncoderSettings
from evenhand.classifiers.encoder.stacked_layers import linear_weights

Loss = Callable[[Tensor, Tensor], Tensor]


def make_loss(*, exclusive: bool, focus: float) -> Loss:
    """[…, classes] logits and truth to […]; a focus of 0 is cross-entropy."""
    logarithms = _log_p_of_true_class if exclusive else _log_p_of_each_class

    def loss(logits: Tensor, truth: Tensor) -> Tensor:
        log_p = logarithms(logits.float(), truth)
        lost = -log_p if focus == 0.0 else -((1.0 - log_p.exp()) ** focus) * log_p
        return lost.mean(dim=-1)

    return loss


def _log_p_of_true_class(logits: Tensor, truth: Tensor) -> Tensor:
    """Of the true class."""
    return (functional.log_softmax(logits, dim=-1) * truth).sum(dim=-1, keepdim=True)


def _log_p_of_each_class(logits: Tensor, truth: Tensor) -> Tensor:
    """Of what is true of each class."""
    return functional.logsigmoid(torch.where(truth > 0.5, logits, -logits))


def smote_companions(vectors: Tensor, truth: Tensor, weight: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """Vectors [members, texts, width] between two of a class, and their weights [members, texts]."""
    kind = truth if truth.shape[-1] > 1 else torch.cat([1.0 - truth, truth], dim=-1)  # [members, texts, classes]
    present = kind * (weight > 0.0).unsqueeze(-1)
    alike = torch.bmm(present, present.transpose(1, 2)) > 0.5
    alike &= ~torch.eye(alike.shape[-1], dtype=torch.bool, device=alike.device)
    with torch.no_grad():
        far = torch.cdist(vectors.float(), vectors.float()).masked_fill(~alike, torch.inf)
        near = far.argmin(dim=-1, keepdim=True)
    other = torch.gather(vectors, 1, near.expand_as(vectors))
    along = torch.rand(*vectors.shape[:2], 1, device=vectors.device)
    counts = present.sum(dim=1, keepdim=True)
    lack = (share * counts.amax(dim=-1, keepdim=True) / counts.clamp(min=1.0) - 1.0).clamp(min=0.0)
    extra = (present * lack).sum(dim=-1) * alike.any(dim=-1) * weight
    return torch.lerp(vectors, other, along.to(vectors.dtype)), extra


WARM_UP_STEPS = 3  # steps of a width before it is recorded
TOKENS_AT_ONCE = 2_048  # without a GPU: a batch of more goes through the network in portions, so that memory is enough


class TrainingStep:
    """The network, what moves it, and what it learns from."""

    def __init__(
        self,
        network: Network,
        settings: EncoderSettings,
        shelf: DeviceTokens,
        truth: Tensor,
        weight: Tensor,
        loss: Loss,
    ) -> None:
        self.network, self.settings, self.shelf = network, settings, shelf
        self.truth, self.weight, self.loss = truth, weight, loss
        self.device = truth.device
        self.recording = self.device.type == "cuda"
        self.optimizer, self.tops = _optimizer(network, settings, recording=self.recording)
        layers = list(linear_weights(network.encoder)) if settings.head == "gp" else []
        self.spectral = SpectralBound(layers, settings.spectral_bound) if layers else None
        self.recorded: dict[int, tuple[Any, Tensor]] = {}
        self.seen: dict[int, int] = {}
        self.lost = torch.zeros((), device=self.device)

    def step(self, batch: TokenBatch, part: float) -> None:
        """Learn from a batch, at a part of the top rate."""
        self._set_rate(part)
        rows = torch.from_numpy(batch.rows.reshape(-1)).to(self.device, non_blocking=True)
        if not self.recording:
            self._learn(rows, batch.width)
        elif batch.width in self.recorded:
            graph, static_rows = self.recorded[batch.width]
            static_rows.copy_(rows)
            graph.replay()
        else:
            self._warm_or_record(rows, batch.width)

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on, by name."""
        tensors = network_state(self.network)
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(values) for name, values in state.items()}
        if self.spectral is not None:
            tensors |= {f"spectral.{number}": left for number, left in enumerate(self.spectral.left)}
        tensors["chance"] = torch.get_rng_state()
        if self.recording:
            tensors["chance_cuda"] = torch.cuda.get_rng_state(self.device)
        return tensors

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from there; of training that is done, the network is all there is."""
        self.network.load_state_dict(_with_prefix(state, "network."))
        if "chance" not in state:
            return
        optimizer_state: dict[int, dict[str, Tensor]] = {}
        for name, values in _with_prefix(state, "optimizer.").items():
            place, _, what = name.partition(".")
            optimizer_state.setdefault(int(place), {})[what] = values
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": optimizer_state})
        if self.spectral is not None:
            for number, left in enumerate(self.spectral.left):
                left.copy_(state[f"spectral.{number}"])
        torch.set_rng_state(state["chance"])
        if self.recording and "chance_cuda" in state:
            torch.cuda.set_rng_state(state["chance_cuda"], self.device)

    def _warm_or_record(self, rows: Tensor, width: int) -> None:
        """The first steps of a width are taken as they are; then one is recorded, and replayed for this batch."""
        self.seen[width] = self.seen.get(width, 0) + 1
        if self.seen[width] <= WARM_UP_STEPS:
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._learn(rows, width)
            torch.cuda.current_stream().wait_stream(stream)
            return
        static_rows, graph = rows.clone(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool()):
            self._learn(static_rows, width)
        self.recorded[width] = (graph, static_rows)
        graph.replay()

    def _pool(self) -> Any:
        return next((graph.pool() for graph, _ in self.recorded.values()), None)

    def _learn(self, rows: Tensor, width: int) -> None:
        self.optimizer.zero_grad(set_to_none=False)
        whole = self._weights(rows).sum(dim=1)
        totals = []
        for portion in self._portions(rows, width):
            total = self._loss_of(portion, width, whole)
            torch.autograd.backward(total)
            totals.append(total.detach())
        slopes = [p.grad for p in self.network.parameters() if p.grad is not None]
        _clip(slopes, self.network.members, self.settings.clip)
        self.optimizer.step()
        if self.spectral is not None:
            self.spectral.keep()
        self.lost.copy_(totals[0] if len(totals) == 1 else torch.stack(totals).sum())

    def _portions(self, rows: Tensor, width: int) -> Sequence[Tensor]:
        """The batch; in parts where it has too many tokens, whose slopes add up to that of the batch."""
        members = self.network.members
        texts = max(1, TOKENS_AT_ONCE // (width * members))
        if self.recording or self.settings.oversample == "smote" or texts >= len(rows) // members:
            return [rows]
        return [part.reshape(-1) for part in torch.split(rows.reshape(members, -1), texts, dim=1)]

    def _weights(self, rows: Tensor) -> Tensor:
        return (self.weight[rows.clamp(min=0)] * (rows >= 0)).reshape(self.network.members, -1)

    def _loss_of(self, rows: Tensor, width: int, whole: Tensor) -> Tensor:
        """The loss of some texts, divided by the weight of the whole batch."""
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.recording):
            vectors = self.network.vectors(*self.shelf.take(rows, width))
            logits = self.network.head(vectors)
        truth = self.truth[rows.clamp(min=0)].reshape(self.network.members, -1, self.truth.shape[-1])
        weight = self._weights(rows)
        lost = (self.loss(logits, truth) * weight).sum(dim=1)
        if self.settings.oversample == "smote":
            made, extra = smote_companions(vectors, truth, weight, self.settings.oversample_share)
            lost = lost + (self.loss(self.network.head(made), truth) * extra).sum(dim=1)
            whole = whole + extra.sum(dim=1)
        return (lost / whole.clamp(min=1e-6)).sum()

    def _set_rate(self, part: float) -> None:
        for group, top in zip(self.optimizer.param_groups, self.tops, strict=True):
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(top * part)
            else:
                group["lr"] = top * part


def network_state(network: Network) -> dict[str, Tensor]:
    """Of the network alone."""
    return {f"network.{name}": values for name, values in network.state_dict().items()}


def _with_prefix(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
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
