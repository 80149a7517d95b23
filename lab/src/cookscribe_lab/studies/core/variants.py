"""Named variants of one training: what most studies are made of.

A `Variant` says what is different; a `VariantRunner` trains it for a seed, lets it write the recipes of the validation
videos and scores them, or finds all that among the finished parts. Parts are named by a hash of everything they depend
on, so that studies with a row in common train it once.
"""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
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
from cookscribe.export.researcher import as_predictions
from cookscribe.files import read_json, write_json
from cookscribe.learning.loop import HISTORY
from cookscribe.learning.story_run import DECODING_PRESETS, LOSS_PRESETS, StoryRun, candidate_texts, train_story
from cookscribe.learning.story_task import story_events
from cookscribe.model.config import LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.presets import preset
from cookscribe.model.story_config import TextInput
from cookscribe.model.story_input import StoryInput
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.core.candidate_sets import open_youcook2
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.study_data import DataChoice, StudyData, open_study_data

PREDICTIONS, SECONDS = "predictions.json", "seconds.json"
# Widths at which a smoke run trains in a second; its figures mean nothing.
SMOKE_MODEL: dict[str, Any] = {"width": 16, "heads": 2, "planner_width": 8, "planner_heads": 2}
SMOKE_TRAINING: dict[str, Any] = {"epochs": 1, "batch_size": 16}
SMOKE_DECODING: dict[str, Any] = {"max_steps": 4, "max_words": 4}
# Where the events are the true ones, each is a step: nothing is left to choose.
EVERY_EVENT: dict[str, Any] = {"selection": "all", "max_steps": 16}


class Variant(Config):
    """One row of a study: changes to the preset of a recipe model.

    Attributes:
        name: of the row.
        letters: "b", "bi", "biv" or "bivt".
        model, losses, decoding: changes to the preset, see `StoryRun`.
        texts: what is read beside each candidate.
        data: candidates and features.
        paper: the paper's figures of this row, by heading.
    """

    name: str
    letters: str = "bivt"
    model: dict[str, Any] = Field(default_factory=dict)
    losses: dict[str, Any] = Field(default_factory=dict)
    decoding: dict[str, Any] = Field(default_factory=dict)
    texts: tuple[TextInput, ...] = ()
    data: DataChoice = DataChoice()
    paper: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Scored:
    """Recipes of the validation videos: the scores as `evaluation.Report.as_json` gives them, and the file."""

    report: dict[str, Any]
    predictions: Path

    @property
    def recipes(self) -> dict[str, Events]:
        """What the file says."""
        return read_predictions(self.predictions)


@dataclass(frozen=True, eq=False)
class Outcome(Scored):
    """What one training of a variant came to.

    Attributes:
        seed: of the training.
        folder: the trained model.
        training_seconds, writing_seconds: processor time of the whole training, and of writing one video's recipe.
    """

    seed: int
    folder: Path
    training_seconds: float
    writing_seconds: float

    @property
    def history(self) -> list[dict[str, Any]]:
        """One entry per epoch."""
        epochs: list[dict[str, Any]] = read_json(self.folder / HISTORY)["epochs"]
        return epochs


