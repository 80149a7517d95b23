"""Drawn videos told anew: what looks alike is called otherwise in every epoch.

The film of a shallot is the film of an onion, so a drawn video may be told with any of their names as long as its
ingredient list says the same. A model that learns from it must find the names in the
list and cannot know them by heart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.story_data import label_story
from cookscribe.learning.story_task import StoryExample, StoryTask
from cookscribe.model.story_input import Reader, StoryInput
from cookscribe.pipelines.story_writer import with_features
from cookscribe.seeds import generator
from cookscribe.text.actions import ActionMatcher
from cookscribe_lab.kitchen_films.names import BY_KIND, call, renamed


def without_ingredients(video: AnnotatedVideo) -> AnnotatedVideo:
    """The video of somebody who gave no list: things are called what they look like."""
    return replace(renamed(video, BY_KIND), ingredients=())


class NameAugmentation:
    """The examples of a task whose words and actions are settled, and other versions of them.

    Args:
        task: its vocabulary, actions and labels are used.
        videos: to learn from; those without a labelled step are left out.
        candidates: of all of them and of videos kept apart, by id.
        store: their features.
    """

    def __init__(
        self,
        task: StoryTask,
        videos: Sequence[AnnotatedVideo],
        candidates: Mapping[str, Candidates],
        store: FeatureStore,
    ) -> None:
        config = task.config
        self._reader, self._matcher = Reader(config.read_words, config.copy_list), ActionMatcher(config.actions)
        self._vocabulary, self._oracle = task.vocabulary, config.oracle
        self._limits = (config.decoding.max_steps, config.decoding.max_words)
        self._seed = task.seed
        self._candidates = {
            key: with_features(found, store.read(key), key, config.parts) for key, found in candidates.items()
        }
        told = [(video, self._example(video)) for video in videos]
        told = [(video, example) for video, example in told if len(example.truth)]
        self._videos = [video for video, _ in told]
        self.examples = [example for _, example in told]

    def input(self, video: AnnotatedVideo) -> StoryInput:
        """What is known of a video before anything is written."""
        return self._reader.input(self._candidates[video.id], video.ingredients)

    def renamed_example(self, number: int, epoch: int) -> StoryExample:
        """An example in the names and the order of the list of this epoch."""
        video = self._videos[number]
        rng = generator("retold", self._seed, epoch, video.id)
        video = renamed(video, call(rng))
        order = rng.permutation(len(video.ingredients))
        return self._example(replace(video, ingredients=tuple(video.ingredients[i] for i in order)))

    def _example(self, video: AnnotatedVideo) -> StoryExample:
        candidates = self._candidates[video.id]
        truth = label_story(video, candidates, self._vocabulary, self._matcher, self._oracle, *self._limits)
        return StoryExample(self.input(video), truth)
