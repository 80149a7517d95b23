"""What the proposal model reads of a batch of videos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the model reads of B videos.

    Attributes:
        frames: (B, L, D) float32 feature rows.
        mask: (B, L) True for real rows.
        durations: (B,) seconds.
    """

    frames: Tensor
    mask: Tensor
    durations: Tensor

    @classmethod
    def of(cls, rows: NDArray[np.floating], durations: Sequence[float], device: torch.device) -> Inputs:
        """Rows (B, L, D) of equally long videos, all real."""
        frames = torch.from_numpy(np.asarray(rows)).to(device, torch.float32)
        lengths = torch.tensor(durations, dtype=torch.float32, device=device)
        return cls(frames, torch.ones(frames.shape[:2], dtype=torch.bool, device=device), lengths)
