"""The recipe model as a task of the shared training loop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.loop import Term, seed_everything, shuffled
from cookscribe.learning.story_data import StoryTruth, batch_targets
from cookscribe.model.losses import StoryLosses
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.story_config import StoryConfig
from cookscribe.model.story_input import StoryInput, batch_inputs
from cookscribe.pipelines.story_writer import KIND, decode
from cookscribe.seeds import generator
from cookscribe.story import Story
from cookscribe.text.vocabulary import Vocabulary

# Batches that are sorted together by the number of steps.
POOL = 8


@dataclass(frozen=True, eq=False)
class StoryExample:
    """A video to learn from."""

    input: StoryInput
    truth: StoryTruth


class StoryTask:
    """Learns from `examples`; the weights with the best SODA:CIDEr-D (strict) on `development` are kept."""

    kind = KIND
    score = "soda_cider"

    def __init__(
        self,
        config: StoryConfig,
        training: TrainingConfig,
        vocabulary: Vocabulary,
        examples: Sequence[StoryExample],
        development: Sequence[tuple[AnnotatedVideo, StoryInput]],
    ) -> None:
        seed_everything("story", training.seed)
        self.config = config
        self.vocabulary = vocabulary
        self.model = RecipeModel(config.model)
        self.criterion = StoryLosses(config.losses)
        self.weights: Mapping[str, float] = self.criterion.weights
        self.examples, self.development = examples, development
        self.batch_size, self.seed = training.batch_size, training.seed
        # The version of a video, by number and epoch; a simulation may tell it otherwise every time.
        self.version: Callable[[int, int], StoryExample] = lambda number, _: self.examples[number]

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.output.linear.weight.device

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order; within a pool, recipes of similar length share a batch.

        The steps of a recipe run one after another, so a batch takes as long as its longest recipe.
        """
        found: list[list[int]] = []
        for pool in shuffled(len(self.examples), self.batch_size * POOL, self.seed, epoch):
            pool.sort(key=lambda i: len(self.examples[i].truth))
            found += [pool[i : i + self.batch_size] for i in range(0, len(pool), self.batch_size)]
        order = generator("batches", self.seed, epoch).permutation(len(found))
        return [found[i] for i in order]

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The losses of these videos."""
        chosen = [self.version(i, epoch) for i in items]
        inputs = batch_inputs([example.input for example in chosen], self.device)
        targets = batch_targets(
            [example.truth for example in chosen],
            inputs.ingredient_mask.shape[1],
            self.config.model.actions,
            self.device,
        )
        terms = self.criterion(self.model(inputs, targets))
        return {name: Term(total, divisor) for name, (total, divisor) in terms.items()}

    def evaluate(self) -> Mapping[str, float]:
        """SODA (strict) of the recipes of the development videos."""
        stories = decode(self.model, [given for _, given in self.development], self.vocabulary, self.config)
        truth = {video.id: Events(video.spans, video.sentences) for video, _ in self.development}
        predicted = {video.id: story_events(story) for (video, _), story in zip(self.development, stories, strict=True)}
        steps = [len(story.steps) for story in stories]
        return {
            "soda_cider": soda(truth, predicted, "CIDEr", "strict"),
            "soda_tiou": soda(truth, predicted, "tIoU", "strict"),
            "steps": float(np.mean(steps)),
        }


def story_events(story: Story) -> Events:
    """A story as the evaluators see it."""
    spans = np.array([step.span for step in story.steps], dtype=np.float64).reshape(-1, 2)
    return Events(spans, tuple(step.sentence for step in story.steps))
