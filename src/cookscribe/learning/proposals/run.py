"""A whole training of proposal models from one file: the model, and one more per fold (see `folds`)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from cookscribe.config import Config
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import development_split, subset
from cookscribe.learning.datasets.youcook2 import read_truth
from cookscribe.learning.folds import train_with_folds
from cookscribe.learning.loop import History, seed_everything, train
from cookscribe.learning.proposals.caption_task import CaptionTask
from cookscribe.learning.proposals.data import VideoSet, present_videos
from cookscribe.learning.proposals.task import ProposalTask
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.text.vocabulary import Vocabulary

TRAINING_PRESETS: dict[str, dict[str, Any]] = {
    # As published; batches of one video because the released program allows no others.
    "paper": {
        "epochs": 30,
        "batch_size": 1,
        "learning_rate": 5e-5,
        "optimizer": "adam",
        "weight_decay": 1e-4,
        "schedule": {"kind": "step-halving", "warmup": 0, "halve_from": 8, "halve_every": 3},
        "clip": 100.0,
        "ema": 0.0,
    },
    "small": {
        "epochs": 10,
        "batch_size": 8,
        "learning_rate": 1e-3,
        "weight_decay": 1e-4,
        "schedule": {"kind": "warmup-linear", "warmup": 0.5},
        "clip": 1.0,
        "ema": 0.99,
        "patience": 4,
    },
}
# Captions after events, see `caption_task`. The paper trains both together, which wants many epochs.
CAPTION_PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"epochs": 30, "batch_size": 8, "learning_rate": 3e-4, "ema": 0.99, "patience": 4},
    "small": {
        "epochs": 10,
        "batch_size": 8,
        "learning_rate": 3e-3,
        "weight_decay": 1e-4,
        "schedule": {"kind": "warmup-linear", "warmup": 0.3},
        "clip": 1.0,
        "ema": 0.99,
        "patience": 3,
    },
}
# Folder of a model's first stage, the one that knows events but no words.
EVENTS = "events"


class ProposalRun(Config):
    """What `cookscribe train proposals --config FILE` reads. Paths are relative to the file.

    Attributes:
        data: the YouCook2 folder, or an ActivityNet-style truth file whose videos are all for training.
        features: folder of feature tracks; videos without features are left out.
        preset: "small" or "paper", for model and training.
        model: changes to the model's preset, see `ProposalConfig`.
        training: changes to the training preset, see `TrainingConfig`.
        captions: learn captions too.
        caption_training: changes to the training preset of captions that are learnt after the events.
        min_count: a word must be seen this often to get into the vocabulary.
        development: share of the training videos kept apart to choose the weights.
        folds: models for out-of-fold candidates, 2 or more; 0 trains none of them.
        fold_captions: learn captions in the fold models too. A selector reads only spans and scores, so None leaves
            them out, unless captions are learnt together with the events and change these.
        videos: train on this many videos only; 0 takes all.
    """

    data: str
    features: str
    preset: str = "small"
    model: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    captions: bool = True
    caption_training: dict[str, Any] = Field(default_factory=dict)
    min_count: int = Field(default=3, ge=1)
    development: float = Field(default=0.1, gt=0, lt=1)
    folds: int = Field(default=0, ge=0)
    fold_captions: bool | None = None
    videos: int = Field(default=0, ge=0)

    @field_validator("folds")
    @classmethod
    def _more_than_one(cls, value: int) -> int:
        if value == 1:
            raise ValueError("one fold is all videos and leaves none to train on: choose 2 or more, or 0 for none")
        return value

    def training_config(self) -> TrainingConfig:
        """The preset of the training with this file's changes."""
        if self.preset not in TRAINING_PRESETS:
            raise BadValueError("preset", f"no preset {self.preset!r}", f"choose one of {', '.join(TRAINING_PRESETS)}")
        return TrainingConfig.parse(TRAINING_PRESETS[self.preset] | self.training, "training")

    def caption_config(self) -> TrainingConfig:
        """The same for captions that are learnt afterwards: seed, threads and device are those of the events."""
        events = self.training_config()
        shared = {"seed": events.seed, "threads": events.threads, "device": events.device}
        return TrainingConfig.parse(CAPTION_PRESETS[self.preset] | shared | self.caption_training, "caption_training")

    @property
    def two_stages(self) -> bool:
        """Whether captions are learnt after the events, while all the rest stays; "paper" learns both together."""
        return self.captions and self.preset == "small"


