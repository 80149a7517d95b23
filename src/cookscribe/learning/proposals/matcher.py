"""Which query answers for which true event: the cheapest one-to-one assignment (Carion et al., "DETR", 2020)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from cookscribe.errors import MissingDependencyError
from cookscribe.proposals.pdvc.boxes import generalized_iou, to_borders

try:
    from scipy.optimize import linear_sum_assignment
except ImportError:
    raise MissingDependencyError(
        "scipy", "training proposals matches events with it, and it is not installed", "pip install 'cookscribe[train]'"
    ) from None


class Pairs(NamedTuple):
    """Matched triples of a batch, K in all: (K,) video, query and event numbers."""

    videos: Tensor
    queries: Tensor
    events: Tensor


# As published: the focal loss, and the weights of class and overlap in loss and matching cost alike.
FOCAL_ALPHA, FOCAL_GAMMA = 0.25, 2.0
CLASS_WEIGHT, OVERLAP_WEIGHT = 2.0, 4.0


def class_cost(logits: Tensor) -> Tensor:
    """What calling a query an event would change in the focal loss, per query."""
    chance = logits.sigmoid()
    positive = FOCAL_ALPHA * (1 - chance) ** FOCAL_GAMMA * -torch.nn.functional.logsigmoid(logits)
    negative = (1 - FOCAL_ALPHA) * chance**FOCAL_GAMMA * -torch.nn.functional.logsigmoid(-logits)
    return positive - negative


@torch.no_grad()
def match(logits: Tensor, boxes: Tensor, truth: Sequence[Tensor]) -> Pairs:
    """Match every true event to a query of its own; with more events than queries the costliest stay unmatched.

    Args:
        logits: (B, N) class logits.
        boxes: (B, N, 2) centres and lengths.
        truth: B tensors (T, 2) of true centres and lengths; T may be 0.
    """
    costs = class_cost(logits).float()
    borders = to_borders(boxes.float())
    videos, queries, events = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for video, spans in enumerate(truth):
        if not len(spans):
            continue
        overlap = generalized_iou(borders[video, :, None], to_borders(spans)[None])
        cost = CLASS_WEIGHT * costs[video, :, None] - OVERLAP_WEIGHT * overlap
        chosen, events_of = linear_sum_assignment(cost.cpu().numpy())
        videos.append(np.full(len(chosen), video))
        queries.append(chosen)
        events.append(events_of)
    device = logits.device
    return Pairs(*(torch.from_numpy(np.concatenate(part)).to(device) for part in (videos, queries, events)))
