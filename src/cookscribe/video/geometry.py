"""Sizes and orientation of frames: how a coded picture becomes an upright one of the size asked for."""

import struct
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Size:
    """Pixels of the upright picture a frame is brought to: scaled until the box is full, the rest cut off evenly.

    Attributes:
        whole: nothing is cut off; what is wider or higher than the box is squeezed into it.
    """

    width: int
    height: int
    whole: bool = False

    @classmethod
    def square(cls, side: int, *, whole: bool = False) -> Self:
        """A square of `side` pixels."""
        return cls(side, side, whole)

    def scaled(self, width: float, height: float) -> tuple[int, int]:
        """Size to scale a picture of `width` x `height` (as seen) to, before cutting."""
        if self.whole:
            return self.width, self.height
        ratio = max(self.width / width, self.height / height)
        return max(self.width, round(width * ratio)), max(self.height, round(height * ratio))

    def cut(self, image: Image) -> Image:
        """The middle of a scaled picture."""
        top, left = (image.shape[0] - self.height) // 2, (image.shape[1] - self.width) // 2
        return image[top : top + self.height, left : left + self.width]


@dataclass(frozen=True)
class Orientation:
    """How to turn a coded picture: exchange rows and columns first, then mirror. All eight orientations are such."""

    transposed: bool = False
    mirror_columns: bool = False
    mirror_rows: bool = False

    @classmethod
    def of(cls, frame: VideoFrame) -> Self:
        """The orientation that the container's display matrix asks for, to the nearest quarter turn."""
        side_data: Any = frame.side_data.get("DISPLAYMATRIX")
        if side_data is None or len(matrix := bytes(side_data)) < 36:
            return cls()
        # The matrix takes a point (x, y) to (a x + c y, b x + d y).
        a, b, _, c, d = struct.unpack("=5i", matrix[:20])
        if abs(b) + abs(c) > abs(a) + abs(d):
            return cls(True, mirror_columns=c < 0, mirror_rows=b < 0)
        return cls(False, mirror_columns=a < 0, mirror_rows=d < 0)

    @property
    def degrees(self) -> int:
        """Counter-clockwise quarter turns in degrees; of a mirrored picture, those before a mirroring of its rows."""
        if self.transposed:
            return 90 if self.mirror_rows else 270
        return 180 if self.mirror_columns else 0

    def apply(self, image: Image) -> Image:
        """(H, W, 3) turned upright; a view where possible."""
        if self.transposed:
            image = image.transpose(1, 0, 2)
        return image[:: -1 if self.mirror_rows else 1, :: -1 if self.mirror_columns else 1]


def upright(frame: VideoFrame, size: Size | None, pixel_aspect: float) -> Image:
    """(H, W, 3) RGB picture of a decoded frame: scaled, turned, cut, contiguous."""
    orientation = Orientation.of(frame)
    width, height = frame.width * pixel_aspect, float(frame.height)
    if orientation.transposed:
        width, height = height, width
    target = size.scaled(width, height) if size else (max(1, round(width)), max(1, round(height)))
    coded = (target[1], target[0]) if orientation.transposed else target
    # Bicubic here takes all source pixels into account when it shrinks, so fine patterns do not flicker.
    # Without a number of threads it starts one a processor for every picture, however busy all of them are.
    scaled = frame.reformat(width=coded[0], height=coded[1], format="rgb24", interpolation="BICUBIC", threads=1)
    image = orientation.apply(scaled.to_ndarray().astype(np.uint8, copy=False))
    return np.ascontiguousarray(size.cut(image) if size else image)
