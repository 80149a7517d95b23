"""Films that end early, or whose sound or picture does: they say so; whole films of all kinds do not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import films
from cookscribe.video import VideoFile, probe
from cookscribe.video.ending import Ends, find_ends
from cookscribe.video.writing import write_video
from tests.broken_films import cut, remuxed, spoiled, streamable

SECONDS = 12.0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of twelve seconds with sound and many key frames."""
    path = tmp_path_factory.mktemp("whole") / "whole.mp4"
    pictures = films.moving(SECONDS, 25.0, 64, 48)
    return write_video(path, pictures, films.tone(SECONDS), rate=25.0, options={"g": "25"})


def read(path: Path) -> tuple[VideoFile, list[float], float]:
    """The film after both ways of decoding it, the times of its frames and the seconds of its sound."""
    video = VideoFile(path)
    times = [frame.time for frame in video.frames(rate=5.0)]
    return video, times, sum(len(block) for block in video.sound()) / 16_000


WHOLE: dict[str, Callable[[Path, Path], Path]] = {
    "mp4": lambda film, _: film,
    "streamable mp4": lambda film, folder: streamable(film, folder / "f.mp4"),
    "mp4 in fragments": lambda film, folder: remuxed(film, folder / "f.mp4", movflags="frag_keyframe+empty_moov"),
    "mkv": lambda film, folder: remuxed(film, folder / "f.mkv"),
    "live mkv": lambda film, folder: remuxed(film, folder / "f.mkv", live="1"),
    "ts": lambda film, folder: remuxed(film, folder / "f.ts"),
    "ts, sound after the picture": lambda _, folder: films.plain(folder / "f.ts", SECONDS),
    "flv": lambda film, folder: remuxed(film, folder / "f.flv"),
    "live flv": lambda film, folder: remuxed(film, folder / "f.flv", flvflags="no_duration_filesize"),
    "avi": lambda _, folder: films.plain(folder / "f.avi", SECONDS, codec="mpeg4"),
    "wmv": lambda _, folder: films.plain(folder / "f.wmv", SECONDS, codec="wmv2"),
    "sound a little shorter": lambda _, folder: write_video(
        folder / "f.mp4", films.moving(SECONDS), films.tone(SECONDS - 3), rate=25.0
    ),
    "sound a little longer": lambda _, folder: write_video(
        folder / "f.mkv", films.moving(SECONDS - 3), films.tone(SECONDS), rate=25.0
    ),
    "no sound": lambda _, folder: films.plain(folder / "f.mkv", SECONDS, sound=False),
    "slow stills": lambda _, folder: films.stills(folder / "f.mkv", SECONDS, each=4.0),
    "variable rate": lambda _, folder: films.with_cuts(folder / "f.mp4"),
}


