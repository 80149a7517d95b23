"""Several encoders on one time line, and the choice of encoders by name."""

from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.encoders import EncoderOptions, load_encoder
from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.joined import JoinedEncoder, join
from cookscribe.errors import BadValueError
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile


class Clock:
    """Encodes the time itself, at a rate."""

    def __init__(self, name: str, rate: float, width: int = 1) -> None:
        self.name, self.rate, self.width = name, rate, width

    def encode(self, video: VideoFile, progress: Progress = silent) -> FeatureTrack:
        times = (np.arange(round(video.duration * self.rate)) + 0.5) / self.rate
        progress(video.duration)
        return FeatureTrack(times, np.repeat(times[:, None], self.width, 1).astype("f4"), self.name, video.duration)


def test_rows_are_joined_by_time(tmp_path: Path) -> None:
    encoder = JoinedEncoder([Clock("slow", 0.5, 2), Clock("fast", 2.0, 3)])
    told: list[float] = []
    track = encoder.encode(VideoFile(films.plain(tmp_path / "f.mp4", 8.0, sound=False)), told.append)
    assert (track.encoder, track.width, encoder.name, encoder.width) == ("slow+fast", 5, "slow+fast", 5)
    np.testing.assert_allclose(track.values[:, 2], track.times, atol=1e-6)  # the finer time line stays
    assert (np.abs(track.values[:, 0] - track.times) <= 1.0).all()  # and the nearest coarse row goes with it
    np.testing.assert_allclose(told, [4.0, 8.0], atol=0.1)


def test_simulated_and_durations_carry_over() -> None:
    real = FeatureTrack(np.array([1.0]), np.ones((1, 2)), "a", 10.0)
    drawn = FeatureTrack(np.array([1.0, 2.0]), np.ones((2, 2)), "b", 9.0, simulated=True)
    both = join([real, drawn])
    assert both.simulated
    assert both.duration == 9.0
    assert both.values.shape == (2, 4)
    with pytest.raises(BadValueError, match="no track"):
        join([])


@pytest.mark.parametrize(("name", "cause"), [("nothing", "no encoder"), ("effnet+effnet", "twice"), ("", "no encoder")])
def test_names_that_are_wrong(name: str, cause: str) -> None:
    with pytest.raises(BadValueError, match=cause):
        load_encoder(name)


def test_tsn_reads_the_published_folder(tmp_path: Path) -> None:
    film = films.plain(tmp_path / "abc.mp4", 10.0, sound=False)
    folder = tmp_path / "tsn"
    folder.mkdir()
    random = np.random.default_rng(0)
    resnet, bn = random.random((20, 2048), dtype="f4"), random.random((20, 1024), dtype="f4")
    np.save(folder / "abc_resnet.npy", resnet)
    np.save(folder / "abc_bn.npy", bn)
    (tmp_path / "lengths.csv").write_text("abc,10.0,250\n")
    encoder = load_encoder("tsn", EncoderOptions(tsn_folder=folder, video_lengths=tmp_path / "lengths.csv"))
    track = encoder.encode(VideoFile(film))
    assert track.width == encoder.width == 3072
    np.testing.assert_array_equal(track.values, np.concatenate([resnet, bn], axis=1))
    # Every 13th of 25 frames a second.
    np.testing.assert_allclose(track.times, np.arange(20) * 13 / 25)
    with pytest.raises(BadValueError, match="feature folder"):
        load_encoder("tsn")
