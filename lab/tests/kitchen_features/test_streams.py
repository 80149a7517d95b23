from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe_lab.kitchen_features.probe import classify
from cookscribe_lab.kitchen_features.streams import ENCODERS, render
from cookscribe_lab.kitchen_features.text_tower import text_vectors
from cookscribe_lab.kitchen_features.words import action_family, food
from lab.tests.kitchen_features.plain_videos import plain_video, plain_videos

VIDEOS = plain_videos(160)


@pytest.mark.parametrize(("encoder", "width", "every"), [("milnce-like", 512, 1.0), ("tsn-like", 3072, 0.5)])
def test_rows_are_as_the_encoder_makes_them(encoder: str, width: int, every: float) -> None:
    video = plain_video(0)
    track = render(video, encoder)
    assert track.encoder == encoder
    assert track.simulated
    assert track.values.dtype == np.float16
    assert track.values.shape == (round(video.duration / every), width)
    assert track.times[0] >= 0
    assert track.times[-1] <= video.duration
    assert np.diff(track.times) == pytest.approx(every, rel=0.02)
    assert 0.5 < track.values.astype(np.float32).std() < 2.0
    assert (track.values.min() == 0) == ENCODERS[encoder].rectified


def test_same_seed_same_bytes_other_seed_other_film() -> None:
    for encoder in ENCODERS:
        first = render(plain_video(1), encoder, seed=7)
        render(plain_video(2), encoder, seed=7)  # what was filmed in between makes no difference
        again = render(plain_video(1), encoder, seed=7)
        other = render(plain_video(1), encoder, seed=8)
        assert first.values.tobytes() == again.values.tobytes()
        assert first.times.tobytes() == again.times.tobytes()
        assert np.abs(first.values.astype(np.float32) - other.values.astype(np.float32)).mean() > 0.1


def test_the_name_of_a_video_is_part_of_its_film() -> None:
    video = plain_video(1)
    assert (
        render(video, "milnce-like").values.tobytes() != render(replace(video, id="x"), "milnce-like").values.tobytes()
    )


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"encoder": "clip"}, "milnce-like and tsn-like"),
        ({"difficulty": -1.0}, "difficulty"),
        ({"difficulty": float("nan")}, "difficulty"),
        ({"every": 0.0}, "--every"),
        ({"every": float("inf")}, "--every"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, float], named: str) -> None:
    with pytest.raises(BadValueError, match=named):
        render(plain_video(0), **({"encoder": "milnce-like"} | wrong))


@given(
    duration=st.floats(0.01, 200.0),
    borders=st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), max_size=5),
    difficulty=st.floats(0.0, 5.0),
)
def test_any_annotation_can_be_filmed(duration: float, borders: list[tuple[float, float]], difficulty: float) -> None:
    spans = sorted((min(pair) * duration, max(pair) * duration) for pair in borders)
    video = AnnotatedVideo("v", duration, np.array(spans).reshape(-1, 2), ("chop the onion and fry it",) * len(spans))
    track = render(video, "milnce-like", difficulty=difficulty)
    assert np.isfinite(track.values.astype(np.float32)).all()
    assert len(track.times) == max(1, round(duration))


@cache
def pooled(encoder: str, difficulty: float = 1.0) -> np.ndarray:
    """Features of all true steps of VIDEOS; the last quarter of the videos is new to a probe."""
    return np.concatenate([render(video, encoder, difficulty=difficulty).over(video.spans) for video in VIDEOS])


def read_off(encoder: str, labels: list[str], difficulty: float = 1.0) -> tuple[float, float]:
    features = pooled(encoder, difficulty)
    split = len(features) * 3 // 4
    reading = classify(features[:split], labels[:split], features[split:], labels[split:])
    return reading.right, reading.chance


ACTIONS = [action_family(sentence.split()[0]) for video in VIDEOS for sentence in video.sentences]
GROUPS = [food(sentence.split()[-1]).group for video in VIDEOS for sentence in video.sentences]


