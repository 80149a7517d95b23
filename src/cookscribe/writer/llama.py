"""A Llama-style language model in plain PyTorch, frozen, with low-rank adapters as its only parameters.

Llama: Touvron et al. 2023. Grouped-query attention: Ainslie et al. 2023. Rotary positions: Su et al. 2021.
LoRA: Hu et al. 2021. The weights are laid out as in the published safetensors files; queries, keys and values are
one product here, and so are the gate and the first layer of the feed-forward part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import cast

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from cookscribe.config import Config

CHUNK = 256  # queries whose scores are held at once


class LlamaConfig(Config):
    """Sizes of the network; the defaults are those of SmolLM2-135M.

    Attributes:
        layers, width, heads, feed_forward: as usual; key_value_heads: each serves heads / key_value_heads queries.
        vocabulary: tokens. theta: base of the rotary wavelengths. epsilon: of the normalisation.
        tied: the output layer is the table of token vectors.
    """

    layers: int = Field(default=30, ge=1, le=200)
    width: int = Field(default=576, ge=2, le=20_000)
    heads: int = Field(default=9, ge=1, le=200)
    key_value_heads: int = Field(default=3, ge=1, le=200)
    feed_forward: int = Field(default=1536, ge=1, le=100_000)
    vocabulary: int = Field(default=49_152, ge=1, le=1_000_000)
    theta: float = Field(default=100_000.0, gt=0)
    epsilon: float = Field(default=1e-5, gt=0)
    tied: bool = True

    @property
    def head_width(self) -> int:
        """Numbers per head."""
        return self.width // self.heads


class AdapterConfig(Config):
    """Low-rank adapters on every linear layer.

    Attributes:
        rank: of the change to each weight matrix. scale: the change is multiplied by this.
    """

    rank: int = Field(default=16, ge=1, le=1024)
    scale: float = Field(default=2.0, gt=0)


class AdaptedLinear(nn.Module):
    """y = W x + scale · U D x, with W frozen. W is a buffer that no state dict holds: it belongs to the base model."""

    weight: Tensor

    def __init__(self, inputs: int, outputs: int, adapter: AdapterConfig, dtype: torch.dtype) -> None:
        super().__init__()
        self.register_buffer("weight", torch.empty(outputs, inputs, dtype=dtype), persistent=False)
        self.down = nn.Parameter(torch.empty(adapter.rank, inputs))
        self.up = nn.Parameter(torch.empty(outputs, adapter.rank))
        nn.init.normal_(self.down, std=1.0 / math.sqrt(inputs))
        nn.init.zeros_(self.up)
        self.scale = adapter.scale
        self.merged = False
        self.packed: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """(..., inputs) -> (..., outputs)."""
        if self.packed is not None:
            return _product(x, self.packed)
        y = functional.linear(x, self.weight)
        if self.merged:
            return y
        low = functional.linear(x, self.down.to(x.dtype))
        return y + functional.linear(low, (self.up * self.scale).to(x.dtype))

    @torch.no_grad()
    def merge(self) -> None:
        """Add the adapter to the weight, for good: one product instead of three."""
        self.weight += (self.up @ self.down) * self.scale
        del self.up, self.down
        self.merged = True

    @torch.no_grad()
    def pack(self) -> None:
        """Lay the merged weight out as oneDNN reads it, for good: it would do so anew for every product."""
        assert self.merged
        self.packed = _packed(self.weight)
        del self.weight


class RMSNorm(nn.Module):
    """x / root mean square of x, times a frozen gain; computed in float32."""

    weight: Tensor

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.register_buffer("weight", torch.ones(width), persistent=False)
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return functional.rms_norm(x.float(), (x.shape[-1],), self.weight.float(), self.epsilon).to(x.dtype)


def rotary_angles(positions: Tensor, width: int, theta: float, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosines and sines, (..., width) of this type each, for token positions (...); halves of a head turn together."""
    frequencies = theta ** (-torch.arange(0, width, 2, device=positions.device, dtype=torch.float32) / width)
    angles = positions.unsqueeze(-1).float() * frequencies
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn each pair (i, i + width / 2) of the last axis by its angle."""
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return x * cosines + turned * sines


@dataclass
class Cache:
    """Keys and values of what was read: per layer (B, key_value_heads, L, head_width), and which of the L count.

    Rows of a batch have different lengths. What is shorter is padded on its right, and the padding stays as a hole that
    no later token looks at.
    """

    keys: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    valid: Tensor | None = None

    @property
    def lengths(self) -> Tensor | int:
        """(B,) tokens read so far; 0 before the first."""
        return 0 if self.valid is None else self.valid.sum(dim=1)

    def add(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Append to a layer and give all of it."""
        if layer == len(self.keys):
            self.keys.append(keys)
            self.values.append(values)
        else:
            self.keys[layer] = torch.cat((self.keys[layer], keys), dim=2)
            self.values[layer] = torch.cat((self.values[layer], values), dim=2)
        return self.keys[layer], self.values[layer]

    def rows(self, index: Tensor) -> Cache:
        """The cache of some rows, in this order."""
        valid = None if self.valid is None else self.valid[index]
        return Cache([keys[index] for keys in self.keys], [values[index] for values in self.values], valid)


