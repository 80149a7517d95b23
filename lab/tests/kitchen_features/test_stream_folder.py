import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from cookscribe.cli import main
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import write_truth
from cookscribe.track import FeatureTrack
from cookscribe_lab.cli.kitchen import read_any
from cookscribe_lab.kitchen_features import stream_folder
from cookscribe_lab.kitchen_features.stream_folder import RECORD, expected_size, settings_for, write_streams
from cookscribe_lab.kitchen_features.streams import render
from cookscribe_lab.kitchen_films.recipes import make_recipes, truth
from lab.tests.kitchen_features.plain_videos import plain_videos
from tests.command import run_command


@pytest.fixture(scope="module")
def videos() -> list[AnnotatedVideo]:
    return plain_videos(5)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_everything_is_labelled_simulated(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    tally = write_streams(videos, tmp_path, settings_for("milnce-like"))
    assert (tally.written, tally.skipped) == (5, 0)
    record = json.loads((tmp_path / RECORD).read_text())
    assert record["simulated"] is True
    assert record["settings"]["encoder"] == "milnce-like"
    for video in videos:
        with safe_open(FeatureStore(tmp_path).path(video.id), framework="numpy") as file:
            assert file.metadata()["simulated"] == "true"
        assert FeatureStore(tmp_path).read(video.id).simulated


def test_same_settings_same_bytes(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    write_streams(videos, tmp_path / "a", settings_for("milnce-like", seed=3))
    write_streams(reversed(videos), tmp_path / "b", settings_for("milnce-like", seed=3))
    assert contents(tmp_path / "a").keys() == contents(tmp_path / "b").keys()
    other = contents(tmp_path / "b")
    for name, data in contents(tmp_path / "a").items():
        assert name == RECORD or data == other[name]


def test_a_folder_is_gone_on_with(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    settings = settings_for("milnce-like")
    write_streams(videos[:2], tmp_path, settings)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in contents(tmp_path) if name != RECORD}
    tally = write_streams(videos, tmp_path, settings)
    assert (tally.written, tally.skipped) == (3, 2)
    assert all((tmp_path / name).stat().st_mtime_ns == time for name, time in before.items())


def test_an_interrupted_run_resumes_to_the_same_folder(
    tmp_path: Path, videos: list[AnnotatedVideo], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for("milnce-like")
    write_streams(videos, tmp_path / "straight", settings)

    def interrupted(video: AnnotatedVideo, *options: object) -> FeatureTrack:
        if video.id == videos[3].id:
            raise KeyboardInterrupt
        return render(video, *options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(stream_folder, "render", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_streams(videos, tmp_path / "twice", settings)
    tally = write_streams(videos, tmp_path / "twice", settings)
    assert (tally.written, tally.skipped) == (2, 3)
    assert contents(tmp_path / "straight") == contents(tmp_path / "twice")


def test_a_changed_annotation_is_filmed_again(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    settings = settings_for("milnce-like")
    write_streams(videos, tmp_path, settings)
    changed = replace(videos[0], sentences=("boil the rice", *videos[0].sentences[1:]))
    old = FeatureStore(tmp_path).read(changed.id).values.tobytes()
    assert write_streams([changed, *videos[1:]], tmp_path, settings).written == 1
    assert FeatureStore(tmp_path).read(changed.id).values.tobytes() != old


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"difficulty": 2.0}, {"every": 0.5}, {"encoder": "tsn-like", "every": 1.0}]
)
def test_other_settings_are_never_mixed_in(
    tmp_path: Path, videos: list[AnnotatedVideo], other: dict[str, float]
) -> None:
    write_streams(videos[:1], tmp_path, settings_for("milnce-like"))
    before = contents(tmp_path)
    with pytest.raises(BadValueError, match="made with"):
        write_streams(videos, tmp_path, settings_for(**({"encoder": "milnce-like"} | other)))  # type: ignore[arg-type]
    assert contents(tmp_path) == before


def test_features_of_somebody_else_are_left_alone(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    FeatureStore(tmp_path).write("real", FeatureTrack(np.arange(2.0), np.ones((2, 3), np.float32), "effnet", 2.0))
    with pytest.raises(BadValueError, match="holds features but"):
        write_streams(videos, tmp_path, settings_for("milnce-like"))


def test_the_size_is_known_before(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    settings = settings_for("milnce-like")
    tally = write_streams(videos, tmp_path, settings)
    assert tally.size == pytest.approx(expected_size(videos, settings), rel=0.01)


def test_all_formats_of_annotations_are_read(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    recipes = list(make_recipes(seed=0, count=3))
    (tmp_path / "made.json").write_text(json.dumps(truth(recipes)))
    made = read_any(tmp_path / "made.json")
    assert [video.split for video in made.values()] == [recipe.split for recipe in recipes]
    assert all(video.simulated for video in made.values())
    write_truth(tmp_path / "truth.json", videos)
    assert read_any(tmp_path / "truth.json")[videos[0].id].sentences == videos[0].sentences
    entry = {"duration": 9.0, "subset": "training", "annotations": [{"segment": [1, 5], "sentence": "chop the onion"}]}
    (tmp_path / "yc2.json").write_text(json.dumps({"database": {"abc": entry}}))
    assert read_any(tmp_path / "yc2.json")["abc"].split == "training"
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(BadFileError, match="no annotations"):
        read_any(tmp_path / "list.json")


def test_the_command_films_and_goes_on(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    write_truth(tmp_path / "truth.json", videos)
    (tmp_path / "lists.json").write_text(json.dumps({videos[0].id: ["zibble root"]}))
    base = ["kitchen", "features", "--annotations", tmp_path / "truth.json", "--out", tmp_path / "out"]
    printed = run_command(*base, "--limit", 2, "--ingredients", tmp_path / "lists.json")
    assert "simulated milnce-like" in printed
    assert FeatureStore(tmp_path / "out").ids() == sorted(video.id for video in videos[:2])
    # The list of the first video changed what was known about it, so it is filmed again.
    assert "4 videos written, 1 were there" in run_command(*base)


def test_the_command_refuses_another_seed(
    tmp_path: Path, videos: list[AnnotatedVideo], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_truth(tmp_path / "truth.json", videos[:1])
    base = ["cookscribe", "kitchen", "features", "--annotations", str(tmp_path / "truth.json")]
    base += ["--out", str(tmp_path / "out")]
    for extra, code in (([], 0), (["--seed", "1"], 2), (["--encoder", "clip"], 2)):
        monkeypatch.setattr("sys.argv", base + extra)
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == code
    assert "seed 0, not 1" in capsys.readouterr().err
