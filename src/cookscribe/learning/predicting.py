"""Recipes for candidates and features that are there already, by one process or by many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe.batch.engine import Crew, results
from cookscribe.candidates import Candidates
from cookscribe.encoders.base import Progress
from cookscribe.encoders.store import FeatureStore
from cookscribe.learning.story_run import candidate_texts
from cookscribe.model.decoding import DecodingConfig
from cookscribe.pipelines.story_writer import DECODING_BATCH, StoryWriter
from cookscribe.progress import track
from cookscribe.senses.transcripts import Transcript


@dataclass(frozen=True, eq=False)
class PredictInput:
    """A video: its candidates, the ingredients if they are known, and for each candidate the words heard in it."""

    key: str
    candidates: Candidates
    ingredients: Sequence[str]
    speech: Sequence[str] | None


@dataclass(frozen=True)
class Predicted:
    """The steps of a video, span and sentence each, and why there are none."""

    key: str
    steps: list[tuple[list[float], str]]
    reason: str


@dataclass(frozen=True)
class PredictJob:
    """Writing with one model: what a process needs for it.

    Attributes:
        models: folders; the first writes, the others write along.
        features: folder of feature tracks.
        changes: to the model's own decoding.
    """

    models: tuple[Path, ...]
    features: Path
    changes: Mapping[str, Any]

    def load(self) -> tuple[StoryWriter, DecodingConfig]:
        """The writer, and how it decodes."""
        writer = StoryWriter.load(self.models[0], members=self.models[1:])
        return writer, DecodingConfig.parse(writer.config.decoding.model_dump() | dict(self.changes), "decoding")

    def __call__(self) -> Callable[[Sequence[PredictInput], Progress], list[Predicted]]:
        return partial(self._predict, *self.load(), FeatureStore(self.features))

    def _predict(
        self,
        writer: StoryWriter,
        decoding: DecodingConfig,
        store: FeatureStore,
        videos: Sequence[PredictInput],
        progress: Progress,
    ) -> list[Predicted]:
        inputs = []
        for number, video in enumerate(videos):
            progress(float(number))
            rows = None if writer.config.own_features else store.read(video.key)
            given = (video.candidates, video.ingredients, rows, video.speech, video.key)
            inputs.append(writer.prepare(*given))
        stories = writer.write(inputs, decoding)
        return [
            Predicted(video.key, [(step.span.tolist(), step.sentence) for step in story.steps], story.reason)
            for video, story in zip(videos, stories, strict=True)
        ]


def predict_all(
    job: PredictJob,
    found: Mapping[str, Candidates],
    ingredients: Mapping[str, Sequence[str]],
    speech: Mapping[str, Transcript],
    reads_speech: bool,
    crew: Crew | None = None,
) -> dict[str, Predicted]:
    """Recipes by id, sorted; None for `crew` writes them in this process."""
    videos = []
    for key in sorted(found):
        texts = candidate_texts(("speech",), found[key], speech.get(key), key)[0] if reads_speech else None
        videos.append(PredictInput(key, found[key], ingredients.get(key, ()), texts))
    # Videos of similar size side by side: a batch takes the time of its largest.
    videos.sort(key=lambda video: (len(video.candidates), len(video.ingredients)))
    batches = [videos[first : first + DECODING_BATCH] for first in range(0, len(videos), DECODING_BATCH)]
    told: dict[str, Predicted] = {}
    for batch in track(results(job, batches, crew), "writing", len(batches)):
        told |= {one.key: one for one in batch}
    return {key: told[key] for key in sorted(told)}
