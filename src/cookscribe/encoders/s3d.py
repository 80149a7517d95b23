"""S3D with gating, and its text tower, as trained by MIL-NCE (Xie et al., 2018; Miech et al., 2020), in plain PyTorch.

Parameter names are those of the published `s3d_howto100m.pth`, so that its state loads as it is. Shapes are
(B, C, T, H, W) throughout; T, H and W of the input are even.
"""

import re
from collections.abc import Sequence
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

WIDTH = 512
VOCABULARY, WORD_WIDTH, TEXT_HIDDEN, MAX_WORDS = 66_250, 300, 2048, 16

# Output channels of an inception block: the 1x1x1 branch, two 3x3x3 branches (reduced, full), the pooled branch.
INCEPTION: dict[str, tuple[int, int, int, int, int, int]] = {
    "mixed_3b": (64, 96, 128, 16, 32, 32),
    "mixed_3c": (128, 128, 192, 32, 96, 64),
    "mixed_4b": (192, 96, 208, 16, 48, 64),
    "mixed_4c": (160, 112, 224, 24, 64, 64),
    "mixed_4d": (128, 128, 256, 24, 64, 64),
    "mixed_4e": (112, 144, 288, 32, 64, 64),
    "mixed_4f": (256, 160, 320, 32, 128, 128),
    "mixed_5b": (256, 160, 320, 32, 128, 128),
    "mixed_5c": (384, 192, 384, 48, 128, 128),
}


class Unit(nn.Module):
    """Convolution, batch norm, ReLU; a separable one does so in space and then again in time."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: tuple[int, int, int] = (1, 1, 1),
        padding: tuple[int, int, int] = (0, 0, 0),
        separable: bool = False,
    ) -> None:
        super().__init__()
        space, space_padding = ((1, *kernel[1:]), (0, *padding[1:])) if separable else (kernel, padding)
        self.conv1 = nn.Conv3d(inputs, outputs, space, padding=space_padding, bias=False)
        self.bn1: nn.Module = nn.BatchNorm3d(outputs)
        self.conv2: nn.Conv3d | None = None
        if separable:
            self.conv2 = nn.Conv3d(outputs, outputs, (kernel[0], 1, 1), padding=(padding[0], 0, 0), bias=False)
            self.bn2: nn.Module = nn.BatchNorm3d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return x if self.conv2 is None else F.relu(self.bn2(self.conv2(x)), inplace=True)

    def fold(self) -> None:
        """Put the batch norms into the convolutions (inference only)."""
        if isinstance(self.bn1, nn.BatchNorm3d):
            self.conv1, self.bn1 = fuse_conv_bn_eval(self.conv1, self.bn1), nn.Identity()
        if self.conv2 is not None and isinstance(self.bn2, nn.BatchNorm3d):
            self.conv2, self.bn2 = fuse_conv_bn_eval(self.conv2, self.bn2), nn.Identity()


class Gate(nn.Module):
    """Channels weighted by a sigmoid of their own means over time and space."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc = nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        weights = torch.sigmoid(self.fc(x.mean(dim=(2, 3, 4))))
        return x * weights[:, :, None, None, None]


