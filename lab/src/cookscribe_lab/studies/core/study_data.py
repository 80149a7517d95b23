"""What the rows of a study learn from and are measured on: videos, features, candidates, and what is known beside them.

Features are the ones the user has (`--features`), or the simulated kitchen's. Candidates are ready-made
(`--candidates`), or those of a proposal model trained here, out of fold for the training videos.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.encoders.milnce import MilNceEncoder
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError
from cookscribe.evaluation.events import Events
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.story_run import StoryMaterial, read_vectors
from cookscribe.pipelines.story_writer import with_features
from cookscribe.progress import track
from cookscribe.text.actions import packaged_verbs
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.text_tower import text_vectors
from cookscribe_lab.studies.core.candidate_sets import (
    FOLDS,
    feature_folder,
    open_youcook2,
    prepare_candidates,
    true_events,
)
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash

SMOKE_FOLDS = 2


class DataChoice(Config):
    """Which candidates and features a row has.

    Attributes:
        looks: encoder whose features the recipe model sees of each candidate; "" for the one that proposed them.
        events: N, candidates per video; 0 for as many as the study's other rows have.
        in_fold: training candidates come from a model that saw those videos, as in the released program.
        difficulty, veil: of the simulated features, see `kitchen_features.streams.render`.
        true_events: the candidates are the true events, on the published SVPC split if its files are there.
        tower: put a text tower's vector of each candidate's caption beside its feature, as the paper does.
    """

    looks: str = ""
    events: int = Field(default=0, ge=0)
    in_fold: bool = False
    difficulty: float = Field(default=1.0, ge=0)
    veil: float = Field(default=0.0, ge=0, le=1)
    true_events: bool = False
    tower: bool = False

    def counted(self, options: StudyOptions) -> Self:
        """The same with N and the veil filled in."""
        if self.true_events:
            return self.model_copy(update={"events": 1, "veil": self.veil or options.veil})
        filled = {"events": self.events or options.usual_events, "veil": self.veil or options.veil}
        return self.model_copy(update=filled)


@dataclass(frozen=True, eq=False)
class StudyData:
    """Everything read that rows of one `DataChoice` share.

    Attributes:
        choice: which it is.
        material: the training videos as a recipe model learns from them; transcripts left out.
        videos, candidates: the validation videos, and their candidates with features.
        store: feature tracks of the candidates' features.
        proposals: folder of the proposal model, or None for ready-made candidates.
        fold: of the training candidates, see `CandidateSet`.
        mark: a short name of the content: parts made from other data are not taken for finished.
        said: the same of the candidates' captions, which most models never read.
    """

    choice: DataChoice
    material: StoryMaterial
    videos: Mapping[str, AnnotatedVideo]
    candidates: Mapping[str, Candidates]
    store: FeatureStore
    proposals: Path | None
    fold: str
    mark: str
    said: str

    @property
    def truth(self) -> dict[str, Events]:
        """True events of the validation videos."""
        return {key: Events(video.spans, video.sentences) for key, video in self.videos.items()}

    @property
    def ingredients(self) -> dict[str, tuple[str, ...]]:
        """Ingredient lists of the validation videos."""
        return {key: video.ingredients for key, video in self.videos.items()}

    @property
    def label(self) -> str:
        """The features' name, with the word *simulated* where they are."""
        return f"*simulated* `{self.material.encoder}`" if self.material.simulated else f"`{self.material.encoder}`"


def open_study_data(options: StudyOptions, choice: DataChoice) -> StudyData:
    """Read (and first make, where missing) the data of a row."""
    choice = choice.counted(options)
    if choice.true_events:
        offer = true_events(options, choice.difficulty, choice.veil)
    else:
        offer = prepare_candidates(
            options,
            events=choice.events,
            difficulty=choice.difficulty,
            veil=choice.veil,
            folds=0 if choice.in_fold else SMOKE_FOLDS if options.smoke else FOLDS,
            ready="training_in_fold" if choice.in_fold else "training",
        )
    found, store = {**offer.training, **offer.validation}, offer.store
    if choice.looks:
        everyone = [video for videos in offer.videos.values() for video in videos.values()]
        store = FeatureStore(feature_folder(options, choice.looks, choice.difficulty, everyone, choice.veil))
    ids = set(found) & set(store.ids())
    training, validation = (
        {key: videos[key] for key in sorted(videos) if key in ids and len(videos[key].spans)}
        for videos in (offer.videos["training"], offer.videos["validation"])
    )
    if len(training) < 2 or not validation:
        raise BadValueError(store.folder, "hardly any annotated video has both candidates and features")
    example = store.read(next(iter(training)))
    pooled: dict[str, Candidates] = {}
    for key in track([*training, *validation], "reading candidates"):
        events = found[key]
        # What lies ready has the features of the usual world.
        own = events.features is not None and not choice.looks and not choice.veil
        kept = own and events.features is not None and events.features.shape[1] == example.width
        pooled[key] = events if kept else with_features(events, store.read(key), key)
    if choice.tower:
        pooled = with_caption_vectors(pooled, example)
    root = open_youcook2(options)
    material = StoryMaterial(
        videos=training,
        candidates={key: pooled[key] for key in training},
        transcripts={},
        actions=root.actions() if root.present()["actions"] else packaged_verbs(),
        vectors=read_vectors("", Path(), root),
        encoder=example.encoder,
        simulated=example.simulated,
        development=tuple(key for key in offer.development if key in training),
    )
    seen = {key: pooled[key] for key in validation}
    said = short_hash([line for events in pooled.values() for line in events.captions or ("-",)])
    mark = _mark(pooled, example.encoder)
    return StudyData(choice, material, validation, seen, store, offer.proposals, offer.fold, mark, said)


def with_caption_vectors(candidates: Mapping[str, Candidates], example: FeatureTrack) -> dict[str, Candidates]:
    """The candidates with the vectors of their captions beside their features.

    They come from the text tower that belongs to the features: the kitchen's for simulated ones, else MIL-NCE's.
    """
    if example.simulated:
        tower: Callable[[Sequence[str]], NDArray[np.float32]] = partial(text_vectors, encoder=example.encoder)
    else:
        tower = MilNceEncoder().text
    found = {}
    for key, events in candidates.items():
        if events.captions is None or events.features is None:
            raise BadValueError(key, "its candidates have no captions", "propose with captions")
        vectors = tower(events.captions) if len(events) else np.zeros((0, 0), dtype=np.float32)
        found[key] = replace(events, features=np.concatenate([events.features, vectors], axis=1))
    return found


def _mark(candidates: Mapping[str, Candidates], encoder: str) -> str:
    digest = hashlib.sha256(encoder.encode())
    for key, events in candidates.items():
        assert events.features is not None
        digest.update(key.encode())
        for values in (events.spans, events.scores, events.features):
            digest.update(values.tobytes())
    return digest.hexdigest()[:12]