class VariantRunner:
    """Makes outcomes, or finds them among the finished parts."""

    def __init__(self, options: StudyOptions) -> None:
        self.options = options
        self.opened: dict[DataChoice, StudyData] = {}

    @cached_property
    def meteor(self) -> MeteorTable | bool:
        """One table for all rows: what METEOR was asked once is known."""
        return MeteorTable() if self.options.asks_meteor else False

    @cached_property
    def speech(self) -> dict[str, Transcript]:
        """What is said, read when the first row needs it."""
        return open_youcook2(self.options).transcripts()

    def data(self, choice: DataChoice | None = None) -> StudyData:
        """What rows of this choice share; the usual one for None."""
        choice = self.choice(choice or DataChoice())
        if choice not in self.opened:
            self.opened[choice] = open_study_data(self.options, choice)
            if not choice.true_events:
                write_json(self._made(choice), choice.model_dump(mode="json"))
        return self.opened[choice]

    def is_made(self, choice: DataChoice) -> bool:
        """Whether the data of these rows lie ready, so that `data` only reads them."""
        choice = self.choice(choice)
        return choice in self.opened or choice.true_events or self._made(choice).is_file()

    def _made(self, choice: DataChoice) -> Path:
        """A file that is there once the data of a choice of candidates were made with these options."""
        names = ("data", "features", "candidates", "preset", "proposal_epochs", "videos", "smoke")
        given = [vars(self.options)[name] for name in names]
        return self.options.parts / "data" / f"{short_hash(given, choice.model_dump(mode='json'))}.json"

    def choice(self, choice: DataChoice) -> DataChoice:
        """The same with N filled in."""
        return choice.counted(self.options)

    def run_of(self, variant: Variant, seed: int) -> StoryRun:
        """The training of a variant, as `cookscribe train story` would take it."""
        options = self.options
        given = {name: value for name in ("epochs", "batch_size") if (value := getattr(options, name))}
        smoke = options.smoke
        # The paper's weights are tied to N: rows with more candidates than the preset allows have larger ones.
        tied = options.preset != "small" and not variant.data.true_events
        events = (variant.data.events or options.usual_events) if tied else 0
        larger = events > ModelConfig().max_events
        return StoryRun(
            data="",
            candidates=(),
            features="",
            preset=f"{options.preset}-{variant.letters}",
            model=variant.model | ({"max_events": events} if larger else {}) | (SMOKE_MODEL if smoke else {}),
            losses=variant.losses,
            training=given | (SMOKE_TRAINING if smoke else {}) | {"seed": seed},
            decoding=(EVERY_EVENT if variant.data.true_events else {})
            | variant.decoding
            | (SMOKE_DECODING if smoke else {}),
            texts=variant.texts,
            word_epochs=1 if smoke and options.preset == "small" else None,
            most_candidates=events if larger else None,
            min_count=1 if smoke else 3,
            min_action_count=1 if smoke else None,
        )

    def outcome(self, variant: Variant, seed: int, *, train: bool = True) -> Outcome | None:
        """Train, write and score what is not finished yet.

        Args:
            train: False only looks whether it is finished, and gives None if not.
        """
        if not train and not self.is_made(variant.data):  # another number of candidates takes hours
            return None
        data = self.data(variant.data)
        run = self.run_of(variant, seed)
        marks = (data.mark, data.said) if "caption" in run.texts else (data.mark,)
        name = f"{variant.letters}-seed-{seed}-{short_hash(resolved(run), *marks)}"
        folder = self.options.parts / "story" / name
        told = folder / "told" / short_hash(run.decoding)
        if not (told / PREDICTIONS).is_file():
            if not train:
                return None
            print(f"{variant.name}, seed {seed}", file=sys.stderr, flush=True)
            self._train(run, data, folder)
            self._write(run, variant, data, folder, told)
        seconds = read_json(folder / SECONDS)["training"] if (folder / SECONDS).is_file() else 0.0
        return Outcome(
            seed=seed,
            folder=folder,
            report=self.report(data, told / PREDICTIONS),
            predictions=told / PREDICTIONS,
            training_seconds=seconds,
            writing_seconds=read_json(told / SECONDS)["writing"],
        )

    def outcomes(self, variant: Variant) -> list[Outcome]:
        """All seeds; rows that `only` does not name are taken only as far as they are finished."""
        found = (self.outcome(variant, seed, train=self.options.wants(variant.name)) for seed in self.options.trainings)
        return [outcome for outcome in found if outcome is not None]

    def finished(self, variants: Sequence[Variant]) -> Iterator[tuple[Variant, list[Outcome]]]:
        """The variants that have any outcome, and all of theirs."""
        for variant in variants:
            outcomes = self.outcomes(variant)
            if outcomes:
                yield variant, outcomes

    def report(self, data: StudyData, predictions: Path) -> dict[str, Any]:
        """Scores of a file of predictions, kept beside it. One with METEOR serves those who do not ask for it too."""
        kept = {True: predictions.with_name("report.json"), False: predictions.with_name("report-without-meteor.json")}
        for with_meteor in (True,) if self.options.asks_meteor else (True, False):
            if kept[with_meteor].is_file():
                found: dict[str, Any] = read_json(kept[with_meteor])
                return found
        told = read_predictions(predictions)
        report = evaluate(data.truth, told, meteor=self.meteor, ingredients=data.ingredients).as_json()
        write_json(kept[self.options.asks_meteor], report)
        return report

    def _train(self, run: StoryRun, data: StudyData, folder: Path) -> None:
        material = data.material
        if "speech" in run.texts:
            material = replace(material, transcripts=self.speech)
        # Weights are chosen by recipes decoded in the preset's way, so that one training serves all ways of decoding.
        # Where events are given, there is no other way.
        given = {"selection": "all"} if data.choice.true_events else {}
        plain = run.model_copy(update={"decoding": given | (SMOKE_DECODING if self.options.smoke else {})})
        before = read_json(folder / SECONDS)["training"] if (folder / SECONDS).is_file() else 0.0
        learnt = _epochs(folder)
        began = time.process_time()
        try:
            train_story(plain, Path(), folder, material=material)
        finally:
            # A training that was found finished took no time, however long the look at it.
            if _epochs(folder) > learnt:
                write_json(folder / SECONDS, {"training": before + time.process_time() - began})

    def _write(self, run: StoryRun, variant: Variant, data: StudyData, folder: Path, told: Path) -> None:
        writer = StoryWriter.load(folder)
        inputs = self.inputs(writer, data)
        decoding = DecodingConfig.parse(writer.config.decoding.model_dump() | run.decoding, variant.name)
        began = time.process_time()
        stories = dict(zip(data.candidates, writer.write(list(inputs.values()), decoding), strict=True))
        seconds = (time.process_time() - began) / len(stories)
        write_json(told / SECONDS, {"writing": seconds})
        # Last, because its presence says that the part is finished.
        write_recipes(told / PREDICTIONS, {key: story_events(story) for key, story in stories.items()})

    def inputs(self, writer: StoryWriter, data: StudyData) -> dict[str, StoryInput]:
        """The validation videos as the model reads them."""
        found = {}
        for key, candidates in data.candidates.items():
            speech: Sequence[str] | None = None
            if "speech" in writer.config.texts:
                speech = candidate_texts(("speech",), candidates, self.speech.get(key), key)[0]
            found[key] = writer.prepare(candidates, data.videos[key].ingredients, speech=speech, name=key)
        return found


def write_recipes(path: Path, recipes: Mapping[str, Events]) -> None:
    """Write a file of predictions; its presence says that the part is finished."""
    events = {key: list(zip(found.spans.tolist(), found.sentences, strict=True)) for key, found in recipes.items()}
    write_json(path, as_predictions(events), indent=None)


def _epochs(folder: Path) -> int:
    """How many epochs a training has behind it."""
    return len(read_json(folder / HISTORY)["epochs"]) if (folder / HISTORY).is_file() else 0


def resolved(run: StoryRun) -> dict[str, Any]:
    """All choices of a training but the decoding, presets filled in: when a preset changes, parts are made anew."""
    return {
        "model": preset(run.preset, **run.model).model_dump(mode="json"),
        "losses": LossConfig.parse(LOSS_PRESETS[run.size] | run.losses, "losses").model_dump(mode="json"),
        "training": run.training_config().model_dump(mode="json"),
        "decoding": DECODING_PRESETS[run.size],
        "word_epochs": run.pretraining_epochs,
        "most_candidates": run.candidate_limit,
        "rest": run.model_dump(mode="json", include={"texts", "min_count", "min_action_count", "development"}),
    }
