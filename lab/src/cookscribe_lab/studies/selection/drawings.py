"""Pictures of a selection study: which events were chosen in a few videos."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe_lab.studies.core.drawings import draw_lane, new_figure, save_figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lane:
    """One row of a timeline: named spans, each with an opacity (None draws all solid); overlapping ones are stacked."""

    name: str
    spans: Floats
    colour: str
    weights: Floats | None = None


def draw_timelines(stem: Path, videos: Sequence[tuple[str, float, Sequence[Lane]]]) -> None:
    """A few videos, each with its lanes over time.

    Args:
        videos: title, duration in seconds, lanes from top to bottom.
    """
    figure = new_figure(10, 0.5 + sum(0.5 * len(lanes) + 0.5 for _, _, lanes in videos))
    heights = [len(lanes) + 1 for _, _, lanes in videos]
    axes = figure.subplots(len(videos), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (title, duration, lanes) in zip(axes, videos, strict=True):
        for row, lane in enumerate(lanes):
            draw_lane(axis, row, lane.spans, lane.colour, lane.weights)
        axis.set_yticks(range(len(lanes)), [lane.name for lane in lanes])
        axis.invert_yaxis()
        axis.set_xlim(0, duration)
        axis.set_title(title, fontsize=9, loc="left")
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right", "left"]].set_visible(False)
    axes[-1].set_xlabel("seconds")
    save_figure(figure, stem)
