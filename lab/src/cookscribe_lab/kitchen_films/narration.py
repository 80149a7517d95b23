"""A voice for a drawn video: sentences spoken by a synthesiser, if one is installed.

Without one the sentences are written into the picture instead. The default is neither: a model that learns from drawn
videos must not be told the answer.
"""

import io
import shutil
import subprocess
import wave
from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import CookscribeError
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe
from cookscribe_lab.kitchen_films.timeline import InterludeKind

SOUND_RATE = 22_050
_SYNTHESISERS = ("espeak-ng", "espeak")
_SMALL_TALK = (
    "this is one of my favourite dishes",
    "take your time here there is no hurry",
    "you can do this part a day before",
    "it already smells very good in here",
    "do not worry if it does not look perfect",
)

# How a talkative cook says a step, with the step in the middle.
_TELLING = (
    ("okay so the first thing we do is", "just like that"),
    ("now i am going to", "and i like to take my time with this"),
    ("alright next you want to", "you can see how nice that looks already"),
    ("and then we", "my grandmother always did it this way"),
    ("so what you do now is you", "and that is all there is to it"),
    ("all right now", "do not be shy here"),
)

Speaker = Callable[[str], NDArray[np.float32]]


class Narration(StrEnum):
    """How the sentences are given to the viewer."""

    NONE = "none"
    SPOKEN = "spoken"
    SUBTITLES = "subtitles"


def synthesiser() -> str | None:
    """The speech synthesiser on this machine, or None."""
    return next((found for name in _SYNTHESISERS if (found := shutil.which(name))), None)


def narration_here(asked: bool) -> Narration:
    """What a request for narration comes to on this machine."""
    if not asked:
        return Narration.NONE
    return Narration.SPOKEN if synthesiser() else Narration.SUBTITLES


def speak(text: str) -> NDArray[np.float32]:
    """The text as mono samples in [-1, 1] at `SOUND_RATE`."""
    program = synthesiser()
    if program is None:
        raise CookscribeError("narration", "no speech synthesiser is installed", "install espeak-ng")
    # The text goes in on standard input, so that no word of it can be taken for an option.
    command = [program, "-v", "en", "-s", "185", "--stdin", "--stdout"]
    try:
        result = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60, check=True)
        return samples_of(result.stdout)
    except subprocess.CalledProcessError as error:
        raise CookscribeError(program, f"failed: {error.stderr.decode(errors='replace').strip()[:200]}") from None
    except (subprocess.TimeoutExpired, OSError, wave.Error, EOFError) as error:
        raise CookscribeError(program, f"did not speak: {error}") from None


def samples_of(data: bytes, rate_wanted: int = SOUND_RATE) -> NDArray[np.float32]:
    """Mono samples in [-1, 1] of a WAV file with 16 bits a sample."""
    with wave.open(io.BytesIO(data)) as sound:
        rate, channels, width = sound.getframerate(), sound.getnchannels(), sound.getsampwidth()
        # A synthesiser that writes to a pipe does not know the length beforehand and puts a huge one into the header.
        raw = sound.readframes(min(sound.getnframes(), len(data) // (channels * width)))
    if width != 2:
        raise wave.Error(f"{8 * width} bits a sample instead of 16")
    raw = raw[: len(raw) // (2 * channels) * 2 * channels]
    samples = np.frombuffer(raw, dtype="<i2").reshape(-1, channels).mean(axis=1, dtype=np.float32) / np.float32(32768)
    if rate == rate_wanted or not len(samples):
        return np.asarray(samples, dtype=np.float32)
    times = np.arange(round(len(samples) * rate_wanted / rate)) * (rate / rate_wanted)
    return np.asarray(np.interp(times, np.arange(len(samples)), samples), dtype=np.float32)


def lines(recipe: MadeUpRecipe) -> list[tuple[float, float, str]]:
    """What is said when: (start, latest end, words). Every step is named at its beginning; between steps is chatter."""
    spoken = [(step.span.start, step.span.end, step.sentence) for step in recipe.steps]
    for number, interlude in enumerate(recipe.interludes):
        if interlude.kind is InterludeKind.TITLE:
            spoken.append((interlude.span.start, interlude.span.end, f"today we make {recipe.title}"))
        elif interlude.kind is InterludeKind.TALKING and interlude.span.length > 2.5:
            chatter = _SMALL_TALK[(recipe.number + number) % len(_SMALL_TALK)]
            spoken.append((interlude.span.start, interlude.span.end, chatter))
    return sorted(spoken)


def talk(recipe: MadeUpRecipe) -> list[tuple[float, float, str]]:
    """The lines of somebody who talks all the time: (start, end, words), as the subtitles of a real film have them."""
    told = []
    for number, step in enumerate(recipe.steps):
        before, after = _TELLING[0 if number == 0 else 1 + (recipe.number + number) % (len(_TELLING) - 1)]
        middle = step.span.start + 0.6 * step.span.length
        told.append((step.span.start, middle, f"{before} {step.sentence}"))
        told.append((middle, step.span.end, after))
    steps = {step.sentence for step in recipe.steps}
    return sorted([*told, *(line for line in lines(recipe) if line[2] not in steps)])


def sound_track(recipe: MadeUpRecipe, speaker: Speaker = speak) -> NDArray[np.float32]:
    """The narration of the whole video, as long as the video, at `SOUND_RATE`."""
    track = np.zeros(round(recipe.duration * SOUND_RATE), dtype=np.float32)
    for start, end, words in lines(recipe):
        first = round((start + 0.1) * SOUND_RATE)
        room = round(end * SOUND_RATE) - first
        voice = speaker(words)
        if len(voice) > room:  # faded out rather than cut off
            fade = min(room, SOUND_RATE // 10)
            voice = voice[:room].copy()
            voice[room - fade :] *= np.linspace(1, 0, fade, dtype=np.float32)
        track[first : first + len(voice)] += voice
    return np.clip(track, -1.0, 1.0)
