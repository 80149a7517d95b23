"""Pictures of a selection study: how many events were chosen, and which ones in a few videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import MissingDependencyError
from cookscribe.files import replacing

Floats = NDArray[np.float64]

TRUTH, PLAIN, OURS, QUIET = "#333333", "#c98b2b", "#2f7d5b", "#707070"


@dataclass(frozen=True, eq=False)
class Lane:
    """One row of a timeline: named spans, each with an opacity (None draws all solid); overlapping ones are stacked."""

    name: str
    spans: Floats
    colour: str
    weights: Floats | None = None


def _figure(width: float, height: float) -> tuple[object, object]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "matplotlib", "is needed to draw", "install it with: pip install 'cookscribe[studies]'"
        ) from None
    figure = Figure(figsize=(width, height), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, Figure


def draw_counts(path: Path, truth: NDArray[np.int64], choices: Mapping[str, NDArray[np.int64]]) -> None:
    """Histogram of the number of events per video: the truth as a line, each choice as bars."""
    figure, _ = _figure(8, 3.2 * len(choices))
    top = int(max(truth.max(), *(found.max() for found in choices.values())))
    edges = np.arange(0, top + 2) - 0.5
    axes = figure.subplots(len(choices), 1, sharex=True, squeeze=False)[:, 0]  # type: ignore[attr-defined]
    for axis, (name, found) in zip(axes, choices.items(), strict=True):
        colour = OURS if name != "NMS" else PLAIN
        axis.hist(found, bins=edges, color=colour, alpha=0.75, rwidth=0.85, label=name)
        heights, _ = np.histogram(truth, bins=edges)
        axis.step(edges, np.append(heights, heights[-1]), where="post", color=TRUTH, linewidth=1.6, label="truth")
        axis.set_ylabel("videos")
        axis.legend(frameon=False)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("events in the video")
    axes[-1].set_xticks(np.arange(0, top + 1, 2))
    with replacing(path) as temporary:
        figure.savefig(temporary)  # type: ignore[attr-defined]


def _shelves(spans: Floats) -> NDArray[np.int64]:
    """(N,) the first shelf on which each span stands beside all others there, so that overlapping ones are all seen."""
    shelves = np.zeros(len(spans), dtype=np.int64)
    ends: list[float] = []
    for n in np.argsort(spans[:, 0], kind="stable"):
        free = next((shelf for shelf, end in enumerate(ends) if end <= spans[n, 0]), len(ends))
        if free == len(ends):
            ends.append(0.0)
        ends[free] = float(spans[n, 1])
        shelves[n] = free
    return shelves


def draw_timelines(path: Path, videos: Sequence[tuple[str, float, Sequence[Lane]]]) -> None:
    """A few videos, each with its lanes over time.

    Args:
        videos: title, duration in seconds, lanes from top to bottom.
    """
    figure, _ = _figure(10, 0.5 + sum(0.5 * len(lanes) + 0.5 for _, _, lanes in videos))
    heights = [len(lanes) + 1 for _, _, lanes in videos]
    axes = figure.subplots(len(videos), 1, squeeze=False, height_ratios=heights)[:, 0]  # type: ignore[attr-defined]
    for axis, (title, duration, lanes) in zip(axes, videos, strict=True):
        for row, lane in enumerate(lanes):
            weights = np.ones(len(lane.spans)) if lane.weights is None else lane.weights
            shelves = _shelves(lane.spans)
            thickness = 0.8 / (shelves.max(initial=0) + 1)
            for (start, end), weight, shelf in zip(lane.spans, weights, shelves, strict=True):
                axis.barh(
                    row - 0.4 + (shelf + 0.5) * thickness,
                    end - start,
                    left=start,
                    height=thickness * 0.9,
                    color=lane.colour,
                    alpha=float(np.clip(weight, 0.12, 1.0)),
                )
        axis.set_yticks(range(len(lanes)), [lane.name for lane in lanes])
        axis.invert_yaxis()
        axis.set_xlim(0, duration)
        axis.set_title(title, fontsize=9, loc="left")
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right", "left"]].set_visible(False)
    axes[-1].set_xlabel("seconds")
    with replacing(path) as temporary:
        figure.savefig(temporary)  # type: ignore[attr-defined]
