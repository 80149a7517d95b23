"""`cookscribe write --profile`: where the seconds of a film go, and how near each stage is to the machine's limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from cookscribe.progress import StageClock

if TYPE_CHECKING:
    from cookscribe.pipelines.base import Stage
    from cookscribe.recipe import Recipe
    from cookscribe.scribe import Scribe
    from cookscribe.video import VideoFile

Result = TypeVar("Result")

WATCHING = ("watching", "looking", "reading")  # the stages in which frames are decoded
STARTING = "starting"


class Profile:
    """Seconds and operations of each stage of one film.

    The film is written twice: once for the seconds, once for the operations, because counting them slows the work.
    Operations are those of matrix products and convolutions in torch; the speech recogniser has a library of its own.
    """

    def __init__(self) -> None:
        self.before = time.process_time()  # the interpreter and its imports
        self.wall, self.processor = StageClock(), StageClock(time.process_time)
        self.operations: dict[str, float] = {}

    def timed(self, write: Callable[[Stage], Result]) -> Result:
        """Do the work, which calls the stage it is given, and take its time."""

        def stage(name: str, share: float) -> None:
            self.wall(name, share)
            self.processor(name, share)

        stage("loading", 0.0)
        result = write(stage)
        self.wall.stop()
        self.processor.stop()
        return result

    def count(self, write: Callable[[Stage], object]) -> None:
        """Do the work again and count its operations."""
        import torch
        from torch.utils.flop_counter import FlopCounterMode, conv_flop_count

        # Layers that do more than one thing in a pass over memory, by the shapes of input and weights.
        fused = {
            torch.ops.mkldnn._convolution_pointwise: lambda x, w, *_, out_shape, **__: conv_flop_count(x, w, out_shape),
            torch.ops.mkldnn._linear_pointwise: lambda x, w, *_, **__: 2 * math.prod(x) * w[0],
        }
        counter = FlopCounterMode(display=False, custom_mapping=fused)
        clock = StageClock(lambda: float(counter.get_total_flops()))
        with counter:
            write(clock)
        self.operations = clock.stop()

    def print(self, film: VideoFile) -> None:
        """A table of the stages, with the limits of this machine, measured now."""
        from cookscribe.cli.tables import print_table
        from cookscribe.text.printable import printable
        from cookscribe.video.rate import plain_decoding

        limit, decoding = product_limit(), plain_decoding(film)
        frames = film.duration * (film.info.frame_rate or 0.0)
        rows = [[STARTING, "", f"{self.before:.2f}", "", "", "", ""]]
        for stage, seconds in self.processor.seconds.items():
            work = self.operations.get(stage, 0.0) / 1e9
            row = [stage, f"{self.wall.seconds[stage]:.2f}", f"{seconds:.2f}", "", "", "", ""]
            if work:
                row[3:5] = [f"{work:.1f}", f"{work / max(seconds, 1e-6) / limit:.0%}"]
            if stage in WATCHING and frames and decoding:
                rate = frames / max(seconds, 1e-6)
                row[5:7] = [f"{rate:.0f}", f"{rate / decoding:.0%}"]
            rows.append(row)
        wall, processor = (sum(clock.seconds.values()) for clock in (self.wall, self.processor))
        rows.append(["all stages", f"{wall:.2f}", f"{processor:.2f}", "", "", "", ""])
        columns = ("stage", "seconds", "of processor", "GFLOP", "of the limit", "frames/s", "of decoding")
        print_table(f"{printable(film.path.name)}, {film.duration:.0f} s", columns, rows)
        print(
            f"{processor / max(film.duration, 1e-6):.3f} s of processor for each second of film. Limits of one core: "
            f"{limit:.0f} GFLOPS in float32 products, {decoding:.0f} frames/s in decoding this film."
        )


def write_profiled(
    scribe: Scribe, film: VideoFile, again: VideoFile, ingredients: Sequence[str], title: str | None
) -> tuple[Recipe, Profile]:
    """Write the recipe of a film and measure it; `again` is the same film, opened a second time."""
    profile = Profile()
    recipe = profile.timed(lambda stage: scribe.write(film, ingredients, title, stage=stage))
    profile.count(lambda stage: scribe.write(again, ingredients, title, stage=stage))
    return recipe, profile


def product_limit(rows: int = 512, inner: int = 768, columns: int = 2304) -> float:
    """GFLOPS of plain float32 matrix products for each second of processor time; the best of some runs."""
    import torch

    left, right = torch.randn(rows, inner), torch.randn(inner, columns)
    best = 0.0
    for _ in range(6):
        began = time.process_time()
        for _ in range(4):
            torch.mm(left, right)
        best = max(best, 4 * 2 * rows * inner * columns / (time.process_time() - began) / 1e9)
    return best
