"""Spans as (centre, length) in units of the video, the language of the queries, and their overlap."""

import torch
from torch import Tensor

from cookscribe.model.overlap import overlap_and_union

EPSILON = 1e-5


def to_borders(boxes: Tensor) -> Tensor:
    """(..., 2) centre and length to (..., 2) start and end."""
    centre, half = boxes[..., 0], boxes[..., 1] * 0.5
    return torch.stack([centre - half, centre + half], dim=-1)


def to_boxes(borders: Tensor) -> Tensor:
    """(..., 2) start and end to (..., 2) centre and length."""
    return torch.stack([borders.mean(dim=-1), borders[..., 1] - borders[..., 0]], dim=-1)


def generalized_iou(left: Tensor, right: Tensor) -> Tensor:
    """Generalised IoU of spans given by borders, in [-1, 1]; broadcasts over the leading axes.

    Overlap over union, minus the share of the common hull that neither covers; two equal empty spans give 0.
    """
    overlap, union = overlap_and_union(left, right)
    hull = torch.maximum(left[..., 1], right[..., 1]) - torch.minimum(left[..., 0], right[..., 0])
    tiny = torch.finfo(overlap.dtype).tiny
    return overlap / union.clamp(min=tiny) - (hull - union) / hull.clamp(min=tiny)


def inverse_sigmoid(values: Tensor) -> Tensor:
    """Logit of values in [0, 1], kept finite at the ends."""
    values = values.clamp(EPSILON, 1 - EPSILON)
    return torch.log(values / (1 - values))
