"""No room left, no pipe behind, no place to write: one line that names the output, and nothing half-written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
EVALUATE = ("evaluate", str(EXAMPLES / "predictions.json"), "--truth", str(EXAMPLES / "truth.json"), "--no-meteor")

# Every kind of writer, in a process whose files may not grow beyond a few kilobytes.
WRITERS = """
import json, resource, signal, sys
from pathlib import Path
import numpy as np, torch
from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import CookscribeError
from cookscribe.export.chapters import embed_chapters
from cookscribe.files import copy_file, write_json
from cookscribe.proposals.store import write_candidate_store
from cookscribe.recipe import MadeBy, Recipe, Span, Step, Video
from cookscribe.track import FeatureTrack
from cookscribe.model_folder import write_tensors
from cookscribe.video.writing import write_video

out = Path(sys.argv[1])
noise = np.random.default_rng(0).integers(0, 255, (20, 120, 160, 3), dtype=np.uint8)
film = write_video(out / "whole.mp4", [(n / 10, image) for n, image in enumerate(noise)], rate=10.0)
step = Step(span=Span(start=0, end=1), sentence="stir")
recipe = Recipe(title="Soup", steps=(step,), video=Video(name="whole.mp4", duration=2), made_by=MadeBy(model="x"))
track = FeatureTrack(np.arange(4000), np.zeros((4000, 8), dtype=np.float32), "x", 4000.0)
spans = np.tile([0.0, 1.0], (4000, 1))
writers = {
    "value.json": lambda path: write_json(path, [0] * 9000),
    "copy.mp4": lambda path: copy_file(film, path),
    "weights.safetensors": lambda path: write_tensors(path, {"a": torch.zeros(9000)}, {}),
    "track.safetensors": lambda path: FeatureStore(out).write("track", track),
    "candidates.safetensors": lambda path: write_candidate_store(path, {"v": Candidates(spans, spans[:, 1], 9.0)}, {}),
    "film.mp4": lambda path: write_video(path, [(n / 10, image) for n, image in enumerate(noise)], rate=10.0),
    "film.mkv": lambda path: write_video(path, [(n / 10, image) for n, image in enumerate(noise)], rate=10.0),
    "chapters.mp4": lambda path: embed_chapters(recipe, film, path),
}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
for name, write in writers.items():
    try:
        write(out / name)
        said = "written"
    except CookscribeError as error:
        said = [type(error).__name__, error.subject, error.cause]
    print(json.dumps([name, said]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of a process are Unix's")
@pytest.mark.parametrize("room", [0, 5000])
def test_every_writer_names_its_output_and_leaves_nothing(tmp_path: Path, room: int) -> None:
    command = [sys.executable, "-c", WRITERS, str(tmp_path), str(room)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    answers = dict(json.loads(line) for line in result.stdout.splitlines())
    assert len(answers) == 8
    for name, said in answers.items():
        assert said == ["UnwritableError", str(tmp_path / name), "cannot be written: File too large"]
    assert [path.name for path in tmp_path.iterdir()] == ["whole.mp4"]


def cookscribe(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    # As at a user's: what is printed waits in a buffer and may fail as late as at the end.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-m", "cookscribe", *arguments]
    return subprocess.run(command, env=env, text=True, check=False, timeout=120, **options)  # type: ignore[call-overload]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("--version",), ("study", "list"), EVALUATE])
def test_a_full_disk_behind_standard_output_is_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        result = cookscribe(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith("cookscribe: standard output: cannot be written: No space left on device")
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_error_leaves_the_exit_code() -> None:
    with open("/dev/full", "w") as full:
        assert cookscribe("evaluate", "nowhere.json", "--truth", "nowhere.json", stderr=full).returncode == 2


@pytest.mark.parametrize("arguments", [("--help",), ("study", "list"), EVALUATE])
@pytest.mark.parametrize("both", [False, True])
def test_a_closed_pipe_is_a_quiet_end(arguments: tuple[str, ...], both: bool) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = cookscribe(*arguments, stdout=writing, stderr=subprocess.STDOUT if both else subprocess.PIPE)
    finally:
        os.close(writing)
    assert result.returncode == 1
    if not both:
        assert "Traceback" not in result.stderr
        assert "Exception ignored" not in result.stderr
        assert "pipe" not in result.stderr


@pytest.mark.parametrize("name", ["device", "folder", "link", "below/file"])
def test_an_output_that_is_no_file_stays_what_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "below").write_text("a file")
    (tmp_path / "link").symlink_to("/dev/null")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "device")
    result = cookscribe(*EVALUATE, "--json", str(tmp_path / name), capture_output=True)
    assert result.returncode == 2
    assert result.stderr.startswith(f"cookscribe: {tmp_path / name}: cannot be written: ")
    assert "Traceback" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["below", "device", "folder", "link"]
    assert (tmp_path / "link").is_symlink()
