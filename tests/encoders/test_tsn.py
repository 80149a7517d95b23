"""TSN feature folders: the published rule of times, and no silent zeros."""

import math
from pathlib import Path

import numpy as np
import pytest

from cookscribe.encoders.tsn import TsnFolder, VideoLength, row_times
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from harmful import Harmful

LENGTHS = {"-a": VideoLength(10.0, 299), "b": VideoLength(20.0, 500)}


def write_parts(folder: Path, video_id: str, resnet: np.ndarray, bn: np.ndarray) -> None:
    folder.mkdir(exist_ok=True)
    np.save(folder / f"{video_id}_resnet.npy", resnet)
    np.save(folder / f"{video_id}_bn.npy", bn)


def test_both_parts_side_by_side_with_their_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    resnet, bn = rng.normal(size=(19, 2048)).astype("f4"), rng.normal(size=(19, 1024)).astype("f4")
    write_parts(tmp_path / "validation", "-a", resnet, bn)
    track = TsnFolder(tmp_path, LENGTHS).read("-a")
    np.testing.assert_array_equal(track.values, np.hstack([resnet, bn]))
    assert (track.encoder, track.duration, track.simulated) == ("tsn", 10.0, False)
    # 29.9 frames a second: a row every ceil(14.95) = 15 frames, that is 15 / 29.9 s.
    expected = [index * 10.0 * math.ceil(299 / 10.0 * 0.5) / 299 for index in range(19)]
    np.testing.assert_allclose(track.times, expected, rtol=1e-12)
    assert row_times(2, LENGTHS["-a"])[1] == pytest.approx(15 / 29.9)


def test_ids(tmp_path: Path) -> None:
    write_parts(tmp_path, "b", np.ones((2, 4)), np.ones((2, 3)))
    write_parts(tmp_path / "training", "-a", np.ones((2, 4)), np.ones((2, 3)))
    assert TsnFolder(tmp_path, LENGTHS).ids() == ["-a", "b"]


def test_missing_things_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere"):
        TsnFolder(tmp_path / "nowhere", LENGTHS)
    folder = TsnFolder(tmp_path, LENGTHS)
    with pytest.raises(MissingFileError, match=r"b_resnet\.npy"):
        folder.read("b")
    np.save(tmp_path / "b_resnet.npy", np.ones((2, 4)))
    with pytest.raises(MissingFileError, match=r"b_bn\.npy"):
        folder.read("b")
    with pytest.raises(BadValueError, match="duration"):
        folder.read("c")


def test_broken_parts_are_refused(tmp_path: Path) -> None:
    folder = TsnFolder(tmp_path, LENGTHS)
    write_parts(tmp_path, "b", np.ones((3, 4)), np.ones((2, 3)))
    with pytest.raises(BadFileError, match="2 rows but the resnet part 3"):
        folder.read("b")
    good = np.ones((3, 3))
    for wrong in (np.ones(3), np.ones((3, 3), dtype=int), np.full((3, 3), np.nan), np.ones((0, 3))):
        write_parts(tmp_path, "b", wrong, good)
        with pytest.raises(BadFileError, match=r"b_resnet\.npy"):
            folder.read("b")
    path = tmp_path / "b_resnet.npy"
    np.save(path, good)
    whole = path.read_bytes()
    for content in (b"", b"not numpy", whole[:40], whole[:-8]):
        path.write_bytes(content)
        with pytest.raises(BadFileError, match=r"b_resnet\.npy"):
            folder.read("b")


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    write_parts(tmp_path, "b", np.array([[Harmful(tmp_path / "sprung")]], dtype=object), np.ones((1, 3)))
    with pytest.raises(BadFileError, match=r"b_resnet\.npy"):
        TsnFolder(tmp_path, LENGTHS).read("b")
    assert not (tmp_path / "sprung").exists()