def test_actions_and_groups_can_be_read_off_and_better_with_milnce() -> None:
    for labels in (ACTIONS, GROUPS):
        right, chance = read_off("milnce-like", labels)
        noisy, _ = read_off("tsn-like", labels)
        assert chance < 0.2
        assert right > 2.5 * chance
        assert noisy > 1.3 * chance
        assert right > noisy + 0.05


def test_difficulty_is_one_number() -> None:
    right = [read_off("milnce-like", GROUPS, difficulty)[0] for difficulty in (0.0, 1.0, 3.0)]
    assert right[0] > 0.95
    assert right[0] > right[1] + 0.05
    assert right[1] > right[2] + 0.05


def test_look_alikes_cannot_be_told_apart() -> None:
    # Each video names one of the two, at random; a pair that looks different shows that the probe could see it.
    for pair, alike in ((("salt", "sugar"), True), (("beef", "pork"), True), (("salt", "tomato"), False)):
        videos = [plain_video(n, foods=(pair[n * 7919 // 3 % 2],), steps=1, seed=1) for n in range(320)]
        labels = [video.ingredients[0] for video in videos]
        features = np.concatenate([render(video, "milnce-like", 0, 0.5).over(video.spans) for video in videos])
        reading = classify(features[:220], labels[:220], features[220:], labels[220:])
        if alike:
            assert abs(reading.right - 0.5) < 0.16  # three standard deviations of 100 throws of a coin
        else:
            assert reading.right > 0.85


def test_a_state_can_be_read_off_long_after_the_action() -> None:
    # "serve the onion" looks different when the onion was chopped two steps before: the film remembers.
    features, labels = [], []
    for number in range(160):
        video = plain_video(number, foods=("onion", "rice", "onion "), steps=3, seed=2)
        first = ("chop", "wash")[number % 2]
        story = replace(video, sentences=(f"{first} the onion", "add rice", "serve the onion"), ingredients=("onion",))
        features.append(render(story, "milnce-like", difficulty=0.5).over(story.spans[2:]))
        labels.append(first)
    table = np.concatenate(features)
    assert classify(table[:120], labels[:120], table[120:], labels[120:]).right > 0.75


def test_the_text_tower_lies_in_the_space_of_the_films() -> None:
    """A film of a step is nearer to its own sentence than to others, as with MIL-NCE's two towers."""
    sentences = [sentence for video in VIDEOS[:20] for sentence in video.sentences]
    rows = np.concatenate([render(video, "milnce-like", difficulty=0.2).over(video.spans) for video in VIDEOS[:20]])
    texts = text_vectors(sentences)
    assert texts.shape == rows.shape
    likeness = _unit(rows - rows.mean(axis=0)) @ _unit(texts - texts.mean(axis=0)).T
    own = np.array([max(likeness[n, m] for m in range(len(sentences)) if sentences[m] == sentences[n])
                    for n in range(len(sentences))])  # fmt: skip
    assert np.mean(own >= np.quantile(likeness, 0.95, axis=1)) > 0.8
    assert not text_vectors(["zibble"]).any()


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_veil_out_of_range_is_refused() -> None:
    with pytest.raises(BadValueError, match="between 0 and 1"):
        render(plain_video(0), "milnce-like", veil=1.5)


def test_behind_the_veil_only_the_step_before_tells_which_food_it_is() -> None:
    rows = [render(video, "milnce-like", difficulty=0.5, veil=1.0).over(video.spans) for video in VIDEOS]
    groups = [food(text.split()[-1]).group for video in VIDEOS for text in video.sentences[1:]]
    own, before = np.concatenate([one[1:] for one in rows]), np.concatenate([one[:-1] for one in rows])
    split = len(groups) * 3 // 4
    alone, remembered = (classify(some[:split], groups[:split], some[split:], groups[split:]) for some in (own, before))
    # The step shows what the next one needs, so its own food is at best known not to be that one.
    assert alone.right < alone.chance + 0.08
    assert remembered.right > alone.right + 0.25
