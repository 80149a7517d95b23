import numpy as np
import pytest

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_features.filming import FilmedLooks, Muddle, shoot
from cookscribe_lab.kitchen_features.looks import ACTION, SCENE, scene_look
from lab.tests.kitchen_features.plain_videos import plain_video, plain_videos

TEXTBOOK = Muddle(0.0, 0.0, 0.0, 0.0)
REAL = Muddle(1.0, 1.0, 0.15, 1.0)


def film_of(number: int, muddle: Muddle, every: float = 1.0) -> tuple[np.ndarray, FilmedLooks]:
    video = plain_video(number)
    times = np.arange(0.5 * every, video.duration, every)
    return times, shoot(video, times, generator("test", number), muddle)


def inside(number: int, times: np.ndarray, margin: float = 0.0) -> np.ndarray:
    spans = plain_video(number).spans
    return np.array([any(a + margin <= t <= b - margin for a, b in spans) for t in times])


def test_in_a_textbook_actions_are_seen_in_steps_and_nowhere_else() -> None:
    times, film = film_of(0, TEXTBOOK)
    action = np.linalg.norm(film.meaning()[:, ACTION], axis=1)
    steps = inside(0, times, margin=1.5)
    outside = ~inside(0, times, margin=-2.5)
    assert action[steps].min() > 0.2
    assert action[outside].max() < 1e-6


def test_borders_are_gradual() -> None:
    _, film = film_of(1, TEXTBOOK, every=0.1)
    action = np.linalg.norm(film.meaning()[:, ACTION], axis=1)
    assert np.abs(np.diff(action)).max() < 0.25 * action.max()
    assert ((action > 0.1 * action.max()) & (action < 0.6 * action.max())).any()


def test_real_films_have_unannotated_work_and_moved_borders() -> None:
    shares = []
    for number in range(20):
        times, film = film_of(number, REAL)
        action = np.linalg.norm(film.meaning()[:, ACTION], axis=1)
        shares.append((action > 0.5 * np.median(action[inside(number, times)]))[~inside(number, times, -3.0)].mean())
    # Work that nobody annotated fills a good part of the time between steps, not all of it.
    assert 0.2 < np.mean(shares) < 0.8


def test_talking_fills_time_between_the_steps() -> None:
    talk = scene_look("talk")
    between, within = [], []
    for number in range(20):
        times, film = film_of(number, TEXTBOOK)
        heard = film.meaning() @ talk
        between.append(heard[~inside(number, times, -2.5)].mean())
        within.append(heard[inside(number, times, 1.5)].mean())
    assert np.mean(between) > 2 * np.mean(within) > 0  # cooks also talk while they work


def test_what_happens_does_not_depend_on_the_moments() -> None:
    video = plain_video(3)
    fine = np.arange(0.25, video.duration, 0.5)
    coarse = fine[1::4]
    one = shoot(video, fine, generator("same"), REAL)
    other = shoot(video, coarse, generator("same"), REAL)
    assert np.array_equal(one.looks, other.looks)
    assert one.weights[1::4] == pytest.approx(other.weights, abs=1e-6)


def test_looks_stray_more_with_muddle() -> None:
    _, clean = film_of(4, TEXTBOOK)
    strayed = []
    for strength in (0.5, 1.0, 2.0):
        _, film = film_of(4, Muddle(strength, strength, 0.0, 0.0))
        strayed.append(np.linalg.norm(film.looks - clean.looks) / np.linalg.norm(clean.looks))
    assert strayed == pytest.approx([0.5 * 2**0.5, 2**0.5, 2 * 2**0.5], rel=0.1)


def test_scenes_never_carry_actions() -> None:
    _, film = film_of(5, TEXTBOOK)
    scenes = np.abs(film.looks[:, SCENE]).sum(axis=1) > 0
    assert scenes.any()
    assert not film.looks[scenes][:, ACTION].any()


def test_weights_are_shares_of_a_picture() -> None:
    for video in plain_videos(5):
        film = shoot(video, np.arange(0.5, video.duration), generator(video.id), REAL)
        assert film.weights.min() >= 0.0
        assert film.weights.max() <= 1.5
