"""What is opened and what is refused, before anything is decoded."""

import os
from pathlib import Path

import av
import pytest
from hypothesis import given
from hypothesis import strategies as st

import films
from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.video import Limits, VideoFile, probe
from cookscribe.video.container import CODECS, sniff


def test_disguised_input_is_refused(tmp_path: Path) -> None:
    for name, path in films.disguised(tmp_path).items():
        with pytest.raises(BadFileError) as refusal:
            VideoFile(path)
        assert refusal.value.advice, name


def test_the_library_never_sees_a_disguise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = films.disguised(tmp_path)
    del cases["mp4 header and text"]  # begins like a film; the demuxer that is forced on it finds none

    monkeypatch.setattr(av, "open", lambda *asked, **_: pytest.fail(f"the library was asked to open {asked}"))
    for path in cases.values():
        with pytest.raises(BadFileError):
            VideoFile(path)


@given(st.binary(max_size=1024))
def test_random_bytes_are_no_film(head: bytes) -> None:
    # 4 bytes would have to be right by chance; text and most binary formats never are.
    assert sniff(b"x" + head) is None or head[3:7] in {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"}


def test_playlists_are_no_film_even_with_odd_beginnings() -> None:
    for text in (b"ffconcat version 1.0", b"#EXTM3U", b"\xef\xbb\xbf#EXTM3U", b"[playlist]\n", b";FFMETADATA1"):
        assert sniff(text + b"\nfile x.mp4\n" * 50) is None


@pytest.mark.parametrize(
    ("suffix", "codec", "container"),
    [
        (".mp4", "libx264", "mov"),
        (".mov", "libx264", "mov"),
        (".mkv", "libx264", "matroska"),
        (".webm", "libvpx-vp9", "matroska"),
        (".avi", "mpeg4", "avi"),
        (".ts", "libx264", "mpegts"),
        (".flv", "libx264", "flv"),
        (".wmv", "wmv2", "asf"),
    ],
)
def test_containers_we_name(tmp_path: Path, suffix: str, codec: str, container: str) -> None:
    path = films.write_video(tmp_path / f"film{suffix}", films.moving(1.0, 25.0, 64, 48), rate=25.0, codec=codec)
    renamed = path.rename(tmp_path / "film.bin")  # the name does not matter
    video = VideoFile(renamed)
    assert video.info.container == container
    assert video.info.upright == (64, 48)
    assert video.info.duration == pytest.approx(1.0, abs=0.1)
    times = [frame.time for frame in video.frames()]
    assert len(times) == 25
    assert times[0] == pytest.approx(0.0, abs=1e-3)
    assert times[-1] == pytest.approx(24 / 25, abs=2e-3)
    assert not video.warnings


def test_odd_paths(tmp_path: Path) -> None:
    film = films.plain(tmp_path / "film.mp4", 1.0)
    with pytest.raises(MissingFileError):
        probe(tmp_path / "none.mp4")
    with pytest.raises(BadFileError, match="network address"):
        probe("https://example.org/film.mp4")
    with pytest.raises(BadFileError, match="network address"):
        probe(Path("https://example.org/film.mp4"))  # a Path swallows one of the slashes
    os.mkfifo(tmp_path / "pipe.mp4")
    with pytest.raises(BadFileError, match="regular file"):
        probe(tmp_path / "pipe.mp4")
    # A name that the library would take for an instruction is only a name.
    tricky = film.rename(tmp_path / "concat:a|b ?x=%20#é.mp4")
    assert probe(tricky).duration == pytest.approx(1.0, abs=0.1)


def test_limits_are_checked_before_decoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = films.plain(tmp_path / "film.mp4", 3.0)
    for limits, cause, advice in (
        (Limits(max_pixels=160 * 120 - 1), "160 x 120 pixels, more than the limit of 19199", "--max-pixels"),
        (Limits(max_seconds=2.0), "3 s long, more than the limit of 2 s", "--max-seconds"),
        (Limits(max_streams=1), "streams", "max_streams"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr("cookscribe.video.info._turned", lambda _: pytest.fail("a frame was decoded"))
            with pytest.raises(BadFileError, match=cause) as refusal:
                VideoFile(path, limits)
        assert advice in refusal.value.advice
    assert VideoFile(path, Limits(max_pixels=160 * 120, max_seconds=4.0, max_streams=2)).info.width == 160


def test_a_film_that_grows_on_the_way_stays_within_the_limit(tmp_path: Path) -> None:
    small = films.write_video(tmp_path / "small.ts", films.moving(1.0, 25.0, 64, 48), rate=25.0)
    large = films.write_video(tmp_path / "large.ts", films.moving(1.0, 25.0, 640, 480), rate=25.0)
    both = tmp_path / "both.ts"
    both.write_bytes(small.read_bytes() + large.read_bytes())
    unlimited = {frame.image.shape for frame in VideoFile(both).frames()}
    assert (480, 640, 3) in unlimited or len(unlimited) == 1  # whether the larger part can be joined is the demuxer's
    video = VideoFile(both, Limits(max_pixels=64 * 48))
    assert {frame.image.shape for frame in video.frames()} == {(48, 64, 3)}


def test_too_many_frames_a_second(tmp_path: Path) -> None:
    path = films.write_video(tmp_path / "dense.mp4", ((n / 1000, films.flat((n % 250, 0, 0))) for n in range(900)))
    with pytest.raises(BadFileError, match="frames a second"):
        list(VideoFile(path, Limits(max_frames_per_second=50.0)).frames())


def test_codecs_we_allow_exist_in_this_library() -> None:
    known = [name for name in CODECS.split(",") if name in av.codecs_available]
    assert {"h264", "hevc", "av1", "vp9", "aac", "opus"} <= set(known)
