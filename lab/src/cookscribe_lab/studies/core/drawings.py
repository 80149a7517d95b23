"""Pictures of a study, each as PNG and SVG: rows with their spread, lines over a number, histograms of counts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import MissingDependencyError
from cookscribe.files import replacing
from cookscribe_lab.studies.core.tables import Row

INK, OURS, PAPER, QUIET = "#333333", "#2f7d5b", "#c98b2b", "#8a8a8a"
PALETTE = ("#2f7d5b", "#c98b2b", "#4a6fa5", "#a54a6f", "#6b6b6b", "#7a9e2f")
MOST_PANELS = 6  # in one column
Lines = Mapping[str, Sequence[tuple[float, float, float]]]  # by name: place, mean, standard deviation
SODA_FIGURES = ("SODA METEOR", "SODA CIDEr-D", "SODA tIoU")


def new_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure, `width` x `height` inches."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "is needed to draw", "pip install matplotlib") from None
    figure = Figure(figsize=(width, height), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, stem: Path) -> None:
    """Write `stem`.png and `stem`.svg."""
    for suffix in (".png", ".svg"):
        with replacing(stem.with_name(stem.name + suffix)) as temporary:
            figure.savefig(temporary, metadata={"Date": None} if suffix == ".svg" else None)


def draw_rows(stem: Path, rows: Sequence[Row], note: str, figures: Sequence[str] = SODA_FIGURES) -> None:
    """Each row as a dot with its standard deviation, one panel per figure; the paper's value as a hollow diamond."""
    present = [name for name in figures if any(name in row.figures for row in rows)]
    figure = new_figure(3.2 + 2.6 * len(present), 1.3 + 0.3 * len(rows))
    axes = figure.subplots(1, len(present), sharey=True, squeeze=False)[0]
    places = np.arange(len(rows))
    for axis, name in zip(axes, present, strict=True):
        means, spread = [row.mean(name) for row in rows], [row.deviation(name) for row in rows]
        axis.errorbar(means, places, xerr=spread, fmt="o", color=OURS, capsize=3, label="here")
        printed = [(row.paper[name], place) for row, place in zip(rows, places, strict=True) if name in row.paper]
        if printed:
            spots = {"color": PAPER, "markerfacecolor": "none", "label": "the paper (real features)"}
            axis.plot(*zip(*printed, strict=True), "D", **spots)
        axis.set_title(name, fontsize=9)
        _clean(axis)
        axis.grid(axis="y", color="#eeeeee")
        axis.set_axisbelow(True)
    axes[0].set_yticks(places, [row.name for row in rows])
    axes[0].invert_yaxis()
    handles, labels = max((axis.get_legend_handles_labels() for axis in axes), key=lambda pair: len(pair[1]))
    figure.legend(handles, labels, frameon=False, fontsize=8, loc="outside upper right", ncols=2)
    figure.suptitle(note, fontsize=8, x=0.01, ha="left")
    save_figure(figure, stem)


def draw_line_panels(
    stem: Path, panels: Mapping[str, Lines], note: str, across: str, *, ticks: Sequence[float] | None = None
) -> None:
    """A panel for each figure, with a line per name through its means in a band of one deviation to either side."""
    figure = new_figure(7 if len(panels) == 1 else 1 + 3.6 * len(panels), 4)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (up, lines) in zip(axes, panels.items(), strict=True):
        for colour, (name, points) in zip(PALETTE * 3, lines.items(), strict=False):
            place, mean, spread = np.array(points, dtype=np.float64).reshape(-1, 3).T
            axis.plot(place, mean, "o-", color=colour, label=name, markersize=4)
            axis.fill_between(place, mean - spread, mean + spread, color=colour, alpha=0.15)
        axis.set_xlabel(across)
        axis.set_ylabel(up)
        if ticks is not None:
            axis.set_xticks(list(ticks), [f"{tick:g}" for tick in ticks])
        _clean(axis)
    axes[0].legend(frameon=False, fontsize=8)
    figure.suptitle(note, fontsize=8, x=0.01, ha="left")
    save_figure(figure, stem)


def draw_histograms(stem: Path, truth: Mapping[int, float], told: Mapping[str, Mapping[int, float]], note: str) -> None:
    """How many videos have how many events: bars for each row of `told`, the truth as a line in each panel."""
    top = max(max(counts, default=0) for counts in (truth, *told.values()))
    numbers = np.arange(top + 1)
    columns = 1 if len(told) <= MOST_PANELS else 2
    rows = -(-len(told) // columns)
    figure = new_figure(5.5 * columns, 0.8 + 1.5 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    wanted = [truth.get(int(n), 0.0) for n in numbers]
    panels = list(grid.T.flat)  # downwards, then to the right
    for axis in panels[len(told) :]:
        axis.axis("off")
    for axis, (name, counts) in zip(panels, told.items(), strict=False):
        axis.bar(numbers, [counts.get(int(n), 0.0) for n in numbers], color=OURS, alpha=0.8, width=0.85, label=name)
        axis.plot(numbers, wanted, "o-", color=INK, linewidth=1.2, markersize=3, label="truth")
        axis.legend(frameon=False, fontsize=8)
        _clean(axis)
    for axis in grid[:, 0]:
        axis.set_ylabel("videos", fontsize=8)
    for axis in grid[-1]:
        axis.set_xlabel("events in the video", fontsize=8)
        axis.set_xticks(numbers[::2])
    figure.suptitle(note, fontsize=8, x=0.01, ha="left")
    save_figure(figure, stem)


def draw_lane(
    axis: Any, row: int, spans: NDArray[np.float64], colour: str, weights: NDArray[np.float64] | None = None
) -> list[tuple[float, float]]:
    """Spans as bars around the height `row`; those that overlap stand on shelves, so that all are seen.

    Args:
        spans: (N, 2) seconds.
        weights: (N,) opacities; None draws all solid.

    Returns:
        Place and height of the middle of each bar.
    """
    shelves = np.zeros(len(spans), dtype=np.int64)
    ends: list[float] = []
    for n in np.argsort(spans[:, 0], kind="stable"):
        shelves[n] = next((shelf for shelf, end in enumerate(ends) if end <= spans[n, 0]), len(ends))
        ends[shelves[n] : shelves[n] + 1] = [float(spans[n, 1])]
    thickness = 0.84 / max(len(ends), 1)
    shown = np.ones(len(spans)) if weights is None else np.clip(weights, 0.12, 1.0)
    middles = []
    for (start, end), opacity, shelf in zip(spans.tolist(), shown.tolist(), shelves.tolist(), strict=True):
        height = row - 0.42 + (shelf + 0.5) * thickness
        axis.barh(height, end - start, left=start, height=0.9 * thickness, color=colour, alpha=opacity)
        middles.append(((start + end) / 2, height))
    return middles


def _clean(axis: Any) -> None:
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(labelsize=8)
