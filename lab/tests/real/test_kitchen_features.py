"""The kitchen on real YouCook2 annotations."""

from pathlib import Path

import numpy as np
import pytest

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe_lab.kitchen_features.script import read_sentence
from cookscribe_lab.kitchen_features.stream_folder import expected_size, settings_for
from cookscribe_lab.kitchen_features.streams import render
from cookscribe_lab.kitchen_features.words import food


@pytest.fixture(scope="module")
def videos(data_folder: Path) -> list[AnnotatedVideo]:
    return list(YouCook2(data_folder).videos().values())


def test_the_kitchen_understands_the_sentences(videos: list[AnnotatedVideo]) -> None:
    sentences = [read_sentence(text, video.ingredients) for video in videos for text in video.sentences]
    assert np.mean([bool(sentence.actions) for sentence in sentences]) > 0.98
    assert np.mean([bool(sentence.foods or sentence.made) for sentence in sentences]) > 0.95


def test_nearly_all_listed_ingredients_have_a_look_of_their_kind(videos: list[AnnotatedVideo]) -> None:
    families = [food(name).family for video in videos for name in video.ingredients]
    assert np.mean([family != "other" for family in families]) > 0.97
    assert len(set(families)) > 10


def test_all_videos_fit_into_two_gigabytes(videos: list[AnnotatedVideo]) -> None:
    assert len(videos) == 1790
    assert expected_size(videos, settings_for("milnce-like")) < 0.7e9
    assert expected_size(videos, settings_for("tsn-like", every=2.0)) < 2.0e9


def test_real_annotations_are_filmed(videos: list[AnnotatedVideo]) -> None:
    for video in videos[::200]:
        track = render(video, "milnce-like")
        assert track.times[-1] <= video.duration
        assert len(track.times) == round(video.duration)
        pooled = track.over(video.spans)
        assert np.isfinite(pooled).all()
        assert pooled.std() > 0.3
