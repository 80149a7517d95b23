"""Frames: their times, their orientation, their size."""

import threading
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

import films
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.video import Limits, Size, VideoFile, ahead
from cookscribe.video.file import _Seen


def dominant(image: np.ndarray) -> int:
    """0, 1 or 2: the strongest of red, green, blue."""
    return int(image.reshape(-1, 3).mean(axis=0).argmax())


def test_variable_frame_rate_keeps_its_cuts(tmp_path: Path) -> None:
    video = VideoFile(films.with_cuts(tmp_path / "cuts.mp4"))
    every = list(video.frames())
    assert len(every) == 5 * (30 + 6 + 15)
    cuts = [b.time for a, b in pairwise(every) if dominant(a.image) != dominant(b.image)]
    np.testing.assert_allclose(cuts, [5.0, 10.0], atol=0.001)
    # Sampled, each moment shows what is on the screen then: the border between two rows is the cut.
    sampled = list(video.frames(rate=2.0))
    assert [dominant(frame.image) for frame in sampled] == [0] * 10 + [1] * 10 + [2] * 10
    np.testing.assert_allclose([frame.time for frame in sampled], np.arange(30) / 2 + 0.25)


def test_sampling_shows_the_picture_on_the_screen(tmp_path: Path) -> None:
    path = films.write_video(
        tmp_path / "f.mp4", ((n / 10, films.flat((20 + 2 * n, 0, 0))) for n in range(100)), rate=10
    )
    for frame in VideoFile(path).frames(rate=3.0):
        expected = int(frame.time * 10 + 1e-6)
        assert frame.shown == pytest.approx(expected / 10, abs=1e-6)
        assert frame.image[..., 0].mean() == pytest.approx(20 + 2 * expected, abs=4)


def test_left_out_frames_cost_a_tenth_of_a_second_at_most(tmp_path: Path) -> None:
    path = films.plain(tmp_path / "f.mp4", 6.0, sound=False, options={"preset": "medium", "bf": "3"})
    decoded = {frame.shown for frame in VideoFile(path).frames(rate=3.0)}
    frames = list(VideoFile(path).frames(rate=3.0))
    assert max(frame.time - frame.shown for frame in frames) < 0.16
    assert min(frame.time - frame.shown for frame in frames) >= 0
    # At a rate near the film's own, nothing is left out.
    exact = [frame.shown for frame in VideoFile(path).frames(rate=12.5)]
    assert len(set(exact)) == len(exact) == 75
    assert len(decoded) == 18


def test_a_still_is_repeated_not_decoded_again(tmp_path: Path) -> None:
    frames = list(VideoFile(films.stills(tmp_path / "s.mp4", 20.0, each=5.0, sound=False)).frames(rate=2.0))
    assert len(frames) == 40
    assert len({id(frame.image) for frame in frames}) <= 5
    assert [frame.shown for frame in frames[:12]] == [0.0] * 10 + [5.0] * 2


