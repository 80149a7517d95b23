"""Train the selector of the recipe model on a few hundred videos, and keep what it thinks of others.

It is the recipe model with empty sentences, trained to choose events by its pointer (the paper's way) or by its planner
(ours).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from pydantic import Field
from safetensors.torch import load_file, save
from torch import Tensor
from torch.nn import functional as F

from cookscribe.config import Config
from cookscribe.files import write_bytes
from cookscribe.learning.ema import Average
from cookscribe.model.beyond.ensemble import plan_of, plan_parts
from cookscribe.model.beyond.plan_losses import PLAN_LOSSES, PlanLosses
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.config import SPECIAL_TOKENS, LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig, write_stories
from cookscribe.model.losses import StoryLosses
from cookscribe.model.presets import preset
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.seeds import derived_seed, generator
from cookscribe_lab.studies.selection.videos import (
    Augmentation,
    SelectionVideo,
    SoftBins,
    batch_inputs,
    batch_targets,
    changed,
)

Way = Literal["planner", "pointer"]
PREDICTION_BATCH = 64


class SelectionConfig(Config):
    """How a selector is trained.

    Attributes:
        way: "planner" learns the plan of the whole story, "pointer" the paper's choice of one event after another.
        width, layers: of the pointer's event transformer; planner_width: of the planner, which reads
            the numbers of the candidates directly.
    """

    way: Way = "planner"
    width: int = 32
    layers: int = 1
    planner_width: int = 32
    dropout: float = 0.1
    epochs: int = Field(default=30, ge=1)
    batch_size: int = 32
    learning_rate: float = 5e-3
    weight_decay: float = 0.05
    average: float = 0.99
    losses: LossConfig = LossConfig(event_smoothing=0.1)
    augmentation: Augmentation = Augmentation()

    def model(self, feature_size: int) -> ModelConfig:
        """The recipe model: small, with as few words as it can have."""
        return preset(
            "small-b",
            feature_size=feature_size,
            vocabulary_size=SPECIAL_TOKENS + 1,
            word_vector_size=4,
            input_words=2,
            actions=1,
            width=self.width,
            heads=4,
            layers=self.layers,
            dropout=self.dropout,
            planner=self.way == "planner",
            planner_reads="features",
            redundancy=True,
            planner_width=self.planner_width,
        )


@dataclass(frozen=True, eq=False)
class Selector:
    """A trained selector."""

    model: RecipeModel
    bins: SoftBins


def train_selector(videos: Sequence[SelectionVideo], config: SelectionConfig, seed: int, fold: int) -> Selector:
    """Train on `videos`; the same seed and fold give the same weights."""
    torch.manual_seed(derived_seed("selection", seed, fold))
    rng = generator("selection", seed, fold)
    bins = SoftBins.fit(videos)
    model = RecipeModel(config.model(bins.width)).train()
    criterion = StoryLosses(config.losses)
    # Of the recipe model only one way of choosing is trained.
    trained: torch.nn.Module = model if model.planner is None else model.planner
    parameters = [p for p in trained.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True)
    per_epoch = max(1, len(videos) // config.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config.learning_rate, total_steps=per_epoch * config.epochs, pct_start=0.2
    )
    average = Average(trained, config.average)
    step = 0
    for _ in range(config.epochs):
        order = rng.permutation(len(videos))
        for k in range(per_epoch):
            chosen = [videos[i] for i in order[k * config.batch_size : (k + 1) * config.batch_size]]
            batch = [changed(video, videos, rng, config.augmentation) for video in chosen]
            loss = _loss(model, criterion, batch, bins, config)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            average.update(step)
    trained.load_state_dict(average.weights, strict=False)
    return Selector(model.eval(), bins)


def _loss(
    model: RecipeModel,
    criterion: StoryLosses,
    videos: Sequence[SelectionVideo],
    bins: SoftBins,
    config: SelectionConfig,
) -> torch.Tensor:
    inputs, targets = batch_inputs(videos, bins), batch_targets(videos)
    if config.way == "pointer":
        total, divisor = criterion(model(inputs, targets))["event"]
        return total / divisor
    # Without the pointer's loss there is no need to walk through the steps: the plan is made before the first.
    plan = PlanLosses(model.plan(inputs), inputs.times, targets, model.config.most_steps)
    weights = {name: criterion.weights[name] for name in PLAN_LOSSES if criterion.weights[name]}
    terms = {name: plan(name) for name in weights}
    return torch.stack([weights[name] * total / max(n, 1) for name, (total, n) in terms.items()]).sum()


@torch.no_grad()
def plan_videos(selector: Selector, videos: Sequence[SelectionVideo]) -> Plan:
    """The plans of all videos, padded to the largest."""
    batches = [videos[k : k + PREDICTION_BATCH] for k in range(0, len(videos), PREDICTION_BATCH)]
    return joined([selector.model.plan(batch_inputs(batch, selector.bins)) for batch in batches])


@torch.no_grad()
def point_out(selector: Selector, videos: Sequence[SelectionVideo], decoding: DecodingConfig) -> list[list[int]]:
    """The candidates that the pointer chooses in each video, in the order of its choice."""
    chosen: list[list[int]] = []
    for k in range(0, len(videos), PREDICTION_BATCH):
        batch = videos[k : k + PREDICTION_BATCH]
        inputs = batch_inputs(batch, selector.bins)
        words = [""] * selector.model.config.vocabulary_size
        stories = write_stories(selector.model, inputs, [video.spans for video in batch], words, decoding)
        chosen += [[step.choice for step in story.steps] for story in stories]
    return chosen


def write_plan(path: Path, plan: Plan) -> None:
    """Keep a plan in one file."""
    write_bytes(path, save({name: value.contiguous() for name, value in plan_parts(plan).items()}))


def read_plan(path: Path) -> Plan:
    """Read a plan that `write_plan` wrote."""
    return plan_of(load_file(path))


_PAIRS = ("edge", "redundancy")


def joined(plans: Sequence[Plan]) -> Plan:
    """The videos of several plans one after another, padded to the largest number of candidates."""
    largest = max(plan.mask.shape[1] for plan in plans)
    parts: dict[str, list[Tensor]] = {}
    for plan in plans:
        missing = largest - plan.mask.shape[1]
        for name, value in plan_parts(plan).items():
            fill = float("-inf") if name == "node" else 0
            if name == "times":
                value = F.pad(value, (0, 0, 0, missing))
            elif name in _PAIRS:
                value = F.pad(value, (0, missing, 0, missing))
            elif name != "count":
                value = F.pad(value, (0, missing), value=fill)
            parts.setdefault(name, []).append(value)
    return plan_of({name: torch.cat(values) for name, values in parts.items()})
