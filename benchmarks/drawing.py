"""How fast the simulated kitchen draws, on one thread, as a multiple of real time.

    python benchmarks/drawing.py              # twelve videos
    python benchmarks/drawing.py --quick      # two videos

Two baselines in the same run: the film's own length (faster than real time is the least one asks), and a painter that
keeps no sprite, which paints every piece of food, hand and wall anew for each frame. Processor time is reported beside
wall time, because a busy machine slows only the latter. The last line is one JSON object.
"""

import gc
import tempfile
import time
from functools import _lru_cache_wrapper
from pathlib import Path

from PIL import Image

from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.drawing.scene import PAINTERS, Set
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipes
from frame import finish, options, timed


def forget_sprites() -> None:
    """Empty every cache of the painters."""
    for thing in gc.get_objects():
        if isinstance(thing, _lru_cache_wrapper) and thing.__module__.startswith(
            "cookscribe_lab.kitchen_films.drawing"
        ):
            thing.cache_clear()


def seconds_a_frame_without_sprites(recipe: MadeUpRecipe, frames: int) -> float:
    """Processor seconds a frame when nothing is kept; frames from the middle of the acts, in turn."""
    film = Film(recipe, 320, 180)
    acting = [scene for scene in film.scenes if scene.moment is not None]
    spent = 0.0
    for number in range(frames):
        scene = acting[number % len(acting)]
        assert scene.moment is not None
        forget_sprites()
        started = time.process_time()
        picture: Image.Image = PAINTERS[scene.moment.act.action](Set(scene.moment), 1.0 + number / FPS, 0.5)
        film.lens.take(picture, scene.shots[0].start)
        spent += time.process_time() - started
    return spent / frames


def main() -> None:
    arguments = options(__doc__, "two videos only", height=180)
    count = 2 if arguments.quick else 12

    took, made = timed(lambda: sum(1 for _ in make_recipes(0, 200)))
    recipes_a_second = made / took

    recipes = list(make_recipes(0, count, tempo=3.5))
    picture = Picture(arguments.height)
    forget_sprites()
    with tempfile.TemporaryDirectory() as folder:
        wall, processor = time.perf_counter(), time.process_time()
        for recipe in recipes:
            draw_video(recipe, Path(folder) / f"{recipe.id}.mp4", picture)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        size = sum(path.stat().st_size for path in Path(folder).glob("*.mp4"))
    film = sum(recipe.duration for recipe in recipes)
    kept = processor / (film * FPS)
    anew = seconds_a_frame_without_sprites(recipes[0], 10 if arguments.quick else 40)

    print(
        f"{count} videos, {film:.0f} s of film at {picture.width}x{picture.height}, {FPS} frames a second, one thread"
    )
    print(f"  {film / processor:.1f} x real time by processor time, {film / wall:.1f} x by the clock on the wall")
    print(f"  {1000 * kept:.2f} ms a frame with encoding; {1000 * anew:.1f} ms painting alone when no sprite is kept")
    print(f"  {size / film / 1000:.1f} kB a second of film; {recipes_a_second:.0f} recipes a second")
    finish(
        videos=count,
        film_seconds=round(film, 1),
        times_real_time_processor=round(film / processor, 2),
        times_real_time_wall=round(film / wall, 2),
        ratio_to_painting_without_sprites=round(anew / kept, 1),
        recipes_per_second=round(recipes_a_second),
        simulated=True,
    )


if __name__ == "__main__":
    main()
