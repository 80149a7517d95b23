"""What every study writes beside its figures: versions, threads, tables, intervals."""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cookscribe import __version__
from cookscribe.seeds import generator


def surroundings() -> dict[str, Any]:
    """Versions and threads; figures repeat exactly only where these are equal."""
    import torch

    return {
        "cookscribe": __version__,
        "python": platform.python_version(),
        "torch": version("torch"),
        "numpy": version("numpy"),
        "machine": platform.machine(),
        "threads": torch.get_num_threads(),
    }


def short_hash(*parts: object) -> str:
    """A short name of choices (anything JSON knows): what was made with others is not taken for finished."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:12]


def bootstrap_interval(differences: NDArray[np.floating]) -> tuple[float, float]:
    """95 % interval of the mean of paired differences, (V,), by drawing videos with replacement."""
    values = np.asarray(differences, dtype=np.float64)
    return middle_95(values[drawn_videos(len(values))].mean(axis=1))


def drawn_videos(count: int) -> NDArray[np.int64]:
    """(2000, count) numbers of videos, drawn with replacement; always the same, so that rows stay paired."""
    return generator("bootstrap", 0).integers(0, count, (2000, count))


def middle_95(values: NDArray[np.floating]) -> tuple[float, float]:
    """Between which two values 95 % of them lie."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def mean_and_deviation(values: Sequence[float], digits: int = 2) -> str:
    """`39.90 ± 0.12`, or the value alone when there is one."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ± {float(np.std(values, ddof=1)):.{digits}f}"


def markdown_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows with the same headings as a Markdown table."""
    if not rows:
        return ""
    headings = list(rows[0])
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(row[heading] for heading in headings) + " |" for row in rows]
    return "\n".join(lines) + "\n"
