"""Speech: a spoken sentence, films without speech, tracks from transcripts. espeak-ng spoke `data/spoken.ogg`."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.encoders import EncoderOptions, load_encoder
from cookscribe.encoders.jobs import words_path, write_words
from cookscribe.encoders.speech import SpeechEncoder
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError
from cookscribe.senses.recogniser import SOUND_RATE, FromFile
from cookscribe.senses.transcripts import Transcript, read_timed_transcripts
from cookscribe.video import VideoFile
from tests.command import invoke

SPOKEN = Path(__file__).parent / "data" / "spoken.ogg"


@pytest.fixture(scope="module")
def encoder() -> SpeechEncoder:
    loaded = load_encoder("speech")
    assert isinstance(loaded, SpeechEncoder)
    return loaded


def plain_words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def test_a_spoken_sentence_is_transcribed_right(encoder: SpeechEncoder) -> None:
    video = VideoFile(SPOKEN)
    track = encoder.encode(video)
    transcript = encoder.transcript
    heard = plain_words(transcript.text).replace("ten", "10")
    assert heard == "boil the pasta in salted water for 10 minutes drain it and add the tomato sauce"
    assert transcript.timed
    # The second sentence begins after four of the seven seconds.
    drain = [plain_words(word) for word in transcript.words].index("drain")
    assert transcript.times[drain, 0] == pytest.approx(4.2, abs=0.4)
    assert transcript.times[-1, 1] <= video.duration + 0.1
    assert (track.encoder, track.width) == ("speech", 384)
    asked = encoder.vectors(["cook spaghetti in boiling water", "fix the bicycle"])
    similarity = track.values @ asked.T
    assert (similarity[:, 0] > similarity[:, 1] + 0.2).all()


def test_words_are_late_when_the_sound_is_late(encoder: SpeechEncoder, tmp_path: Path) -> None:
    sound = np.concatenate([np.zeros(20 * SOUND_RATE, np.float32), *VideoFile(SPOKEN).sound()])
    path = films.write_video(tmp_path / "late.mp4", films.moving(27.0, 2.0, 64, 48), sound, rate=2.0)
    video = VideoFile(path)
    track = encoder.encode(video)
    assert encoder.transcript.times[0, 0] == pytest.approx(20.0, abs=0.5)
    # Rows that see none of it are zero, the others are unit vectors.
    lengths = np.linalg.norm(track.values, axis=1)
    np.testing.assert_allclose(lengths[track.times < 14], 0.0)
    np.testing.assert_allclose(lengths[track.times > 16], 1.0, atol=1e-5)
    np.testing.assert_allclose(np.diff(track.times), 2.0)


def test_films_without_speech(encoder: SpeechEncoder, tmp_path: Path) -> None:
    mute = VideoFile(films.plain(tmp_path / "mute.mp4", 4.0, sound=False))
    track = encoder.encode(mute)
    assert track.values.shape == (2, 384)
    assert not track.values.any()
    assert mute.warnings == ("the film has no sound",)
    humming = VideoFile(films.plain(tmp_path / "humming.mp4", 4.0))
    assert not encoder.encode(humming).values.any()
    assert humming.warnings == ("no speech was recognised",)


def test_tracks_from_transcripts(encoder: SpeechEncoder) -> None:
    said = Transcript.from_segments([(0.0, 4.0, "boil the water"), (30.0, 34.0, "slice the bread")])
    track = encoder.track(said, 40.0)
    assert len(track.times) == 20
    boil, slice_ = encoder.vectors(["boil the water", "slice the bread"])
    np.testing.assert_allclose(track.values[0], boil, atol=1e-5)
    np.testing.assert_allclose(track.over(np.array([[29.0, 36.0]]))[0], slice_, atol=1e-5)
    assert not track.values[(track.times > 10) & (track.times < 24)].any()
    # Untimed text is spread evenly; the same code serves.
    spread = encoder.track(Transcript.from_text("boil the water slice the bread", 24.0), 24.0)
    assert spread.values[0] @ boil > spread.values[0] @ slice_
    assert spread.values[-1] @ slice_ > spread.values[-1] @ boil
    assert len(encoder.track(said, 0.5).times) == 1


def test_words_from_a_file_instead_of_listening(encoder: SpeechEncoder, tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    segment = {"start": 0.0, "end": 3.0, "text": "knead the dough"}
    path.write_text(json.dumps({"video_id": "film", "segments": [segment]}) + "\n")
    reader = load_encoder("speech", EncoderOptions(transcripts=path))
    video = VideoFile(films.plain(tmp_path / "film.mp4", 4.0, sound=False))
    np.testing.assert_allclose(reader.encode(video).values[0], encoder.vectors(["knead the dough"])[0], atol=1e-5)
    other = VideoFile(films.plain(tmp_path / "other.mp4", 1.0, sound=False))
    with pytest.raises(BadFileError, match="no transcript of other"):
        reader.encode(other)


def test_transcripts_alone(encoder: SpeechEncoder, tmp_path: Path) -> None:
    """Timed and untimed files, no film; an id of unknown length is named, and the others are done."""
    (tmp_path / "lengths.csv").write_text("a,20.0,500\nb,10.0,250\n")
    timed = [{"video_id": "a", "segments": [{"start": 12.0, "end": 14.0, "text": "fry the onions"}]}]
    untimed = [{"video_id": name, "text": "fry the onions"} for name in ("b", "c")]
    for name, lines, code in (("timed", timed, 0), ("untimed", untimed, 1)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        lengths = ["--video-lengths", tmp_path / "lengths.csv", "--out", tmp_path / "out"]
        printed = invoke("encode-transcripts", path, *lengths, exit_code=code)
    assert "failed  c" in printed.stderr
    store = FeatureStore(tmp_path / "out")
    assert store.ids() == ["a", "b"]
    onions = encoder.vectors(["fry the onions"])[0]
    timed_track, spread = store.read("a"), store.read("b")
    np.testing.assert_allclose(timed_track.over(np.array([[11.0, 15.0]]))[0], onions, atol=1e-5)
    assert not timed_track.values[timed_track.times < 7].any()
    assert (spread.values @ onions > 0.5).all()
    (tmp_path / "wrong.jsonl").write_text('{"text": "no id"}\n')
    with pytest.raises(BadFileError, match="video_id"):
        FromFile(tmp_path / "wrong.jsonl")


def test_words_are_kept_beside_the_features(tmp_path: Path) -> None:
    said = Transcript(("Add", "salt."), np.array([[1.0, 1.4], [1.5, 2.1]]), timed=True)
    path = words_path(tmp_path, "film")
    write_words(path, "film", said)
    read = read_timed_transcripts(path)["film"]
    assert read.words == said.words
    np.testing.assert_allclose(read.times, said.times, atol=1e-3)
