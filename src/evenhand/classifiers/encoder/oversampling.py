"""SMOTE (Chawla et al. 2002) where the encoder is learnt too: more vectors of the rare classes, within each batch.

Every text gets a companion on the line to its nearest neighbour of the same class in the batch. Companions of rare
classes weigh so much that the classes of a batch come to a share of the largest; those of the largest weigh nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor


def companions(vectors: Tensor, truth: Tensor, weight: Tensor, share: float) -> tuple[Tensor, Tensor]:
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
