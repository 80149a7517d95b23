"""Border refinement: a chosen event may start and end a little elsewhere than its candidate does."""

from __future__ import annotations

import torch
from torch import Tensor, nn

# The shortest refined event, as a share of its candidate's length.
SHORTEST = 0.1


def refined_times(times: Tensor, offsets: Tensor, reach: float) -> Tensor:
    """Move the borders of candidates.

    Args:
        times: (..., 2) start and end as shares of the video.
        offsets: (..., 2) any numbers; 0 leaves a border where it is.
        reach: the farthest a border moves, as a share of the candidate's length.

    Returns:
        (..., 2) inside [0, 1] (and inside the candidate's own borders where these lie outside), end never before start.
    """
    start, end = times.unbind(dim=-1)
    length = end - start
    move = reach * torch.tanh(offsets) * length.unsqueeze(-1)
    new_start, new_end = (times + move).unbind(dim=-1)
    # Both borders may move towards each other and cross; the middle of the two then keeps a sliver around it.
    missing = (SHORTEST * length - (new_end - new_start)).clamp(min=0) / 2
    moved = torch.stack((new_start - missing, new_end + missing), dim=-1)
    return moved.clamp(min=0.0, max=1.0)


def tiou_of_pairs(left: Tensor, right: Tensor) -> Tensor:
    """Temporal intersection over union of spans (..., 2) that stand side by side; shapes broadcast, gradients pass."""
    overlap = torch.minimum(left[..., 1], right[..., 1]) - torch.maximum(left[..., 0], right[..., 0])
    overlap = overlap.clamp(min=0)
    union = (left[..., 1] - left[..., 0]) + (right[..., 1] - right[..., 0]) - overlap
    return overlap / union.clamp(min=torch.finfo(union.dtype).eps)


class BorderRefinement(nn.Module):
    """One linear layer from the vector of a candidate to the offsets of its two borders.

    It starts at zero: an untrained model leaves every border where it is.
    """

    def __init__(self, width: int, reach: float) -> None:
        super().__init__()
        self.reach = reach
        self.offsets = nn.Linear(width, 2)
        nn.init.zeros_(self.offsets.weight)
        nn.init.zeros_(self.offsets.bias)

    def forward(self, hidden: Tensor, times: Tensor) -> Tensor:
        """(B, N, d) vectors and (B, N, 2) shares of the video give (B, N, 2) refined shares."""
        return refined_times(times, self.offsets(hidden), self.reach)
