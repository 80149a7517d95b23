"""Multimodal memory mixing: what was said and what was chosen gate each other.

    V̂ = f₁(V) ⊙ σ(g₂(g₁(S)))        Ŝ = g₁(S) ⊙ σ(f₂(f₁(V)))

with V the memory of the event selector, S that of the sentence generator, and f, g single linear layers shared by all
layers of the transformers. `gelu` puts GELU after each of the four layers and has no sigmoid; `separate` leaves both
memories alone, as MART does. `reset` keeps none: every step begins as the first one does.
"""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.model.config import Mixing

Memory = tuple[Tensor, ...]
"""One (B, cells, d) tensor per layer."""


class MemoryMixing(nn.Module):
    """Mixes the memories of both modules, layer by layer."""

    def __init__(self, width: int, kind: Mixing) -> None:
        super().__init__()
        self.kind = kind
        if kind in ("paper", "gelu"):
            self.f1 = nn.Linear(width, width)
            self.f2 = nn.Linear(width, width)
            self.g1 = nn.Linear(width, width)
            self.g2 = nn.Linear(width, width)

    def forward(self, events: Sequence[Tensor], words: Sequence[Tensor]) -> tuple[Memory | None, Memory | None]:
        """The memories of selector and generator for the next step; None where it begins anew."""
        if self.kind in ("separate", "reset"):
            return (tuple(events), tuple(words)) if self.kind == "separate" else (None, None)
        pairs = [self._mix(v, s) for v, s in zip(events, words, strict=True)]
        return tuple(v for v, _ in pairs), tuple(s for _, s in pairs)

    def _mix(self, v: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
        v, s = self.f1(v), self.g1(s)
        if self.kind == "gelu":
            v, s = F.gelu(v), F.gelu(s)
            return v * F.gelu(self.g2(s)), s * F.gelu(self.f2(v))
        return v * self.g2(s).sigmoid(), s * self.f2(v).sigmoid()
