"""Drawn videos as files: one mp4 with its truth beside it, or a folder of them drawn by several processes."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import read_json, write_json
from cookscribe.progress import track
from cookscribe.video.writing import write_video
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film
from cookscribe_lab.kitchen_films.narration import SOUND_RATE, Narration, narration_here, sound_track
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe
from cookscribe_lab.kitchen_films.splits import SPLITS

LABEL = "simulated: drawn by the cookscribe kitchen, nobody cooked this"
OPTIONS = {"libx264": {"crf": "23", "g": "20"}, "mpeg4": {"b": "600000", "g": "20"}}


@dataclass(frozen=True)
class Picture:
    """Size and narration of a drawn video. The width follows from the height, 16 to 9."""

    height: int = 180
    narration: Narration = Narration.NONE

    def __post_init__(self) -> None:
        if not 90 <= self.height <= 720 or self.height % 2:
            raise BadValueError("height", f"must be an even number from 90 to 720, got {self.height}")

    @property
    def width(self) -> int:
        """Pixels, even as the codec wants it."""
        return round(self.height * 16 / 9 / 2) * 2


@cache
def codec() -> str:
    """H.264 where PyAV has an encoder for it, otherwise MPEG-4."""
    for name in OPTIONS:
        try:
            av.codec.Codec(name, "w")
        except (ValueError, av.error.FFmpegError):
            continue
        return name
    raise MissingFileError("PyAV", "has no encoder for H.264 or MPEG-4", "install the av package from PyPI")


def truth_of(recipe: MadeUpRecipe, path: Path, picture: Picture) -> dict[str, Any]:
    """What stands in the JSON file beside the video: the recipe's truth and the facts of the film."""
    film = {
        "file": path.name,
        "width": picture.width,
        "height": picture.height,
        "frames_per_second": FPS,
        "frames": round(recipe.duration * FPS),
        "narration": picture.narration.value,
    }
    return {recipe.id: {**recipe.as_json(), "video": film}}


def truth_path(path: Path) -> Path:
    """Where the truth of a video is."""
    return path.with_suffix(".json")


def draw_video(recipe: MadeUpRecipe, path: Path, picture: Picture | None = None) -> Path:
    """Draw one recipe into an mp4 and write the truth beside it. The same recipe gives the same bytes.

    The truth is written last: where it stands, the video is complete.
    """
    picture = picture or Picture()
    film = Film(recipe, picture.width, picture.height, subtitles=picture.narration is Narration.SUBTITLES)
    sound = sound_track(recipe) if picture.narration is Narration.SPOKEN else None

    def frames() -> Iterator[tuple[float, NDArray[np.uint8]]]:
        for number, image in enumerate(film):
            yield number / FPS, np.asarray(image)

    write_video(
        path,
        frames(),
        sound,
        rate=FPS,
        sound_rate=SOUND_RATE,
        codec=codec(),
        options=OPTIONS[codec()],
        metadata={"title": recipe.title, "comment": f"{LABEL} (seed {recipe.seed}, number {recipe.number})"},
    )
    write_json(truth_path(path), truth_of(recipe, path, picture))
    return path


def is_drawn(recipe: MadeUpRecipe, path: Path, picture: Picture) -> bool:
    """Whether this very video, drawn with this very picture, is there already."""
    if not path.is_file():
        return False
    try:
        return bool(read_json(truth_path(path)) == truth_of(recipe, path, picture))
    except (MissingFileError, BadFileError):
        return False


def draw_videos(
    recipes: Sequence[MadeUpRecipe], folder: Path, picture: Picture | None = None, *, workers: int = 1
) -> list[Path]:
    """Draw many recipes into `folder` as <id>.mp4 with <id>.json, and the truth of all and of each split beside them.

    Finished videos are kept: after an interruption the same call goes on where it stopped.
    """
    picture = picture or Picture()
    if workers < 1:
        raise BadValueError("workers", f"must be at least 1, got {workers}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = {recipe.id: folder / f"{recipe.id}.mp4" for recipe in recipes}
    missing = [recipe for recipe in recipes if not is_drawn(recipe, paths[recipe.id], picture)]
    for _ in track(_drawn(missing, paths, picture, workers), "drawing", total=len(missing)):
        pass
    entries = {recipe.id: truth_of(recipe, paths[recipe.id], picture)[recipe.id] for recipe in recipes}
    write_json(folder / "truth.json", entries)
    for split in SPLITS:
        chosen = {name: entry for name, entry in entries.items() if entry["split"] == split}
        if chosen:
            write_json(folder / f"truth-{split}.json", chosen)
    return list(paths.values())


def _drawn(recipes: Sequence[MadeUpRecipe], paths: dict[str, Path], picture: Picture, workers: int) -> Iterator[Path]:
    if workers == 1 or len(recipes) < 2:
        for recipe in recipes:
            yield draw_video(recipe, paths[recipe.id], picture)
        return
    # Fresh processes: a fork of a process that already runs threads may hang.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(recipes)), mp_context=context) as pool:
        jobs = [pool.submit(draw_video, recipe, paths[recipe.id], picture) for recipe in recipes]
        try:
            for job in as_completed(jobs):
                yield job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def picture_for(height: int, narration: bool) -> Picture:
    """The picture that was asked for, with the narration that this machine can give."""
    return Picture(height, narration_here(narration))
