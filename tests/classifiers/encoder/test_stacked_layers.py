"""Members side by side are what each would be alone: in what they say, in a step of training, and when saved."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from classifiers.encoder.made import encoder, labelled, settings, tokenizer, trained
from evenhand.classifiers.encoder.batches import DeviceTokens, TokenBatch, Tokens
from evenhand.classifiers.encoder.network import Network
from evenhand.classifiers.encoder.stacked_layers import StackedLinear, linear_weights, stackable
from evenhand.classifiers.encoder.training_step import TrainingStep, make_loss

KINDS = ["bert", "roberta", "distilbert", "electra"]
IDS = torch.tensor([[2, 10, 20, 30, 3], [2, 40, 3, 0, 0], [2, 7, 7, 3, 0]])
MASK = (IDS > 0).long()
IDLE = "key.bias"  # changes nothing, so that its slope is rounding alone, which Adam takes at full length


def network(kind: str, members: int = 3, **changes: Any) -> Network:
    """Members that differ in every weight."""
    made = Network(encoder(kind), settings("", **changes), numbers=range(members), classes=1)
    torch.manual_seed(5)
    for values in made.parameters():
        values.data += 0.1 * torch.randn_like(values)
    return made.eval()


def alone(whole: Network, kind: str, member: int) -> Any:
    """A second opinion: the library's own model with the weights of one member, none of our layers."""
    plain = encoder(kind).eval()
    given = {name: values[member] for name, values in whole.encoder.named_parameters()}
    left = plain.load_state_dict(given, strict=False)
    assert left.unexpected_keys == []
    return plain


@pytest.mark.parametrize("kind", KINDS)
def test_members_say_what_each_says_alone(kind: str) -> None:
    whole = network(kind)
    with torch.no_grad():
        together = whole.vectors(IDS.repeat(3, 1), MASK.repeat(3, 1))
        for member in range(3):
            states = alone(whole, kind, member)(input_ids=IDS, attention_mask=MASK).last_hidden_state
            mean = (states * MASK[..., None]).sum(1) / MASK.sum(1, keepdim=True)
            assert torch.allclose(together[member], mean, atol=1e-5)
            single = whole.only(member)
            assert torch.allclose(single.vectors(IDS, MASK)[0], mean, atol=1e-5)
            assert torch.allclose(single(IDS, MASK)[0], whole(IDS.repeat(3, 1), MASK.repeat(3, 1))[member], atol=1e-5)
    assert (together[0] - together[1]).abs().max() > 0.05


def test_the_first_token_may_speak_for_the_text() -> None:
    whole = network("bert", pooling="first")
    with torch.no_grad():
        states = alone(whole, "bert", 1)(input_ids=IDS, attention_mask=MASK).last_hidden_state
        assert torch.allclose(whole.vectors(IDS.repeat(3, 1), MASK.repeat(3, 1))[1], states[:, 0], atol=1e-5)


