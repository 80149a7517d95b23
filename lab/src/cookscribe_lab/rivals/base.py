"""What all rivals share: a configuration, a network that knows its losses and can write, and a task for the loop."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from pydantic import Field
from torch import Tensor, nn

from cookscribe.config import Config
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.loop import Term, seed_everything, shuffled, train
from cookscribe.model.heads import sinusoid
from cookscribe.text.vocabulary import Vocabulary
from cookscribe_lab.rivals.video_data import FRAMES, RivalVideo, stacked

BATCH = 32  # videos that are written about at once


class RivalConfig(Config):
    """Sizes of a rival.

    Attributes:
        feature_size: columns of the features; words: of the vocabulary; actions: of the list of verbs.
        width, heads, layers, dropout: of its transformers.
    """

    feature_size: int = Field(gt=0)
    words: int = Field(gt=4)
    actions: int = Field(default=384, gt=0)
    width: int = Field(default=128, gt=0)
    heads: int = Field(default=4, gt=0)
    layers: int = Field(default=2, gt=0)
    dropout: float = Field(default=0.1, ge=0, lt=1)


class Rival(nn.Module):
    """A rival's network.

    Attributes:
        weights: of its losses, by name.
        presegmented: True if it is given the true events and writes their sentences only.
    """

    weights: Mapping[str, float]
    presegmented = False

    def __init__(self, config: RivalConfig) -> None:
        super().__init__()
        self.config = config

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return next(self.parameters()).device

    @abstractmethod
    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """The losses of these videos, by the names of `weights`."""

    @abstractmethod
    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Events and sentences of each video, in order of time."""


class FrameRival(Rival):
    """A rival that looks at whole videos: their rows through a transformer encoder."""

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        self.entrance, self.encoder = entrance(config.feature_size, config.width), encoder(config)

    def encode(self, videos: Sequence[RivalVideo]) -> Tensor:
        """(B, FRAMES, d)."""
        rows, _ = stacked([video.rows for video in videos], self.device)
        out: Tensor = self.encoder(self.entrance(rows) + sinusoid(FRAMES, self.config.width, device=rows.device))
        return out


class RivalTask:
    """A rival as a task of the shared loop; kept are the weights with the best SODA:CIDEr-D on `development`."""

    score = "soda_cider"

    def __init__(
        self,
        name: str,
        model: Rival,
        training: TrainingConfig,
        vocabulary: Vocabulary,
        videos: Sequence[RivalVideo],
        development: Sequence[RivalVideo],
    ) -> None:
        self.kind = f"rival {name}"
        self.model, self.config, self.weights = model, model.config, model.weights
        self.vocabulary, self.videos, self.development = vocabulary, videos, development
        self.batch_size, self.seed = training.batch_size, training.seed

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order."""
        return shuffled(len(self.videos), self.batch_size, self.seed, epoch)

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The losses of these videos."""
        del epoch
        return self.model.losses([self.videos[item] for item in items])

    def evaluate(self) -> Mapping[str, float]:
        """SODA (strict) of what is written about the development videos."""
        found = write_all(self.model, self.development, self.vocabulary)
        truth = {one.video.id: Events(one.video.spans, one.video.sentences) for one in self.development}
        return {"soda_cider": soda(truth, found, "CIDEr", "strict"), "soda_tiou": soda(truth, found, "tIoU", "strict")}


@torch.no_grad()
def write_all(model: Rival, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> dict[str, Events]:
    """What a trained rival writes, by video."""
    model.eval()
    found: dict[str, Events] = {}
    for first in range(0, len(videos), BATCH):
        some = videos[first : first + BATCH]
        found |= {one.video.id: told for one, told in zip(some, model.write(some, vocabulary), strict=True)}
    return found


def train_rival(
    name: str,
    kind: type[Rival],
    config: RivalConfig,
    training: TrainingConfig,
    vocabulary: Vocabulary,
    videos: Sequence[RivalVideo],
    development: Sequence[RivalVideo],
    folder: Path,
    *,
    quiet: bool = False,
) -> Rival:
    """Train a rival into `folder`, or find it finished there."""
    seed_everything("rival", name, training.seed)
    task = RivalTask(name, kind(config), training, vocabulary, videos, development)
    train(task, training, folder, quiet=quiet)
    return task.model


def encoder(config: RivalConfig) -> nn.TransformerEncoder:
    """A plain transformer encoder."""
    layer = nn.TransformerEncoderLayer(config.width, config.heads, 2 * config.width, config.dropout, batch_first=True)
    return nn.TransformerEncoder(layer, config.layers, enable_nested_tensor=False)


def entrance(inputs: int, width: int) -> nn.Sequential:
    """How features enter: normalised, linear, rectified, normalised."""
    return nn.Sequential(nn.LayerNorm(inputs), nn.Linear(inputs, width), nn.ReLU(), nn.LayerNorm(width))


def sentences_of(tokens: Tensor, vocabulary: Vocabulary) -> list[str]:
    """Words of (R, W) token rows."""
    return [vocabulary.decode(row) for row in tokens.tolist()]
