"""Relative encodings of events besides the usual one: ECHR's and the released program's. Loaded only when asked for."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.errors import BadValueError
from cookscribe.model.config import ModelConfig
from cookscribe.model.embedding import SHORTEST_SHARE, Perceptron, relative_geometry

# Below this a pair of events does not see each other; it keeps the logarithm finite.
SMALLEST_GATE = 1e-6


class FixedRelative(nn.Module):
    """Relative encoding as released.

    How an event lies to STOP, an empty event at 0, and to all N events: 3 (N + 1) numbers as one vector. Tied to at
    most `max_events` candidates.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.max_events = config.max_events
        self.event = Perceptron(3 * (config.max_events + 1), config.width, config.dropout)

    def forward(self, events: Tensor, times: Tensor, mask: Tensor) -> Tensor:
        """(B, N, 2) shares and (B, N) mask give (B, N, d)."""
        missing = self.max_events - events.shape[1]
        if missing < 0:
            raise BadValueError(
                "relative = fixed",
                f"{events.shape[1]} candidates, but the weights are tied to {self.max_events}",
                "keep fewer with most_candidates, or train with relative = pairwise",
            )
        geometry = relative_geometry(F.pad(times, (0, 0, 1, 0)))[:, 1:]
        geometry = geometry.masked_fill(~F.pad(mask, (1, 0), value=True)[:, None, :, None], 0.0)
        encoded: Tensor = self.event(F.pad(geometry, (0, 0, 0, missing)).flatten(2))
        return encoded


class EventRelation(nn.Module):
    """ECHR's relation between events (Wang et al. 2021): what an event sees in the others, weighed by where they lie.

        w_ij = softmax over j of <Q e_i, K e_j> / √d + log ReLU(u · waves(log |c_i - c_j| / l_i, log l_j / l_i))
        r_i  = Σ_j w_ij V e_j

    with c the centres and l the lengths. Works for any N.
    """

    waves = 16  # sines and cosines of each of the two numbers

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.gate = nn.Linear(2 * self.waves, 1)

    def forward(self, events: Tensor, times: Tensor, mask: Tensor) -> Tensor:
        """(B, N, d) events, (B, N, 2) shares and (B, N) mask give (B, N, d)."""
        scores = self.query(events) @ self.key(events).transpose(1, 2) / math.sqrt(events.shape[-1])
        gates = F.relu(self.gate(self.embedded(times).to(events.dtype))).squeeze(-1)
        scores = scores + gates.clamp(min=SMALLEST_GATE).log()
        weights = scores.masked_fill(~mask[:, None, :], torch.finfo(scores.dtype).min).softmax(dim=-1)
        related: Tensor = weights @ self.value(events)
        return related

    def embedded(self, times: Tensor) -> Tensor:
        """(B, N, 2) shares to (B, N, N, 2 x waves)."""
        centre = times.mean(dim=-1)
        length = (times[..., 1] - times[..., 0]).clamp(min=SHORTEST_SHARE)
        distance = (centre.unsqueeze(2) - centre.unsqueeze(1)).abs().clamp(min=SHORTEST_SHARE)
        pairs = torch.stack(
            ((distance / length.unsqueeze(2)).log(), (length.unsqueeze(1) / length.unsqueeze(2)).log()), dim=-1
        )
        half = self.waves // 2
        rates = 1000.0 ** (-torch.arange(half, device=times.device, dtype=times.dtype) / half)
        angles = (100.0 * pairs).unsqueeze(-1) * rates
        return torch.cat((angles.sin(), angles.cos()), dim=-1).flatten(3)


def other_relative(config: ModelConfig) -> nn.Module:
    """The encoding that the configuration names."""
    return FixedRelative(config) if config.relative == "fixed" else EventRelation(config.width)