def plain_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """(B, heads, T, D) each: softmax(q kᵀ / √D) v, every token looking at itself and at those before it.

    A chunk of queries at a time: half of the scores are never computed, and plain products are a third faster than
    the fused kernel in bfloat16 on processors, backwards above all.

    Args:
        mask: (B, 1, T, T) which of these each token sees, if not all.
    """
    q = q / math.sqrt(q.shape[-1])
    found = []
    for start in range(0, q.shape[2], CHUNK):
        some = q[:, :, start : start + CHUNK]
        end = start + some.shape[2]
        future = torch.ones(some.shape[2], end, dtype=torch.bool, device=q.device).triu(start + 1)
        if mask is not None:
            future = future | ~mask[:, :, start:end, :end]
        scores = some @ k[:, :, :end].transpose(-1, -2)
        found.append(scores.masked_fill(future, -math.inf).softmax(dim=-1) @ v[:, :, :end])
    return torch.cat(found, dim=2)


class Attention(nn.Module):
    """Causal self-attention with grouped queries."""

    def __init__(self, config: LlamaConfig, adapter: AdapterConfig, dtype: torch.dtype) -> None:
        super().__init__()
        self.config = config
        self.key_value_width = config.key_value_heads * config.head_width
        self.qkv = AdaptedLinear(config.width, config.width + 2 * self.key_value_width, adapter, dtype)
        self.output = AdaptedLinear(config.width, config.width, adapter, dtype)

    def project(self, x: Tensor, angles: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T, width) -> queries (B, heads, T, D), keys and values (B, key_value_heads, T, D), turned."""
        sizes = (self.config.width, self.key_value_width, self.key_value_width)
        q, k, v = (
            part.unflatten(-1, (-1, self.config.head_width)).transpose(1, 2)
            for part in self.qkv(x).split(sizes, dim=-1)
        )
        cosines, sines = (angle.unsqueeze(1) for angle in angles)
        turned = rotate(torch.cat((q, k), dim=1), cosines, sines)
        return turned[:, : self.config.heads], turned[:, self.config.heads :], v

    def forward(
        self, x: Tensor, angles: tuple[Tensor, Tensor], cache: Cache | None, layer: int, mask: Tensor | None
    ) -> Tensor:
        """(B, T, width); `mask` (B, 1, T, L) says what each token sees of the cache and the chunk; None is causal."""
        q, k, v = self.project(x, angles)
        if cache is not None:
            k, v = cache.add(layer, k, v)
        groups = self.config.heads // self.config.key_value_heads
        k, v = (part.repeat_interleave(groups, dim=1) for part in (k, v))
        if cache is None:
            return self.joined(plain_attention(q, k, v, mask))
        return self.joined(functional.scaled_dot_product_attention(q, k, v, mask))

    def joined(self, mixed: Tensor) -> Tensor:
        """(B, heads, T, D) -> (B, T, width)."""
        result: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return result

    def branch(
        self, x: Tensor, angles: tuple[Tensor, Tensor], trunk: Cache, own: Cache, layer: int, hidden: Tensor
    ) -> Tensor:
        """One more token of K sentences for each of B films: (B · K, 1, width).

        All K look at the same keys and values of their film (`trunk`, B rows), which are never copied, and at those of
        their own sentence so far (`own`, B · K rows). `hidden`, (B, 1, K · G or 1, L) for G queries that share a key,
        says what they must not look at.
        """
        q, k, v = self.project(x, angles)
        k, v = own.add(layer, k, v)
        films, heads = trunk.keys[layer].shape[0], self.config.key_value_heads
        rows, width = x.shape[0], self.config.head_width
        # Queries of all branches of a film that share a key head stand beside each other.
        grouped = q.view(films, rows // films, heads, -1, width).transpose(1, 2)  # B, H, K, G, D
        beside = grouped.reshape(films, heads, -1, width)
        far = (beside @ trunk.keys[layer].transpose(-1, -2)).float() / math.sqrt(width)  # B, H, K · G, L
        far = far.masked_fill(hidden, -math.inf)
        single = q.view(rows, heads, -1, width)  # B · K, H, G, D
        near = (single @ k.transpose(-1, -2)).float() / math.sqrt(width)  # B · K, H, G, l
        near = near.view(films, -1, heads, *near.shape[-2:]).transpose(1, 2).flatten(2, 3)  # B, H, K · G, l
        weights = torch.cat((far, near), dim=-1).softmax(dim=-1).to(x.dtype)
        length = far.shape[-1]
        mixed = weights[..., :length] @ trunk.values[layer]
        mixed = mixed.view(films, heads, rows // films, -1, width).transpose(1, 2).reshape(rows, heads, -1, width)
        back = weights[..., length:].view(films, heads, rows // films, -1, near.shape[-1])
        mixed = mixed + back.transpose(1, 2).reshape(rows, heads, -1, near.shape[-1]) @ v
        return self.joined(mixed.reshape(rows, self.config.heads, 1, width))


class Block(nn.Module):
    """Attention and gated feed-forward, each around a residual."""

    def __init__(self, config: LlamaConfig, adapter: AdapterConfig, dtype: torch.dtype) -> None:
        super().__init__()
        self.attention_norm = RMSNorm(config.width, config.epsilon)
        self.attention = Attention(config, adapter, dtype)
        self.feed_forward_norm = RMSNorm(config.width, config.epsilon)
        self.gate_up = AdaptedLinear(config.width, 2 * config.feed_forward, adapter, dtype)
        self.down = AdaptedLinear(config.feed_forward, config.width, adapter, dtype)

    def feed_forward(self, x: Tensor) -> Tensor:
        """SwiGLU: W2 (silu(Wg x) * Wu x)."""
        gate, up = self.gate_up(self.feed_forward_norm(x)).chunk(2, dim=-1)
        result: Tensor = self.down(functional.silu(gate) * up)
        return result


class Llama(nn.Module):
    """Tokens in, hidden states and logits out. Its parameters are the adapters; the base weights are buffers."""

    embedding: Tensor
    head: Tensor

    def __init__(
        self, config: LlamaConfig, adapter: AdapterConfig | None = None, dtype: torch.dtype = torch.float32
    ) -> None:
        """Put together; `dtype` is that of the frozen weights and of all products, adapters are float32."""
        super().__init__()
        self.config = config
        adapter = adapter or AdapterConfig()
        words = config.vocabulary, config.width
        self.register_buffer("embedding", torch.empty(words, dtype=dtype), persistent=False)
        self.blocks = nn.ModuleList(Block(config, adapter, dtype) for _ in range(config.layers))
        self.norm = RMSNorm(config.width, config.epsilon)
        if not config.tied:
            self.register_buffer("head", torch.empty(words, dtype=dtype), persistent=False)

    @property
    def layers(self) -> list[Block]:
        """The blocks in their order."""
        return cast(list[Block], list(self.blocks))

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.embedding.device

    def logits(self, hidden: Tensor) -> Tensor:
        """(..., width) -> (..., vocabulary) float32."""
        table = self.embedding if self.config.tied else self.head
        return functional.linear(hidden, table).float()

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T) tokens, padded on the right -> (B, T, width) hidden states; each token sees those before it."""
        positions = torch.arange(tokens.shape[1], device=tokens.device).unsqueeze(0)
        return self.run(tokens, positions, None, None)

    def read(self, tokens: Tensor, mask: Tensor, cache: Cache) -> Tensor:
        """Read on: (B, T) more tokens behind what the cache holds -> (B, T, width); the cache grows by T.

        Args:
            mask: (B, T) True for tokens, False for the padding on the right of shorter rows.
        """
        rows, count = tokens.shape
        read = cache.lengths
        start = read.unsqueeze(1) if isinstance(read, Tensor) else read
        positions = start + torch.arange(count, device=tokens.device).expand(rows, -1)
        seen = mask if cache.valid is None else torch.cat((cache.valid, mask), dim=1)
        before = seen.shape[1] - count
        causal = torch.ones(count, seen.shape[1], dtype=torch.bool, device=tokens.device).tril(before)
        hidden = self.run(tokens, positions, cache, (causal & seen.unsqueeze(1)).unsqueeze(1))
        cache.valid = seen
        return hidden

    def branch(self, tokens: Tensor, trunk: Cache, own: Cache, seen: Tensor | None = None) -> Tensor:
        """One more token, (B · K,), of each of K sentences per film -> (B · K, width); `own` grows by one.

        Args:
            seen: (B · K, L) what of its film each sentence sees, if not all.
        """
        assert trunk.valid is not None
        films, groups = len(trunk.valid), self.config.heads // self.config.key_value_heads
        if seen is None:
            lengths = trunk.valid.sum(dim=1).repeat_interleave(len(tokens) // films)
            hidden = ~trunk.valid[:, None, None]
        else:
            lengths = seen.sum(dim=1)
            hidden = ~seen.repeat_interleave(groups, dim=0).view(films, 1, -1, seen.shape[1])
        written = own.keys[0].shape[2] if own.keys else 0
        angles = rotary_angles(
            (lengths + written).unsqueeze(1), self.config.head_width, self.config.theta, self.embedding.dtype
        )
        x = self._embedded(tokens.unsqueeze(1))
        for number, block in enumerate(self.layers):
            x = x + block.attention.branch(block.attention_norm(x), angles, trunk, own, number, hidden)
            x = x + block.feed_forward(x)
        result: Tensor = self.norm(x)[:, 0]
        return result

    def _embedded(self, tokens: Tensor) -> Tensor:
        return functional.embedding(tokens, self.embedding)

    def run(self, tokens: Tensor, positions: Tensor, cache: Cache | None, mask: Tensor | None) -> Tensor:
        """(B, T) tokens at these positions -> (B, T, width); `mask` (B, 1, T, L) as in `Attention`."""
        angles = rotary_angles(positions, self.config.head_width, self.config.theta, self.embedding.dtype)
        x = self._embedded(tokens)
        for number, block in enumerate(self.layers):
            x = x + block.attention(block.attention_norm(x), angles, cache, number, mask)
            x = x + block.feed_forward(x)
        result: Tensor = self.norm(x)
        return result

    def merge(self) -> Llama:
        """Add the adapters to the weights, for writing."""
        for module in self.modules():
            if isinstance(module, AdaptedLinear):
                module.merge()
        return self

    def pack(self) -> Llama:
        """Make products of merged bfloat16 weights faster, where the processor and this PyTorch can."""
        if self.device.type == "cpu" and self.embedding.dtype == torch.bfloat16 and _can_pack():
            for module in self.modules():
                if isinstance(module, AdaptedLinear):
                    module.pack()
        return self


def _packed(weight: Tensor) -> Tensor:
    """A matrix as oneDNN reads it."""
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, None)
    return packed


def _product(x: Tensor, packed: Tensor) -> Tensor:
    """`functional.linear` with a packed matrix."""
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, packed, None, "none", [], "")
    return y


def _can_pack() -> bool:
    """Tried out, because these operations are no part of PyTorch's public interface."""
    x = torch.eye(16, dtype=torch.bfloat16)
    try:
        supported = torch._C._has_mkldnn and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        return bool(supported) and torch.equal(_product(x, _packed(2 * x)), 2 * x)
    except (AttributeError, RuntimeError, TypeError):
        return False
