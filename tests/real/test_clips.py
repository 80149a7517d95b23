"""Real clips through every installed encoder."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.encoders import load_encoder
from cookscribe.encoders.i3d import I3dEncoder
from cookscribe.encoders.milnce import MilNceEncoder
from cookscribe.encoders.s3d import S3D
from cookscribe.encoders.speech import SpeechEncoder
from cookscribe.errors import MissingDependencyError
from cookscribe.video import Size, VideoFile, probe

CLIPS = {
    "decord_flipping_a_pancake.mkv": (10.38, (426, 240), 30.0, "opus"),
    "lavila_kneading.mp4": (5.0, (320, 180), 10.0, None),
    "stllm_cooking.mp4": (12.01, (427, 240), 23.976, "aac"),
    "videollava_9.mp4": (9.15, (596, 336), 23.976, "aac"),
}


@pytest.fixture(scope="module")
def clips(data_folder: Path) -> list[Path]:
    paths = sorted((data_folder / "clips").iterdir())
    assert {path.name for path in paths} >= CLIPS.keys()
    return [path for path in paths if path.name in CLIPS]


def test_probe(clips: list[Path]) -> None:
    for path in clips:
        info = probe(path)
        duration, size, rate, sound = CLIPS[path.name]
        assert info.duration == pytest.approx(duration, abs=0.02)
        assert (info.upright, info.sound) == (size, sound)
        assert info.frame_rate == pytest.approx(rate, abs=0.01)


def test_leaving_out_frames_changes_no_picture(clips: list[Path]) -> None:
    # Sampling lets the decoder drop frames on which none depends. Those that stay must be the same pictures as when all
    # are decoded, and at most a tenth of a second old.
    for path in clips:
        video = VideoFile(path)
        every = {round(frame.shown, 4): frame.image for frame in video.frames(size=Size.square(64))}
        for frame in video.frames(2.0, Size.square(64)):
            assert 0 <= frame.time - frame.shown < 0.11
            np.testing.assert_array_equal(frame.image, every[round(frame.shown, 4)])
        assert not video.warnings


@pytest.mark.parametrize("name", ["effnet", "speech", "effnet+speech", "i3d"])
def test_installed_encoders(clips: list[Path], name: str) -> None:
    try:
        encoder = load_encoder(name)
    except MissingDependencyError as error:
        if name != "i3d":  # its weights come from no package, those of the others do
            raise
        pytest.skip(str(error))
    for path in clips:
        video = VideoFile(path)
        track = encoder.encode(video)
        assert track.encoder == name
        assert track.width == encoder.width
        assert np.isfinite(track.values).all()
        assert track.duration == pytest.approx(CLIPS[path.name][0], abs=0.02)
        assert 0 <= track.times[0] < track.times[-1] <= track.duration
        if name == "effnet":
            assert len(track.times) == pytest.approx(2 * track.duration, abs=1)
            assert (track.values.std(axis=1) > 0.05).all()


def test_i3d_names_a_real_action(clips: list[Path]) -> None:
    try:
        encoder = load_encoder("i3d")
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert isinstance(encoder, I3dEncoder)
    track = encoder.encode(VideoFile(next(path for path in clips if "pancake" in path.name)))
    logits = encoder.network.classifier(torch.from_numpy(track.values))
    assert int(logits.softmax(dim=1).mean(dim=0).argmax()) == 129  # "flipping pancake" of the 400 classes, from 0


def test_speech_in_a_real_clip(clips: list[Path]) -> None:
    encoder = load_encoder("speech")
    assert isinstance(encoder, SpeechEncoder)
    # In one clip two women talk from the eighth second on.
    video = VideoFile(next(path for path in clips if path.name == "stllm_cooking.mp4"))
    encoder.encode(video)
    assert len(encoder.transcript) >= 5
    assert encoder.transcript.times[0, 0] > 6.0


def test_milnce_with_made_up_weights(clips: list[Path], tmp_path: Path) -> None:
    torch.save(S3D().state_dict(), tmp_path / "s3d_howto100m.pth")
    np.save(tmp_path / "s3d_dict.npy", np.array(["egg", "bowl"]))
    encoder = MilNceEncoder(tmp_path)
    encoder.rate, encoder.window, encoder.stride, encoder.side = 8.0, 16, 16, 64
    for path in clips:
        track = encoder.encode(VideoFile(path))
        assert track.width == 512
        assert len(track.times) == pytest.approx(track.duration / 2, abs=1.01)
        assert np.isfinite(track.values).all()