def pooled(x: Tensor, kernel: tuple[int, int, int], stride: tuple[int, int, int]) -> Tensor:
    """TensorFlow's SAME max pool as the released program has it: padded with zeros, the odd one at the end."""
    padding: list[int] = []
    for size, step in zip(reversed(kernel), reversed(stride), strict=True):
        total = max(size - step, 0)
        padding += [total // 2, total - total // 2]
    return F.max_pool3d(F.pad(x, padding), kernel, stride, ceil_mode=True)


class Inception(nn.Module):
    """Four gated branches side by side."""

    def __init__(self, inputs: int, sizes: tuple[int, int, int, int, int, int]) -> None:
        super().__init__()
        one, first_reduced, first, second_reduced, second, last = sizes
        self.conv_b0 = Unit(inputs, one)
        self.conv_b1_a = Unit(inputs, first_reduced)
        self.conv_b1_b = Unit(first_reduced, first, (3, 3, 3), (1, 1, 1), separable=True)
        self.conv_b2_a = Unit(inputs, second_reduced)
        self.conv_b2_b = Unit(second_reduced, second, (3, 3, 3), (1, 1, 1), separable=True)
        self.conv_b3_b = Unit(inputs, last)
        self.gating_b0, self.gating_b1 = Gate(one), Gate(first)
        self.gating_b2, self.gating_b3 = Gate(second), Gate(last)
        self.outputs = one + first + second + last

    def forward(self, x: Tensor) -> Tensor:
        branches = [
            self.gating_b0(self.conv_b0(x)),
            self.gating_b1(self.conv_b1_b(self.conv_b1_a(x))),
            self.gating_b2(self.conv_b2_b(self.conv_b2_a(x))),
            self.gating_b3(self.conv_b3_b(F.max_pool3d(x, 3, 1, 1))),
        ]
        return torch.cat(branches, dim=1)


class TextTower(nn.Module):
    """(B, 16) word numbers, 0 for no word -> (B, 512)."""

    def __init__(self) -> None:
        super().__init__()
        self.word_embd = nn.Embedding(VOCABULARY, WORD_WIDTH)
        self.fc1 = nn.Linear(WORD_WIDTH, TEXT_HIDDEN)
        self.fc2 = nn.Linear(TEXT_HIDDEN, WIDTH)

    def forward(self, words: Tensor) -> Tensor:
        hidden = F.relu(self.fc1(self.word_embd(words)))
        return self.fc2(hidden.amax(dim=1))  # type: ignore[no-any-return]


class S3D(nn.Module):
    """(B, 3, T, H, W) RGB in [0, 1] -> (B, 512). Compare with the text tower's vectors by dot product."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = Unit(24, 64, (2, 4, 4), (1, 2, 2))
        self.conv_2b = Unit(64, 64)
        self.conv_2c = Unit(64, 192, (3, 3, 3), (1, 1, 1), separable=True)
        self.gating = Gate(192)
        channels = 192
        for name, sizes in INCEPTION.items():
            block = Inception(channels, sizes)
            self.add_module(name, block)
            channels = block.outputs
        self.fc = nn.Linear(channels, WIDTH)
        self.text_module = TextTower()

    def forward(self, video: Tensor) -> Tensor:
        return self.fc(self.hidden(video))  # type: ignore[no-any-return]

    def hidden(self, video: Tensor) -> Tensor:
        """(B, 1024): the mean of the last block over time and space."""
        # Padding by half a kernel gives one slice too many on each side; the first is dropped.
        x: Tensor = self.conv1(space_to_depth(video))[:, :, 1:, 1:, 1:]
        x = pooled(x, (1, 3, 3), (1, 2, 2))
        x = self.gating(self.conv_2c(self.conv_2b(x)))
        x = pooled(x, (1, 3, 3), (1, 2, 2))
        for name in INCEPTION:
            if name == "mixed_4b":
                x = pooled(x, (3, 3, 3), (2, 2, 2))
            elif name == "mixed_5b":
                x = pooled(x, (2, 2, 2), (2, 2, 2))
            x = self.get_submodule(name)(x)
        return x.mean(dim=(2, 3, 4))

    def fold(self) -> Self:
        """Fold all batch norms: the same results, faster. The published state no longer fits a folded network."""
        for module in self.modules():
            if isinstance(module, Unit):
                module.fold()
        return self


def space_to_depth(video: Tensor) -> Tensor:
    """(B, 3, T, H, W) -> (B, 24, T/2, H/2, W/2); channel order: time offset, row offset, column offset, colour."""
    b, c, t, h, w = video.shape
    x = video.view(b, c, t // 2, 2, h // 2, 2, w // 2, 2).permute(0, 3, 5, 7, 1, 2, 4, 6)
    return x.reshape(b, 8 * c, t // 2, h // 2, w // 2)


class WordNumbers:
    """Sentences to word numbers for the text tower. Words the model does not know are left out."""

    def __init__(self, words: Sequence[str]) -> None:
        self.numbers = {word: number for number, word in enumerate(words, 1)}

    def __call__(self, sentences: Sequence[str]) -> Tensor:
        """(B, 16) int64, 0 where there is no word."""
        rows = torch.zeros(len(sentences), MAX_WORDS, dtype=torch.long)
        for row, sentence in zip(rows, sentences, strict=True):
            known = [self.numbers[w] for w in re.findall(r"[\w']+", sentence.lower()) if w in self.numbers]
            for place, number in enumerate(known[:MAX_WORDS]):
                row[place] = number
        return rows