@pytest.mark.parametrize("kind", sorted(WHOLE))
def test_whole_films_have_no_warnings(whole: Path, tmp_path: Path, kind: str) -> None:
    path = WHOLE[kind](whole, tmp_path)
    video, times, sound = read(path)
    assert video.warnings == ()
    assert video.duration == video.info.readable == video.info.duration >= SECONDS - 0.1
    assert len(times) >= 5 * (SECONDS - 3) - 1
    assert bool(sound) == (video.info.sound is not None) == (kind not in {"no sound", "variable rate"})


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".flv"])
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_film_that_ends_early_says_so_before_decoding(whole: Path, tmp_path: Path, suffix: str, share: float) -> None:
    made = streamable(whole, tmp_path / "w.mp4") if suffix == ".mp4" else remuxed(whole, tmp_path / f"w{suffix}")
    path = cut(made, tmp_path / f"cut{suffix}", share)
    info = probe(path)
    assert info.duration == pytest.approx(SECONDS, abs=0.3)
    assert info.readable < info.duration - 2
    assert info.warnings == (
        f"the file says it is {info.duration:.1f} s long, but only the first {info.readable:.1f} s can be read",
    )
    video, times, sound = read(path)
    assert video.duration == info.readable
    # That moment is right: until there something can be decoded, and nothing after it.
    last = max(times[-1], sound)
    assert last - 0.2 <= info.readable <= last + 0.4
    assert sum("can be read" in warning for warning in video.warnings) == 1


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts", ".avi", ".wmv"])
def test_a_film_whose_last_moments_are_missing_is_cut_short(whole: Path, tmp_path: Path, suffix: str) -> None:
    if suffix in {".avi", ".wmv"}:
        made = films.plain(tmp_path / f"w{suffix}", 4.0, codec="mpeg4" if suffix == ".avi" else "wmv2")
    else:
        made = streamable(whole, tmp_path / "w.mp4") if suffix == ".mp4" else remuxed(whole, tmp_path / f"w{suffix}")
    data = made.read_bytes()
    assert probe(made).warnings == ()
    made.write_bytes(data[: len(data) * 99 // 100 - 3])
    info = probe(made)
    assert any("cut short" in warning or "can be read" in warning for warning in info.warnings)
    assert info.readable <= info.duration


def test_sound_that_was_never_filled_in(whole: Path, tmp_path: Path) -> None:
    path = spoiled(streamable(whole, tmp_path / "w.mp4"), tmp_path / "f.mp4", ("audio",), 4.0, "zeros")
    video = VideoFile(path)
    assert video.info.sound_ends == pytest.approx(4.0, abs=0.1)
    assert video.warnings == ("the sound ends after 4.0 s of 12.0 s",)
    assert video.duration == pytest.approx(SECONDS, abs=0.1)  # there is a picture until then


def test_a_picture_that_was_never_filled_in(whole: Path, tmp_path: Path) -> None:
    made = streamable(whole, tmp_path / "w.mp4")
    picture = probe(spoiled(made, tmp_path / "p.mp4", ("video",), 5.0, "zeros"))
    assert [warning.split(" ends")[0] for warning in picture.warnings] == ["the picture"]
    both = probe(spoiled(made, tmp_path / "b.mp4", ("video", "audio"), 5.0, "zeros"))
    assert both.readable == pytest.approx(5.0, abs=0.3)
    assert len(both.warnings) == 1
    assert "only the first 5." in both.warnings[0]


@pytest.mark.parametrize("way", ["frames", "sound"])
def test_an_end_that_cannot_be_decoded_is_no_readable_moment(whole: Path, tmp_path: Path, way: str) -> None:
    made = streamable(whole, tmp_path / "w.mp4")
    video = VideoFile(spoiled(made, tmp_path / "f.mp4", ("video", "audio"), 6.0, "noise"))
    assert video.warnings == ()  # only decoding can tell
    sum(1 for _ in (video.frames(rate=2.0) if way == "frames" else video.sound()))
    assert any("picture can be decoded up to" in warning for warning in video.warnings)
    assert video.duration == pytest.approx(6.0, abs=0.5)
    # One of the two is enough to make a moment readable.
    video = VideoFile(spoiled(made, tmp_path / "f.mp4", ("audio" if way == "sound" else "video",), 6.0, "noise"))
    sum(1 for _ in (video.frames(rate=2.0) if way == "frames" else video.sound()))
    assert any("can be decoded up to" in warning for warning in video.warnings)
    assert video.duration == pytest.approx(SECONDS, abs=0.2)


def test_sound_that_cannot_be_decoded_at_all(whole: Path, tmp_path: Path) -> None:
    video = VideoFile(spoiled(whole, tmp_path / "f.mp4", ("audio",), 0.0, "noise"))
    assert sum(len(block) for block in video.sound()) < 16_000
    assert any(warning.startswith("the sound can") for warning in video.warnings)


def test_a_hole_in_the_middle_is_told(whole: Path, tmp_path: Path) -> None:
    path = remuxed(whole, tmp_path / "f.mkv")
    data = bytearray(path.read_bytes())
    quarter = len(data) // 4
    data[quarter : 3 * quarter] = bytes(2 * quarter)
    path.write_bytes(data)
    video, _, _ = read(path)
    assert any("in the middle of the film cannot be read" in warning for warning in video.warnings)


def test_a_search_without_an_end_is_given_up(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cut(streamable(whole, tmp_path / "w.mp4"), tmp_path / "cut.mp4", 0.5)

    def hasty(*streams: Any, **more: Any) -> Ends:
        return find_ends(*streams, **{**more, "patience": -1.0})

    monkeypatch.setattr("cookscribe.video.info.find_ends", hasty)
    info = probe(path)  # what was not looked at is not called missing
    assert info.readable == info.duration
    assert info.warnings == ()


def test_comments_of_matroska_are_read(tmp_path: Path) -> None:
    path = films.plain(tmp_path / "f.mkv", 1.0, metadata={"comment": "simulated kitchen"})
    assert b"COMMENT" in path.read_bytes()
    assert probe(path).comment == "simulated kitchen"


def test_a_matrix_of_zeros_is_no_rotation(tmp_path: Path) -> None:
    path = films.rotated(tmp_path / "f.mp4", 90)
    assert probe(path).turned == 90
    data = bytearray(path.read_bytes())
    place = data.index(b"tkhd") + 4 + 40  # version, flags, times, layer, volume come first
    assert np.frombuffer(data[place : place + 36], ">i4")[[1, 3]].any()
    data[place : place + 36] = bytes(36)
    path.write_bytes(data)
    video = VideoFile(path)
    assert (video.info.turned, video.info.upright) == (0, (64, 32))
    assert video.picture(0.0).shape == (32, 64, 3)


def test_skimming_finds_what_only_reading_on_shows(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = VideoFile(whole)
    film.skim()
    assert (film.duration, film.warnings) == (film.info.duration, ())
    # The end is there, but reading from the beginning stops on the way.
    monkeypatch.setattr("cookscribe.video.file.scan_ends", lambda *_, **__: Ends(picture=4.5))
    film.skim()
    assert film.duration == 4.5
    assert "only the first 4.5 s can be read" in film.warnings[0]
