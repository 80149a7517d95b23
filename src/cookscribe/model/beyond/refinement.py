"""Border refinement: a chosen event may start and end a little elsewhere than its candidate does.

Each candidate says by itself where it should start and end. Candidates in the same place mostly mean the same step, so
`voted_times` lets them agree.
"""

import torch
from torch import Tensor, nn

from cookscribe.model.overlap import tiou_of_all

# How far a border may move, in lengths of its candidate.
REACH = 0.6
# The shortest refined event, as a share of its candidate's length.
SHORTEST = 0.1
# How fast the vote of another candidate loses weight with distance: its tIoU to this power.
VOTE_POWER = 3


def refined_times(times: Tensor, offsets: Tensor, reach: float = REACH) -> Tensor:
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


def voted_times(times: Tensor, quality: Tensor, mask: Tensor) -> Tensor:
    """Borders as all candidates in the same place see them on average, by the quality and the nearness of each.

    Args:
        times: (B, N, 2) refined borders; quality: (B, N) between 0 and 1; mask: (B, N) True for real candidates.

    Returns:
        (B, N, 2); a candidate that nothing else overlaps keeps its borders, and so does an empty one.
    """
    near = tiou_of_all(times) ** VOTE_POWER
    weight = near * (quality * mask).unsqueeze(1)
    total = weight.sum(dim=2, keepdim=True)
    return torch.where(total > 0, weight @ times / total.clamp(min=torch.finfo(total.dtype).tiny), times)


class BorderRefinement(nn.Module):
    """One linear layer from the vector of a candidate to the offsets of its two borders.

    It starts at zero: an untrained model leaves every border where it is.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.offsets = nn.Linear(width, 2)
        nn.init.zeros_(self.offsets.weight)
        nn.init.zeros_(self.offsets.bias)

    def forward(self, hidden: Tensor, times: Tensor) -> Tensor:
        """(B, N, d) vectors and (B, N, 2) shares of the video give (B, N, 2) refined shares."""
        return refined_times(times, self.offsets(hidden))
