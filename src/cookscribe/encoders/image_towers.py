"""`clip` and `siglip`: image towers from safetensors in the layout of the hub, in plain PyTorch.

Radford et al. (2021), Learning transferable visual models from natural language supervision; Zhai et al. (2023),
Sigmoid loss for language image pre-training. The folder holds `model.safetensors` and `config.json`.
"""

from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from cookscribe.config import Config
from cookscribe.encoders.base import StillEncoder
from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.weights import locate
from cookscribe.errors import BadFileError
from cookscribe.files import MOST_DESCRIPTION, read_json

RATE = 1.0
WEIGHTS, DESCRIPTION = "model.safetensors", "config.json"
# Colours as each was trained: mean and deviation.
COLOURS = {
    "clip": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    "siglip": ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
}


class TowerConfig(Config):
    """Sizes of an image tower, in the hub's words; what a description leaves out is that of the base model."""

    kind: Literal["clip", "siglip"]
    hidden_size: int = Field(default=768, gt=0, le=4096)
    intermediate_size: int = Field(default=3072, gt=0, le=16384)
    num_hidden_layers: int = Field(default=12, ge=0, le=64)
    num_attention_heads: int = Field(default=12, gt=0, le=64)
    image_size: int = Field(default=224, gt=0, le=1024)
    patch_size: int = Field(default=32, gt=0, le=64)
    projection_dim: int = Field(default=512, gt=0, le=4096)

    @property
    def epsilon(self) -> float:
        """Of the layer norms."""
        return 1e-5 if self.kind == "clip" else 1e-6

    @property
    def width(self) -> int:
        """Numbers of a row."""
        return self.projection_dim if self.kind == "clip" else self.hidden_size


class Tower:
    """(B, 3, S, S) scaled colours -> (B, width), from parameters as they are called in the published files."""

    def __init__(self, config: TowerConfig, parameters: dict[str, Tensor]) -> None:
        self.config, self.parameters = config, parameters

    def __call__(self, pixels: Tensor) -> Tensor:
        """The rows of the pictures."""
        clip, held = self.config.kind == "clip", self.parameters
        patches, bias = "vision_model.embeddings.patch_embedding.", None if clip else "bias"
        x = F.conv2d(
            pixels, held[patches + "weight"], held[patches + bias] if bias else None, stride=self.config.patch_size
        )
        x = x.flatten(2).transpose(1, 2)
        if clip:
            x = torch.cat((held["vision_model.embeddings.class_embedding"].expand(len(x), 1, -1), x), dim=1)
        x = x + held["vision_model.embeddings.position_embedding.weight"]
        if clip:
            x = self._norm("vision_model.pre_layrnorm", x)  # the published name
        for number in range(self.config.num_hidden_layers):
            layer = f"vision_model.encoder.layers.{number}."
            y = self._norm(layer + "layer_norm1", x)
            q, k, v = (self._linear(f"{layer}self_attn.{part}_proj", y) for part in "qkv")
            x = x + self._linear(layer + "self_attn.out_proj", self._attended(q, k, v))
            x = x + self._feed_forward(layer + "mlp.", self._norm(layer + "layer_norm2", x))
        if clip:
            first = self._norm("vision_model.post_layernorm", x[:, 0])
            return F.linear(first, held["visual_projection.weight"])
        x = self._norm("vision_model.post_layernorm", x)
        # One learned question looks at all patches.
        asked = held["vision_model.head.probe"].expand(len(x), -1, -1)
        weights = held["vision_model.head.attention.in_proj_weight"].chunk(3)
        shifts = held["vision_model.head.attention.in_proj_bias"].chunk(3)
        q, k, v = (F.linear(y, weight, shift) for y, weight, shift in zip((asked, x, x), weights, shifts, strict=True))
        x = self._linear("vision_model.head.attention.out_proj", self._attended(q, k, v))
        return (x + self._feed_forward("vision_model.head.mlp.", self._norm("vision_model.head.layernorm", x)))[:, 0]

    def _attended(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        heads = self.config.num_attention_heads
        q, k, v = (y.reshape(*y.shape[:2], heads, -1).transpose(1, 2) for y in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)

    def _feed_forward(self, name: str, x: Tensor) -> Tensor:
        x = self._linear(name + "fc1", x)
        x = x * torch.sigmoid(1.702 * x) if self.config.kind == "clip" else F.gelu(x, approximate="tanh")
        return self._linear(name + "fc2", x)

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.parameters[name + ".weight"], self.parameters[name + ".bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.parameters[name + ".weight"], self.parameters[name + ".bias"]
        return F.layer_norm(x, (self.config.hidden_size,), weight, bias, self.config.epsilon)


class TowerEncoder(StillEncoder):
    """An image tower at work; its name is `clip` or `siglip`."""

    def __init__(self, name: str, weights: Path | None = None, rate: float = RATE, device: str = "cpu") -> None:
        found = locate(name, weights)
        config = _config(name, found.file(DESCRIPTION))
        self.name, self.width, self.rate, self.side, self.device = name, config.width, rate, config.image_size, device
        wanted = ("vision_model.", "visual_projection.")
        parameters = read_parameters(found.file(WEIGHTS))
        held = {key: value.float().to(device) for key, value in parameters.items() if key.startswith(wanted)}
        self.tower = Tower(config, held)
        mean, deviation = COLOURS[name]
        self.mean = torch.tensor(mean, device=device).view(1, 3, 1, 1)
        self.deviation = torch.tensor(deviation, device=device).view(1, 3, 1, 1)
        try:
            rows = self.features(np.zeros((1, self.side, self.side, 3), np.uint8))
        except (KeyError, RuntimeError, ValueError) as error:
            cause = f"does not hold the image tower of its {DESCRIPTION}: {error}"
            raise BadFileError(found.file(WEIGHTS), cause) from None
        if rows.shape != (1, self.width):
            raise BadFileError(found.file(WEIGHTS), f"gives rows of {rows.shape[1]} numbers, not of {self.width}")

    def features(self, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, side, side, 3) RGB -> (B, width)."""
        with torch.inference_mode():
            pixels = torch.from_numpy(images).to(self.device).permute(0, 3, 1, 2) / 255
            return self.tower((pixels - self.mean) / self.deviation).cpu().numpy()


def _config(name: str, path: Path) -> TowerConfig:
    """The sizes that a description of the hub gives."""
    told = read_json(path, MOST_DESCRIPTION)
    if not isinstance(told, dict) or not isinstance(told.get("vision_config", {}), dict):
        raise BadFileError(path, "does not describe an image tower")
    vision = {**told, **told.get("vision_config", {})}
    sizes = {key: vision[key] for key in TowerConfig.model_fields if key != "kind" and key in vision}
    if "projection_dim" in told:  # that of the whole model counts
        sizes["projection_dim"] = told["projection_dim"]
    config = TowerConfig.parse({"kind": name, **sizes}, path)
    if config.hidden_size % config.num_attention_heads or config.image_size < config.patch_size:
        raise BadFileError(path, "names sizes that do not fit each other")
    return config
