"""The training of the language-model writer, from a YouCook2 folder to a folder of adapters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.errors import BadFileError
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.loop import History, seed_everything, train
from cookscribe.learning.narrated.task import RewardConfig
from cookscribe.learning.writer.examples import Drafts, ExampleSampler, WriterData, WriterExample, read_glimpses
from cookscribe.learning.writer.task import WriterTask
from cookscribe.model_folder import WEIGHTS, put_weights, read_tensors
from cookscribe.pipelines.language import base_model
from cookscribe.senses.event_words import IngredientFinder, common_ingredients, distinct_names
from cookscribe.senses.word_space import said_at
from cookscribe.writer.checkpoint import load_language_model
from cookscribe.writer.language_writer import WriterConfig
from cookscribe.writer.llama import AdapterConfig
from cookscribe.writer.texts import Encoder

TRAINING: dict[str, Any] = {
    "epochs": 2,
    "learning_rate": 7e-4,
    "schedule": {"kind": "warmup-linear", "warmup": 0.05},
    "weight_decay": 0.01,
    "ema": 0.98,
    "checkpoint_every": 25,
}

# Of the second stage. Fewer videos do: each is tried many times.
REWARDED: dict[str, Any] = {"epochs": 1, "learning_rate": 2e-4, "ema": 0.95}
REWARDED_SHARE = 0.5


class WriterRun(Config):
    """How the writer is trained.

    Attributes:
        training: changes to the values above; data: which videos, shown how.
        reward: how drawn sentences are learnt from in a second stage, left out if it has no epochs; rewarded: changes
            to its training.
        adapter: size of the adapters; most_tokens: of a batch, padding included.
        precision: of the frozen weights and all products.
    """

    training: dict[str, Any] = Field(default_factory=dict)
    data: WriterData = WriterData()
    reward: RewardConfig = RewardConfig(epochs=0, trials=5, share=1.0)
    rewarded: dict[str, Any] = Field(default_factory=dict)
    adapter: AdapterConfig = AdapterConfig(rank=8, scale=2.8)
    most_tokens: int = Field(default=2900, ge=64)
    precision: str = Field(default="bfloat16", pattern="^(float32|bfloat16)$")

    def training_config(self, seed: int, *, rewarded: bool = False) -> TrainingConfig:
        """The preset of a stage of the training with this run's changes."""
        stage = REWARDED | self.rewarded if rewarded else {}
        return TrainingConfig.parse(TRAINING | self.training | stage | {"seed": seed}, "training")


def read_examples(data: YouCook2, proposals: Mapping[str, Candidates], split: str = "training") -> list[WriterExample]:
    """Every annotated video of a split, with what is said where there is a transcript."""
    videos, transcripts = data.videos(split), data.transcripts()
    # Names of dishes and tagged phrases are further evidence, not a condition.
    dishes = data.recipe_names() if data.present()["recipe names"] else {}
    try:
        tags = data.tags()
    except BadFileError:
        tags = {}
    finder = IngredientFinder(common_ingredients(video.ingredients for video in data.videos("training").values()))
    examples = []
    for key in sorted(videos):
        video, transcript = videos[key], transcripts.get(key)
        said = transcript is not None and len(transcript) > 0
        examples.append(
            WriterExample(
                truth=video,
                dish=dishes.get(video.recipe_type, ""),
                words=transcript.words if transcript is not None and said else (),
                times=said_at(transcript) if transcript is not None and said else np.zeros(0),
                timed=transcript is not None and transcript.timed,
                heard_names=distinct_names(finder(transcript)) if transcript is not None and said else (),
                proposals=proposals.get(key),
                tags=tags.get(key, ((),) * len(video.spans)),
            )
        )
    return examples


def make_task(
    run: WriterRun,
    examples: list[WriterExample],
    base: str,
    glimpses: Path | None,
    seed: int,
    start: Path | None = None,
    drafts: Drafts | None = None,
) -> WriterTask:
    """Model and examples, ready for the loop; with the adapters of `start`, for the second stage."""
    narrated = [example.truth.id for example in examples if len(example.words)]
    held_out = set(development_split(narrated, run.data.development)[1])
    seed_everything("writer", seed)
    path, cache = base_model(base)
    dtype = torch.bfloat16 if run.precision == "bfloat16" else torch.float32
    model, tokenizer = load_language_model(path, run.adapter, dtype, cache)
    if start is not None:
        put_weights(model, read_tensors(start / WEIGHTS, model.state_dict())[0], start / WEIGHTS)
    share = REWARDED_SHARE if start is not None else 1.0
    return WriterTask(
        WriterConfig(base=base, network=model.config, adapter=run.adapter),
        model,
        Encoder(tokenizer),
        ExampleSampler(run.data.augmentation, read_glimpses(glimpses), drafts),
        [example for example in examples if example.truth.id not in held_out],
        [example for example in examples if example.truth.id in held_out],
        narrated=run.data.narrated * share,
        silent=run.data.silent * share,
        most_tokens=run.most_tokens,
        seed=seed,
        reward=run.reward if start is not None else None,
    )


def train_language_writer(
    run: WriterRun,
    examples: list[WriterExample],
    base: str,
    out: Path,
    *,
    glimpses: Path | None = None,
    seed: int = 0,
    start: Path | None = None,
    drafts: Drafts | None = None,
    quiet: bool = False,
) -> History:
    """Train adapters into `out`; the same call goes on after an interrupt.

    Args:
        start: folder of the first stage's adapters; the second stage learns from the scores of drawn sentences.
        base: name or path of the language model; glimpses: out-of-fold predictions of sight, if there are some.
        drafts: out-of-fold sentences of recipe models, if there are some.
    """
    task = make_task(run, examples, base, glimpses, seed, start, drafts)
    return train(task, run.training_config(seed, rewarded=start is not None), out, quiet=quiet)
