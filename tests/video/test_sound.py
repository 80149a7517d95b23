"""Sound: mono, 16 kHz, in step with the picture."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

import films
from cookscribe.video import Limits, VideoFile


def whole(video: VideoFile) -> np.ndarray:
    return np.concatenate([*video.sound(), np.empty(0, np.float32)])


def pitch(samples: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(spectrum.argmax() * 16_000 / len(samples))


def stereo_film(
    path: Path, starts: list[float], rate: int = 44_100, pitches: tuple[float, float] = (300.0, 300.0)
) -> Path:
    """A film of six seconds with stereo tones of half a second at the given times."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=10)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        audio = container.add_stream("aac", rate=rate, layout="stereo")
        for number in range(60):
            frame = av.VideoFrame.from_ndarray(films.flat((number, 0, 0)), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        time = np.arange(rate // 2) / rate
        for start in starts:
            tones = np.stack([0.5 * np.sin(2 * np.pi * p * time) for p in pitches]).astype(np.float32)
            sound = av.AudioFrame.from_ndarray(tones, format="fltp", layout="stereo")
            sound.sample_rate, sound.pts, sound.time_base = rate, round(start * rate), Fraction(1, rate)
            container.mux(audio.encode(sound))
        container.mux(audio.encode(None))
    return path


def test_a_tone_keeps_pitch_level_and_length(tmp_path: Path) -> None:
    samples = whole(VideoFile(films.write_video(tmp_path / "f.mp4", films.moving(3.0, 10.0), films.tone(3.0, 440.0))))
    assert len(samples) == pytest.approx(48_000, abs=1600)
    assert samples.dtype == np.float32
    assert pitch(samples[8000:40_000]) == pytest.approx(440.0, abs=1.0)
    assert np.abs(samples).max() == pytest.approx(0.4, abs=0.05)


def test_stereo_becomes_mono_at_16_khz(tmp_path: Path) -> None:
    samples = whole(VideoFile(stereo_film(tmp_path / "f.mkv", [0.0, 0.5, 1.0], pitches=(300.0, 300.0))))
    assert pitch(samples[1600:20_000]) == pytest.approx(300.0, abs=2.0)


def test_holes_become_silence_of_the_right_length(tmp_path: Path) -> None:
    # Sound from 0.0 to 0.5 and from 3.0 to 3.5 s only.
    samples = whole(VideoFile(stereo_film(tmp_path / "f.mkv", [0.0, 3.0])))
    level = np.abs(samples[: len(samples) // 1600 * 1600]).reshape(-1, 1600).max(axis=1)  # per tenth of a second
    loud = np.flatnonzero(level > 0.1) / 10
    assert loud[0] == 0.0
    assert {0.2, 3.0, 3.2} <= set(np.round(loud, 1))
    assert not [t for t in loud if 0.8 <= t < 2.8]


def test_silence_and_no_sound(tmp_path: Path) -> None:
    silent = films.write_video(tmp_path / "silent.mp4", films.moving(1.0, 10.0), np.zeros(16_000, np.float32))
    assert np.abs(whole(VideoFile(silent))).max() < 1e-3
    none = VideoFile(films.plain(tmp_path / "none.mp4", 1.0, sound=False))
    assert none.info.sound is None
    assert len(whole(none)) == 0


def test_blocks_are_small_however_long_the_film(tmp_path: Path) -> None:
    video = VideoFile(films.sound_only(tmp_path / "long.mp4", 30.0))
    sizes = [len(block) for block in video.sound()]
    assert sum(sizes) == pytest.approx(480_000, abs=3200)
    assert max(sizes) <= 160_000


def test_the_limit_of_length_holds_while_decoding(tmp_path: Path) -> None:
    path = films.sound_only(tmp_path / "f.mp4", 5.0)
    video = VideoFile(path)
    video.limits = Limits(max_seconds=6.0)
    assert len(whole(video)) > 4.9 * 16_000
    object.__setattr__(video, "limits", Limits(max_seconds=5.1))
    assert len(whole(video)) <= 5.1 * 16_000