def read_videos(data: Path) -> dict[str, AnnotatedVideo]:
    """The training videos of a YouCook2 folder, or all videos of a truth file."""
    if data.is_dir():
        return YouCook2(data).videos("training", ingredients=False)
    return read_truth(data)


def train_proposals(run: ProposalRun, base: Path, out: Path, *, quiet: bool = False) -> dict[str, History]:
    """Train the model into `out` and the fold models into `out/fold-1`, ...; finished ones are not trained again.

    Captions that are learnt afterwards leave the model without words in `out/events`.

    Args:
        base: folder the paths of `run` are relative to.

    Returns:
        History by folder name; the whole model's is "model". Captions that were learnt afterwards have their own.
    """
    store = FeatureStore(base / run.features)
    videos = {video.id: video for video in present_videos(read_videos(base / run.data), store)}
    if run.videos:
        videos = {key: videos[key] for key in subset(videos, min(run.videos, len(videos)))}
    captioned = not run.two_stages if run.fold_captions is None else run.fold_captions
    of_folds = run.model_copy(update={"captions": run.captions and captioned})

    def train_on(ids: list[str], folder: Path) -> dict[str, History]:
        whole = folder == out
        chosen, name = (run, "model") if whole else (of_folds, folder.name)
        return _train_one(chosen, store, [videos[key] for key in ids], folder, quiet, name)

    made = train_with_folds(videos, run.folds, out, train_on)
    return {name: history for histories in made for name, history in histories.items()}


def _train_one(
    run: ProposalRun, store: FeatureStore, videos: Sequence[AnnotatedVideo], out: Path, quiet: bool, name: str
) -> dict[str, History]:
    """One model, by one training or two; the second one's history is called "<name> captions"."""
    training = run.training_config()
    by_id = {video.id: video for video in videos}
    rest, development = development_split(by_id, run.development, seed=training.seed)
    learned, tested = [by_id[key] for key in rest], [by_id[key] for key in development]
    vocabulary = None
    if run.captions:
        vocabulary = Vocabulary.build((text for video in learned for text in video.sentences), run.min_count)
    example = store.read(videos[0].id)
    sizes = {"feature_size": example.width, "encoder": example.encoder}
    # A model without words first, if these come afterwards.
    words = len(vocabulary) if vocabulary and not run.two_stages else 0
    config = ProposalConfig.preset(run.preset, **(run.model | sizes | {"words": words}))
    training_set = VideoSet(learned, store, config, vocabulary, "training features")
    development_set = VideoSet(tested, store, config, vocabulary, "development features")
    task = ProposalTask(config, training, training_set, development_set, vocabulary if words else None)
    folder = out / EVENTS if run.two_stages else out
    histories = {name: train(task, training, folder, quiet=quiet)}
    if run.two_stages:
        assert vocabulary is not None
        captioning = with_words(task.model, training_set, len(vocabulary), training.seed)
        captions = CaptionTask(captioning, run.caption_config(), training_set, development_set, vocabulary)
        histories[f"{name} captions"] = train(captions, run.caption_config(), out, quiet=quiet)
    return histories


def with_words(model: PDVC, videos: VideoSet, words: int, seed: int) -> PDVC:
    """The same model with new caption heads that know how often each of so many words is used in `videos`."""
    seed_everything("captions", seed)
    captioning = PDVC(model.config.model_copy(update={"words": words}))
    captioning.load_state_dict(captioning.state_dict() | model.state_dict())
    for head in captioning.caption_heads:
        head.expect(videos.word_counts(words))  # type: ignore[operator]
    return captioning.to(model.query.device)
