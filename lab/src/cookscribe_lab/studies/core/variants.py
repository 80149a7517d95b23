"""Named variants of one training: what most studies are made of.

A `Variant` says what is different; a `Workshop` trains it for a seed, lets it write the recipes of the validation
videos and scores them, or finds all that among the finished parts. Parts are named by a hash of everything they depend
on, so that studies with a row in common train it once.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from cookscribe.config import Config
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.inputs import read_predictions
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.report import evaluate
from cookscribe.files import read_json, write_json
from cookscribe.learning.loop import HISTORY
from cookscribe.learning.story_run import (
    DECODING_PRESETS,
    LOSS_PRESETS,
    StoryRun,
    candidate_texts,
    train_story,
)
from cookscribe.model.config import preset
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.losses import LossConfig
from cookscribe.model.story_config import Oracle, TextInput
from cookscribe.model.story_input import StoryInput
from cookscribe.pipelines.story_writer import StoryWriter, as_predictions
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.settings import GroundChoice, Setting, open_setting, speech_of

PREDICTIONS, SECONDS = "predictions.json", "seconds.json"
# Widths at which a smoke run trains in a second; its figures mean nothing.
SMOKE_MODEL: dict[str, Any] = {"width": 16, "heads": 2, "planner_width": 8, "planner_heads": 2}
SMOKE_TRAINING: dict[str, Any] = {"epochs": 1, "batch_size": 16}
SMOKE_DECODING: dict[str, Any] = {"max_steps": 4, "max_words": 4}


class Variant(Config):
    """One row of a study: changes to the preset of a recipe model.

    Attributes:
        name: of the row.
        letters: "b", "bi", "biv" or "bivt".
        model, losses, training, decoding: changes to the preset, see `StoryRun`.
        texts: what is read beside each candidate.
        oracle: how steps are labelled; the preset decides if left out.
        ground: candidates and features.
        paper: the paper's figures of this row, by heading.
    """

    name: str
    letters: str = "bivt"
    model: dict[str, Any] = Field(default_factory=dict)
    losses: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    decoding: dict[str, Any] = Field(default_factory=dict)
    texts: tuple[TextInput, ...] = ()
    oracle: Oracle | None = None
    ground: GroundChoice = GroundChoice()
    paper: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one training of a variant came to.

    Attributes:
        seed: of the training.
        folder: the trained model.
        report: the scores, as `evaluation.Report.as_json` gives them.
        predictions: file with the recipes of the validation videos.
        training_seconds, writing_seconds: processor time of the whole training, and of writing one video's recipe.
    """

    seed: int
    folder: Path
    report: dict[str, Any]
    predictions: Path
    training_seconds: float
    writing_seconds: float

    @property
    def told(self) -> dict[str, Events]:
        """The recipes."""
        return read_predictions(self.predictions)

    @property
    def history(self) -> list[dict[str, Any]]:
        """One entry per epoch."""
        epochs: list[dict[str, Any]] = read_json(self.folder / HISTORY)["epochs"]
        return epochs


