"""Overlap of spans in time, for tensors; gradients pass."""

import torch
from torch import Tensor


def overlap_and_union(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Shared time and joint time of spans (..., 2) that stand side by side; shapes broadcast."""
    overlap = (torch.minimum(left[..., 1], right[..., 1]) - torch.maximum(left[..., 0], right[..., 0])).clamp(min=0)
    return overlap, (left[..., 1] - left[..., 0]) + (right[..., 1] - right[..., 0]) - overlap


def tiou_of_pairs(left: Tensor, right: Tensor) -> Tensor:
    """Temporal intersection over union of spans (..., 2) that stand side by side; shapes broadcast."""
    overlap, union = overlap_and_union(left, right)
    return overlap / union.clamp(min=torch.finfo(union.dtype).eps)


def tiou_of_all(times: Tensor) -> Tensor:
    """(B, N, 2) spans to the tIoU of every two of a video, (B, N, N)."""
    return tiou_of_pairs(times.unsqueeze(2), times.unsqueeze(1))