class Shift(nn.Module):
    """Adds a weight of its own, which no layer that is known holds."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner, self.by = inner, nn.Parameter(torch.zeros(16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) + self.by


def test_what_cannot_be_stacked_is_known(bert: Path, tmp_path: Path) -> None:
    assert all(stackable(encoder(kind)) for kind in KINDS)
    assert not stackable(encoder("gpt2"))
    shared = encoder("bert")
    shared.embeddings.LayerNorm = Shift(shared.embeddings.LayerNorm)
    assert not stackable(shared), "members would pull at one weight"


def test_what_cannot_be_stacked_is_trained_one_by_one(tmp_path: Path) -> None:
    from classifiers.encoder.made import directory

    model = trained(directory(tmp_path / "gpt2", "gpt2"), rows=40, members=2, epochs=1)
    assert [network.members for network in model.networks] == [1, 1]
    scores = model.score(labelled().texts[:5])
    assert (scores.variance > 0).all()


def stepper(whole: Network, changes: dict[str, Any], rows: int = 24) -> TrainingStep:
    data = labelled(rows=rows)
    tokens = Tokens.from_texts(data.texts, tokenizer(), 24)
    weight = torch.linspace(0.5, 1.5, rows)
    shelf = DeviceTokens(tokens, torch.device("cpu"), 0)
    return TrainingStep(
        whole.train(),
        settings("", **changes),
        shelf,
        torch.from_numpy(data.truth),
        weight,
        make_loss(exclusive=False, focus=0),
    )


@pytest.mark.parametrize("head", ["dense", "gp"])
@pytest.mark.parametrize("clip", [0.05, 100.0])
def test_a_step_together_is_a_step_each(head: str, clip: float) -> None:
    changes = {"dropout": 0.0, "head": head, "clip": clip, "spectral_bound": 2.0}
    whole = network("bert", **changes)
    singles = [whole.only(member) for member in range(3)]
    rows = np.random.default_rng(0).permutation(24).reshape(3, 8)
    rows[:, -1] = [-1, 3, -1]  # nobody fills up
    beside = stepper(whole, changes)
    apart = [stepper(single, changes) for single in singles]
    for _ in range(2):
        beside.step(TokenBatch(22, rows), 1.0)
        for member, one in enumerate(apart):
            one.step(TokenBatch(22, rows[member : member + 1]), 1.0)
    slopes = []
    for member, single in enumerate(singles):
        for (name, values), (_, own) in zip(whole.named_parameters(), single.named_parameters(), strict=True):
            assert name.endswith(IDLE) or torch.allclose(values[member], own[0], atol=2e-5), name
            if own.grad is not None:
                assert torch.allclose(values.grad[member], own.grad[0], atol=1e-5), name
        slopes.append(sum(p.grad.square().sum() for p in single.parameters() if p.grad is not None).sqrt())
    if clip < 1:
        assert torch.allclose(torch.stack(slopes), torch.tensor(clip), rtol=1e-3), "each to its own length"


def test_nobody_teaches_nothing() -> None:
    changes = {"dropout": 0.0}
    first, second = network("bert", members=1, **changes), network("bert", members=1, **changes)
    stepper(first, changes).step(TokenBatch(22, np.array([[4, 5, -1, -1]])), 1.0)
    stepper(second, changes).step(TokenBatch(22, np.array([[4, 5]])), 1.0)
    for (name, own), (_, other) in zip(first.named_parameters(), second.named_parameters(), strict=True):
        assert own.grad is None or torch.allclose(own.grad, other.grad, atol=1e-6), name


def test_spectral_norms_stay_within_the_bound(bert: Path) -> None:
    bound = 1.5
    free = trained(bert, head="gp", members=2, rows=60)
    model = trained(bert, head="gp", members=2, rows=60, spectral_bound=bound)
    layers = list(linear_weights(model.networks[0].encoder))
    assert len(layers) == 13  # four of attention and two beside it in each layer, and the pooler
    largest = [torch.linalg.svdvals(weight.double()).max() for weight in layers]
    assert max(largest) <= bound * 1.001, "halves are rounded once more when saved"
    assert max(torch.linalg.svdvals(w.double()).max() for w in linear_weights(free.networks[0].encoder)) > bound


def test_a_copy_is_no_view() -> None:
    whole = network("bert", members=2)
    single = whole.only(1)
    before = copy.deepcopy(whole.state_dict())
    for values in single.parameters():
        values.data.zero_()
    assert all(torch.equal(before[name], values) for name, values in whole.state_dict().items())


def test_layers_side_by_side_without_a_bias() -> None:
    torch.manual_seed(0)
    weight, x = torch.randn(3, 5, 4), torch.randn(6, 4)
    found = StackedLinear(weight, None)(x)
    each = [x[2 * k : 2 * k + 2] @ weight[k].T for k in range(3)]
    assert torch.allclose(found, torch.cat(each), atol=1e-6)


def test_an_encoder_that_normalises_in_another_way_is_trained_one_by_one() -> None:
    model = encoder()
    assert stackable(model)
    model.embeddings.LayerNorm = nn.LayerNorm(16, elementwise_affine=False)
    assert not stackable(model)
