"""The films that are damaged: one short film, drawn and narrated, in every container, and its words as subtitles."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import films
from faults.running import Result, aside, run

SPOKEN = Path(__file__).parents[2] / "tests" / "encoders" / "data" / "spoken.ogg"
SENTENCES = ("Boil the pasta in salted water for 10 minutes.", "Drain it and add the tomato sauce.")
REPEATS = 2  # more would look to the recogniser as if it were caught in a loop, and it would guess at random
RATE = 10


def prepare(folder: Path) -> Path:
    """Make the material in an empty folder."""
    _done(run(["kitchen", "draw", "--out", "whole.mp4", "--tempo", "10", "--height", "96"], folder))
    if aside(lambda: _make(folder)) is None:
        raise RuntimeError("the films to be damaged could not be made")
    _done(run(["write", "told.mp4", "--formats", "json"], folder))
    return folder


def _done(result: Result) -> None:
    if result.code:
        raise RuntimeError(f"the material could not be made: {result.err}")


def film(material: Path, container: str) -> Path:
    """The film in one of `films.CONTAINERS`."""
    return material / f"{container.replace(' ', '-')}{films.CONTAINERS[container][0]}"


def drawn(material: Path) -> Path:
    """The same film, silent, with the mark of the simulated kitchen."""
    return material / "drawn.mp4"


def recipe(material: Path) -> Path:
    """The recipe of the narrated film."""
    return material / "told.recipe.json"


def seconds(material: Path) -> float:
    """Length of the film."""
    return len(np.load(material / "sound.npy")) / films.SOUND_RATE


def subtitles(length: float) -> str:
    """The words as WebVTT."""
    lines = ["WEBVTT"]
    each = length / REPEATS
    for turn in range(REPEATS):
        for number, sentence in enumerate(SENTENCES):
            start, end = (each * (turn + share) for share in (number / 2, (number + 1) / 2 - 0.05))
            lines.append(f"\n00:{start:06.3f} --> 00:{end:06.3f}\n{sentence}")
    return "\n".join(lines) + "\n"


def _make(folder: Path) -> bool:
    from cookscribe.video import Size, VideoFile

    sound = np.tile(np.concatenate(list(VideoFile(SPOKEN).sound())), REPEATS).astype(np.float32)
    np.save(folder / "sound.npy", sound)
    length = len(sound) / films.SOUND_RATE
    pictures: list[NDArray[np.uint8]] = []
    for frame in VideoFile(folder / "whole.mp4").frames(float(RATE), Size(160, 90)):
        if frame.time > length:
            break
        pictures.append(frame.image)
    for container in films.CONTAINERS:
        films.contained(film(folder, container), container, pictures, sound, RATE)
    films.contained(drawn(folder), "mp4", pictures, None, RATE, comment="simulated kitchen")
    told = folder / "told.mp4"
    told.write_bytes(film(folder, "mp4").read_bytes())
    told.with_suffix(".vtt").write_text(subtitles(length))
    return True
