"""Rows of the paper's rivals: trained on the same videos and features as the recipe models, scored in the same way."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.files import read_json, write_json
from cookscribe.learning.config import TrainingConfig
from cookscribe.progress import track
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.vocabulary import Vocabulary
from cookscribe_lab.rivals.base import RivalConfig, train_rival, write_all
from cookscribe_lab.rivals.rows import RIVALS
from cookscribe_lab.rivals.video_data import RivalVideo, prepare
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.variants import PREDICTIONS, SECONDS, Scored, VariantRunner, write_recipes

SIZES: dict[str, dict[str, Any]] = {"paper": {"width": 512, "heads": 8}, "faithful": {}, "small": {}}
SMOKE_SIZE: dict[str, Any] = {"width": 16, "heads": 2, "layers": 1}
TRAINING: dict[str, Any] = {
    "epochs": 30,
    "batch_size": 16,
    "learning_rate": 1e-3,
    "schedule": {"kind": "warmup-linear", "warmup": 1},
    "ema": 0.99,
    "patience": 6,
}


@dataclass(frozen=True, eq=False)
class RivalOutcome(Scored):
    """Scores of one training of a rival, its parameters in millions, and processor seconds."""

    seed: int
    parameters: float
    training_seconds: float
    writing_seconds: float


@dataclass
class RivalRunner:
    """Trains rivals on the data of a study, or finds them finished; videos are read once."""

    runner: VariantRunner
    data: StudyData
    read: dict[str, RivalVideo] = field(default_factory=dict)
    words: Vocabulary | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the training videos."""
        if self.words is None:
            rest, _ = self.data.material.split(0.1)
            sentences = (text for key in rest for text in self.data.material.videos[key].sentences)
            self.words = Vocabulary.build(sentences, 1 if self.runner.options.smoke else 3)
        return self.words

    def videos(self, ids: list[str]) -> list[RivalVideo]:
        """As the rivals see them."""
        data, matcher = self.data, ActionMatcher(self.data.material.actions)
        everyone = {**data.material.videos, **data.videos}
        offered = {**data.material.candidates, **data.candidates}
        for key in track([key for key in ids if key not in self.read], "reading videos"):
            self.read[key] = prepare(everyone[key], data.store.read(key), self.vocabulary, matcher, offered[key])
        return [self.read[key] for key in ids]

    def outcome(self, name: str, seed: int, *, train: bool) -> RivalOutcome | None:
        """One training; None if it is not finished and `train` is False."""
        options, data = self.runner.options, self.data
        sizes = SIZES[options.preset] | (SMOKE_SIZE if options.smoke else {})
        given = {key: value for key in ("epochs", "batch_size") if (value := getattr(options, key))}
        changes = TRAINING | given | ({"epochs": 1} if options.smoke else {}) | {"seed": seed}
        training = TrainingConfig.parse(changes, "training")
        mark = short_hash(name, sizes, training.model_dump(mode="json"), data.mark)
        folder = options.parts / "rivals" / f"{name.lower()}-seed-{seed}-{mark}"
        told = folder / "told" / PREDICTIONS
        if not told.is_file():
            if not train:
                return None
            print(f"{name}, seed {seed}", file=sys.stderr, flush=True)
            self._make(name, sizes, training, folder, told)
        seconds = read_json(folder / SECONDS)
        return RivalOutcome(
            self.runner.report(data, told), told, seed, seconds["parameters"], seconds["training"], seconds["writing"]
        )

    def _make(self, name: str, sizes: dict[str, Any], training: TrainingConfig, folder: Path, told: Path) -> None:
        rest, held_out = self.data.material.split(0.1)
        learnt, development = self.videos(list(rest)), self.videos(list(held_out))
        known = {"words": len(self.vocabulary), "actions": len(self.data.material.actions)}
        config = RivalConfig.parse({"feature_size": learnt[0].rows.shape[1]} | known | sizes, name)
        began = time.process_time()
        model = train_rival(name, RIVALS[name], config, training, self.vocabulary, learnt, development, folder)
        trained = time.process_time()
        asked = self.videos(list(self.data.videos))
        before = time.process_time()
        found = write_all(model, asked, self.vocabulary)
        writing = (time.process_time() - before) / len(asked)
        parameters = float(np.sum([value.numel() for value in model.parameters()])) / 1e6
        write_json(folder / SECONDS, {"training": trained - began, "writing": writing, "parameters": parameters})
        write_recipes(told, found)

    def outcomes(self, presegmented: bool) -> Iterator[tuple[str, list[RivalOutcome]]]:
        """All rivals of one kind that have any training, and theirs."""
        for name, kind in RIVALS.items():
            if kind.presegmented != presegmented:
                continue
            wanted = self.runner.options.wants(name)
            found = (self.outcome(name, seed, train=wanted) for seed in self.runner.options.trainings)
            trainings = [outcome for outcome in found if outcome is not None]
            if trainings:
                yield name, trainings
