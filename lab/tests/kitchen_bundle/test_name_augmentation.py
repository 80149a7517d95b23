"""Drawn videos told anew: other names and another order of the list, the same events."""

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.files import write_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.story_run import StoryRun, make_task, read_material
from cookscribe.learning.story_task import StoryTask
from cookscribe.proposals.store import write_candidate_store
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_bundle.name_augmentation import NameAugmentation, without_ingredients
from cookscribe_lab.kitchen_films.names import ALL_NAMES, kind_of
from cookscribe_lab.kitchen_films.recipes import PLAIN, make_recipes, truth

WIDTH = 8


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[StoryTask, list[AnnotatedVideo], NameAugmentation]:
    folder = tmp_path_factory.mktemp("retold")
    recipes = list(make_recipes(3, 6, split="training", tempo=3.5, wording=PLAIN))
    videos = [recipe.annotated() for recipe in recipes]
    store, found = FeatureStore(folder / "features"), {}
    for video in videos:
        times = np.arange(int(video.duration)) + 0.5
        rows = generator("retold test", video.id).normal(size=(len(times), WIDTH)).astype(np.float16)
        store.write(video.id, FeatureTrack(times, rows, "made-up", video.duration, simulated=True))
        found[video.id] = Candidates(video.spans, np.full(len(video.spans), 0.5), video.duration)
    write_json(folder / "truth.json", truth(recipes))
    write_candidate_store(folder / "candidates.safetensors", found, {})
    run = StoryRun(
        data="truth.json",
        candidates=("candidates.safetensors",),
        features="features",
        model={"width": 16, "heads": 2, "planner_width": 16},
        copy_list=True,
        min_count=1,
        word_epochs=0,
    )
    task = make_task(run, read_material(run, folder), texts=ALL_NAMES)
    return task, videos, NameAugmentation(task, videos, found, store)


def test_every_epoch_calls_things_otherwise_and_the_list_says_the_same(
    world: tuple[StoryTask, list[AnnotatedVideo], NameAugmentation],
) -> None:
    task, videos, told = world
    assert len(told.examples) == len(videos)
    words, read = task.vocabulary.words, task.config.read_words
    names_seen = set()
    for number, video in enumerate(videos):
        for epoch in (1, 2, 3):
            example = told.renamed_example(number, epoch)
            listed = [" ".join(read[i] for i in ids) for ids in example.input.ingredients]
            assert sorted(map(kind_of, listed)) == sorted(map(kind_of, video.ingredients))
            names_seen |= set(listed)
            np.testing.assert_array_equal(example.truth.events, told.examples[number].truth.events)
            for ids, rows in zip(example.truth.words, example.truth.word_ingredients, strict=True):
                # Where a word is labelled with an ingredient, it is a word of that ingredient's name in the list.
                for place, row in rows:
                    word = words[ids[place + 1]]
                    assert word == "[UNK]" or word.rstrip("s") in listed[row]
            copied = {read[i] for i in example.input.copy_words[0, :, 0].tolist()}
            assert copied == {word for name in listed for word in name.split()}
    assert len(names_seen) > len({name for video in videos for name in video.ingredients})
    again, other = told.renamed_example(0, 1), told.renamed_example(0, 2)
    assert again.truth.words == told.renamed_example(0, 1).truth.words, "seed, epoch and video decide"
    assert (again.truth.words, again.input.ingredients) != (other.truth.words, other.input.ingredients)


def test_without_a_list_things_are_called_what_they_look_like() -> None:
    recipe = next(iter(make_recipes(5, 1, split="training", wording=PLAIN)))
    plain = without_ingredients(recipe.annotated())
    assert plain.ingredients == ()
    named = [name for name in recipe.names if name != kind_of(name)]
    assert named
    assert not any(name in sentence for name in named for sentence in plain.sentences)
