"""From mp4 to recipe: how long `cookscribe write --model kitchen` takes, and how much memory.

python benchmarks/write.py [--quick] [--model NAME|DIR]

The baseline is the film itself: a ratio of 0.2 means that a minute of film takes 12 seconds. Each film is written in a
process of its own, on one thread, by the command a user types; the time includes starting Python and loading weights.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.recipes import make_recipe
from cookscribe_lab.kitchen_films.splits import TESTING
from frame import finish, options

SEED = 4000


def written(film: Path, model: str, ingredients: tuple[str, ...]) -> tuple[float, float]:
    """Seconds (wall and processor) of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    options = {"model": model, "threads": "1", "formats": "json,html", "out": str(film.parent)}
    options["ingredients"] = ", ".join(ingredients)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    subprocess.run(
        [sys.executable, "-m", "cookscribe", "write", str(film), *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Draw films, write their recipes, print the figures."""
    arguments = options(__doc__, "one film instead of five", model="kitchen")
    seconds = wall = processor = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1 if arguments.quick else 5):
            recipe = make_recipe(SEED, number, TESTING, tempo=3.5)
            film = draw_video(recipe, Path(folder) / f"{recipe.id}.mp4", Picture())
            took = written(film, arguments.model, recipe.names)
            seconds, wall, processor = seconds + recipe.duration, wall + took[0], processor + took[1]
            print(f"{recipe.title}: {recipe.duration:.0f} s of film, {took[0]:.1f} s ({took[1]:.1f} s of processor)")
    # The largest process so far; kibibytes on Linux.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    finish(
        film_seconds=round(seconds, 1),
        wall_per_film_second=round(wall / seconds, 3),
        processor_per_film_second=round(processor / seconds, 3),
        peak_memory_gib=round(peak, 2),
    )


if __name__ == "__main__":
    main()
