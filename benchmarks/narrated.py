"""From a narrated film to its recipe: processor seconds of every stage, and memory.

    python benchmarks/narrated.py [--quick] [--model NAME|DIR]

The film is one of five minutes: kitchen sentences in four synthetic voices (`recognisers.py`), spoken for most of the
time, with sizzling, over shapes that drift (`encoders.py`). It is written twice, each time in a process of its own on
one thread: by the bundle as it is, with the language-model writer that it names, and by its recipe models alone, which
are the baseline. `writing_to_baseline` is how many times as long the writing takes. What is written means nothing. The
last line is one JSON object.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

import numpy as np

from cookscribe import load
from cookscribe.bundle import DESCRIPTION, WRITER, find_bundle
from cookscribe.cli.profile import Profile
from cookscribe.files import read_json, write_json
from cookscribe.senses.recogniser import SOUND_RATE
from cookscribe.video import VideoFile
from cookscribe.video.writing import write_video
from encoders import RATE, drifting
from frame import finish, options, peak
from recognisers import LOUDNESS, SENTENCES, VOICES, noise, spoken


def narrated_film(path: Path, seconds: float) -> Path:
    """A film of this length in which somebody hardly ever stops to explain."""
    sound = np.float32(LOUDNESS["sizzling"]) * noise("sizzling", round(seconds * SOUND_RATE), seed=0)
    start = 0
    for number in count():
        voice = VOICES[(number + number // len(SENTENCES)) % len(VOICES)]
        part = spoken(SENTENCES[number % len(SENTENCES)], voice)
        if start + len(part) > len(sound):
            break
        sound[start : start + len(part)] += part
        start += len(part) + SOUND_RATE // 2
    return write_video(path, drifting(seconds), sound, rate=RATE, options={"preset": "veryfast", "crf": "26"})


def recipe_models_of(model: str, folder: Path) -> Path:
    """A copy of a bundle that names no language-model writer."""
    shutil.copytree(find_bundle(model).folder, folder, ignore=shutil.ignore_patterns(WRITER))
    description = read_json(folder / DESCRIPTION)
    # The name of a folder inside the bundle, which is not copied: so there is none.
    write_json(folder / DESCRIPTION, description | {"writer": WRITER})
    return folder


def write(film: str, model: str) -> None:
    """Write one recipe in this process, and print processor seconds by stage, steps and peak memory."""
    profile, scribe = Profile(), load(model)
    recipe = profile.timed(lambda stage: scribe.write(VideoFile(Path(film), threads=1), stage=stage))
    figures = {stage: round(seconds, 2) for stage, seconds in profile.processor.seconds.items()}
    print(json.dumps({**figures, "steps": len(recipe.steps), "peak_memory_mib": round(peak())}))


def main() -> None:
    """Make the film and write it both ways."""
    arguments = options(__doc__, "a film of twenty seconds", model="youcook2-speech")
    seconds = 20.0 if arguments.quick else 300.0
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = narrated_film(folder / "narrated.mp4", seconds)
        alone = recipe_models_of(arguments.model, folder / "recipe-models")
        for way, model in (("language_model", arguments.model), ("recipe_models", str(alone))):
            call = f"import torch, narrated; torch.set_num_threads(1); narrated.write({str(film)!r}, {model!r})"
            command = [sys.executable, "-c", call]
            done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
            results[way] = json.loads(done.stdout.splitlines()[-1])
            print(f"{way:14} {results[way]}", flush=True)
    ratio = results["language_model"]["writing"] / results["recipe_models"]["writing"]
    finish(film_seconds=seconds, threads=1, writing_to_baseline=round(ratio, 1), **results)


if __name__ == "__main__":
    main()
