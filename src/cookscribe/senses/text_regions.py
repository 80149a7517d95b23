"""Where a picture may have text, cheaply: dense strong strokes in a row that stay where they are for half a second.

Reading a picture costs a hundred times as much as this. Text that is laid over a film stands still while things behind
it move, and its strokes are dense, so most pictures need not be read, and of most others only a part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.video.geometry import Image

Mask = NDArray[np.bool_]

CONTRAST = 44  # of 255, across two pixels: a stroke
CELL = (6, 8)  # rows and columns of a cell, in steps of two pixels
DENSE = 0.13  # share of a cell that is strokes
RUN = 4  # cells side by side
SAME = 0.4  # agreement of the strokes of two pictures beyond chance: the same text 0.6 and more, other text about 0
MARGIN = 28  # pixels around what is read


@dataclass(frozen=True)
class Box:
    """Rows [top, bottom) and columns [left, right) of a picture, in pixels."""

    top: int
    bottom: int
    left: int
    right: int

    def union(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.top, other.top),
            max(self.bottom, other.bottom),
            min(self.left, other.left),
            max(self.right, other.right),
        )

    def overlap(self, other: Box) -> float:
        """Share of the smaller box that both cover, 0 to 1."""
        rows = min(self.bottom, other.bottom) - max(self.top, other.top)
        columns = min(self.right, other.right) - max(self.left, other.left)
        smaller = min(self.area, other.area)
        return max(0, rows) * max(0, columns) / smaller if smaller else 0.0

    @property
    def area(self) -> int:
        """Pixels."""
        return (self.bottom - self.top) * (self.right - self.left)

    def grown(self, margin: int, height: int, width: int) -> Box:
        """With a margin, inside a picture of `height` x `width`."""
        return Box(
            max(0, self.top - margin),
            min(height, self.bottom + margin),
            max(0, self.left - margin),
            min(width, self.right + margin),
        )

    def of_strokes(self, strokes: Mask) -> Mask:
        """The part of a map of strokes that belongs to the box."""
        return strokes[self.top // 2 : -(-self.bottom // 2), self.left // 2 : -(-self.right // 2)]


def find_strokes(image: Image) -> Mask:
    """(H // 2, W // 2): where the brightness of an (H, W, 3) picture changes sharply from left to right."""
    green = image[..., 1].astype(np.int16)
    sharp = np.zeros(green.shape, bool)
    sharp[:, 1:-1] = np.abs(green[:, 2:] - green[:, :-2]) > CONTRAST
    height, width = green.shape[0] // 2 * 2, green.shape[1] // 2 * 2
    rows = sharp[0:height:2, :width] | sharp[1:height:2, :width]
    return rows[:, 0::2] | rows[:, 1::2]


def agreement(now: Mask, before: Mask) -> float:
    """How far earlier strokes are still there, beyond chance: 1 if all are, about 0 where other text stands."""
    return float(_agreement(now, before, (0, 1)))


def _agreement(now: Mask, before: Mask, axes: tuple[int, ...]) -> NDArray[np.floating]:
    """The share of `before` that `now` has too, over the axes, beyond chance: dense text meets other dense text."""
    count = before.sum(axis=axes)
    share = (before & now).sum(axis=axes) / np.maximum(count, 1)
    chance = np.minimum(now.mean(axis=axes), 0.95)
    kappa: NDArray[np.floating] = np.where(count > 0, (share - chance) / (1 - chance), 0.0)
    return kappa


def new_region(standing: Mask, read: Mask) -> Box | None:
    """The part of a picture that has to be read: rows of standing strokes that were not there when it last was.

    Args:
        standing: strokes of this picture that the one before has too.
        read: strokes as they were when this part was last read.
    """
    cells = _cells(standing)
    dense = cells.mean(axis=(1, 3)) > DENSE
    rows = _runs(dense)
    if not rows.any():
        return None
    new = rows & (_agreement(_cells(read), cells, (1, 3)) < SAME)
    # One or two cells change where something moves behind the text.
    if not _runs(new, RUN - 1).any():
        return None
    line, column = np.nonzero(_spread(new, rows))
    return Box(
        int(line.min()) * CELL[0] * 2,
        (int(line.max()) + 1) * CELL[0] * 2,
        int(column.min()) * CELL[1] * 2,
        (int(column.max()) + 1) * CELL[1] * 2,
    )


def _cells(strokes: Mask) -> Mask:
    """(rows, CELL[0], columns, CELL[1])."""
    rows, columns = strokes.shape[0] // CELL[0], strokes.shape[1] // CELL[1]
    return strokes[: rows * CELL[0], : columns * CELL[1]].reshape(rows, CELL[0], columns, CELL[1])


def _runs(cells: Mask, least: int = RUN) -> Mask:
    """Cells that belong to a run of at least `least` side by side; a single gap, as between words, counts as full."""
    closed = cells.copy()
    closed[:, 1:-1] |= cells[:, :-2] & cells[:, 2:]
    kept = np.zeros_like(closed)
    count = closed.shape[1] - least + 1
    if count <= 0:
        return kept
    full = np.logical_and.reduce([closed[:, shift : shift + count] for shift in range(least)])
    for shift in range(least):
        kept[:, shift : shift + count] |= full
    return kept


def _spread(new: Mask, rows: Mask) -> Mask:
    """New cells with the rest of the runs they touch, so that a line is read as a whole."""
    spread = new
    while True:
        wider = spread.copy()
        wider[:, 1:] |= spread[:, :-1]
        wider[:, :-1] |= spread[:, 1:]
        wider[1:] |= spread[:-1]
        wider[:-1] |= spread[1:]
        wider &= rows
        wider |= new
        if (wider == spread).all():
            return spread
        spread = wider