class Workshop:
    """Makes outcomes, or finds them among the finished parts."""

    def __init__(self, options: StudyOptions) -> None:
        self.options = options
        self.settings: dict[GroundChoice, Setting] = {}

    @cached_property
    def meteor(self) -> MeteorTable | bool:
        """One table for all rows: what METEOR was asked once is known."""
        return MeteorTable() if self.options.meteor else False

    @cached_property
    def speech(self) -> dict[str, Transcript]:
        """What is said, read when the first row needs it."""
        return speech_of(self.options)

    def setting(self, choice: GroundChoice | None = None) -> Setting:
        """The ground of a row; the usual one for None."""
        choice = choice or GroundChoice()
        if choice not in self.settings:
            self.settings[choice] = open_setting(self.options, choice)
        return self.settings[choice]

    def run_of(self, variant: Variant, seed: int) -> StoryRun:
        """The training of a variant, as `cookscribe train story` would take it."""
        options = self.options
        given = {name: value for name in ("epochs", "batch_size") if (value := getattr(options, name))}
        smoke = options.smoke
        return StoryRun(
            data="",
            candidates=(),
            features="",
            preset=f"{options.preset}-{variant.letters}",
            model=variant.model | (SMOKE_MODEL if smoke else {}),
            losses=variant.losses,
            training=given | variant.training | (SMOKE_TRAINING if smoke else {}) | {"seed": seed},
            decoding=variant.decoding | (SMOKE_DECODING if smoke else {}),
            oracle=variant.oracle,
            texts=variant.texts,
            word_epochs=1 if smoke else None,
            min_count=1 if smoke else 3,
            min_action_count=1 if smoke else None,
        )

    def outcome(self, variant: Variant, seed: int, *, train: bool = True) -> Outcome | None:
        """Train, write and score what is not finished yet.

        Args:
            train: False only looks whether it is finished, and gives None if not.
        """
        setting = self.setting(variant.ground)
        run = self.run_of(variant, seed)
        ground = (setting.mark, setting.said) if "caption" in run.texts else (setting.mark,)
        name = f"{variant.letters}-seed-{seed}-{short_hash(resolved(run), *ground)}"
        folder = self.options.parts / "story" / name
        told = folder / "told" / short_hash(run.decoding)
        if not (told / PREDICTIONS).is_file():
            if not train:
                return None
            print(f"{variant.name}, seed {seed}", file=sys.stderr, flush=True)
            self._train(run, setting, folder)
            self._write(run, variant, setting, folder, told)
        seconds = read_json(folder / SECONDS)["training"] if (folder / SECONDS).is_file() else 0.0
        return Outcome(
            seed=seed,
            folder=folder,
            report=self.report(setting, told / PREDICTIONS),
            predictions=told / PREDICTIONS,
            training_seconds=seconds,
            writing_seconds=read_json(told / SECONDS)["writing"],
        )

    def outcomes(self, variant: Variant) -> list[Outcome]:
        """All seeds; rows that `only` does not name are taken only as far as they are finished."""
        wanted = not self.options.only or variant.name in self.options.only
        found = (self.outcome(variant, seed, train=wanted) for seed in range(self.options.seeds))
        return [outcome for outcome in found if outcome is not None]

    def report(self, setting: Setting, predictions: Path) -> dict[str, Any]:
        """Scores of a file of predictions, kept beside it. One with METEOR serves those who do not ask for it too."""
        kept = {True: predictions.with_name("report.json"), False: predictions.with_name("report-without-meteor.json")}
        for with_meteor in (True,) if self.options.meteor else (True, False):
            if kept[with_meteor].is_file():
                found: dict[str, Any] = read_json(kept[with_meteor])
                return found
        told = read_predictions(predictions)
        report = evaluate(setting.truth, told, meteor=self.meteor, ingredients=setting.ingredients).as_json()
        write_json(kept[self.options.meteor], report)
        return report

    def _train(self, run: StoryRun, setting: Setting, folder: Path) -> None:
        material = setting.material
        if "speech" in run.texts:
            material = replace(material, transcripts=self.speech)
        # Weights are chosen by recipes read out in the preset's way, so that one training serves all ways of reading.
        plain = run.model_copy(update={"decoding": SMOKE_DECODING if self.options.smoke else {}})
        before = read_json(folder / SECONDS)["training"] if (folder / SECONDS).is_file() else 0.0
        learnt = _epochs(folder)
        began = time.process_time()
        try:
            train_story(plain, Path(), folder, material=material)
        finally:
            # A training that was found finished took no time, however long the look at it.
            if _epochs(folder) > learnt:
                write_json(folder / SECONDS, {"training": before + time.process_time() - began})

    def _write(self, run: StoryRun, variant: Variant, setting: Setting, folder: Path, told: Path) -> None:
        writer = StoryWriter.load(folder)
        inputs = self.inputs(writer, setting)
        decoding = DecodingConfig.parse(writer.config.decoding.model_dump() | run.decoding, variant.name)
        began = time.process_time()
        stories = dict(zip(setting.candidates, writer.write(list(inputs.values()), decoding), strict=True))
        seconds = (time.process_time() - began) / len(stories)
        write_json(told / SECONDS, {"writing": seconds})
        # Last, because its presence says that the part is finished.
        write_json(told / PREDICTIONS, as_predictions(stories), indent=None)

    def inputs(self, writer: StoryWriter, setting: Setting) -> dict[str, StoryInput]:
        """The validation videos as the model reads them."""
        found = {}
        for key, candidates in setting.candidates.items():
            speech: Sequence[str] | None = None
            if "speech" in writer.config.texts:
                speech = candidate_texts(("speech",), candidates, self.speech.get(key), key)[0]
            found[key] = writer.prepare(candidates, setting.videos[key].ingredients, speech=speech, name=key)
        return found


def _epochs(folder: Path) -> int:
    """How many epochs a training has behind it."""
    return len(read_json(folder / HISTORY)["epochs"]) if (folder / HISTORY).is_file() else 0


def resolved(run: StoryRun) -> dict[str, Any]:
    """All choices of a training but the reading out, presets filled in: when a preset changes, parts are made anew."""
    return {
        "model": preset(run.preset, **run.model).model_dump(mode="json"),
        "losses": LossConfig.parse(LOSS_PRESETS[run.size] | run.losses, "losses").model_dump(mode="json"),
        "training": run.training_config().model_dump(mode="json"),
        "decoding": DECODING_PRESETS[run.size],
        "word_epochs": run.head_start,
        "rest": run.model_dump(
            mode="json", include={"oracle", "texts", "min_count", "min_action_count", "development"}
        ),
    }


def short_hash(*parts: object) -> str:
    """A short name of settings: anything JSON knows."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:12]
