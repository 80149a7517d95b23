"""Encoding many films: resume, failures, words beside features, and the commands."""

import json
from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.batch.engine import Crew, run
from cookscribe.encoders.base import EncoderOptions, silent
from cookscribe.encoders.jobs import EncodeJob, find_films
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError, InputError, MissingFileError
from cookscribe.track import FeatureTrack
from tests.command import invoke, run_command


def test_encode_resumes_and_names_what_failed(tmp_path: Path) -> None:
    folder, out = tmp_path / "films", tmp_path / "features"
    folder.mkdir()
    films.plain(folder / "good.mp4", 2.0)
    (folder / "bad.mp4").write_bytes(b"ffconcat version 1.0\n")
    (folder / "notes.txt").write_text("not a film, and not asked for")
    command = ["encode", folder, "--out", out, "--workers", 1]
    printed = invoke(*command, exit_code=1)
    assert "1 encoded, 0 there already, 1 failed" in printed.stdout
    assert "bad.mp4" in printed.stderr
    assert "is not a film" in printed.stderr
    assert FeatureStore(out).ids() == ["good"]
    track = FeatureStore(out).read("good")
    assert (track.encoder, track.values.shape) == ("effnet", (4, 1280))
    written = FeatureStore(out).path("good").stat().st_mtime_ns

    (folder / "bad.mp4").unlink()
    assert "0 encoded, 1 there already, 0 failed" in invoke(*command).stdout
    assert FeatureStore(out).path("good").stat().st_mtime_ns == written


def test_what_counts_as_done(tmp_path: Path) -> None:
    job = EncodeJob("effnet", tmp_path / "out")
    store = FeatureStore(job.out)
    assert not job.done(Path("film.mp4"))
    store.write("film", FeatureTrack(np.array([1.0]), np.ones((1, 3), "f4"), "effnet", 2.0))
    assert job.done(Path("film.mp4"))
    with pytest.raises(BadValueError, match="holds effnet features, not speech"):
        EncodeJob("speech", job.out).done(Path("film.mp4"))
    store.path("film").write_bytes(store.path("film").read_bytes()[:-2])
    assert not job.done(Path("film.mp4"))  # damaged: again


def test_words_are_written_with_the_features(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    segment = {"start": 0.5, "end": 1.5, "text": "add salt"}
    said.write_text(json.dumps({"video_id": "film", "segments": [segment]}) + "\n")
    film = films.plain(tmp_path / "film.mp4", 2.0)
    job = EncodeJob("effnet+speech", tmp_path / "out", EncoderOptions(transcripts=said))
    made = job()(film, silent)
    halved = EncodeJob("effnet+speech", tmp_path / "half", job.options, half=True)
    halved()(film, silent)
    exact, rounded = (FeatureStore(folder).read("film").values for folder in (job.out, halved.out))
    assert (exact.dtype, rounded.dtype) == (np.float32, np.float16)
    np.testing.assert_allclose(rounded, exact, rtol=1e-3, atol=1e-4)
    assert (made.rows, made.width, made.warnings) == (4, 1664, ())
    words = json.loads((tmp_path / "out" / "film.words.jsonl").read_text())
    assert [part["text"] for part in words["segments"]] == ["add", "salt"]
    assert FeatureStore(job.out).ids() == ["film"]


def test_finding_films(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/z.mkv", "b/a.MP4", "b/a.txt", "one.mp4"):
        (tmp_path / name).touch()
    found = find_films([tmp_path / "one.mp4", tmp_path / "b", tmp_path / "one.mp4"])
    assert [path.name for path in found] == ["one.mp4", "a.MP4", "z.mkv"]
    (tmp_path / "b" / "one.webm").touch()
    with pytest.raises(BadValueError, match="same id"):
        find_films([tmp_path / "one.mp4", tmp_path / "b"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingFileError, match="no film"):
        find_films([tmp_path / "empty"])


def test_unknown_engine_and_encoder(tmp_path: Path) -> None:
    film = films.plain(tmp_path / "film.mp4", 1.0)
    with pytest.raises(BadValueError, match="local or ray"):
        Crew("abacus")
    with pytest.raises(InputError, match="no encoder of this name"):
        list(run(EncodeJob("abacus", tmp_path), [film], Crew(workers=1)))


def test_probe(tmp_path: Path) -> None:
    film = films.plain(tmp_path / "film.mp4", 2.0)
    line = invoke("probe", film).stdout.replace("\n", " ")
    assert "film.mp4: 2.0 s, 160 x 120, 25 frames a second (h264), sound at 16000 Hz (aac)" in line
    assert json.loads(invoke("probe", "--json", film).stdout)["width"] == 160
    with pytest.raises(InputError, match=r"limit of 100 .*--max-pixels"):
        run_command("probe", film, "--max-pixels", 100)
    cut = tmp_path / "cut.ts"
    cut.write_bytes(films.plain(tmp_path / "film.ts", 2.0).read_bytes()[:-100])
    assert "warning cut.ts: the file is cut short" in invoke("probe", cut).stderr
    with pytest.raises(InputError, match="max_seconds"):
        run_command("probe", film, "--max-seconds", -1)


def test_weights_options_must_be_pairs(tmp_path: Path) -> None:
    film = films.plain(tmp_path / "film.mp4", 1.0)
    for wrong in ("effnet", "effnet=", "abacus=/tmp"):
        with pytest.raises(InputError):
            run_command("encode", film, "--out", tmp_path, "--weights", wrong)
