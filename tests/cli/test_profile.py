"""`write --profile`: every stage has its seconds and its operations, and the limits are those of this machine."""

from pathlib import Path

import pytest
import torch

import films
from cookscribe.cli.profile import Profile, product_limit
from cookscribe.pipelines.base import Stage
from cookscribe.video import VideoFile
from cookscribe.video.rate import plain_decoding


def test_operations_belong_to_the_stage_that_made_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = VideoFile(films.write_video(tmp_path / "f.mp4", films.moving(2.0, 10.0), None, rate=10.0))
    profile = Profile()

    def write(stage: Stage) -> str:
        stage("watching", 0.0)
        torch.ones(10, 20) @ torch.ones(20, 30)
        stage("writing", 0.0)
        torch.ones(4, 5) @ torch.ones(5, 6)
        stage("writing", 1.0)
        return "done"

    assert profile.timed(write) == "done"
    profile.count(write)
    assert profile.operations == {"watching": 2.0 * 10 * 20 * 30, "writing": 2.0 * 4 * 5 * 6}
    assert list(profile.processor.seconds) == list(profile.wall.seconds) == ["loading", "watching", "writing"]
    profile.print(film)
    shown = capsys.readouterr().out
    for word in ("starting", "loading", "watching", "writing", "all stages", "GFLOPS", "frames/s"):
        assert word in shown


def test_limits(tmp_path: Path) -> None:
    assert product_limit(64, 64, 64) > 0
    assert (
        plain_decoding(VideoFile(films.write_video(tmp_path / "f.mp4", films.moving(2.0, 10.0), None, rate=10.0))) > 0
    )
