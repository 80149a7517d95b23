"""A picture for each step, taken from the video."""

import io
from pathlib import Path

from PIL import Image

from cookscribe.errors import CookscribeError
from cookscribe.recipe import Recipe, Step
from cookscribe.video.file import VideoFile

WIDTH = 480  # pixels; large enough for a phone, small enough to stand inside a page


def picture_time(step: Step) -> float:
    """The moment that shows a step: the one the recipe names, else two thirds in, when the result can be seen."""
    if step.picture is not None:
        return step.picture
    return step.span.start + step.span.length * 2 / 3


def step_pictures(recipe: Recipe, video: Path | VideoFile) -> tuple[bytes | None, ...]:
    """A JPEG for each step, `WIDTH` pixels wide at most; None where the video has no readable picture there."""
    film = VideoFile.of(video)
    return tuple(jpeg(film, picture_time(step)) for step in recipe.steps)


def jpeg(film: VideoFile, time: float) -> bytes | None:
    try:
        picture = Image.fromarray(film.picture(time))
    except CookscribeError:
        # A damaged stretch costs its picture, not the recipe.
        return None
    picture.thumbnail((WIDTH, WIDTH))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()
