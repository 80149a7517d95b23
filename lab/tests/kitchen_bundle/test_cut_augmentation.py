"""Cuts of a video against its truth."""

import numpy as np

from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_bundle.cut_augmentation import other_cut, stretches
from cookscribe_lab.kitchen_films.recipes import make_recipe


def test_a_cut_shows_its_own_scenes_only() -> None:
    recipe = make_recipe(5, 2, tempo=10)
    times = np.arange(int(recipe.duration)) + 0.5
    scenes = stretches(recipe)
    # Every row says which scene it belongs to, and which step (-1: none).
    place = np.array([max(n for n, scene in enumerate(scenes) if scene.start <= time) for time in times])
    step = np.array([-1 if (s := scenes[n].step) is None else s for n in place])
    track = FeatureTrack(times, np.stack([place, step], axis=1).astype(np.float32), "made-up", recipe.duration)
    video, found = other_cut(recipe, track, 1)
    assert found.duration == video.duration
    assert (np.diff(found.values[:, 0]) >= 0).all()  # scenes keep their order
    for span, sentence in zip(video.spans, video.sentences, strict=True):
        inside = (found.times >= span[0]) & (found.times < span[1])
        steps = set(found.values[inside, 1].astype(int).tolist())
        assert len(steps) <= 1
        assert all(recipe.steps[number].sentence == sentence for number in steps)
    kept = [step for step in recipe.steps if step.sentence in video.sentences]
    named = {recipe.called[kind] for step in kept for kind in step.ingredients}
    assert set(video.ingredients) <= named
    again, same = other_cut(recipe, track, 1)
    assert np.array_equal(video.spans, again.spans)
    assert np.array_equal(found.values, same.values)
    assert other_cut(recipe, track, 2)[0].duration != video.duration
