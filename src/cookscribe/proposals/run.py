"""A whole training of proposal models from one file: the model, and one more per fold for out-of-fold candidates.

A model run on the videos it was trained on gives candidates of another kind than on new videos: nearer to the truth and
surer of themselves. A selector trained on them learns to trust what it will never see again. So the training videos are
cut into folds, and each fold's candidates come from a model that was trained without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from cookscribe.config import Config
from cookscribe.datasets.records import AnnotatedVideo
from cookscribe.datasets.root import YouCook2
from cookscribe.datasets.splits import development_split, folds, subset
from cookscribe.datasets.store import FeatureStore
from cookscribe.datasets.vocabulary import Vocabulary
from cookscribe.datasets.youcook2 import read_truth
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json, write_json
from cookscribe.proposals.config import ProposalConfig
from cookscribe.proposals.data import VideoSet, present_videos
from cookscribe.proposals.task import ProposalTask
from cookscribe.training.config import TrainingConfig
from cookscribe.training.loop import History, train

FOLDS = "folds.json"

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


class ProposalRun(Config):
    """What `cookscribe train proposals --config FILE` reads. Paths are relative to the file.

    Attributes:
        data: the YouCook2 folder, or an ActivityNet-style truth file whose videos are all for training.
        features: folder of feature tracks; videos without features are left out.
        preset: "small" or "paper", for model and training.
        model: changes to the model's preset, see `ProposalConfig`.
        training: changes to the training preset, see `TrainingConfig`.
        captions: learn captions too.
        min_count: a word must be seen this often to get into the vocabulary.
        development: share of the training videos kept apart to choose the weights.
        folds: models for out-of-fold candidates; 0 trains none of them.
        fold_captions: learn captions in the fold models too; a selector reads only spans and scores.
        videos: train on this many videos only; 0 takes all.
    """

    data: str
    features: str
    preset: str = "small"
    model: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    captions: bool = True
    min_count: int = Field(default=3, ge=1)
    development: float = Field(default=0.1, gt=0, lt=1)
    folds: int = Field(default=0, ge=0)
    fold_captions: bool = True
    videos: int = Field(default=0, ge=0)

    def training_config(self) -> TrainingConfig:
        """The preset of the training with this file's changes."""
        if self.preset not in TRAINING_PRESETS:
            raise BadValueError("preset", f"no preset {self.preset!r}", f"choose one of {', '.join(TRAINING_PRESETS)}")
        return TrainingConfig.parse(TRAINING_PRESETS[self.preset] | self.training, "training")


def read_videos(data: Path) -> dict[str, AnnotatedVideo]:
    """The training videos of a YouCook2 folder, or all videos of a truth file."""
    if data.is_dir():
        return YouCook2(data).videos("training", ingredients=False)
    return read_truth(data)


def train_proposals(run: ProposalRun, base: Path, out: Path, *, quiet: bool = False) -> dict[str, History]:
    """Train the model into `out` and the fold models into `out/fold-1`, ...; finished ones are not trained again.

    Args:
        base: folder the paths of `run` are relative to.

    Returns:
        History by folder name; the whole model's is "model".
    """
    store = FeatureStore(base / run.features)
    videos = {video.id: video for video in present_videos(read_videos(base / run.data), store)}
    if run.videos:
        videos = {key: videos[key] for key in subset(videos, min(run.videos, len(videos)))}
    histories = {"model": _train_one(run, store, list(videos.values()), out, quiet)}
    if run.folds:
        parts = folds(videos, run.folds)
        write_json(out / FOLDS, {"folds": [list(part) for part in parts]})
        of_folds = run.model_copy(update={"captions": run.captions and run.fold_captions})
        for number, part in enumerate(parts, 1):
            kept = [video for key, video in videos.items() if key not in set(part)]
            name = f"fold-{number}"
            histories[name] = _train_one(of_folds, store, kept, out / name, quiet)
    return histories


def _train_one(
    run: ProposalRun, store: FeatureStore, videos: Sequence[AnnotatedVideo], out: Path, quiet: bool
) -> History:
    training = run.training_config()
    by_id = {video.id: video for video in videos}
    rest, development = development_split(by_id, run.development, seed=training.seed)
    learned = [by_id[key] for key in rest]
    vocabulary = None
    if run.captions:
        vocabulary = Vocabulary.build((text for video in learned for text in video.sentences), run.min_count)
    example = store.read(videos[0].id)
    sizes = {"feature_size": example.width, "encoder": example.encoder, "words": len(vocabulary) if vocabulary else 0}
    config = ProposalConfig.preset(run.preset, **(run.model | sizes))
    task = ProposalTask(
        config,
        training,
        VideoSet(learned, store, config, vocabulary, "training features"),
        VideoSet([by_id[key] for key in development], store, config, None, "development features"),
        vocabulary,
    )
    return train(task, training, out, quiet=quiet)


def read_folds(folder: Path) -> dict[str, Path]:
    """Video id to the fold model that did not see it; empty when the model has no folds."""
    path = Path(folder) / FOLDS
    if not path.is_file():
        return {}
    data = read_json(path)
    parts = data.get("folds") if isinstance(data, dict) else None
    if not isinstance(parts, list) or not all(isinstance(part, list) for part in parts):
        raise BadFileError(path, "is not a list of folds", "train again")
    return {str(key): Path(folder) / f"fold-{number}" for number, part in enumerate(parts, 1) for key in part}
