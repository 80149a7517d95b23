"""Speech recognisers: word error and processor time on spoken kitchen sentences with kitchen noise.

    python benchmarks/recognisers.py [--quick]

The sentences are made up and spoken by espeak-ng in four voices in turn, one after the other, as a film is narrated;
sizzling is noise between 2 and 6 kHz that rises and falls, clatter is short ringing knocks. Figures of a synthetic
voice are *simulated*: they compare recognisers and say nothing about people. Every recogniser that is installed takes
part; the baseline is the smallest. `usual` is the smallest with Whisper's usual tries for a window that comes out
badly: five more with five samples each. The last line is one JSON object.
"""

import re
import subprocess

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import MissingDependencyError
from cookscribe.seeds import generator
from cookscribe.senses.recogniser import RECOGNISERS, SMALLEST, SOUND_RATE, Whisper
from cookscribe_lab.kitchen_films.narration import samples_of, synthesiser
from frame import finish, options, timed

SENTENCES = (
    "heat two tablespoons of olive oil in a large skillet over medium heat",
    "add the chopped onions and cook them until they are soft and golden",
    "now stir in three cloves of minced garlic and half a teaspoon of cumin",
    "pour in one cup of chicken stock and bring it to a gentle simmer",
    "season the beef with salt and black pepper and brown it on all sides",
    "whisk four eggs with a splash of milk and a pinch of nutmeg",
    "fold the flour into the batter and let it rest for twenty minutes",
    "slice the potatoes thinly and rinse them under cold water",
    "bake the chicken at four hundred degrees for half an hour",
    "drizzle the salad with lemon juice and scatter some parsley on top",
    "drain the noodles and toss them with sesame oil and soy sauce",
    "grate the cheese and sprinkle it over the tomato sauce",
)
VOICES = ("en-us", "en-gb", "en-us+f3", "en-gb+m7")
LOUDNESS = {"quiet": 0.0, "sizzling": 0.12, "clatter": 0.12, "loud sizzling": 0.35}  # of noise; a voice has 0.2
USUAL = {"temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), "best_of": 5}


def spoken(text: str, voice: str) -> NDArray[np.float32]:
    """Mono samples at `SOUND_RATE`, of equal loudness."""
    program = synthesiser()
    if program is None:
        raise MissingDependencyError("espeak-ng", "is not installed", "apt install espeak-ng")
    command = [program, "-v", voice, "-s", "165", "--stdin", "--stdout"]
    result = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60, check=True)
    sound = samples_of(result.stdout, SOUND_RATE)
    pause = np.zeros(SOUND_RATE // 2, np.float32)
    loud = 0.2 / max(1e-6, float(np.sqrt(np.mean(sound**2))))
    return np.concatenate((pause, sound * np.float32(loud), pause))


def noise(kind: str, length: int, seed: int) -> NDArray[np.float32]:
    """A stretch of kitchen noise with a mean power of one."""
    chance = generator(seed, kind)
    sound = chance.standard_normal(length)
    if kind == "sizzling":
        spectrum = np.fft.rfft(sound)
        pitch = np.fft.rfftfreq(length, 1 / SOUND_RATE)
        spectrum[(pitch < 2000) | (pitch > 6000)] *= 0.05
        swell = 1 + 0.5 * np.sin(2 * np.pi * 0.7 * np.arange(length) / SOUND_RATE)
        sound = np.fft.irfft(spectrum, length) * swell
    else:
        sound *= 0.02
        time = np.arange(SOUND_RATE // 5) / SOUND_RATE
        for start in chance.integers(0, max(1, length - len(time)), max(1, length // SOUND_RATE * 2)):
            ring = sum(np.sin(2 * np.pi * pitch * time) for pitch in chance.uniform(800, 4000, 3))
            sound[start : start + len(time)] += (ring * np.exp(-25 * time))[: length - start]
    return np.asarray(sound / np.sqrt(np.mean(sound**2)), np.float32)


NUMBERS = {
    "1": "one", "2": "two", "3": "three", "4": "four", "1/2": "half a", "400": "four hundred", "20": "twenty",
    "half-a-teaspoon": "half a teaspoon", "30": "thirty",
}  # fmt: skip


def words(text: str) -> list[str]:
    """Words in lower case, numbers as they are said."""
    found = re.findall(r"[a-z0-9/-]+", text.lower().replace("°", " degrees "))
    return " ".join(NUMBERS.get(word, word) for word in found).replace("-", " ").split()


def errors(said: list[str], heard: list[str]) -> int:
    """Edit distance in words."""
    row = list(range(len(heard) + 1))
    for n, word in enumerate(said, 1):
        before, row[0] = row[0], n
        for m, other in enumerate(heard, 1):
            before, row[m] = row[m], min(row[m] + 1, row[m - 1] + 1, before + (word != other))
    return row[-1]


def with_usual_tries() -> Whisper:
    """The smallest recogniser, with Whisper's usual tries."""
    recogniser = Whisper()
    ours = recogniser.model.transcribe
    recogniser.model.transcribe = lambda samples, **options: ours(samples, **options | USUAL)
    return recogniser


def main() -> None:
    """Let every recogniser hear the same."""
    quick = options(__doc__, "4 sentences instead of 12").quick
    sentences = SENTENCES[::3] if quick else SENTENCES
    said = [word for text in sentences for word in words(text)]
    narration = np.concatenate([spoken(text, VOICES[n % len(VOICES)]) for n, text in enumerate(sentences)])
    results: dict[str, dict[str, float]] = {}
    for name in (*RECOGNISERS, "usual"):
        try:
            recogniser = with_usual_tries() if name == "usual" else Whisper(name=name)
        except MissingDependencyError as error:
            print(f"{name}: {error}")
            continue
        figures: dict[str, float] = {}
        seconds = 0.0
        for kind, loudness in LOUDNESS.items():
            sound = narration
            if loudness:
                sound = narration + np.float32(loudness) * noise(kind.split()[-1], len(narration), seed=0)
            spent, heard = timed(lambda: recogniser.words(sound))  # noqa: B023
            seconds += spent
            figures[f"word_error_{kind.replace(' ', '_')}"] = round(errors(said, words(heard)) / len(said), 3)
        length = len(LOUDNESS) * len(narration) / SOUND_RATE
        figures["seconds_a_second"] = round(seconds / length, 3)
        results[name] = figures
        print(f"{name:6} {figures}", flush=True)
    base = results.get(SMALLEST, {}).get("seconds_a_second")
    if base:
        for figures in results.values():
            figures["time_to_smallest"] = round(figures["seconds_a_second"] / base, 2)
    finish(**results)


if __name__ == "__main__":
    main()
