"""Nothing leaves the machine: `write` listens to a film where no connection is possible, in an empty home."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.senses.recogniser import SOUND_RATE
from cookscribe.video import VideoFile
from tests.senses import no_network

SPOKEN = Path(__file__).parents[1] / "encoders" / "data" / "spoken.ogg"
CHOSEN_BY_USERS = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK", "HF_HOME", "HF_HUB_OFFLINE")


def alone(home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command in a process that is killed when it asks for an internet socket."""
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if key not in CHOSEN_BY_USERS and "XDG" not in key}
    return subprocess.run(
        [sys.executable, no_network.__file__, *map(str, arguments)],
        env=kept | {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def foreign(home: Path) -> list[str]:
    """Files in a home that are not in our own cache."""
    return [str(path) for path in home.rglob("*") if path.is_file() and ".cache/cookscribe" not in path.as_posix()]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film in which somebody explains the cooking, twice over."""
    sound = np.concatenate([*VideoFile(SPOKEN).sound()] * 2)
    frames = films.moving(len(sound) / SOUND_RATE, 2.0, 64, 48)
    return films.write_video(tmp_path_factory.mktemp("spoken") / "pasta.mp4", frames, sound, rate=2.0)


def test_the_kernel_lets_nobody_out(tmp_path: Path) -> None:
    """The test below can fail: native code that asks for a socket does not survive."""
    result = alone(tmp_path / "home", "--try")
    if '"held": false' in result.stdout:
        pytest.skip("this system has no filter for system calls")
    assert result.returncode < 0
    assert result.stdout == ""


def test_listening_to_a_film_reaches_nobody_and_leaves_nothing(spoken: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    result = alone(home, "write", spoken, "--formats", "json", "--out", tmp_path)
    assert result.returncode == 0, result.stderr
    said = json.loads(result.stderr.splitlines()[-1])
    assert said["tried"] == []
    assert said["onnxruntime"], "the voice filter was not even loaded"
    assert "pasta" in result.stdout
    assert foreign(home) == []


def test_neither_does_reading_what_is_said(spoken: Path, tmp_path: Path) -> None:
    words = tmp_path / "said.txt"
    words.write_text("Boil the pasta in salted water for ten minutes. Drain it, chop an onion, and add the sauce. " * 3)
    home = tmp_path / "home"
    result = alone(home, "write", spoken, "--transcript", words)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stderr.splitlines()[-1])["tried"] == []
    assert foreign(home) == []
