"""Multi-head attention without a matrix of its own: projections, heads apart, heads together."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Heads(nn.Module):
    """Query, key and value projections of one attention; no output projection, no residual.

    Attention weights come from `scaled_dot_product_attention`, so they are not materialised where a fused kernel
    exists.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        # Queries, keys and values stand one below the other: rows that need all three get them from one product.
        self.projection = nn.Linear(width, 3 * width)
        self.held: tuple[Tensor, ...] | None = None  # what `cut` gives, in a training pass

    def cut(self) -> tuple[Tensor, ...]:
        """The matrices of queries, of keys, of values, and of keys and values together."""
        return *self.projection.weight.chunk(3), self.projection.weight[self.projection.in_features :]

    def split(self, x: Tensor) -> Tensor:
        """(B, L, d) to (B, heads, L, d / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of the same rows: each (B, heads, L, d / heads), from one matrix product."""
        query, key, value = self.projection(x).chunk(3, dim=-1)
        return self.split(query), self.split(key), self.split(value)

    def keys_values(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of rows that are only looked at: each (B, heads, L, d / heads)."""
        *_, of_both = self.held or self.cut()
        key, value = F.linear(x, of_both, self.projection.bias[x.shape[-1] :]).chunk(2, dim=-1)
        return self.split(key), self.split(value)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Attention of split heads: (B, heads, Lq, d / heads) and a mask that is True where a key may be seen.

        Returns:
            (B, Lq, d), the heads side by side again.
        """
        dropout = self.dropout if self.training else 0.0
        if dropout and query.device.type == "cpu":
            # There is no fused kernel with dropout here, and drawing its numbers one by one takes longer than products.
            scores = (query / math.sqrt(query.shape[-1])) @ key.transpose(2, 3)
            if mask is not None:
                scores += additive_mask(mask, scores)
            out = byte_dropout(scores.softmax(dim=-1), round(dropout * 256)).to(value.dtype) @ value
        else:
            out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        return out.transpose(1, 2).flatten(2)

    def few_to_many(self, few: Tensor, many: Tensor, mask: Tensor | None) -> Tensor:
        """The same attention for a few query rows, (B, C, d), over many rows, (B, L, d), at a fraction of the work.

        Projecting every looked-at row costs 2 L d² products. The key matrix can be moved to the query side, (W_k x)·q
        = x·(W_kᵀ q), and the value matrix behind the weighted sum, Σ p (W_v x) = W_v Σ p x; both then touch the few
        rows only. The key's bias is the same for all rows and leaves the softmax unchanged.

        Args:
            few, many: rows; mask: (B, L) True where a row counts, or None.

        Returns:
            (B, C, d).
        """
        width = few.shape[-1]
        size = width // self.heads
        of_query, of_key, of_value, _ = self.held or self.cut()
        query = self.split(F.linear(few, of_query, self.projection.bias[:width]))
        moved = torch.einsum("bhce,hed->bhcd", query, of_key.view(self.heads, size, -1))
        scores = moved.flatten(1, 2) @ many.transpose(1, 2) / math.sqrt(size)
        if mask is not None:
            scores += additive_mask(mask[:, None, :], scores)
        weights = scores.softmax(dim=-1)
        if self.training and self.dropout:
            weights = byte_dropout(weights, round(self.dropout * 256))
        cells = few.shape[1]
        seen = (weights @ many).view(len(few), self.heads, cells, -1)
        out = torch.einsum("bhcd,hed->bhce", seen, of_value.view(self.heads, size, -1))
        total = weights.sum(dim=-1).view(len(few), self.heads, cells)
        out = out + total.unsqueeze(-1) * self.projection.bias[2 * width :].view(self.heads, 1, size)
        return out.transpose(1, 2).flatten(2)


def sinusoid(length: int, width: int, *, device: torch.device | None = None) -> Tensor:
    """Sinusoidal position encoding, (length, width): sine in the even columns, cosine in the odd ones."""
    position = torch.arange(length, device=device, dtype=torch.float32).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2, device=device, dtype=torch.float32) * (-math.log(10000.0) / width))
    return torch.stack((torch.sin(position * rate), torch.cos(position * rate)), dim=-1).flatten(1)


def additive_mask(mask: Tensor, scores: Tensor, lowest: float = float("-inf")) -> Tensor:
    """0 where `mask` is True, else `lowest`: added to `scores` it hides them for less than filling a copy."""
    return scores.new_zeros(mask.shape).masked_fill_(~mask, lowest)


def byte_dropout(x: Tensor, limit: int) -> Tensor:
    """Zeroes a share of limit / 256 of the values and scales up the rest.

    On one core the usual dropout takes longer than the layer before it, because it draws its numbers one by one.
    Drawing 64-bit integers and reading them as bytes is fifteen times faster. The share is rounded to 1/256 and the
    scale follows it, so that the mean stays exactly right.
    """
    words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device)
    bytes_ = words.random_(-(2**63), None).view(torch.uint8)[: x.numel()].view(x.shape)
    return x * torch.ge(bytes_, limit, out=x.new_empty(x.shape)).mul_(256 / (256 - limit))


class Dropout(nn.Module):
    """Dropout in training, like `nn.Dropout`; see `byte_dropout`."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.limit = round(share * 256)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        return byte_dropout(x, self.limit) if self.training and self.limit else x

    def extra_repr(self) -> str:
        """Shown when the model is printed."""
        return f"share={self.limit / 256:.4f}"
