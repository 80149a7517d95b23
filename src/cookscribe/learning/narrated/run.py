"""The training of the writer of narrated videos."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.errors import BadValueError
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.loop import History, train
from cookscribe.learning.narrated.task import (
    Augmentation,
    RewardConfig,
    Sampler,
    SpeechExample,
    SpeechTask,
    moved_spans,
)
from cookscribe.learning.narrated.word_vectors import fit_word_space
from cookscribe.model.config import SPECIAL_TOKENS, LossConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.presets import preset
from cookscribe.model.story_config import StoryConfig
from cookscribe.pipelines.transcript_reader import NarratedVideo, TranscriptReader
from cookscribe.seeds import generator
from cookscribe.senses.event_words import PLACES, common_ingredients
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import ENCODER, WIDTH
from cookscribe.text.vocabulary import Vocabulary

MODEL: dict[str, Any] = {
    "width": 128,
    "heads": 4,
    "dropout": 0.1,
    "scores": False,
    "output": "transform",
    "order": "start",
    "feedback": "none",
    "planner": False,
    "copying": True,
    "copy_places": PLACES,
    "copy_layers": 1,
}
TRAINING: dict[str, Any] = {
    "epochs": 11,
    "batch_size": 16,
    "learning_rate": 2e-3,
    "schedule": {"kind": "warmup-linear", "warmup": 1.0},
    "ema": 0.99,
    "evaluate_every": 4,
}
# Events are chosen by somebody else, so only the words are learnt.
LOSSES: dict[str, Any] = {"reduction": "mean", "event": 0.0}
DECODING: dict[str, Any] = {"selection": "all", "max_steps": 30}

# How a trained writer decodes, chosen on the development part: a beam, no run of four words twice in a recipe, and
# no word but the most frequent ones twice in a sentence.
INFERENCE_DECODING: dict[str, Any] = {"beam": 3, "no_repeat_ngram": 4, "no_repeat_from": SPECIAL_TOKENS + 20}


def inference_decoding(config: DecodingConfig) -> DecodingConfig:
    """A writer's own way of decoding with `INFERENCE_DECODING`."""
    return config.model_copy(update=INFERENCE_DECODING)


class SpeechRun(Config):
    """How the writer of narrated videos is trained.

    Attributes:
        model, training: changes to the values above.
        augmentation: how videos are varied in training; reward: how the last epochs are.
        min_count: a word must be written this often to be a word of the vocabulary.
        development: share of the training videos kept apart to choose the weights.
    """

    model: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    augmentation: Augmentation = Augmentation()
    reward: RewardConfig = RewardConfig()
    min_count: int = Field(default=3, ge=1)
    development: float = Field(default=0.08, gt=0, lt=1)

    def training_config(self, seed: int | None = None) -> TrainingConfig:
        """The preset of the training with this run's changes."""
        own = {} if seed is None else {"seed": seed}
        return TrainingConfig.parse(TRAINING | self.training | own, "training")


@dataclass(frozen=True, eq=False)
class Narrated:
    """The annotated videos of a split that have a transcript, and what the trainings of several seeds share.

    Attributes:
        videos, transcripts: by id.
        reader: reads them; learnt from the training videos (`fit_reader`).
        proposals: out-of-fold candidates by id, for some or all videos.
    """

    videos: Mapping[str, AnnotatedVideo]
    transcripts: Mapping[str, Transcript]
    reader: TranscriptReader | None = None
    proposals: Mapping[str, Candidates] = field(default_factory=dict)

    @classmethod
    def read(cls, data: YouCook2, split: str) -> Self:
        """Of a YouCook2 folder; times of a recogniser where there are some."""
        transcripts = data.transcripts()
        videos = data.videos(split)
        keys = sorted(key for key in videos if key in transcripts and len(transcripts[key]))
        if not keys:
            raise BadValueError(data.root, f"no video of the {split} split has a transcript", "see docs/data.md")
        return cls({key: videos[key] for key in keys}, {key: transcripts[key] for key in keys})

    def fit_reader(self) -> TranscriptReader:
        """Word space and ingredient names learnt from these videos."""
        videos = list(self.videos.values())
        names = [name for video in videos for name in video.ingredients]
        space = fit_word_space(list(self.transcripts.values()), [video.sentences for video in videos], names)
        return TranscriptReader(space, common_ingredients(video.ingredients for video in videos))

    @cached_property
    def heard(self) -> dict[str, NarratedVideo]:
        """What is read of every video."""
        assert self.reader is not None
        return {key: self.reader.listen(self.transcripts[key], self.videos[key].duration) for key in self.videos}


def make_task(run: SpeechRun, material: Narrated, seed: int | None = None) -> SpeechTask:
    """Vocabulary, model and examples, ready for the loop."""
    videos, reader = material.videos, material.reader
    assert reader is not None
    rest, held_out = development_split(videos, run.development)
    vocabulary = Vocabulary.build((text for key in rest for text in videos[key].sentences), run.min_count)
    sizes = {
        "feature_size": reader.space.track_width,
        "vocabulary_size": len(vocabulary),
        "word_vector_size": WIDTH,
        "input_words": len(reader.space.words),
        "actions": 1,
    }
    config = StoryConfig(
        model=preset("small-b", **(MODEL | run.model | sizes)),
        losses=LossConfig.parse(LOSSES, "losses"),
        decoding=DecodingConfig.parse(DECODING, "decoding"),
        read_words=reader.space.words,
        actions=("cook",),
        encoder=ENCODER,
    )
    examples = [SpeechExample(videos[key], material.heard[key], material.proposals.get(key)) for key in rest]
    development = []
    for number, key in enumerate(held_out):
        # Every other development video has its list, so that the chosen weights can do both.
        video, heard = videos[key], material.heard[key]
        spans = moved_spans(video.spans, heard.duration, run.augmentation.move, generator("development", key))
        spans = spans[spans[:, 0].argsort(kind="stable")]
        development.append((video, reader.input(heard, spans, video.ingredients if number % 2 else None)))
    sampler = Sampler(reader, vocabulary, run.augmentation, config.decoding.max_words)
    task = SpeechTask(config, run.training_config(seed), vocabulary, examples, development, sampler, run.reward)
    known = reader.space.number
    written = torch.randn(len(vocabulary), WIDTH) * 0.1
    for place, word in enumerate(vocabulary.words):
        if word in known:
            written[place] = torch.from_numpy(reader.space.vectors[known[word]])
    task.model.load_word_vectors(written, torch.from_numpy(reader.space.vectors))
    return task


def train_writer(
    run: SpeechRun, material: Narrated, out: Path, seed: int | None = None, *, quiet: bool = False
) -> History:
    """Train a writer into `out`; the same call goes on after an interrupt."""
    task = make_task(run, material, seed)
    return train(task, run.training_config(seed), out, quiet=quiet)