def test_very_short_films_have_one_row(tmp_path: Path) -> None:
    path = films.write_video(
        tmp_path / "short.mp4", [(0.0, films.flat((9, 9, 9))), (0.04, films.flat((9, 9, 9)))], rate=25
    )
    frames = list(VideoFile(path).frames(rate=1.0))
    assert len(frames) == 1
    assert 0 <= frames[0].time <= 0.1


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
@pytest.mark.parametrize(("hflip", "vflip"), [(False, False), (True, False), (False, True)])
def test_all_orientations(tmp_path: Path, degrees: int, hflip: bool, vflip: bool) -> None:
    plain = VideoFile(films.rotated(tmp_path / "plain.mp4", 0)).picture(0.0)
    # Independent expectation: turn counter-clockwise, then mirror.
    expected = np.rot90(plain, degrees // 90)
    expected = expected[:, ::-1] if hflip else expected
    expected = expected[::-1] if vflip else expected
    video = VideoFile(films.rotated(tmp_path / "turned.mp4", degrees, hflip, vflip))
    image = next(video.frames()).image
    assert image.shape == expected.shape
    assert np.abs(image.astype(int) - expected.astype(int)).mean() < 8
    assert video.info.upright == (expected.shape[1], expected.shape[0])


def test_sizes(tmp_path: Path) -> None:
    video = VideoFile(films.plain(tmp_path / "f.mp4", 1.0))
    whole = video.picture(0.5)
    assert whole.shape == (120, 160, 3)
    assert video.picture(0.5, Size.square(64)).shape == (64, 64, 3)
    assert video.picture(0.5, Size(64, 32)).shape == (32, 64, 3)
    # Covering keeps the middle: the gradient of red runs over the middle three quarters only.
    covered = video.picture(0.5, Size.square(120))
    np.testing.assert_allclose(covered[0, [0, -1], 0], whole[0, [20, 139], 0], atol=12)
    squeezed = video.picture(0.5, Size.square(120, whole=True))
    assert squeezed.shape == (120, 120, 3)
    np.testing.assert_allclose(squeezed[0, [0, -1], 0], whole[0, [0, -1], 0], atol=12)


def test_pixels_that_are_not_square(tmp_path: Path) -> None:
    path = tmp_path / "wide.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.sample_aspect_ratio = Fraction(2, 1)
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(films.flat((90, 0, 0)), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    video = VideoFile(path)
    assert video.info.upright == (128, 48)
    assert video.picture(0.0).shape == (48, 128, 3)


def test_pictures_at_a_time(tmp_path: Path) -> None:
    video = VideoFile(films.with_cuts(tmp_path / "cuts.mp4"))
    expected = {0.0: 0, 4.99: 0, 5.0: 1, 9.9: 1, 10.01: 2, 14.9: 2, 99.0: 2, -1.0: 0}
    assert {time: dominant(video.picture(time)) for time in expected} == expected


def test_a_film_cut_short_gives_what_is_readable(tmp_path: Path) -> None:
    whole = films.plain(tmp_path / "whole.mkv", 8.0, options={"g": "25"})
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    video = VideoFile(cut)
    assert video.info.duration == pytest.approx(8.0, abs=0.1)
    frames = list(video.frames(rate=5.0))
    assert 5 < len(frames) < 35
    assert sum("can be read" in warning for warning in video.warnings) == 1
    assert video.duration == pytest.approx(frames[-1].time, abs=0.5)
    assert video.picture(7.9).shape == (120, 160, 3)  # the last picture there is
    untouched = VideoFile(whole)
    assert len(list(untouched.frames(rate=5.0))) == 40
    assert untouched.warnings == ()


def test_sound_longer_than_the_picture_is_no_damage(tmp_path: Path) -> None:
    path = films.write_video(tmp_path / "f.mkv", films.moving(3.0, 10.0), films.tone(9.0), rate=10.0)
    video = VideoFile(path)
    frames = list(video.frames(rate=2.0))
    assert video.warnings == ()
    assert video.duration == pytest.approx(9.0, abs=0.1)
    assert frames[-1].time < 3.2


def test_films_without_a_picture_or_frames(tmp_path: Path) -> None:
    sound = VideoFile(films.sound_only(tmp_path / "sound.mp4"))
    with pytest.raises(BadFileError, match="only sound"):
        next(sound.frames())
    with pytest.raises(BadFileError, match="only sound"):
        sound.picture(0.0)
    empty = VideoFile(films.without_frames(tmp_path / "empty.mp4"))
    with pytest.raises(BadFileError, match="not one frame"):
        list(empty.frames())


def test_ten_bit_film(tmp_path: Path) -> None:
    image = VideoFile(films.ten_bit(tmp_path / "ten.mp4")).picture(0.0)
    expected = next(films.moving(1.0))[1]
    assert np.abs(image.astype(int) - expected.astype(int)).mean() < 10


def test_rates_that_make_no_sense(tmp_path: Path) -> None:
    video = VideoFile(films.plain(tmp_path / "f.mp4", 1.0))
    for rate in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BadValueError, match="positive rate"):
            next(video.frames(rate=rate))


def test_a_stalled_decoder_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = VideoFile(films.plain(tmp_path / "f.mp4", 1.0), Limits(stall_seconds=0.05))
    monkeypatch.setattr(VideoFile, "_packets", lambda *_: _endless())
    with pytest.raises(BadFileError, match="nothing new"):
        list(video.frames())


def _endless() -> Iterator[_Seen]:
    while True:
        time.sleep(0.01)
        yield _Seen(0.0, 0.0, pictured=False)


def test_ahead_keeps_order_and_errors() -> None:
    assert list(ahead(iter(range(100)), depth=3)) == list(range(100))

    def failing() -> Iterator[int]:
        yield 1
        raise BadFileError("film", "ends here")

    seen = []
    with pytest.raises(BadFileError, match="ends here"):
        seen.extend(ahead(failing(), depth=3))  # the items before the error arrive
    found = ahead(failing(), depth=3)
    assert next(found) == 1
    found.close()  # type: ignore[attr-defined]


def test_leaving_early_stops_the_thread_and_closes_the_film() -> None:
    closed = threading.Event()

    def source() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    items = ahead(source(), depth=2)
    next(items)
    items.close()  # type: ignore[attr-defined]
    assert closed.wait(timeout=5)
    assert not [thread for thread in threading.enumerate() if thread.name == "ahead"]
