from pathlib import Path

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.files import write_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.seeing import tell_apart, what_is_seen
from cookscribe_lab.kitchen_features.streams import render
from lab.tests.kitchen_features.plain_videos import plain_videos
from tests.command import run_command

FOODS = ("salt", "beef", "onion", "milk", "rice", "tomatoes", "lemon")


@pytest.fixture(scope="module")
def videos() -> list[AnnotatedVideo]:
    return plain_videos(60, foods=FOODS, steps=4)


def test_figures_of_a_clean_world(videos: list[AnnotatedVideo]) -> None:
    seen = what_is_seen(videos, "milnce-like", difficulty=0.3)
    assert seen.videos == 15
    assert seen.events == 60
    action, _, group, alike, unlike = seen.readings.values()
    assert action.right > 0.8 > action.chance
    assert group.right > 0.8 > group.chance
    assert unlike.right > alike.right + 0.15
    random, nearest, linear = (report.soda_mean("strict", "CIDEr") or 0.0 for report in seen.captioners.values())
    assert nearest > 2 * random
    assert linear > 2 * random


def test_names_are_dealt_out_before_they_are_told_apart(videos: list[AnnotatedVideo]) -> None:
    filmed: list[AnnotatedVideo] = []

    def film(video: AnnotatedVideo) -> FeatureTrack:
        filmed.append(video)
        return render(video, "milnce-like", difficulty=0.3)

    tell_apart(videos, film, seed=0)
    said = [{"salt", "sugar", "tomatoes", "potato", "tomato"} & set(video.ingredients) for video in filmed]
    assert set().union(*said) == {"salt", "sugar", "tomato", "potato"}
    assert not any({"salt", "sugar"} <= words for words in said)
    for before, after in zip(videos, filmed, strict=True):
        assert np.array_equal(before.spans, after.spans)
    with pytest.raises(BadValueError, match="name none of the foods"):
        tell_apart(plain_videos(8, foods=("rice", "lemon"), steps=2), film, seed=0)


def test_proposed_events_are_thinned_and_captioned(videos: list[AnnotatedVideo]) -> None:
    candidates = {}
    for video in videos:
        # Every true event twice, the copy a little worse: suppression must find the true ones again.
        spans = np.concatenate([video.spans, np.minimum(video.spans + 0.5, video.duration)])
        scores = np.repeat([0.9, 0.4], len(video.spans))
        candidates[video.id] = Candidates(spans, scores, video.duration, count=float(len(spans)))
    seen = what_is_seen(videos, "milnce-like", difficulty=0.3, candidates=candidates)
    _, *on_true, nearest, linear = seen.captioners.values()
    for proposed, true in zip((nearest, linear), on_true, strict=True):
        assert proposed.soda_mean("strict", "tIoU") == pytest.approx(1.0)
        assert proposed.soda_mean("strict", "CIDEr") == pytest.approx(true.soda_mean("strict", "CIDEr"))
    with pytest.raises(BadValueError, match="no events of"):
        what_is_seen(videos, "milnce-like", candidates={videos[3].id: candidates[videos[3].id]})


def test_both_splits_are_needed(videos: list[AnnotatedVideo]) -> None:
    with pytest.raises(BadValueError, match="training or no validation"):
        what_is_seen([video for video in videos if video.split == "training"], "milnce-like")


def test_the_command_prints_labelled_figures(tmp_path: Path, videos: list[AnnotatedVideo]) -> None:
    database = {
        video.id: {
            "duration": video.duration,
            "subset": video.split,
            "annotations": [
                {"segment": span, "sentence": text}
                for span, text in zip(video.spans.tolist(), video.sentences, strict=True)
            ],
        }
        for video in videos
    }
    write_json(tmp_path / "file.json", {"database": database})
    printed = run_command("kitchen", "probe", "--annotations", tmp_path / "file.json")
    assert "simulated milnce-like, seed 0, difficulty 1: 60 steps of 15 videos" in printed
    assert "nearest neighbour" in printed
